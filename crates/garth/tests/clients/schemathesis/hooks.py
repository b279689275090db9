"""What Schemathesis cannot know of the gateway, and a check of its own.

Requests go to workspaces that are there, and no two calls have the same name.
"""

import itertools
import re

import schemathesis

AGENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
KEY = re.compile(r"[!-~]{1,128}")
# What the operator asks for would else end the workspace that all others work in.
PERILOUS = {"/v1/workspaces/{id}", *(f"/v1/rpc/agents.{act}" for act in ("delete", "update", "stop", "start"))}
GIT = "/v1/workspaces/{id}/git"
names = itertools.count()


def agent(context):
    return "other" if context.operation.path in PERILOUS else "default"


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    if path_parameters and AGENT.fullmatch(str(path_parameters.get("id", ""))):
        path_parameters["id"] = agent(context)
    return path_parameters


@schemathesis.hook
def map_body(context, body):
    named = body.get("agentId") if isinstance(body, dict) else None
    if isinstance(named, str) and AGENT.fullmatch(named):
        body["agentId"] = agent(context)
    return body


@schemathesis.hook
def before_call(context, case, kwargs):
    # No directory of this machine becomes a workspace, or the system of one.
    for part in (case.body, case.body.get("settings") if isinstance(case.body, dict) else None):
        for name in ("directory", "system"):
            if isinstance(part, dict) and isinstance(part.get(name), str):
                del part[name]
    # A list of workspaces leads to the one that may be stopped by now.
    if case.operation.path not in PERILOUS:
        for part, name in ((case.path_parameters, "id"), (case.body, "agentId")):
            if isinstance(part, dict) and part.get(name) == "other":
                part[name] = "default"
    # A null is what is absent, to methods.
    if case.operation.path.startswith("/v1/rpc/") and isinstance(case.body, dict):
        for part in (case.body, case.body.get("settings")):
            for name in [name for name, value in part.items() if value is None] if isinstance(part, dict) else []:
                del part[name]
    # A name that was used for another call is refused, and generated ones come twice.
    for name in list(case.headers or {}):
        if name.lower() == "idempotency-key" and KEY.fullmatch(str(case.headers[name])):
            case.headers[name] = f"call-{next(names)}"


# The codes that say that a request is not what it should be. All others say what is there, and
# what may be done with it: a path that is a directory, a file that is gone.
WRONG = {"INVALID_PARAMS", "INVALID_REQUEST"}
# What fits the schema and is wrong all the same, since no schema can say it; by the message.
UNSAID = re.compile("|".join([
    # Parameters that exclude each other, or of which one is needed.
    "If-Match and If-None-Match make no sense together",
    "send (from and to|fromPath and toPath), or path and content",
    "version goes with path, and with nothing else to compare",
    "expectedVersion makes no sense with overwrite: false",
    "the token of an agent needs its agentId",
    "only the token of an agent has an agentId",
    "old_string and new_string are both needed, or edits",
    "send either old_string and new_string, or edits",
    "expected_version makes no sense with overwrite: false",
    "tail cannot be combined with offset or limit",
    # Bounds of tools, which their messages tell a model that needs them.
    r"\w+ must be at least 1$",
    "a timeout of 0 leaves no time at all",
    "edits is empty",
    "the command is empty",
    # What this gateway has.
    "there is no provider",
    "before, after and context are at most 100",
    "contextLines must be at most 100",
    # What only an earlier answer gives.
    "not the id of a process",
    "not a version",
    "cursor must be what an earlier reply gave",
    "there is no such token in use",
    "no such approval is waited for",
    "this request id was used for another call",
    # Languages of their own.
    "invalid patch",
    "this is no archive",
    "the archive cannot be read",
    "a git remote",
    # A session is ended by its cookie, and these requests come with a token.
    "this was asked with a token, which is no session",
    # 1.0 is an integer to JSON Schema, and none to whoever writes JSON.
    "invalid type: floating point",
    "before and limit are whole numbers",
    r"(wrong parameters: )?\w+ must be a whole number, 0 or more, not \d+$",
]))


@schemathesis.check
def valid_shapes_are_accepted(ctx, response, case):
    """Stricter than positive_data_acceptance in that the code must not blame the request; what
    that one also refuses is a 400 of which the file, not the request, is the cause."""
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    # Which parameters of git belong together is its action's, and no schema's.
    if response.status_code != 400 or case.operation.path == GIT:
        return
    error = response.json()["error"]
    if error["code"] in WRONG and not UNSAID.match(error["message"]):
        raise AssertionError(f"{error['code']}: {error['message']}")


@schemathesis.check
def git_fails_as_the_table_says(ctx, response, case):
    """In place of not_a_server_error, which knows no 502 for what git itself refuses and no 501
    for a workspace without a remote."""
    if case.operation.path == GIT and response.status_code >= 500:
        code = response.json()["error"]["code"]
        assert code in ("GIT_FAILED", "UNSUPPORTED"), code
