//! A watch behind a link: events as they come, and an overflow where they are lost.

use std::{
    collections::VecDeque,
    pin::Pin,
    task::{Context, Poll, ready},
};

use futures_core::Stream;
use garth_contract::{Event, Result, Watch, WatchSpec};
use garth_wire::{Answer, Request};

use crate::{
    Link,
    call::{Call, Nature},
    check::beside,
};

/// Watches.
pub(crate) async fn watch(link: &Link, spec: &WatchSpec) -> Result<Watch> {
    let mut call = link.begin(&Request::Watch(spec.clone()), Nature::Lasting).await?;
    let Answer::Done = call.answer(0).await? else { return Err(beside()) };
    Ok(Box::pin(Changes { call: Some(call), events: VecDeque::new() }))
}

/// Events that come over a link.
struct Changes {
    /// There until the watch ends.
    call: Option<Call>,
    events: VecDeque<Event>,
}

impl Stream for Changes {
    type Item = Event;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Event>> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Poll::Ready(Some(event));
            }
            let Some(call) = &mut self.call else { return Poll::Ready(None) };
            match ready!(call.poll_answer(context, 0)) {
                Ok(Answer::Events(events)) if events.is_empty() => {
                    if let Some(call) = self.call.take() {
                        call.finish();
                    }
                }
                Ok(Answer::Events(events)) => self.events.extend(events),
                // What changed from here on nobody will tell.
                Ok(_) | Err(_) => {
                    self.call = None;
                    self.events.push_back(Event::Overflow);
                }
            }
        }
    }
}
