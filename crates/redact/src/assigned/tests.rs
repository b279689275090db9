//! The forms an assignment is read in.

use super::*;
use crate::candidate::{CONTEXT, WINDOW};
use crate::rules::{self, Find};

const WORDS: &[&str] = &["password", "pass", "pwd"];

fn value(text: &str) -> Option<(&str, Relation, Dress)> {
    let lower = text.to_ascii_lowercase();
    let at = WORDS.iter().filter_map(|word| lower.find(word)).min()?;
    let keyword = if lower[at..].starts_with("pwd") { "pwd" } else { "pass" };
    read(text, at, &Words::of(keyword, WORDS), &mut Memo::default())
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
        assert!(plain_suffix(one.as_bytes()).is_none(), "{one}");
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
        ("define('DB_PASSWORD', 'ab')", "ab", Spaced, Quoted),
        ("getenv(\"DB_PASSWORD\", 'ab')", "ab", Spaced, Quoted),
        ("set(\"DB_PASSWORD\", 'ab')", "ab", Comma, Quoted),
        ("process.env.DB_PASSWORD || \"ab\"", "ab", Spaced, Quoted),
        ("process.env.DB_PASSWORD ?? 'ab'", "ab", Spaced, Quoted),
        ("ENV[\"DB_PASSWORD\"] || \"ab\"", "ab", Spaced, Quoted),
        ("os.environ.get('DB_PASSWORD') or 'ab'", "ab", Spaced, Quoted),
        ("ENV.fetch('DB_PASSWORD') { 'ab' }", "ab", Spaced, Quoted),
        ("${DB_PASSWORD:-ab}", "ab", Tight, Bare),
        ("$password .= 'ab'", "ab", Spaced, Quoted),
        ("password += \"ab\"", "ab", Spaced, Quoted),
        ("PASSWORD ::= ab", "ab", Spaced, Bare),
        ("PASSWORD :::= ab", "ab", Spaced, Bare),
        ("${DB_PASSWORD:=ab}", "ab", Tight, Bare),
        ("var password string = \"ab\"", "ab", Spaced, Quoted),
        ("const password *config.Text = `ab`", "ab", Spaced, Quoted),
        ("char password[] = \"ab\";", "ab", Spaced, Quoted),
        ("char password[32] = \"ab\";", "ab", Spaced, Quoted),
        ("std::string password{\"ab\"};", "ab", Call, Quoted),
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

#[test]
fn a_short_word_behind_a_key_is_nothing_unless_it_wraps_something() {
    let read = |text: &str| {
        let claim = read(text, 0, &Words::of("token", &["token"]), &mut Memo::default());
        claim.map(|claim| claim.value.to_owned())
    };
    for text in ["token String(\"ab\")", "token b\"ab\"", "token new Secret(\"ab\")"] {
        assert_eq!(read(text).as_deref(), Some("ab"), "{text}");
    }
    for (text, value) in [
        ("token abc0123456789de f", None),
        ("token abc0123456789def g", Some("abc0123456789def")),
        ("token = abc", Some("abc")),
    ] {
        assert_eq!(read(text).as_deref(), value, "{text}");
    }
}

/// What is read at each word of a name, in as much text as a rule may look at.
fn claims(text: &str, mut kept: Option<Memo>) -> Vec<String> {
    let words = ["secret_access_key", "access_key", "_key"];
    let lower = text.to_ascii_lowercase();
    let places = words.iter().filter_map(|word| Some((*word, lower.find(word)?)));
    let read = |(word, at): (&'static str, usize)| {
        let from = at.saturating_sub(CONTEXT);
        let chunk = &text[from..text.len().min(at + WINDOW)];
        let mut fresh = Memo::default();
        let memo = kept.as_mut().unwrap_or(&mut fresh);
        memo.origin = from;
        let claim = read(chunk, at - from, &Words::of(word, &[word]), memo)?;
        Some(format!("{word} {:?} {:?} {:?}", claim.relation, claim.dress, claim.value))
    };
    places.filter_map(read).collect()
}

#[test]
fn every_word_of_a_name_reads_what_it_would_read_alone() {
    let value = "Kp4Qx7Rm2Sn5Tb8Vw3YzKp4Qx7Rm2Sn5Tb8Vw3Yz";
    let quoted = value.repeat(WINDOW / value.len() - 1);
    for more in 0..24 {
        let lead = format!("{}=1 ", "A".repeat(CONTEXT - 28 + more));
        let login = "m".repeat(CONTEXT + 4 - more);
        let name = format!("{}{}", "-".repeat(80), "A".repeat(more + 24));
        for text in [
            // What stands before a name is cut at another place for each word in it.
            format!("x {lead}MY_SECRET_ACCESS_KEY={value},{value}"),
            format!("login {login}\nsecret_access_key {value}\n"),
            format!("{name}_SECRET_ACCESS_KEY={value},{value}"),
            // And so is what stands behind it.
            format!("my_secret_access_key = \"{quoted}{}\" ", &value[..more]),
            format!("my_secret_access_key = {value}"),
        ] {
            let [kept, fresh] = [Some(Memo::default()), None].map(|memo| claims(&text, memo));
            assert!(!fresh.is_empty(), "{text}");
            assert_eq!(kept, fresh, "{text}");
        }
    }
}
