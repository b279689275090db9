//! What a command is given, what it prints and what is reported of it.

use garth_contract::{Cause, Exit};

use crate::place::place;

#[tokio::test]
async fn a_report_has_what_was_printed_and_how_it_ended() {
    let report = place().run("echo out; echo err >&2; exit 3").await;
    assert_eq!((&report.stdout.head[..], report.stdout.total), (&b"out\n"[..], 4));
    assert_eq!((&report.stderr.head[..], report.stderr.total), (&b"err\n"[..], 4));
    assert_eq!((report.ended.exit, report.ended.cause), (Exit::Code(3), Cause::Itself));
}
