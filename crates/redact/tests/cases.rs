//! Published example secrets: how many are found, and how many other strings are touched.
//!
//! Many rows labelled F are no secret for the one rule they were written for, and a secret for
//! another: `api_key=eb9bba25…` is such a row. So what is asserted is a floor and a ceiling that
//! hold today, and the numbers are printed.

#![allow(clippy::unwrap_used, reason = "tests say what must hold")]

use garth_redact::{Config, Redactor};

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/cases/secrets");

/// A family of rows by parts of their rule's name, and the least share found, in percent.
const FAMILIES: &[(&str, &[&str], usize)] = &[
    (
        "GITHUB_TOKEN",
        &[
            "np.github.1",
            "np.github.2",
            "np.github.3",
            "np.github.4",
            "np.github.7",
            "github-",
            "kingfisher.github",
        ],
        100,
    ),
    ("AWS_ACCESS_KEY", &["aws-access-key", "aws-govcloud", "np.aws.1", "kingfisher.aws.1"], 100),
    (
        "AWS_SECRET_KEY",
        &["np.aws.2", "np.aws.4", "np.aws.6", "kingfisher.aws.2", "kingfisher.aws.4"],
        100,
    ),
    ("ANTHROPIC_API_KEY", &["anthropic"], 100),
    ("OPENAI_API_KEY", &["openai"], 100),
    ("JWT_TOKEN", &["np.jwt.1", "kingfisher.jwt", "jwt-token"], 100),
    (
        "PRIVATE_KEY",
        &[
            "np.pem",
            "kingfisher.pem",
            "kingfisher.privkey",
            "ssh-private-key",
            "ssh2-private-key",
            "github-app-private-key",
        ],
        100,
    ),
    ("BEARER_TOKEN", &["bearer-authorization"], 100),
    (
        "CONNECTION_STRING",
        &[
            "np.mongodb.1",
            "np.postgres",
            "kingfisher.postgres",
            "kingfisher.mongodb.3",
            "kingfisher.uri",
            "kingfisher.rabbitmq",
            "mongodb-connection-string",
        ],
        100,
    ),
    (
        "DATABASE_PASSWORD",
        &[
            "generic-password",
            "cli-password-flag",
            "np.generic.3",
            "np.generic.5",
            "np.generic.6",
            "np.netrc",
            "netrc-password",
        ],
        85,
    ),
    ("API_KEY", &["generic-api-key", "np.generic.2", "kingfisher.generic.2"], 66),
    (
        "providers",
        &[
            "slack",
            "stripe",
            "gitlab",
            "npm",
            "hugg",
            "sendgrid",
            "digitalocean",
            "pypi",
            "docker",
            "groq",
            "databricks",
            "grafana",
            "postman",
        ],
        85,
    ),
];

struct Row {
    rule: String,
    secret: bool,
    touched: bool,
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
            rows.push(Row {
                rule: field("rule").to_owned(),
                secret: field("label") == "T",
                touched: !redactor.find(field("text")).is_empty(),
            });
        }
    }
    Some(rows)
}

fn share<'a>(rows: impl Iterator<Item = &'a Row>) -> (usize, usize) {
    rows.fold((0, 0), |(touched, all), row| (touched + usize::from(row.touched), all + 1))
}

#[test]
fn published_examples_are_found_and_others_are_left_alone() {
    let Some(rows) = rows() else {
        println!("skipped: no shared cases");
        return;
    };
    for (family, parts, least) in FAMILIES {
        let of_family = |row: &&Row| row.secret && parts.iter().any(|part| row.rule.contains(part));
        let (found, all) = share(rows.iter().filter(of_family));
        println!("{family}: {found} of {all} found");
        assert!(all > 0 && found * 100 >= least * all, "{family}: {found} of {all}");
    }
    let (found, secrets) = share(rows.iter().filter(|row| row.secret));
    println!("all: {found} of {secrets} found");
    assert!(found * 100 >= 53 * secrets, "{found} of {secrets}");

    let (touched, others) = share(rows.iter().filter(|row| !row.secret));
    println!("others: {touched} of {others} touched");
    assert!(touched <= 41, "{touched} of {others}");
}
