//! The keys of the provider `e2b`.

use garth_remote::e2b::Url;

use super::{
    containers::word,
    given::{Given, Wrong},
    keys::{Key, key},
};

/// The shortest time that a sandbox may live: who waits for a long command is heard of
/// every few seconds, and the sandbox must be renewed before its time is over.
const SHORTEST: std::time::Duration = std::time::Duration::from_secs(30);

/// Who is asked, with what, and for what.
pub(super) fn keys() -> Vec<Key> {
    let mut keys = reach();
    keys.extend(sandboxes());
    keys
}

fn reach() -> Vec<Key> {
    vec![
        key("e2b_provider.url", "the control interface of E2B", |settings, given| {
            settings.containers.e2b.url = Ok(url(given)?);
            Ok(())
        }),
        key(
            "e2b_provider.sandbox_url",
            "the one address at which all sandboxes answer, where there is one",
            |settings, given| {
                settings.containers.e2b.sandbox_url = Some(url(given)?);
                Ok(())
            },
        ),
        key(
            "e2b_provider.domain",
            "what the names of sandboxes end with, where E2B does not say",
            |settings, given| {
                settings.containers.e2b.domain = word(given)?;
                Ok(())
            },
        ),
        key("e2b_provider.key_file", "the file with the key of E2B", |settings, given| {
            settings.containers.e2b.key_file = Some(given.path()?);
            Ok(())
        }),
        key(
            "e2b_provider.key_env",
            "the name of the variable that holds the key of E2B",
            |settings, given| {
                settings.containers.e2b.key_env = Some(word(given)?);
                Ok(())
            },
        ),
        key(
            "e2b_provider.certificates",
            "certificates in PEM that are trusted in place of the system's",
            |settings, given| {
                settings.containers.e2b.certificates = Some(given.path()?);
                Ok(())
            },
        ),
    ]
}

fn sandboxes() -> Vec<Key> {
    vec![
        key("e2b_provider.template", "what E2B makes sandboxes of", |settings, given| {
            settings.containers.e2b.template = word(given)?;
            Ok(())
        }),
        key(
            "e2b_provider.timeout",
            "how long a sandbox lives without being used before it is paused",
            |settings, given| {
                let time = given.time()?.filter(|time| *time >= SHORTEST);
                settings.containers.e2b.timeout = time.ok_or("must have an end, from 30s on")?;
                Ok(())
            },
        ),
        key("e2b_provider.directory", "where the workspace is inside", |settings, given| {
            let path = word(given)?;
            if !path.starts_with('/') || path.trim_matches('/').is_empty() {
                return Err(format!("must be an absolute path below the root, and is {path:?}"));
            }
            settings.containers.e2b.directory = path.trim_end_matches('/').to_owned();
            Ok(())
        }),
        key("e2b_provider.internet", "whether sandboxes reach the internet", |settings, given| {
            settings.containers.e2b.internet = given.switch()?;
            Ok(())
        }),
    ]
}

fn url(given: &Given<'_>) -> Result<Url, Wrong> {
    let text = given.text()?;
    Url::parse(&text).map_err(|error| format!("is {text:?}: {}", error.message()))
}
