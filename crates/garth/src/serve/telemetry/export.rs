//! Sends spans to a collector: in the background, bounded, and without waiting anywhere
//! that a call waits.
//!
//! Whoever ends an operation puts its span into a queue and goes on; where that is full
//! the span is dropped and counted. One task takes them out, some hundred at a time, and
//! sends them. What a collector does not take is not sent again: it would be in the way of
//! what comes after.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use axum::http::{
    Request,
    header::{CONTENT_TYPE, HOST, USER_AGENT},
};
use bytes::Bytes;
use garth_gateway::{AgentId, Gateway, Sampled, Trace, audit::Entry};
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::{
    net::TcpStream,
    sync::{mpsc, oneshot},
    task::JoinHandle,
    time::timeout,
};

use super::{
    Collector, Counted, Telemetry,
    span::{self, Ended},
};

/// Spans in one message.
const MOST_TOGETHER: usize = 512;
/// How long the first of a message waits for others.
const GATHERING: Duration = Duration::from_secs(1);
/// How long a collector may take for a message.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long the rest may take when the gateway stops.
const LAST: Duration = Duration::from_secs(3);
/// More of an answer than this is not read.
const MOST_ANSWER: usize = 64 << 10;

/// Takes spans of operations that ended.
#[derive(Clone)]
pub(crate) struct Spans {
    queue: mpsc::Sender<Ended>,
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    sent: AtomicU64,
    dropped: AtomicU64,
    failed: AtomicU64,
}

impl Spans {
    /// Takes the span of an operation, or drops it. It never waits. There is none where the
    /// caller keeps nothing of its trace.
    pub(crate) fn ended(&self, entry: &Entry<&str>, trace: Option<&Trace>) {
        if trace.is_some_and(|trace| trace.sampled == Sampled::No) {
            return;
        }
        let Ok(place) = self.queue.try_reserve() else {
            self.counts.dropped.fetch_add(1, Ordering::Relaxed);
            return;
        };
        place.send(Ended::of(entry, trace));
    }

    /// How many came to what end.
    pub(crate) fn counted(&self) -> Counted {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let Counts { sent, dropped, failed } = &*self.counts;
        Counted { sent: read(sent), dropped: read(dropped), failed: read(failed) }
    }
}

/// The task that sends.
pub(crate) struct Exporting {
    task: JoinHandle<()>,
    stop: oneshot::Sender<()>,
}

impl Exporting {
    /// Sends what there is and ends; what takes too long is left.
    pub(crate) async fn stop(mut self) {
        // One that ended by itself need not be told.
        let _ = self.stop.send(());
        if timeout(LAST, &mut self.task).await.is_err() {
            tracing::warn!("The collector takes too long; the last spans are lost.");
            self.task.abort();
        }
    }
}

pub(super) fn begin(
    collector: Collector,
    how: &Telemetry,
    gateway: &Gateway,
) -> (Spans, Exporting) {
    let (queue, waiting) = mpsc::channel(how.waiting);
    let (stop, stopped) = oneshot::channel();
    let counts = Arc::new(Counts::default());
    let exporter = Exporter {
        collector,
        service: how.service.clone(),
        gateway: gateway.clone(),
        counts: Arc::clone(&counts),
        trouble: Trouble::None,
    };
    let task = tokio::spawn(exporter.run(waiting, stopped));
    (Spans { queue, counts }, Exporting { task, stop })
}

struct Exporter {
    collector: Collector,
    service: String,
    gateway: Gateway,
    counts: Arc<Counts>,
    trouble: Trouble,
}

/// Whether the last message was lost, so that the log says it once.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trouble {
    None,
    Told,
}

impl Exporter {
    async fn run(mut self, mut waiting: mpsc::Receiver<Ended>, mut stop: oneshot::Receiver<()>) {
        let mut spans = Vec::with_capacity(MOST_TOGETHER);
        loop {
            let gather = async {
                let count = waiting.recv_many(&mut spans, MOST_TOGETHER).await;
                let more = async {
                    while (1..MOST_TOGETHER).contains(&spans.len()) {
                        let room = MOST_TOGETHER - spans.len();
                        if waiting.recv_many(&mut spans, room).await == 0 {
                            return;
                        }
                    }
                };
                let _ = timeout(GATHERING, more).await;
                count
            };
            tokio::select! {
                count = gather => if count == 0 { return },
                _ = &mut stop => break,
            }
            self.send(&mut spans).await;
        }
        // Nothing comes any more; what is there goes out.
        waiting.close();
        self.send(&mut spans).await;
        while waiting.recv_many(&mut spans, MOST_TOGETHER).await > 0 {
            self.send(&mut spans).await;
        }
    }

    /// Sends spans, or loses them.
    async fn send(&mut self, spans: &mut Vec<Ended>) {
        if spans.is_empty() {
            return;
        }
        let providers = self.providers(spans).await;
        let message = span::message(spans, &providers, &self.service);
        let count = spans.len() as u64;
        spans.clear();
        let sent = timeout(PATIENCE, self.post(message)).await;
        match sent.unwrap_or(Err("it takes too long")) {
            Ok(()) => {
                self.counts.sent.fetch_add(count, Ordering::Relaxed);
                self.trouble = Trouble::None;
            }
            Err(why) => {
                self.counts.failed.fetch_add(count, Ordering::Relaxed);
                if self.trouble == Trouble::None {
                    tracing::warn!(why, "The collector does not take spans.");
                }
                self.trouble = Trouble::Told;
            }
        }
    }

    /// Where the commands of the workspaces run that spans are about.
    async fn providers(&self, spans: &[Ended]) -> BTreeMap<String, String> {
        let mut providers = BTreeMap::new();
        for ended in spans {
            if ended.workspace.is_empty() || providers.contains_key(&ended.workspace) {
                continue;
            }
            let Ok(id) = AgentId::parse(&ended.workspace) else { continue };
            // One that is gone since had a provider too, which nobody knows any more.
            if let Ok(agent) = self.gateway.registry().get(&id).await {
                providers.insert(ended.workspace.clone(), agent.settings.provider);
            }
        }
        providers
    }

    async fn post(&self, message: Vec<u8>) -> Result<(), &'static str> {
        let Collector { host, port, authority, path } = &self.collector;
        let stream = TcpStream::connect((host.as_str(), *port));
        let stream = stream.await.map_err(|_| "it cannot be reached")?;
        let request = Request::post(path)
            .header(HOST, authority)
            .header(USER_AGENT, concat!("garth/", env!("CARGO_PKG_VERSION")))
            .header(CONTENT_TYPE, "application/x-protobuf")
            .body(Full::new(Bytes::from(message)))
            .map_err(|_| "its address cannot be used")?;
        let lost = |_| "it breaks off";
        let (mut sender, connection) =
            http1::handshake(TokioIo::new(stream)).await.map_err(lost)?;
        let exchange = async {
            let response = sender.send_request(request).await.map_err(lost)?;
            let status = response.status();
            // Nothing in it is of use, but it is an answer only when it has ended.
            let _ = Limited::new(response.into_body(), MOST_ANSWER).collect().await;
            if status.is_success() { Ok(()) } else { Err("it answers with an error") }
        };
        tokio::pin!(exchange);
        tokio::select! {
            biased;
            done = &mut exchange => done,
            // It may end with the answer, which is then there to be read.
            _ = connection => exchange.await,
        }
    }
}
