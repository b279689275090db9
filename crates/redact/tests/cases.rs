//! Published example secrets: how many are found, and how many other strings are touched.
//!
//! Two things about the labels are known and counted beside. Some rows labelled T hold no secret:
//! the name of a host, a user, a bucket, an account, `password 'password'`, a reference such as
//! `#{datastore['DBPASSWORD']}`, the public half of an age key. They are missed, and printed.
//!
//! And a row labelled F says only that the one rule it was written for does not match. Most that
//! are touched contradict a row labelled T, and are of these kinds:
//! - a secret by any reading, which that rule's pattern does not reach: `OPENAI_API_KEY=sk-9X3k…`
//!   (F for helicone), `postgresql://user:secret@[2001:db8::1234]/database` (F for np.postgres.1),
//!   `export NPM_TOKEN="007e…"` (F for np.npm.1), `export AUTH0_CLIENT_SECRET="wsxY…"`,
//!   `client_credential='5pX8Q~…'`, `clientSecret: …`, `license_key: 033f…NRAL`, four keys in one
//!   call of `OAuth(…)`, `password: s3cr3t`, `ECR_PASSWORD=…` and `TIMESCALE_PASSWORD=…`;
//! - the same line as one labelled T, without the name of a service near it: `X-Api-Key: a4f4f-…`
//!   and `X-Api-Key: Kp4Q…` are T with an address above them and F without (moosend, 8x8), and so
//!   are `api_key=eb9b…`, `X-API-Key: 6140…`, `x-api-key: JEA8…`, `X-API-KEY: JSuK…`;
//! - a key of another length than its service gives out, while rows labelled T have that length at
//!   other services: 20 letters (avaya, chippercash, cherryservers, classlink, contentful, linode,
//!   digitalocean spaces), 15 (convertkit, cortex), 24 and 30 digits of base 16 (countly, rapyd,
//!   deezer). Digits of base 16 that are one more or less than a hash has are left alone, unless
//!   the name calls them secret; any odd number of them is no sign: Cloudflare's global key has 37.
//!   To know the length of every service's keys would let through what a service changes next year.
//!
//! Rules that would leave more of them alone were tried and lose more than they gain: a value
//! that counts through the alphabet (`abcdef0123456789…`) is in 293 rows labelled T and in 2 others,
//! the id of a client is all that 39 rows labelled T hold, 20 letters behind a general name are in
//! 35 and in 7 others. The id of a *key* is left alone. One would lose none of these rows and free
//! 6 others, and hide too little: a header `X-Api-Key` only where an address stands beside it.
//!
//! So two things are asserted of them: few are touched by a rule of their own service, and all but
//! one in a hundred are contradicted by a row labelled T in which the same rule finds a value of
//! the same alphabet that is no longer.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "tests say what must hold"
)]

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
    /// What was found, in the same order.
    values: Vec<String>,
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
            let spans = redactor.find(&text);
            rows.push(Row {
                rule: field("rule").to_owned(),
                secret: field("label") == "T",
                found: spans.iter().map(|span| span.rule.to_owned()).collect(),
                values: spans.iter().map(|span| text[span.start..span.end].to_owned()).collect(),
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

/// What the value is made of: the same for two values that no rule tells apart but by length.
fn alphabet(value: &str) -> [bool; 5] {
    let has = |is: fn(u8) -> bool| value.bytes().any(is);
    [
        value.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-'),
        has(|byte| byte.is_ascii_lowercase()),
        has(|byte| byte.is_ascii_uppercase()),
        has(|byte| byte.is_ascii_digit()),
        has(|byte| !byte.is_ascii_alphanumeric()),
    ]
}

/// A row labelled T in which the same rule finds a value like the one found in `row`, no longer.
fn contradicting<'r>(row: &Row, rows: &'r [Row]) -> Option<&'r Row> {
    let finds = |row: &'r Row| row.found.iter().zip(&row.values);
    let like = |(rule, value): (&String, &String)| {
        let found = row.found.iter().zip(&row.values);
        let mut alike = found.filter(|(own, _)| *own == rule).map(|(_, own)| own);
        alike.any(|own| alphabet(own) == alphabet(value) && value.len() <= own.len())
    };
    rows.iter().filter(|other| other.secret).find(|other| finds(other).any(like))
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
    assert!(found * 100 >= 97 * all, "{found} of {all}");
    let named: Vec<&Row> = named.into_iter().filter(|row| !is_one_of(row, NAMES_ONLY)).collect();
    let (found, all) = share(&named);
    println!("named issuers: {found} of {all} secrets found");
    assert!(found * 100 >= 99 * all, "{found} of {all}");

    let (found, all) = share(&secrets);
    println!("all: {found} of {all} found");
    assert!(found * 100 >= 93 * all, "{found} of {all}");

    let others: Vec<&Row> = rows.iter().filter(|row| !row.secret).collect();
    let (touched, all) = share(&others);
    println!("others: {touched} of {all} touched by any rule");
    let wrong: Vec<&&Row> =
        others.iter().filter(|row| row.found.iter().any(|rule| is_its_own(row, rule))).collect();
    for row in others.iter().filter(|row| !row.found.is_empty()) {
        println!("touched {}: {:?} by {:?}", row.rule, row.text, row.found);
        match contradicting(row, &rows) {
            Some(other) => println!("  but T for {}: {:?}", other.rule, other.text),
            None => println!("  and no row labelled T is like it"),
        }
    }
    println!("others: {} of {all} touched by a rule of their own service", wrong.len());
    assert!(wrong.len() * 100 <= all, "{} of {all}", wrong.len());
    assert!(touched * 1000 <= 50 * all, "{touched} of {all}");
    let alone = others.iter().filter(|row| !row.found.is_empty());
    let alone = alone.filter(|row| contradicting(row, &rows).is_none()).count();
    println!("others: {alone} of {all} touched that no row labelled T contradicts");
    assert!(alone * 100 <= all, "{alone} of {all}");
}
