//! The keys of what other programs are told about operations, and the names by which
//! OpenTelemetry itself knows them.

use std::ffi::OsString;

use super::{
    Fault,
    given::{Given, Wrong},
    keys::{Key, key},
};
use crate::serve::{
    settings::Settings,
    telemetry::{Collector, MOST_WAITING},
};

/// A collector's address, and what it is called in faults.
const OTLP: &str = "telemetry.otlp";
/// What stands for no collector.
const OFF: &str = "off";

/// Variables that programs with OpenTelemetry have in common, and the keys they set.
const STANDARD: &[(&str, &str)] =
    &[("OTEL_EXPORTER_OTLP_ENDPOINT", OTLP), ("OTEL_SERVICE_NAME", "telemetry.service")];

pub(super) fn keys() -> Vec<Key> {
    vec![
        key(
            OTLP,
            "where a collector of OpenTelemetry takes spans over HTTP, or off",
            |settings, given| {
                let text = given.text()?;
                settings.telemetry.otlp = match &*text {
                    OFF => None,
                    text => Some(collector(text)?),
                };
                Ok(())
            },
        ),
        key("telemetry.service", "what the gateway is called in its spans", |settings, given| {
            let name = given.text()?;
            if name.is_empty() || name.len() > 128 {
                return Err("must be 1 to 128 bytes".to_owned());
            }
            settings.telemetry.service = name;
            Ok(())
        }),
        key(
            "telemetry.waiting",
            "how many spans may wait for the collector before some are dropped",
            |settings, given| {
                let count: usize = given.count()?;
                let fits = (count <= MOST_WAITING).then_some(count);
                settings.telemetry.waiting = fits.ok_or("must be from 1 to 1048576")?;
                Ok(())
            },
        ),
    ]
}

fn collector(text: &str) -> Result<Collector, Wrong> {
    let collector = Collector::parse(text)?;
    if cfg!(feature = "otlp") {
        return Ok(collector);
    }
    Err("needs a garth that was built with it: cargo build --release --features otlp".to_owned())
}

/// Sets what the variables say that are not ours; ours win.
///
/// They are set for all programs of a machine, so a program that cannot send spans is not
/// meant by them.
pub(super) fn set_by_standard(
    settings: &mut Settings,
    look: impl Fn(&str) -> Option<OsString>,
) -> Vec<Fault> {
    if !cfg!(feature = "otlp") {
        return Vec::new();
    }
    let keys = keys();
    let mut faults = Vec::new();
    for (variable, name) in STANDARD {
        let Some(value) = look(variable).filter(|value| !value.is_empty()) else { continue };
        let Some(key) = keys.iter().find(|key| key.name == *name) else { continue };
        let set = match value.to_str() {
            Some(word) => (key.set)(settings, &Given::Word(word)),
            None => Err("is no UTF-8 text".to_owned()),
        };
        if let Err(wrong) = set {
            let (place, meant) = ((*variable).to_owned(), Some(format!("it is {}", key.meaning)));
            faults.push(Fault { place, what: format!("{name} {wrong}"), meant });
        }
    }
    faults
}
