//! The client: connections that each keep so many requests under way.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use futures::{FutureExt, SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{Message, Utf8Bytes},
};

use crate::server::Server;

/// Ids of requests before the first is used again: more than are ever under way.
const IDS: usize = 4_096;

/// What is asked for, again and again.
pub(crate) struct Load {
    method: String,
    params: Value,
}

impl Load {
    pub(crate) fn new(method: &str, params: &Value) -> Self {
        Self { method: method.to_owned(), params: params.clone() }
    }

    /// A request; its id has always as many characters.
    fn request(&self, id: usize) -> Utf8Bytes {
        let id = format!("{id:04}");
        let request =
            json!({"type": "req", "id": id, "method": self.method, "params": self.params});
        Utf8Bytes::from(request.to_string())
    }

    /// Connects, each connection with so many requests under way.
    pub(crate) async fn connect(&self, to: &Server, count: usize, underway: usize) -> Fleet {
        let requests: Vec<_> = (0..IDS).map(|id| self.request(id)).collect();
        let mut sockets = Vec::new();
        for _ in 0..count {
            sockets.push(Socket::connect(to).await);
        }
        Fleet { sockets, requests, underway }
    }
}

/// One connection.
pub(crate) struct Socket(WebSocketStream<TcpStream>);

impl Socket {
    pub(crate) async fn connect(to: &Server) -> Self {
        let request = to.request();
        let authority = request.uri().authority().unwrap().to_string();
        let stream = TcpStream::connect(authority).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let (mut socket, _) = client_async(request, stream).await.unwrap();
        if to.greets() {
            socket.next().await.unwrap().unwrap();
        }
        Self(socket)
    }

    /// Asks once.
    pub(crate) async fn ask(&mut self, load: &Load) -> String {
        self.0.send(Message::Text(load.request(0))).await.unwrap();
        self.0.next().await.unwrap().unwrap().into_text().unwrap().to_string()
    }

    /// What comes next.
    pub(crate) async fn told(&mut self) -> String {
        self.0.next().await.unwrap().unwrap().into_text().unwrap().to_string()
    }

    /// Keeps all requests under way until the end, and gives how long replies took.
    async fn work(
        &mut self,
        requests: &[Utf8Bytes],
        underway: usize,
        end: Instant,
    ) -> Vec<Duration> {
        let (mut took, mut next) = (Vec::new(), underway);
        // When each of those under way was sent, the oldest first.
        let mut sent = VecDeque::from(vec![Instant::now(); underway]);
        for request in requests.iter().take(underway) {
            self.0.feed(Message::Text(request.clone())).await.unwrap();
        }
        self.0.flush().await.unwrap();
        while !sent.is_empty() {
            let mut came = usize::from(is_reply(&self.0.next().await.unwrap().unwrap()));
            while let Some(next) = self.0.next().now_or_never() {
                came += usize::from(is_reply(&next.unwrap().unwrap()));
            }
            let now = Instant::now();
            took.extend(sent.drain(..came).map(|sent| now - sent));
            if now < end && came > 0 {
                for request in requests.iter().cycle().skip(next).take(came) {
                    self.0.feed(Message::Text(request.clone())).await.unwrap();
                    sent.push_back(now);
                }
                next = (next + came) % requests.len();
                self.0.flush().await.unwrap();
            }
        }
        took
    }
}

/// Beside replies there are events now and then; a refusal would be told too soon.
fn is_reply(message: &Message) -> bool {
    let Message::Text(text) = message else { return false };
    let head = text.get(..40).unwrap_or(text);
    assert!(!head.contains(r#""ok":false"#), "{text}");
    !head.starts_with(r#"{"type":"event""#)
}

/// Connections to one server.
pub(crate) struct Fleet {
    sockets: Vec<Socket>,
    requests: Vec<Utf8Bytes>,
    underway: usize,
}

impl Fleet {
    /// Lets all of them work for a while.
    pub(crate) async fn work(&mut self, time: Duration, into: &mut Measured) {
        let begun = Instant::now();
        let end = begun + time;
        let (sockets, requests) = (std::mem::take(&mut self.sockets), self.requests.clone());
        let underway = self.underway;
        let working: Vec<_> = sockets
            .into_iter()
            .map(|mut socket| {
                let requests = requests.clone();
                tokio::spawn(async move {
                    let took = socket.work(&requests, underway, end).await;
                    (socket, took)
                })
            })
            .collect();
        for task in working {
            let (socket, took) = task.await.unwrap();
            self.sockets.push(socket);
            into.took.extend(took);
        }
        into.time += begun.elapsed();
    }
}

/// What was measured.
#[derive(Default)]
pub(crate) struct Measured {
    took: Vec<Duration>,
    time: Duration,
}

impl Measured {
    /// Replies a second.
    pub(crate) fn rate(&self) -> f64 {
        #[allow(clippy::cast_precision_loss, reason = "far fewer than a float can count")]
        let count = self.took.len() as f64;
        count / self.time.as_secs_f64()
    }

    /// The time that so many of a hundred took at most.
    pub(crate) fn at(&self, percent: usize) -> Duration {
        let mut took = self.took.clone();
        took.sort_unstable();
        took.get((took.len() - 1) * percent / 100).copied().unwrap_or_default()
    }
}
