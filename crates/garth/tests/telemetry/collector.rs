//! A collector: takes requests of OTLP over HTTP, keeps them, and answers as it is told.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Condvar, Mutex},
    thread,
    time::Instant,
};

use opentelemetry_proto::tonic::{
    collector::trace::v1::ExportTraceServiceRequest,
    common::v1::{KeyValue, any_value},
    trace::v1::Span,
};
use prost::Message;

use crate::server::PATIENCE;

/// How a collector answers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answers {
    /// Well.
    Well,
    /// That it failed.
    WithAnError,
    /// Never, though it reads what is sent.
    Never,
}

/// A collector, on a port of its own.
pub(crate) struct Collector {
    pub(crate) address: String,
    seen: Arc<Seen>,
}

#[derive(Default)]
struct Seen {
    bodies: Mutex<Vec<Vec<u8>>>,
    came: Condvar,
    /// Connections that wait for an answer for ever.
    held: Mutex<Vec<TcpStream>>,
}

impl Collector {
    pub(crate) fn start(answers: Answers) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Seen::default());
        let kept = Arc::clone(&seen);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (kept, stream) = (Arc::clone(&kept), stream.unwrap());
                thread::spawn(move || kept.serve(stream, answers));
            }
        });
        Self { address, seen }
    }

    /// Everything that came so far, as it came.
    pub(crate) fn bodies(&self) -> Vec<Vec<u8>> {
        self.seen.bodies.lock().unwrap().clone()
    }

    /// The spans that came so far.
    pub(crate) fn spans(&self) -> Vec<Span> {
        let spans = |body: &Vec<u8>| {
            let request = ExportTraceServiceRequest::decode(&body[..]).unwrap();
            let scopes = request.resource_spans.into_iter().flat_map(|all| all.scope_spans);
            scopes.flat_map(|scope| scope.spans).collect::<Vec<_>>()
        };
        self.bodies().iter().flat_map(spans).collect()
    }

    /// Waits until a span came that is wanted.
    pub(crate) fn span(&self, what: &str, wanted: impl Fn(&Span) -> bool) -> Span {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(span) = self.spans().into_iter().find(&wanted) {
                return span;
            }
            let left = until.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "no span came: {what}");
            let bodies = self.seen.bodies.lock().unwrap();
            drop(self.seen.came.wait_timeout(bodies, left.min(PATIENCE / 60)).unwrap());
        }
    }
}

impl Seen {
    fn serve(&self, stream: TcpStream, answers: Answers) {
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        let mut head = Vec::new();
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap() == 0 {
                return;
            }
            let line = line.trim().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(told) = line.strip_prefix("content-length:") {
                length = told.trim().parse().unwrap();
            }
            head.push(line);
        }
        assert_eq!(head[0], "post /v1/traces http/1.1");
        assert!(head.contains(&"content-type: application/x-protobuf".to_owned()), "{head:?}");
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        self.bodies.lock().unwrap().push(body);
        self.came.notify_all();
        let mut stream = reader.into_inner();
        let status = match answers {
            Answers::Well => "200 OK",
            Answers::WithAnError => "500 Internal Server Error",
            Answers::Never => {
                self.held.lock().unwrap().push(stream);
                return;
            }
        };
        let _ = write!(stream, "HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n");
    }
}

/// What an attribute says: a text, or a number as one.
pub(crate) fn says(attributes: &[KeyValue], key: &str) -> Option<String> {
    let found = attributes.iter().find(|attribute| attribute.key == key)?;
    let value = found.value.clone()?.value?;
    if let any_value::Value::IntValue(number) = value {
        return Some(number.to_string());
    }
    let any_value::Value::StringValue(text) = value else { panic!("{key}: {value:?}") };
    Some(text)
}
