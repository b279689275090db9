//! Sandboxes as the wire tells of them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use garth_sandbox::Limits;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::sandbox::Sandbox;

/// The version of what answers in a sandbox that SDKs are to expect: what they may ask
/// for depends on it.
pub(super) const ENVD_VERSION: &str = "0.6.13";
/// Every sandbox is of this one.
const CLIENT: &str = "garth";

/// What whoever makes or meets a sandbox is told.
pub(super) fn handle(sandbox: &Sandbox) -> Value {
    let record = sandbox.record();
    json!({
        "templateID": record.template,
        "sandboxID": sandbox.id.as_str(),
        "clientID": CLIENT,
        "envdVersion": ENVD_VERSION,
        "envdAccessToken": record.token,
        "trafficAccessToken": traffic(&record.token),
    })
}

/// What opens the ports of a sandbox to whoever may know no more of it: it is made of the
/// sandbox's secret, and the secret cannot be made of it.
pub(super) fn traffic(token: &str) -> String {
    let digest = Sha256::digest(format!("garth, the ports of a sandbox: {token}"));
    digest.iter().fold(String::from("t"), |text, byte| format!("{text}{byte:02x}"))
}

/// A sandbox in a list.
pub(super) fn listed(sandbox: &Sandbox) -> Value {
    let record = sandbox.record();
    let limits = Limits::usual();
    json!({
        "templateID": record.template,
        "sandboxID": sandbox.id.as_str(),
        "clientID": CLIENT,
        "envdVersion": ENVD_VERSION,
        "startedAt": time(record.started_ms),
        "endAt": time(record.end_ms),
        "cpuCount": processors(),
        "memoryMB": limits.memory.unwrap_or(0) >> 20,
        "diskSizeMB": limits.tmp_bytes >> 20,
        "metadata": record.metadata,
        "state": record.state.name(),
    })
}

/// A sandbox by itself.
pub(super) fn detail(sandbox: &Sandbox) -> Value {
    let record = sandbox.record();
    let listed = listed(sandbox);
    let mut all = listed.as_object().cloned().unwrap_or_else(Map::new);
    all.insert("envdAccessToken".to_owned(), record.token.into());
    if let Some(internet) = record.internet {
        all.insert("allowInternetAccess".to_owned(), internet.into());
    }
    let lifecycle =
        json!({ "autoResume": record.auto_resume, "onTimeout": record.on_timeout.name() });
    all.insert("lifecycle".to_owned(), lifecycle);
    Value::Object(all)
}

/// How many processors this machine has.
pub(super) fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// A time in milliseconds since 1970, as text.
pub(super) fn time(millis: i64) -> String {
    garth_ops::rfc3339(moment(millis))
}

fn moment(millis: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(u64::try_from(millis).unwrap_or(0))
}
