//! Those who are not let in: each is counted, and together they are on record.
//!
//! A record for each would let anybody fill the audit. So the first of a while has a
//! record of its own, written before it is answered, and those that follow have one
//! together when the while is over. What a kill takes is the count of the last while.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    net::IpAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use axum::http::{HeaderMap, Method, header};
use garth_contract::Code;
use garth_gateway::audit::{Audit, Begin};
use tokio::sync::oneshot;

use super::http::caller::COOKIE;

/// How long those who follow wait for their record: with one in so long, a year of
/// strangers is half a gigabyte at most, which retention takes.
const WHILE: Duration = Duration::from_secs(10);
/// Addresses that a record names; more are counted.
const MOST_ADDRESSES: usize = 8;

/// The operation that their records name.
const OPERATION: &str = "authenticate";

/// What somebody brought who was not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Brought {
    /// Neither a token nor a session.
    Nothing,
    /// A token or a session that is not good.
    Token,
    /// A ticket that is not good.
    Ticket,
}

impl Brought {
    /// All of them, in the order in which they are counted.
    pub(crate) const ALL: [Self; 3] = [Self::Nothing, Self::Token, Self::Ticket];

    /// What a request of HTTP brings.
    pub(crate) fn with(method: &Method, path: &str, headers: &HeaderMap) -> Self {
        if method == Method::POST && path == "/v1/session" {
            return Self::Ticket;
        }
        let cookies = headers.get_all(header::COOKIE).iter();
        let mut cookies = cookies.filter_map(|value| value.to_str().ok());
        let session = cookies.any(|text| text.contains(COOKIE));
        if session || headers.contains_key(header::AUTHORIZATION) {
            Self::Token
        } else {
            Self::Nothing
        }
    }

    /// Its name in what is counted.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Token => "token",
            Self::Ticket => "ticket",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Nothing => "no token",
            Self::Token => "wrong token",
            Self::Ticket => "wrong ticket",
        }
    }
}

/// Those who were not let in; clones are the same ones.
#[derive(Clone)]
pub(crate) struct Strangers(Arc<Counted>);

struct Counted {
    audit: Audit,
    all: [AtomicU64; Brought::ALL.len()],
    window: Mutex<Window>,
}

/// A while, and who came in it since the last record.
#[derive(Default)]
struct Window {
    state: State,
    came: Came,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// The next has a record of its own.
    #[default]
    Closed,
    /// The next waits for the record of all.
    Open,
}

#[derive(Default)]
struct Came {
    counts: [u64; Brought::ALL.len()],
    from: BTreeMap<IpAddr, u64>,
    from_elsewhere: u64,
}

impl Strangers {
    pub(crate) fn new(audit: &Audit) -> Self {
        let window = Mutex::default();
        Self(Arc::new(Counted { audit: audit.clone(), all: Default::default(), window }))
    }

    /// Counts somebody who is not let in. Where nobody else was for a while, that is on
    /// record when this returns.
    ///
    /// Cancel: it is counted, and recorded all the same.
    pub(crate) async fn came(&self, brought: Brought, from: Option<IpAddr>) {
        if let Some(count) = self.0.all.get(place(brought)) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        let opened = {
            let mut window = self.lock();
            window.came.add(brought, from);
            std::mem::replace(&mut window.state, State::Open) == State::Closed
        };
        if opened {
            let (first, recorded) = oneshot::channel();
            tokio::spawn(self.clone().look_on(first));
            let _ = recorded.await;
        }
    }

    /// How many came with what.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (Brought, u64)> {
        let counts = self.0.all.iter().map(|count| count.load(Ordering::Relaxed));
        Brought::ALL.into_iter().zip(counts)
    }

    /// Records those who have no record yet.
    pub(crate) async fn record(&self) {
        let came = std::mem::take(&mut self.lock().came);
        if came.is_empty() {
            return;
        }
        let begin = Begin {
            operation: OPERATION.into(),
            summary: came.to_string().into(),
            ..Begin::default()
        };
        // Who cannot be recorded is refused all the same, and counted.
        if let Ok(record) = self.0.audit.open(begin).await {
            let _ = record.close(Err(Code::Unauthenticated)).await;
        }
    }

    /// Records the first at once, and who follows as long as somebody does.
    async fn look_on(self, first: oneshot::Sender<()>) {
        self.record().await;
        let _ = first.send(());
        loop {
            tokio::time::sleep(WHILE).await;
            if self.close_if_empty() == State::Closed {
                return;
            }
            self.record().await;
        }
    }

    fn close_if_empty(&self) -> State {
        let mut window = self.lock();
        if window.came.is_empty() {
            window.state = State::Closed;
        }
        window.state
    }

    fn lock(&self) -> MutexGuard<'_, Window> {
        self.0.window.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn place(brought: Brought) -> usize {
    match brought {
        Brought::Nothing => 0,
        Brought::Token => 1,
        Brought::Ticket => 2,
    }
}

impl Came {
    fn is_empty(&self) -> bool {
        self.counts.iter().all(|count| *count == 0)
    }

    fn add(&mut self, brought: Brought, from: Option<IpAddr>) {
        if let Some(count) = self.counts.get_mut(place(brought)) {
            *count += 1;
        }
        let Some(from) = from else { return };
        let known = self.from.len() < MOST_ADDRESSES || self.from.contains_key(&from);
        if known {
            *self.from.entry(from).or_default() += 1;
        } else {
            self.from_elsewhere += 1;
        }
    }
}

impl std::fmt::Display for Came {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut parts: Vec<String> = Vec::new();
        for (brought, count) in Brought::ALL.into_iter().zip(self.counts) {
            if count > 0 {
                parts.push(format!("{}: {count}", brought.words()));
            }
        }
        let mut from = String::new();
        for (address, count) in &self.from {
            let comma = if from.is_empty() { "from " } else { ", " };
            write!(from, "{comma}{address}: {count}")?;
        }
        if self.from_elsewhere > 0 {
            write!(from, ", from elsewhere: {}", self.from_elsewhere)?;
        }
        parts.extend(Some(from).filter(|from| !from.is_empty()));
        f.write_str(&parts.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_names_few_addresses_however_many_there_are() {
        let mut came = Came::default();
        for number in 0..=255 {
            came.add(Brought::Token, Some(IpAddr::from([10, 0, 0, number])));
        }
        came.add(Brought::Ticket, None);
        let said = came.to_string();
        assert!(
            said.starts_with("wrong token: 256; wrong ticket: 1; from 10.0.0.0: 1, "),
            "{said}"
        );
        assert!(said.ends_with("10.0.0.7: 1, from elsewhere: 248"), "{said}");
    }
}
