//! The keys of git: what proves who pushes, and what may be pushed.

use garth_broker::Workflows;
use garth_git::Identity;
use toml::de::{DeTable, DeValue};

use super::{
    given::{Given, Wrong},
    keys::{Key, key},
};
use crate::serve::git::{Source, Stated};

/// What a list of credentials must be.
const CREDENTIALS: &str = "a list of tables with name, host, kind and what that needs";

/// Every name that a credential's table may have.
const NAMES: &[&str] = &[
    "name",
    "host",
    "kind",
    "username",
    "token_file",
    "token_env",
    "client_id",
    "private_key_file",
    "api",
];

pub(super) fn keys() -> Vec<Key> {
    let mut keys = vec![
        key("git.credentials", "what proves to hosts who pushes and fetches", |settings, given| {
            settings.git.credentials = credentials(given)?;
            Ok(())
        }),
        key(
            "git.bot",
            "who commits, as Name <address>; the first GitHub App's bot without",
            |settings, given| {
                let text = given.text()?;
                let bot = Identity::parse(&text);
                let wrong = |_| format!("must be Name <address>, and is {text:?}");
                settings.git.bot = Some(bot.map_err(wrong)?);
                Ok(())
            },
        ),
        key("git.branches", "patterns of branches that may be pushed to", |settings, given| {
            settings.git.branches = given.texts()?;
            Ok(())
        }),
        key(
            "git.workflows",
            "whether pushes may change files below .github/workflows",
            |settings, given| {
                const WORDS: &[(&str, Workflows)] =
                    &[("allow", Workflows::Allow), ("refuse", Workflows::Refuse)];
                settings.git.workflows = given.one_of(WORDS)?;
                Ok(())
            },
        ),
    ];
    keys.extend(reach());
    keys.extend(bounds());
    keys
}

fn reach() -> Vec<Key> {
    vec![
        key("git.plain_hosts", "hosts that may be spoken to without TLS", |settings, given| {
            settings.git.plain_hosts = given.texts()?;
            Ok(())
        }),
        key(
            "git.certificates",
            "certificates in PEM that are trusted in place of the system's",
            |settings, given| {
                settings.git.certificates = Some(given.path()?);
                Ok(())
            },
        ),
    ]
}

fn bounds() -> Vec<Key> {
    vec![
        key("git.max_bytes", "how many bytes of a repository are taken", |settings, given| {
            settings.git.limits.bytes = given.bytes()?;
            Ok(())
        }),
        key("git.max_objects", "how many objects of a repository are taken", |settings, given| {
            settings.git.limits.objects = given.count()?;
            Ok(())
        }),
        key("git.max_refs", "how many refs of a repository are looked at", |settings, given| {
            settings.git.limits.refs = given.count()?;
            Ok(())
        }),
        key("git.timeout", "how long a push, a fetch or a clone may take", |settings, given| {
            let time = given.time()?.ok_or("must have an end")?;
            if time > std::time::Duration::from_secs(3_600) {
                return Err("must be at most 1h".to_owned());
            }
            settings.git.limits.time = time;
            Ok(())
        }),
    ]
}

fn credentials(given: &Given<'_>) -> Result<Vec<Stated>, Wrong> {
    match given {
        Given::Word(_) => Err("can be set in a file only".to_owned()),
        Given::Value(DeValue::Array(array), directory) => {
            let wrong = || format!("must be {CREDENTIALS}");
            let tables = array.iter().map(|item| item.get_ref().as_table());
            tables
                .map(|table| {
                    let table = table.ok_or_else(wrong)?;
                    credential(table, |path| directory.join(path))
                })
                .collect()
        }
        Given::Value(value, _) => {
            Err(format!("must be {CREDENTIALS}, and is of the type {}", value.type_str()))
        }
    }
}

fn credential(
    table: &DeTable<'_>,
    seen: impl Fn(&str) -> std::path::PathBuf,
) -> Result<Stated, Wrong> {
    if let Some(unknown) = table.keys().find(|key| !NAMES.contains(&&**key.get_ref())) {
        return Err(format!("must be {CREDENTIALS}, and has {:?}", unknown.get_ref()));
    }
    let text = |name: &str| {
        let value = table.iter().find(|(key, _)| key.get_ref() == name);
        value.and_then(|(_, value)| value.get_ref().as_str()).map(ToOwned::to_owned)
    };
    let needed = |name| text(name).ok_or_else(|| format!("has a credential without a {name}"));
    let (name, host, kind) = (needed("name")?, needed("host")?, needed("kind")?);
    let secret = || match (text("token_file"), text("token_env")) {
        (Some(file), None) => Ok(Source::File(seen(&file))),
        (None, Some(variable)) => Ok(Source::Variable(variable)),
        (Some(_), Some(_)) | (None, None) => {
            Err(format!("has {name:?} with neither one token_file nor one token_env"))
        }
    };
    let kind = match kind.as_str() {
        "github-app" => crate::serve::git::Kind::App {
            client_id: needed("client_id")?,
            key: seen(&needed("private_key_file")?),
            api: text("api").unwrap_or_else(|| "https://api.github.com".to_owned()),
        },
        "basic" => {
            crate::serve::git::Kind::Basic { username: needed("username")?, password: secret()? }
        }
        word => {
            let flavour = crate::serve::git::FLAVOURS.iter().find(|(name, _)| *name == word);
            let (_, flavour) = flavour.ok_or_else(|| {
                format!(
                    "has a credential whose kind is none of \"github-app\", \"token\", \"gitlab\", \
                     \"gitea\" and \"basic\": {word:?}"
                )
            })?;
            crate::serve::git::Kind::Token { flavour: *flavour, token: secret()? }
        }
    };
    Ok(Stated { name, host, kind })
}
