//! Calls whose answers have a shape of their own: reading, listing, running.

use std::{
    future::{Future, poll_fn},
    pin::pin,
    sync::Arc,
    task::Poll,
};

use garth_contract::{Announce, Command, Content, Page, ProcessId, Result, Span, WsPath};
use garth_wire::{Answer, Fault, Named, Told};
use tokio::sync::oneshot;

use crate::{attend::Attendance, serve::LARGE};

/// How many entries of a listing go into one message.
const NAMES: usize = 512;

/// The answer that tells a result.
pub(crate) fn told<T>(result: Result<T>, answer: impl FnOnce(T) -> Answer) -> Answer {
    result.map_or_else(Answer::Refused, answer)
}

/// Reads; what may be large waits for its place, and keeps it until it is sent.
pub(crate) async fn read(
    attendance: &mut Attendance,
    path: WsPath,
    span: Span,
) -> Result<(), Fault> {
    let mut place = None;
    if most(span) > LARGE {
        place = Some(attendance.place().await?);
    }
    let files = Arc::clone(&attendance.shared.served.files);
    let call = async { told(files.read(&path, span).await, Answer::Content) };
    let answer = attendance.unless_gone(call).await?;
    if let Answer::Content(Content { bytes, .. }) = &answer
        && bytes.len() as u64 <= LARGE
    {
        place = None;
    }
    attendance.send(answer.encode()).await?;
    drop(place);
    Ok(())
}

/// The most bytes that a span gives.
fn most(span: Span) -> u64 {
    match span {
        Span::Whole { at_most } | Span::Lines { at_most, .. } | Span::LastLines { at_most, .. } => {
            at_most
        }
        Span::Bytes { length, .. } => length,
    }
}

/// Lists; a large directory comes in several messages.
pub(crate) async fn list(
    attendance: &mut Attendance,
    path: WsPath,
    page: Page,
) -> Result<(), Fault> {
    let files = Arc::clone(&attendance.shared.served.files);
    let mut entries = Vec::new();
    let call = async {
        told(files.list(&path, page).await, |listing| {
            entries = listing.entries;
            Answer::Listed(listing.total)
        })
    };
    let end = attendance.unless_gone(call).await?;
    for some in entries.chunks(NAMES) {
        let names = some.iter().map(|entry| Named {
            name: bytes::Bytes::copy_from_slice(entry.path.name().unwrap_or_default()),
            told: Told::of(entry),
        });
        attendance.send(Answer::Names(names.collect()).encode()).await?;
    }
    attendance.send(end.encode()).await
}

/// Runs a command: its number once it runs, then its report.
///
/// A client that gives it up has its tree killed, by the drop of the call.
pub(crate) async fn run(attendance: &mut Attendance, command: Command) -> Result<(), Fault> {
    let shell = Arc::clone(&attendance.shared.served.shell);
    let (tell, told_number) = oneshot::channel();
    let announce = Announce::to(move |id: ProcessId| {
        // Whoever gave the call up no longer listens.
        let _ = tell.send(id);
    });
    let mut call = pin!(async { told(shell.run(command, announce).await, Answer::Report) });
    let mut number = pin!(told_number);
    let first = attendance
        .unless_gone(poll_fn(|context| {
            if let Poll::Ready(answer) = call.as_mut().poll(context) {
                return Poll::Ready(answer);
            }
            match number.as_mut().poll(context) {
                Poll::Ready(Ok(id)) => Poll::Ready(Answer::Announced(id)),
                Poll::Ready(Err(_)) | Poll::Pending => Poll::Pending,
            }
        }))
        .await?;
    let announced = matches!(first, Answer::Announced(_));
    attendance.send(first.encode()).await?;
    if announced {
        let report = attendance.unless_gone(call).await?;
        attendance.send(report.encode()).await?;
    }
    Ok(())
}
