//! `garth audit`: what was done through a gateway, and whether that record is whole.

use std::fmt::Write as _;

use garth_contract::{Code, Error, Result};
use garth_gateway::audit::{Filter, Finding, PublicKey, Record, Report};

use super::{Missing, Office, columns, facts, format, run as on_data, when};
use crate::{
    args::{self, AuditVerb},
    output::{Format, Outcome, Output},
};

/// Runs the command.
pub(crate) fn run(args: &args::Audit, output: &Output) -> Outcome {
    match &args.verb {
        AuditVerb::List(args) => {
            let to = (output, format(args.json));
            on_data(&args.place, Missing::Refused, to, |office| list(office, args, to))
        }
        AuditVerb::Verify(args) => {
            let to = (output, format(args.json));
            on_data(&args.place, Missing::Refused, to, |office| verify(office, args, to))
        }
        AuditVerb::Export(args) => {
            let to = (output, Format::Text);
            on_data(&args.place, Missing::Refused, to, |office| export(office, args, output))
        }
    }
}

type To<'a> = (&'a Output, Format);

impl From<&args::Which> for Filter {
    fn from(which: &args::Which) -> Self {
        Self {
            workspace: which.agent.clone(),
            caller: which.caller.clone(),
            session: which.session.clone(),
            operation: which.operation.clone(),
            outcome: which.outcome.clone(),
            since_ms: which.since.map(when::ago),
            until_ms: which.until.map(when::ago),
        }
    }
}

async fn list(office: Office, args: &args::AuditList, (output, format): To<'_>) -> Result<Outcome> {
    let page = office.audit.list(&Filter::from(&args.which), args.before, args.limit).await?;
    match format {
        Format::Json => output.payload(&facts(&page)?),
        Format::Text => {
            let rows: Vec<_> = page.records.iter().map(row).collect();
            let head = ["RECORD", "TIME", "ROLE", "WORKSPACE", "OPERATION", "OUTCOME", "SUMMARY"];
            output.answer(&columns::page(head, &rows));
            if let Some(next) = page.next {
                output.answer(&format!("[more: --before {next}]"));
            }
        }
    }
    Ok(Outcome::Done)
}

fn row(record: &Record) -> [String; 7] {
    let entry = &record.entry;
    let or_dash = |text: &str| if text.is_empty() { "-" } else { text }.to_owned();
    [
        record.sequence.to_string(),
        when::shown(entry.time_ms),
        entry.role.clone(),
        or_dash(&entry.workspace),
        entry.operation.clone(),
        entry.outcome.clone(),
        entry.summary.clone(),
    ]
}

async fn export(office: Office, args: &args::AuditExport, output: &Output) -> Result<Outcome> {
    let line = |line: &str| {
        output.line(line).map_err(|error| {
            let message = format!("standard output cannot be written: {}", error.kind());
            Error::new(Code::Internal, message)
        })
    };
    office.audit.export(&Filter::from(&args.which), line).await?;
    Ok(Outcome::Done)
}

async fn verify(
    office: Office,
    args: &args::AuditVerify,
    (output, format): To<'_>,
) -> Result<Outcome> {
    let own = office.audit.public_key();
    let key = args.key.as_deref().map(PublicKey::parse).transpose()?.unwrap_or(own);
    let report = office.audit.verify(&key).await?;
    match format {
        Format::Json => {
            let mut facts = facts(&report)?;
            facts.insert("sound".to_owned(), report.is_sound().into());
            facts.insert("key".to_owned(), key.to_string().into());
            output.payload(&facts);
        }
        Format::Text => output.answer(&page(&report, &key)),
    }
    Ok(if report.is_sound() { Outcome::Done } else { Outcome::Failed })
}

fn page(report: &Report, key: &PublicKey) -> String {
    let mut page = String::new();
    for finding in &report.findings {
        let _ = writeln!(page, "error: {}", sentence(finding));
    }
    let Report { records, last, protected_up_to, unprotected, dropped_up_to, .. } = report;
    let verdict = if report.is_sound() { "whole" } else { "not whole" };
    let _ = writeln!(page, "The audit is {verdict}: {records} records, the last is {last}.");
    if *dropped_up_to > 0 {
        let _ = writeln!(page, "Records up to {dropped_up_to} were dropped by retention.");
    }
    let _ = match unprotected {
        0 => writeln!(page, "All of them are protected by an anchor."),
        _ => writeln!(
            page,
            "Anchors protect those up to {protected_up_to}; the {unprotected} after it are \
             unprotected: whoever can write the database could change them unseen."
        ),
    };
    if report.unusable_anchors > 0 {
        let _ = writeln!(
            page,
            "{} lines of the anchor are not signed with this key.",
            report.unusable_anchors
        );
    }
    let _ = write!(page, "Checked with the public key {key}");
    page
}

fn sentence(finding: &Finding) -> String {
    match finding {
        Finding::Changed { sequence } => {
            format!("record {sequence} is not what was written, or stands where another stood")
        }
        Finding::Removed { from, to } => format!("records {from} to {to} are missing"),
        Finding::Cut { last, known } => {
            format!("the end was cut off: the last record is {last}, and there was a {known}")
        }
        Finding::Rewritten { sequence } => {
            format!("everything up to record {sequence} at least was written anew")
        }
        Finding::Dropped { up_to } => {
            format!("records up to {up_to} were dropped, and not by retention")
        }
        Finding::Extra { sequence } => format!("record {sequence} stands beyond the last one"),
    }
}
