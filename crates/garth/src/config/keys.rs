//! Every key of the configuration, once: what it means, and what it sets.

use std::{ffi::OsString, time::Duration};

use garth_gateway::{
    Behavior,
    limits::{Budget, Config, Numbers},
};

use super::{
    Fault,
    given::{Given, Wrong},
    near::nearest,
};
use crate::serve::settings::{Level, LogFormat, MetricsFor, Settings};

/// One key.
pub(crate) struct Key {
    /// Its name, with the sections before it.
    pub(crate) name: String,
    /// What it is, as the end of a sentence.
    pub(crate) meaning: &'static str,
    /// Sets it.
    pub(crate) set: Set,
}

type Set = Box<dyn Fn(&mut Settings, &Given<'_>) -> Result<(), Wrong>>;

/// The variable of the environment that sets a key.
pub(crate) fn variable(name: &str) -> String {
    format!("GARTH_{}", name.replace('.', "_").to_uppercase())
}

/// Sets what the environment says.
pub(super) fn set_by_environment(
    settings: &mut Settings,
    look: impl Fn(&str) -> Option<OsString>,
) -> Vec<Fault> {
    let mut faults = super::telemetry::set_by_standard(settings, &look);
    for key in all() {
        let variable = variable(&key.name);
        let Some(value) = look(&variable).filter(|value| !value.is_empty()) else { continue };
        let set = match value.to_str() {
            Some(word) => (key.set)(settings, &Given::Word(word)),
            None => Err("is no UTF-8 text".to_owned()),
        };
        if let Err(wrong) = set {
            let meant = Some(format!("it is {}", key.meaning));
            faults.push(Fault { place: variable, what: format!("{} {wrong}", key.name), meant });
        }
    }
    faults
}

/// Sets what flags say, each `KEY=VALUE`.
pub(super) fn set_by_flags(settings: &mut Settings, flags: &[String]) -> Vec<Fault> {
    let keys = all();
    let set = |flag: &String| {
        let fault = |what: String, meant| Fault { place: format!("--set {flag:?}"), what, meant };
        let Some((name, value)) = flag.split_once('=') else {
            return Some(fault("this must be KEY=VALUE".to_owned(), None));
        };
        let Some(key) = keys.iter().find(|key| key.name == name) else {
            let near = nearest(name, keys.iter().map(|key| &*key.name));
            let meant = near.map(|near| format!("{near} may be meant"));
            return Some(fault(format!("there is no key {name}"), meant));
        };
        let wrong = (key.set)(settings, &Given::Word(value)).err()?;
        Some(fault(format!("{name} {wrong}"), Some(format!("it is {}", key.meaning))))
    };
    flags.iter().filter_map(set).collect()
}

/// Every key, in the order in which they are shown.
pub(crate) fn all() -> Vec<Key> {
    let mut keys = own();
    keys.extend(audit());
    keys.extend(redaction());
    keys.extend(super::containers::keys());
    keys.extend(super::machines::keys());
    keys.extend(super::git::keys());
    keys.extend(super::e2b_provider::keys());
    keys.extend(super::e2b::keys());
    keys.push(key(
        "versions.keep_bytes",
        "how much is kept of what files held before, of all agents together",
        |settings, given| {
            settings.versions_bytes = given.bytes()?;
            Ok(())
        },
    ));
    keys.extend(watching());
    keys.extend(super::telemetry::keys());
    keys.push(key(
        "limits.in_flight",
        "how many operations may be under way, of all together",
        |settings, given| {
            settings.limits.in_flight = given.count()?;
            Ok(())
        },
    ));
    for (budget, get) in BUDGETS {
        for (side, pick) in SIDES {
            for (name, meaning, put) in NUMBERS {
                let (get, pick, put) = (*get, *pick, *put);
                let set: Set =
                    Box::new(move |settings, given| put(pick(get(&mut settings.limits)), given));
                keys.push(Key { name: format!("limits.{budget}.{side}.{name}"), meaning, set });
            }
        }
    }
    keys
}

pub(super) fn key(
    name: &str,
    meaning: &'static str,
    set: impl Fn(&mut Settings, &Given<'_>) -> Result<(), Wrong> + 'static,
) -> Key {
    Key { name: name.to_owned(), meaning, set: Box::new(set) }
}

fn own() -> Vec<Key> {
    vec![
        key("data", "the gateway's own directory", |settings, given| {
            settings.data = given.path()?;
            Ok(())
        }),
        key("listen", "the address and the port to listen on", |settings, given| {
            settings.listen = given.parsed("an address with a port, such as 127.0.0.1:7717")?;
            Ok(())
        }),
        key(
            "insecure_listen",
            "whether others may reach the address without TLS",
            |settings, given| {
                settings.insecure_listen = given.switch()?;
                Ok(())
            },
        ),
        key("hosts", "the names by which browsers may know the gateway", |settings, given| {
            settings.hosts = given.texts()?;
            Ok(())
        }),
        key("connections", "how many connections may be open", |settings, given| {
            settings.connections = given.count()?;
            Ok(())
        }),
        key("frame_bytes", "the largest frame of a WebSocket", |settings, given| {
            let bytes = given.bytes()?;
            let fits = (64 << 10..=1 << 30).contains(&bytes);
            let frame = usize::try_from(bytes).ok().filter(|_| fits);
            settings.frame_bytes = frame.ok_or("must be from 64KiB to 1GiB")?;
            Ok(())
        }),
        key(
            "tls.certificate",
            "the file with the certificate and those above it, in PEM",
            |settings, given| {
                settings.certificate = Some(given.path()?);
                Ok(())
            },
        ),
        key("tls.key", "the file with the certificate's key, in PEM", |settings, given| {
            settings.key = Some(given.path()?);
            Ok(())
        }),
    ]
}

fn audit() -> Vec<Key> {
    vec![
        key("audit.anchor", "the file that signed heads are appended to", |settings, given| {
            settings.audit.anchor = Some(given.path()?);
            Ok(())
        }),
        key("audit.key", "the file with the key that heads are signed with", |settings, given| {
            settings.audit.key = Some(given.path()?);
            Ok(())
        }),
        key("audit.anchor_every", "the time after which a head is anchored", |settings, given| {
            settings.audit.every = given.time()?.unwrap_or(Duration::MAX);
            Ok(())
        }),
        key(
            "audit.anchor_records",
            "how many records a head is anchored after",
            |settings, given| {
                settings.audit.records = given.count()?;
                Ok(())
            },
        ),
        key(
            "audit.keep_bytes",
            "how large the audit may get before its oldest records go",
            |settings, given| {
                settings.audit.retention.most_bytes = Some(given.bytes()?);
                Ok(())
            },
        ),
        key("audit.keep_for", "how old a record may get, or forever", |settings, given| {
            settings.audit.retention.most_age = given.time()?;
            Ok(())
        }),
    ]
}

fn redaction() -> Vec<Key> {
    vec![
        key(
            "redaction.enabled",
            "whether secrets are looked for in what a new agent reads",
            |settings, given| {
                settings.redaction.enabled = given.switch()?;
                Ok(())
            },
        ),
        key(
            "redaction.behavior",
            "what happens to a text with a secret in it",
            |settings, given| {
                const WORDS: &[(&str, Behavior)] = &[
                    ("redact", Behavior::Redact),
                    ("allow", Behavior::Allow),
                    ("block", Behavior::Block),
                ];
                settings.redaction.default_behavior = given.one_of(WORDS)?;
                Ok(())
            },
        ),
        key(
            "redaction.exclude_paths",
            "globs of paths whose text passes as it is",
            |settings, given| {
                settings.redaction.exclude_paths = given.texts()?;
                Ok(())
            },
        ),
        key(
            "redaction.exclude_patterns",
            "names of rules that are not applied",
            |settings, given| {
                settings.redaction.exclude_patterns = given.texts()?;
                Ok(())
            },
        ),
        key("redaction.custom_patterns", "rules beside the built-in ones", |settings, given| {
            settings.redaction.custom_patterns = given.patterns()?;
            Ok(())
        }),
    ]
}

fn watching() -> Vec<Key> {
    vec![
        key("log.level", "how much is logged", |settings, given| {
            const WORDS: &[(&str, Level)] = &[
                ("off", Level::OFF),
                ("error", Level::ERROR),
                ("warn", Level::WARN),
                ("info", Level::INFO),
                ("debug", Level::DEBUG),
            ];
            settings.log.level = given.one_of(WORDS)?;
            Ok(())
        }),
        key("log.format", "how it is written", |settings, given| {
            const WORDS: &[(&str, LogFormat)] =
                &[("text", LogFormat::Text), ("json", LogFormat::Json)];
            settings.log.format = given.one_of(WORDS)?;
            Ok(())
        }),
        key("metrics.for", "who may read /metrics", |settings, given| {
            const WORDS: &[(&str, MetricsFor)] = &[
                ("loopback", MetricsFor::Loopback),
                ("operator", MetricsFor::Operator),
                ("nobody", MetricsFor::Nobody),
            ];
            settings.metrics = given.one_of(WORDS)?;
            Ok(())
        }),
    ]
}

type GetBudget = fn(&mut Config) -> &mut Budget;

const BUDGETS: &[(&str, GetBudget)] =
    &[("programs", |limits| &mut limits.programs), ("people", |limits| &mut limits.people)];

type PickSide = fn(&mut Budget) -> &mut Numbers;

const SIDES: &[(&str, PickSide)] =
    &[("caller", |budget| &mut budget.caller), ("workspace", |budget| &mut budget.workspace)];

type Put = fn(&mut Numbers, &Given<'_>) -> Result<(), Wrong>;

const NUMBERS: &[(&str, &str, Put)] = &[
    (
        "worktree_per_minute",
        "how many requests of worktree.* there may be in a minute",
        |numbers, given| {
            numbers.worktree_per_minute = given.count()?;
            Ok(())
        },
    ),
    ("tools_per_minute", "how many calls of tools there may be in a minute", |numbers, given| {
        numbers.tools_per_minute = given.count()?;
        Ok(())
    }),
    (
        "sandbox_per_minute",
        "how many calls into sandboxes of the E2B interface there may be in a minute",
        |numbers, given| {
            numbers.sandbox_per_minute = given.count()?;
            Ok(())
        },
    ),
    (
        "admin_per_minute",
        "how many requests about the gateway itself there may be in a minute",
        |numbers, given| {
            numbers.admin_per_minute = given.count()?;
            Ok(())
        },
    ),
    ("bytes_per_minute", "how many bytes may go in and out in a minute", |numbers, given| {
        numbers.bytes_per_minute = given.bytes()?;
        Ok(())
    }),
    ("concurrent_reads", "how many reads may be under way", |numbers, given| {
        numbers.concurrent_reads = given.count()?;
        Ok(())
    }),
    ("watches", "how many watches may be open", |numbers, given| {
        numbers.watches = given.count()?;
        Ok(())
    }),
    ("processes", "how many processes may run", |numbers, given| {
        numbers.processes = given.count()?;
        Ok(())
    }),
];
