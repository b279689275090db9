//! The task beside a connection: moves the pipe when no call does, and sees to it
//! that a guest that is silent is not waited for.

use std::{future::poll_fn, sync::Arc, task::Poll, time::Duration};

use garth_wire::Request;
use tokio::time::{self, Instant};

use crate::{
    call::{Call, Nature},
    connection::{Connection, Why},
};

/// How often in the longest silence the guest is looked at.
const LOOKS: u32 = 4;

/// Drives a connection until it is no more.
pub(crate) async fn drive(connection: Arc<Connection>, silence: Duration) {
    let _end = EndOnDrop(Arc::clone(&connection));
    let mut looks = time::interval(silence / LOOKS);
    looks.set_missed_tick_behavior(time::MissedTickBehavior::Delay);
    let mut heard = Heard { arrived: 0, since: Instant::now() };
    poll_fn(|context| {
        while looks.poll_tick(context).is_ready() {
            heard.look(&connection, silence);
        }
        connection.poll_given_up(context);
        if connection.push_as_driver(context).is_err() {
            connection.poll_given_up(context);
            return Poll::Ready(());
        }
        Poll::Pending
    })
    .await;
}

/// When the guest was last heard of.
struct Heard {
    arrived: u64,
    since: Instant,
}

impl Heard {
    fn look(&mut self, connection: &Arc<Connection>, silence: Duration) {
        let now = Instant::now();
        let arrived = connection.arrived();
        if arrived != self.arrived || !connection.is_awaited() {
            *self = Self { arrived, since: now };
        } else if now - self.since >= silence {
            return connection.end(Why::Silent);
        } else {
            ask_for_a_sign(Arc::clone(connection));
        }
        // Data alone is no sign that a dropped call was heard of.
        if connection.oldest_given_up().is_some_and(|since| now - since >= silence) {
            connection.end(Why::Unruly);
        }
    }
}

/// Makes a guest that lives say something.
fn ask_for_a_sign(connection: Arc<Connection>) {
    tokio::spawn(async move {
        if let Ok(mut call) = Call::begin(connection, &Request::Ping, Nature::Quick).await
            && call.answer(0).await.is_ok()
        {
            call.finish();
        }
    });
}

/// A connection that nobody drives is no connection.
struct EndOnDrop(Arc<Connection>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.end(Why::Dropped);
    }
}
