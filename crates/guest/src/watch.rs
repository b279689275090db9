//! A watch: `Done` once it is set, then events until it ends or is given up.

use std::{future::poll_fn, sync::Arc, task::Poll};

use futures::{StreamExt, stream::Fuse};
use garth_contract::{Event, Watch, WatchSpec};
use garth_wire::{Answer, Fault};

use crate::attend::Attendance;

/// How many events go into one message.
const EVENTS: usize = 64;

/// Watches; the watch is over when an empty message is sent.
pub(crate) async fn watch(attendance: &mut Attendance, spec: WatchSpec) -> Result<(), Fault> {
    let files = Arc::clone(&attendance.shared.served.files);
    let mut set: Option<Watch> = None;
    let call = async {
        match files.watch(&spec).await {
            Ok(watch) => {
                set = Some(watch);
                Answer::Done
            }
            Err(error) => Answer::Refused(error),
        }
    };
    let answer = attendance.unless_gone(call).await?;
    attendance.send(answer.encode()).await?;
    let Some(watch) = set else { return Ok(()) };
    let mut watch = watch.fuse();
    loop {
        let events = attendance.unless_gone(some(&mut watch)).await?;
        let more = matches!(&events, Answer::Events(events) if !events.is_empty());
        attendance.send(events.encode()).await?;
        if !more {
            return Ok(());
        }
    }
}

/// The next events, as many as there are; none when the watch has ended.
async fn some(watch: &mut Fuse<Watch>) -> Answer {
    let mut events: Vec<Event> = Vec::new();
    poll_fn(|context| {
        while events.len() < EVENTS {
            match watch.poll_next_unpin(context) {
                Poll::Ready(Some(event)) => events.push(event),
                Poll::Ready(None) => break,
                Poll::Pending if events.is_empty() => return Poll::Pending,
                Poll::Pending => break,
            }
        }
        Poll::Ready(())
    })
    .await;
    Answer::Events(events)
}
