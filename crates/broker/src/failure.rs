//! What went wrong with a run of git, told by fixed sentences.
//!
//! What git prints holds words of the remote, paths of the gateway and whatever an agent
//! put into its objects, so no error repeats any of it.

use std::time::Duration;

use garth_contract::{Code, Detail, Error, Report};

/// How long to wait where a remote asks to and does not say how long.
const USUAL_WAIT: Duration = Duration::from_secs(60);

/// What a failure of a run on our own repository means.
pub(crate) fn local(report: &Report, what: &'static str) -> Error {
    let printed = words(report);
    if let Some(error) = outgrown(&printed) {
        return error;
    }
    tracing::debug!(code = report.ended.exit.code(), what, "Git failed.");
    Error::new(Code::GitFailed, what)
}

/// What a failure of a run that spoke with a remote means.
pub(crate) fn remote(report: &Report) -> Error {
    let printed = words(report);
    if let Some(error) = outgrown(&printed) {
        return error;
    }
    let status = status(&printed);
    for row in ROWS {
        let meant = match row.sign {
            Sign::Words(words) => words.iter().any(|words| printed.contains(words)),
            Sign::Status(from, to) => status.is_some_and(|code| (from..=to).contains(&code)),
        };
        if meant {
            let error = Error::new(row.code, row.message).hint(row.hint);
            let waits = row.code == Code::RateLimitExceeded;
            return if waits { error.with(Detail::RetryAfter(USUAL_WAIT)) } else { error };
        }
    }
    tracing::debug!(code = report.ended.exit.code(), "Git failed with a remote.");
    Error::new(Code::GitFailed, "git failed with the remote")
        .hint("Look at the remote's state, or ask the operator to look at the log of the remote.")
}

struct Row {
    sign: Sign,
    code: Code,
    message: &'static str,
    hint: &'static str,
}

#[derive(Clone, Copy)]
enum Sign {
    /// One of these is in what git printed.
    Words(&'static [&'static str]),
    /// The remote answered with a status from one to the other.
    Status(u16, u16),
}

const OPERATOR: &str = "Ask the operator to look at the remote and its credential.";
const LATER: &str = "Try again later.";

/// In order; the first that fits counts.
const ROWS: &[Row] = &[
    Row {
        sign: Sign::Words(&["fatal: fsck error", "error: object ", "index-pack failed"]),
        code: Code::GitFailed,
        message: "the remote's objects are malformed and were not taken",
        hint: OPERATOR,
    },
    Row {
        sign: Sign::Words(&[
            "Authentication failed",
            "could not read Username",
            "could not read Password",
        ]),
        code: Code::GitFailed,
        message: "the remote does not accept the credential",
        hint: OPERATOR,
    },
    Row {
        sign: Sign::Status(401, 401),
        code: Code::GitFailed,
        message: "the remote does not accept the credential",
        hint: OPERATOR,
    },
    Row {
        sign: Sign::Status(403, 403),
        code: Code::PermissionDenied,
        message: "the remote refuses this",
        hint: OPERATOR,
    },
    Row {
        sign: Sign::Status(404, 404),
        code: Code::GitFailed,
        message: "the remote has no such repository, or does not show it",
        hint: OPERATOR,
    },
    Row {
        sign: Sign::Words(&["' not found"]),
        code: Code::GitFailed,
        message: "the remote has no such repository, or does not show it",
        hint: OPERATOR,
    },
    Row {
        sign: Sign::Status(429, 429),
        code: Code::RateLimitExceeded,
        message: "the remote is asked too often",
        hint: LATER,
    },
    Row {
        sign: Sign::Status(300, 399),
        code: Code::GitFailed,
        message: "the remote sends elsewhere, which is not followed",
        hint: "Ask the operator to give the remote's own address.",
    },
    Row {
        sign: Sign::Words(&["redirect"]),
        code: Code::GitFailed,
        message: "the remote sends elsewhere, which is not followed",
        hint: "Ask the operator to give the remote's own address.",
    },
    Row {
        sign: Sign::Status(500, 599),
        code: Code::ProviderUnavailable,
        message: "the remote is not available",
        hint: LATER,
    },
    Row {
        sign: Sign::Words(&[
            "Failed to connect",
            "Could not resolve",
            "Couldn't connect",
            "Connection refused",
            "Connection reset",
            "Connection timed out",
            "Operation too slow",
            "the remote end hung up",
            "Empty reply from server",
            "early EOF",
            "RPC failed",
        ]),
        code: Code::ProviderUnavailable,
        message: "the remote cannot be reached",
        hint: LATER,
    },
    Row {
        sign: Sign::Words(&["certificate", "SSL", "TLS"]),
        code: Code::ProviderUnavailable,
        message: "the remote's certificate is not trusted",
        hint: OPERATOR,
    },
];

/// A run that was ended because of its size.
fn outgrown(printed: &str) -> Option<Error> {
    let signs =
        ["File too large", "maximum allowed size", "Out of memory", "out of memory", "mmap failed"];
    signs.iter().any(|sign| printed.contains(sign)).then(|| {
        Error::new(Code::QuotaExceeded, "the repository is larger than this gateway takes")
            .hint("Ask the operator to raise the bounds of git.")
    })
}

/// The status that a remote answered with.
fn status(printed: &str) -> Option<u16> {
    let sign = ["returned error: ", "HTTP "];
    sign.iter().find_map(|sign| {
        let (_, rest) = printed.split_once(sign)?;
        rest.get(..3)?.parse().ok()
    })
}

/// What git itself printed as errors; lines that a remote wrote are left out.
fn words(report: &Report) -> String {
    let mut all = String::from_utf8_lossy(&report.stderr.head).into_owned();
    all.push_str(&String::from_utf8_lossy(&report.stderr.tail));
    let own = all.lines().filter(|line| !line.starts_with("remote:"));
    own.collect::<Vec<_>>().join("\n")
}

/// What a sandbox's git failed with, without what it said.
pub(crate) fn plain(failed: garth_git::Failed) -> Error {
    failed.error
}
