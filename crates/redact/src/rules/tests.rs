//! Runs every row's examples.

use regex_automata::meta::Regex;

use crate::{Config, Raw, Redactor};

use super::*;

fn redactor() -> Redactor {
    Redactor::new(&Config::standard()).unwrap()
}

#[test]
fn every_pattern_compiles_and_begins_at_its_keyword() {
    for (index, rule) in all() {
        if let Find::Pattern(pattern) = &rule.find {
            assert!(compiled(index, pattern).is_some(), "{} {}", rule.name, pattern.regex);
            assert!(pattern.regex.starts_with('^'), "{}", pattern.regex);
            assert!(Regex::new(pattern.regex).unwrap().captures_len() <= 2, "{}", pattern.regex);
        }
    }
}

#[test]
fn every_yes_example_loses_its_secret_and_nothing_else() {
    for (_, rule) in all() {
        for (text, secret) in rule.yes {
            assert!(text.contains(secret), "{}: {text}", rule.name);
            let redaction = redactor().clean(Raw::from(*text)).unwrap();
            let expected = text.replacen(secret, &format!("[REDACTED: {}]", rule.name), 1);
            assert_eq!(redaction.clean.as_ref(), expected, "{}", rule.name);
            assert_eq!(redaction.names, [rule.name]);
        }
    }
}

#[test]
fn no_rule_touches_a_no_example() {
    for (_, rule) in all() {
        for text in rule.no {
            let redaction = redactor().clean(Raw::from(*text)).unwrap();
            assert_eq!(redaction.clean.as_ref(), *text, "{}", rule.name);
        }
    }
}

#[test]
fn every_row_has_examples_and_a_name_that_fits() {
    for (_, rule) in all() {
        assert!(!rule.yes.is_empty() && !rule.no.is_empty(), "{}", rule.name);
        assert!(crate::placeholder::is_name(rule.name));
        assert!(!rule.keywords.is_empty());
    }
}

#[test]
fn the_names_that_configurations_rely_on_are_there() {
    for name in [
        "API_KEY",
        "JWT_TOKEN",
        "PRIVATE_KEY",
        "AWS_ACCESS_KEY",
        "AWS_SECRET_KEY",
        "GITHUB_TOKEN",
        "BEARER_TOKEN",
        "DATABASE_PASSWORD",
        "CONNECTION_STRING",
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
    ] {
        assert!(all().any(|(_, rule)| rule.name == name), "{name}");
    }
}
