//! Published example secrets: how many are found, and how many other strings are touched.
//!
//! Two things about the labels are known and counted beside. Some rows labelled T hold no secret:
//! the name of a host, a user, a bucket, an account. And many rows labelled F are no secret for
//! the one rule they were written for and one for another, as `api_key=eb9bba25…` is. So what is
//! asserted of those is that no rule of their own service touches them.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests say what must hold")]

use std::collections::BTreeMap;

use garth_redact::{Config, Redactor};

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/cases/secrets");

/// Parts of the names of rules of the issuers that everybody uses.
#[rustfmt::skip]
const NAMED: &[&str] = &[
    "aws", "gcp", "google", "azure", "github", "gitlab", "bitbucket", "anthropic", "openai",
    "huggingface", "slack", "stripe", "twilio", "sendgrid", "npm", "pypi", "crates", "cargo",
    "docker", "cloudflare", "vercel", "datadog", "sentry", "telegram", "discord", "postgres",
    "mysql", "mongodb", "redis-connection", "kingfisher.pem", "np.pem", "privkey", "ssh-private",
    "ssh2-private", "putty", "jwt", "bearer", "basic-auth", "np.http", "kingfisher.http",
    "kingfisher.uri", "netrc", "ftp",
];

/// Rules among them whose examples are names and addresses, not secrets.
#[rustfmt::skip]
const NAMES_ONLY: &[&str] = &[
    "aws-secrets-manager-arn", "google-cloud-source-repos-credentials", "np.aws.3",
    "google-secret-manager-credentials", "kingfisher.azurestorage.name", "kingfisher.discord.3",
    "kingfisher.mongodb.2", "kingfisher.gcp.1",
];

struct Row {
    rule: String,
    secret: bool,
    text: String,
    found: Vec<String>,
}

#[expect(clippy::disallowed_methods, reason = "test data outside any workspace")]
fn rows() -> Option<Vec<Row>> {
    let redactor = Redactor::new(&Config::standard()).unwrap();
    let mut rows = Vec::new();
    for file in ["keyhog", "kingfisher", "noseyparker"] {
        let text = std::fs::read_to_string(format!("{CASES}/{file}.jsonl")).ok()?;
        for line in text.lines() {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            let field = |name: &str| row.get(name).and_then(|value| value.as_str()).unwrap();
            let text = field("text").to_owned();
            rows.push(Row {
                rule: field("rule").to_owned(),
                secret: field("label") == "T",
                found: redactor.find(&text).iter().map(|span| span.rule.to_owned()).collect(),
                text,
            });
        }
    }
    Some(rows)
}

fn is_one_of(row: &Row, parts: &[&str]) -> bool {
    parts.iter().any(|part| row.rule.contains(part))
}

/// Whether `rule` is the one of the service that the row is about.
fn is_its_own(row: &Row, rule: &str) -> bool {
    let service = rule.split('_').next().unwrap_or_default().to_ascii_lowercase();
    let general = matches!(rule, "API_KEY" | "SECRET" | "DATABASE_PASSWORD");
    matches!(rule, "SERVICE_KEY" | "TOKEN") || (!general && row.rule.contains(&service))
}

fn share(rows: &[&Row]) -> (usize, usize) {
    (rows.iter().filter(|row| !row.found.is_empty()).count(), rows.len())
}

#[test]
fn published_examples_are_found_and_others_are_left_alone() {
    let Some(rows) = rows() else {
        println!("skipped: no shared cases");
        return;
    };
    let secrets: Vec<&Row> = rows.iter().filter(|row| row.secret).collect();
    let mut missed: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for row in secrets.iter().filter(|row| row.found.is_empty()) {
        missed.entry(&row.rule).or_default().push(&row.text);
    }
    for (rule, texts) in &missed {
        for text in texts {
            let head: String = text.chars().take(80).collect();
            println!("missed {rule}: {head:?}");
        }
    }
    let named: Vec<&Row> = secrets.iter().copied().filter(|row| is_one_of(row, NAMED)).collect();
    let (found, all) = share(&named);
    println!("named issuers: {found} of {all} found, names and addresses among them");
    let named: Vec<&Row> = named.into_iter().filter(|row| !is_one_of(row, NAMES_ONLY)).collect();
    let (found, all) = share(&named);
    println!("named issuers: {found} of {all} secrets found");
    assert!(found * 100 >= 97 * all, "{found} of {all}");

    let (found, all) = share(&secrets);
    println!("all: {found} of {all} found");
    assert!(found * 100 >= 90 * all, "{found} of {all}");

    let others: Vec<&Row> = rows.iter().filter(|row| !row.secret).collect();
    let (touched, all) = share(&others);
    println!("others: {touched} of {all} touched by any rule");
    let wrong: Vec<&&Row> =
        others.iter().filter(|row| row.found.iter().any(|rule| is_its_own(row, rule))).collect();
    for row in others.iter().filter(|row| !row.found.is_empty()) {
        println!("touched {}: {:?} by {:?}", row.rule, row.text, row.found);
    }
    println!("others: {} of {all} touched by a rule of their own service", wrong.len());
    assert!(wrong.len() * 100 <= 2 * all, "{} of {all}", wrong.len());
    assert!(touched * 1000 <= 65 * all, "{touched} of {all}");
}
