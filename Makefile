# Every command of this repository. `make` alone lists them.

SHELL := /bin/bash
.DEFAULT_GOAL := help

# How long `make soak` runs, in seconds; each fuzz target gets a tenth of it,
# at most a minute.
SECONDS ?= 600

.PHONY: help run test check soak bench fuzz guest deny docs

help: ## Lists the commands.
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-7s %s\n", $$1, $$2 }' Makefile

run: ## Builds garth and starts its gateway, and says where to go and what to try.
	@scripts/run

test: ## Installs what the tests need, then runs everything: format, lints, all tests.
	@scripts/test

check: ## Format, lints, unit tests, conformance on host and memory: an answer within 5 minutes.
	@scripts/check

soak: ## Races, random sequences, kills and fuzzing for SECONDS=600.
	@scripts/soak $(SECONDS)

bench: ## Measures against ripgrep, fd, find and two MCP servers, side by side.
	@scripts/bench

fuzz: ## Runs each fuzz target for SECONDS=600 / 10, at most a minute.
	@scripts/fuzz $$(( $(SECONDS) / 10 < 60 ? $(SECONDS) / 10 : 60 ))

guest: ## Builds the guest of sandboxes as one static program, of at most 6 MB.
	@scripts/guest

deny: ## Checks licences, bans, sources and advisories with cargo-deny, which it installs.
	@scripts/deny

docs: ## Writes the pages under docs/ that are generated from tables in the code.
	@scripts/docs
