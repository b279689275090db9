//! One operation as a span, and many of them as a message to a collector.

use std::collections::BTreeMap;

use garth_gateway::{
    Trace,
    audit::{Entry, OK},
};
use opentelemetry_proto::tonic::{
    collector::trace::v1::ExportTraceServiceRequest,
    common::v1::{AnyValue, InstrumentationScope, KeyValue, any_value::Value},
    resource::v1::Resource,
    trace::v1::{ResourceSpans, ScopeSpans, Span, Status, span::SpanKind, status::StatusCode},
};
use prost::Message;
use rustix::rand::{GetRandomFlags, getrandom};

/// That a span has a parent, and that its trace is kept.
const SAMPLED: u32 = 1;

/// An operation that ended, with what may be told about it. Its summary may not: paths
/// and commands are for the audit.
pub(super) struct Ended {
    pub(super) workspace: String,
    operation: String,
    caller: String,
    role: String,
    outcome: String,
    time_ms: i64,
    duration_us: i64,
    bytes_in: i64,
    bytes_out: i64,
    trace: Option<Trace>,
}

impl Ended {
    /// What is told of an operation.
    pub(super) fn of(entry: &Entry<&str>, trace: Option<&Trace>) -> Self {
        // What a caller made up is no name of ours.
        let made_up = entry.outcome == "UNKNOWN_METHOD";
        Self {
            workspace: entry.workspace.to_owned(),
            operation: if made_up { "unknown" } else { entry.operation }.to_owned(),
            caller: entry.caller.to_owned(),
            role: entry.role.to_owned(),
            outcome: entry.outcome.to_owned(),
            time_ms: entry.time_ms,
            duration_us: entry.duration_us,
            bytes_in: entry.bytes_in,
            bytes_out: entry.bytes_out,
            trace: trace.copied(),
        }
    }

    fn span(&self, providers: &BTreeMap<String, String>) -> Option<Span> {
        let mut own = [0; 24];
        if getrandom(&mut own, GetRandomFlags::empty()) != Ok(own.len()) {
            return None;
        }
        let (new_trace, id) = own.split_at(16);
        let (trace_id, parent_span_id) = match &self.trace {
            Some(trace) => (trace.id.to_vec(), trace.parent.to_vec()),
            None => (new_trace.to_vec(), Vec::new()),
        };
        let nanos = |number: i64, of: u64| u64::try_from(number).unwrap_or(0).saturating_mul(of);
        let start = nanos(self.time_ms, 1_000_000);
        let mut attributes = vec![
            text("garth.outcome", &self.outcome),
            text("garth.caller", &self.caller),
            text("garth.role", &self.role),
            number("garth.bytes_in", self.bytes_in),
            number("garth.bytes_out", self.bytes_out),
        ];
        if !self.workspace.is_empty() {
            attributes.push(text("garth.workspace", &self.workspace));
        }
        if let Some(provider) = providers.get(&self.workspace) {
            attributes.push(text("garth.provider", provider));
        }
        let status = (self.outcome != OK)
            .then(|| Status { message: self.outcome.clone(), code: StatusCode::Error.into() });
        Some(Span {
            trace_id,
            span_id: id.to_vec(),
            parent_span_id,
            flags: SAMPLED,
            name: self.operation.clone(),
            kind: SpanKind::Server.into(),
            start_time_unix_nano: start,
            end_time_unix_nano: start.saturating_add(nanos(self.duration_us, 1_000)),
            attributes,
            status,
            ..Span::default()
        })
    }
}

/// A message of spans, as a collector takes it; `providers` has those of workspaces.
pub(super) fn message(
    spans: &[Ended],
    providers: &BTreeMap<String, String>,
    service: &str,
) -> Vec<u8> {
    let version = env!("CARGO_PKG_VERSION");
    let resource = Resource {
        attributes: vec![text("service.name", service), text("service.version", version)],
        ..Resource::default()
    };
    let scope = InstrumentationScope {
        name: "garth".to_owned(),
        version: version.to_owned(),
        ..InstrumentationScope::default()
    };
    let spans = spans.iter().filter_map(|ended| ended.span(providers)).collect();
    let scoped = ScopeSpans { scope: Some(scope), spans, ..ScopeSpans::default() };
    let of_us = ResourceSpans {
        resource: Some(resource),
        scope_spans: vec![scoped],
        ..ResourceSpans::default()
    };
    ExportTraceServiceRequest { resource_spans: vec![of_us] }.encode_to_vec()
}

fn text(key: &str, value: &str) -> KeyValue {
    pair(key, Value::StringValue(value.to_owned()))
}

fn number(key: &str, value: i64) -> KeyValue {
    pair(key, Value::IntValue(value))
}

fn pair(key: &str, value: Value) -> KeyValue {
    let value = Some(AnyValue { value: Some(value) });
    KeyValue { key: key.to_owned(), value, ..KeyValue::default() }
}
