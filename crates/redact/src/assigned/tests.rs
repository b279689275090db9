//! The forms an assignment is read in.

use super::*;
use crate::rules::{self, Find};

const WORDS: &[&str] = &["password", "pass", "pwd"];

fn value(text: &str) -> Option<(&str, Relation, Dress)> {
    let lower = text.to_ascii_lowercase();
    let at = WORDS.iter().filter_map(|word| lower.find(word)).min()?;
    let words: Vec<Head> = WORDS.iter().map(|word| Head::of(word)).collect();
    read(text, at, &words, &mut Memo::default())
        .map(|claim| (claim.value, claim.relation, claim.dress))
}

#[test]
fn words_that_may_end_one_name_are_of_one_kind() {
    let rules = rules::all().filter_map(|(_, rule)| match &rule.find {
        Find::Assigned(words, _) => Some(*words),
        Find::Pattern(_) | Find::Service(_) | Find::Formed(_) => None,
    });
    let words: Vec<&str> = rules.flatten().copied().collect();
    for (one, other) in words.iter().flat_map(|one| words.iter().map(move |other| (one, other))) {
        let same = is_machine_made(one) == is_machine_made(other);
        assert!(same || !one.ends_with(other), "{one} {other}");
        assert!(!is_plain_suffix(one), "{one}");
    }
}

#[test]
fn the_value_is_found_in_every_form() {
    use Dress::{Bare, Environment, Quoted, Unclosed};
    use Relation::{Beside, Call, Colon, Comma, Compare, Element, Spaced, Tight};
    for (text, value_found, relation, dress) in [
        ("password = \"ab\"", "ab", Spaced, Quoted),
        ("password=\"a\\\"b\"", "a\\\"b", Tight, Quoted),
        ("DB_PASSWORD=a(b", "a(b", Tight, Environment),
        ("export DB_PASSWORD=ab", "ab", Tight, Environment),
        ("x;Pwd=ab;y", "ab", Tight, Bare),
        ("\"password\": \"ab\",", "ab", Colon, Quoted),
        ("\\\"password\\\":\\\"ab\\\"", "ab", Colon, Quoted),
        ("'password' => 'ab'", "ab", Colon, Quoted),
        ("config['password'] = 'ab'", "ab", Spaced, Quoted),
        ("let password: &str = \"ab\";", "ab", Colon, Quoted),
        ("password := `ab`", "ab", Spaced, Quoted),
        ("if password == \"ab\" {", "ab", Compare, Quoted),
        ("define('DB_PASSWORD', 'ab')", "ab", Comma, Quoted),
        (".password(\"ab\")", "ab", Call, Quoted),
        ("password = String::from(\"ab\")", "ab", Call, Quoted),
        ("password: Some(\"ab\")", "ab", Call, Quoted),
        ("<password>ab</password>", "ab", Element, Bare),
        ("--password ab", "ab", Beside, Bare),
        ("machine h login me password ab", "ab", Beside, Bare),
        ("password: ab # note", "ab", Colon, Bare),
        ("password = \"ab", "ab", Spaced, Unclosed),
        ("password=ab&user=x", "ab", Tight, Bare),
    ] {
        assert_eq!(value(text), Some((value_found, relation, dress)), "{text}");
    }
}

#[test]
fn names_that_only_contain_the_word_are_left_alone() {
    for text in [
        "compass = 12",
        "bypass: x",
        "password_file=/run/x",
        "passwordLabel: \"Password\"",
        "password::hash()",
        "password and more",
        "passwords = x",
    ] {
        assert_eq!(value(text), None, "{text}");
    }
}
