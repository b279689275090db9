//! The keys of the sandboxes that are containers.

use garth_remote::container::{Network, Platform, Ulimit, User};

use super::{
    given::{Given, Wrong},
    keys::{Key, key},
};

/// How many thousandths of a processor a percent is.
const PERCENT: u32 = 10;

/// What is in a container, what it may use, and what runs it.
pub(super) fn keys() -> Vec<Key> {
    let mut keys = vec![key("provider", "where a new agent's commands run", |settings, given| {
        settings.provider = given.text()?;
        Ok(())
    })];
    keys.extend(inside());
    keys.extend(bounds());
    keys.extend(podman());
    keys.extend(gvisor());
    keys
}

fn inside() -> Vec<Key> {
    vec![
        key(
            "containers.guest",
            "the static program that every container gets",
            |settings, given| {
                settings.containers.guest = Some(absolute(given)?);
                Ok(())
            },
        ),
        key(
            "containers.image",
            "the image that an engine makes containers of",
            |settings, given| {
                settings.containers.image = Some(word(given)?);
                Ok(())
            },
        ),
        key(
            "containers.root",
            "a directory with a whole system in it, where there is no image",
            |settings, given| {
                settings.containers.root = Some(absolute(given)?);
                Ok(())
            },
        ),
        key(
            "containers.user",
            "who runs inside in place of the owner of the workspace's directory",
            |settings, given| {
                settings.containers.user = Some(user(given)?);
                Ok(())
            },
        ),
        key(
            "containers.network",
            "the engine's network that containers are in, or none",
            |settings, given| {
                settings.containers.network = match word(given)? {
                    none if none == "none" => Network::None,
                    name => Network::Named(name),
                };
                Ok(())
            },
        ),
    ]
}

fn bounds() -> Vec<Key> {
    vec![
        key(
            "containers.memory",
            "how many bytes of memory a container may use",
            |settings, given| {
                settings.containers.limits.memory = Some(given.bytes()?);
                Ok(())
            },
        ),
        key(
            "containers.processes",
            "how many processes a container may have at a time",
            |settings, given| {
                settings.containers.limits.processes = Some(given.count()?);
                Ok(())
            },
        ),
        key(
            "containers.cpu_percent",
            "how much of the processors a container may use, one being 100",
            |settings, given| {
                let percent: u32 = given.count()?;
                let thousandths = percent.checked_mul(PERCENT).ok_or("is too much")?;
                settings.containers.limits.cpu = Some(thousandths);
                Ok(())
            },
        ),
        key(
            "containers.scratch",
            "how large each of /tmp, /var/tmp and the home directory may get, in memory",
            |settings, given| {
                settings.containers.limits.scratch = given.bytes()?;
                Ok(())
            },
        ),
        key(
            "containers.ulimits",
            "limits of a process in a container, such as nofile=1024:4096",
            |settings, given| {
                let limits = given.texts()?;
                settings.containers.ulimits =
                    limits.iter().map(|text| ulimit(text)).collect::<Result<_, _>>()?;
                Ok(())
            },
        ),
    ]
}

fn podman() -> Vec<Key> {
    vec![
        key("podman.socket", "the socket of podman or Docker", |settings, given| {
            settings.containers.podman.socket = Some(given.path()?);
            Ok(())
        }),
        key("podman.runtime", "the runtime that must run containers", |settings, given| {
            settings.containers.podman.runtime = Some(word(given)?);
            Ok(())
        }),
        key(
            "podman.answer_within",
            "how long the engine may take to say that it is there",
            |settings, given| {
                let time = given.time()?.ok_or("must have an end")?;
                settings.containers.podman.answer = time;
                Ok(())
            },
        ),
    ]
}

fn gvisor() -> Vec<Key> {
    vec![
        key("gvisor.runsc", "the program runsc, a path or a name", |settings, given| {
            settings.containers.gvisor.runsc = program(given)?;
            Ok(())
        }),
        key("gvisor.platform", "by what gVisor runs programs", |settings, given| {
            const WORDS: &[(&str, Option<Platform>)] = &[
                ("auto", None),
                ("systrap", Some(Platform::Systrap)),
                ("kvm", Some(Platform::Kvm)),
                ("ptrace", Some(Platform::Ptrace)),
            ];
            settings.containers.gvisor.platform = given.one_of(WORDS)?;
            Ok(())
        }),
        key("gvisor.flags", "more flags of runsc that this machine needs", |settings, given| {
            settings.containers.gvisor.flags = given.texts()?;
            Ok(())
        }),
    ]
}

/// A program; a bare name is looked up where programs are.
pub(super) fn program(given: &Given<'_>) -> Result<std::path::PathBuf, Wrong> {
    let bare = !given.text()?.contains('/');
    if bare { Ok(word(given)?.into()) } else { absolute(given) }
}

/// A text that is not empty.
pub(super) fn word(given: &Given<'_>) -> Result<String, Wrong> {
    let text = given.text()?;
    if text.is_empty() { Err("must not be empty".to_owned()) } else { Ok(text) }
}

/// A path that means the same wherever it is used.
pub(super) fn absolute(given: &Given<'_>) -> Result<std::path::PathBuf, Wrong> {
    std::path::absolute(given.path()?).map_err(|_| "must be an absolute path".to_owned())
}

fn user(given: &Given<'_>) -> Result<User, Wrong> {
    let text = given.text()?;
    let parsed = text
        .split_once(':')
        .and_then(|(uid, gid)| Some(User { uid: uid.parse().ok()?, gid: gid.parse().ok()? }));
    parsed.ok_or_else(|| format!("must be two numbers such as 1000:1000, and is {text:?}"))
}

fn ulimit(text: &str) -> Result<Ulimit, Wrong> {
    let parsed = text.split_once('=').and_then(|(name, bounds)| {
        let (soft, hard) = bounds.split_once(':').unwrap_or((bounds, bounds));
        let (soft, hard) = (soft.parse().ok()?, hard.parse().ok()?);
        let known = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase());
        known.then(|| Ulimit { name: name.to_owned(), soft, hard })
    });
    parsed.ok_or_else(|| format!("must hold texts such as nofile=1024:4096, and has {text:?}"))
}
