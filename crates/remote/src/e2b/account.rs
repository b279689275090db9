//! An account: sandboxes are made, met, renewed, paused, found and ended by its key.

use std::{fmt, path::PathBuf, sync::Arc, time::Duration};

use bytes::Bytes;
use garth_contract::{Code, Error, Result};
use hyper::{
    Method,
    header::{CONTENT_TYPE, HeaderName, HeaderValue},
};
use serde_json::{Value, json};

use super::{
    Envd, Secret, Url,
    http::{Answer, Ask, Client},
    refuse::{refused, unruly},
};

/// How long a request may take; one that makes or wakes a sandbox takes longest.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long is waited to see whether there is anybody.
const LOOK: Duration = Duration::from_secs(5);

/// The most pages of sandboxes that are looked through, of 100 each.
const MOST_PAGES: usize = 100;

/// The port that answers in every sandbox.
pub(super) const PORT: u16 = 49_983;

const KEY: HeaderName = HeaderName::from_static("x-api-key");
const ONCE: HeaderName = HeaderName::from_static("idempotency-key");

/// How the sandboxes of an account are reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reached {
    /// Each by a name of its own below this one, unless it is told otherwise when it is
    /// made.
    Below(String),
    /// All at one address, which knows them by a header.
    At(Url),
}

/// An account at whoever speaks E2B's wire; clones are the same.
#[derive(Clone)]
pub struct Account(Arc<Inside>);

struct Inside {
    client: Arc<Client>,
    url: Url,
    reached: Reached,
    key: Secret,
}

impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Account").field("url", &self.0.url).finish_non_exhaustive()
    }
}

/// A sandbox that was made or met.
pub(crate) struct Met {
    pub(crate) id: String,
    pub(crate) envd: Envd,
}

/// A sandbox in a list.
pub(crate) struct Listed {
    pub(crate) id: String,
    pub(crate) workspace: String,
    pub(crate) running: bool,
}

/// What a new sandbox is to be.
pub(crate) struct New<'a> {
    pub(crate) template: &'a str,
    pub(crate) timeout: Duration,
    pub(crate) owner: &'a str,
    pub(crate) workspace: &'a str,
    pub(crate) internet: bool,
    /// A name of this creation: asked for twice, there is one.
    pub(crate) once: &'a str,
}

/// What marks a sandbox as one of ours, with whose and which.
const OWNER: &str = "garth-owner";
const WORKSPACE: &str = "garth-workspace";

impl Account {
    /// An account; nothing is asked yet.
    #[must_use]
    pub fn new(url: Url, reached: Reached, key: Secret, certificates: Option<PathBuf>) -> Self {
        let client = Arc::new(Client::new(certificates));
        Self(Arc::new(Inside { client, url, reached, key }))
    }

    /// Looks whether the key is known, and makes nothing.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE`.
    pub async fn ready(&self) -> Result<()> {
        let mut ask = self.asked(Method::GET, "/v2/sandboxes?limit=1", None)?;
        ask.patience = LOOK;
        let answer = self.0.client.ask(&self.0.url, ask).await?;
        if answer.is_good() { Ok(()) } else { Err(self.refused("list sandboxes", &answer)) }
    }

    /// Makes a sandbox, which is paused and not ended when its time is over.
    pub(crate) async fn create(&self, new: &New<'_>) -> Result<Met> {
        let body = json!({
            "templateID": new.template,
            "timeout": new.timeout.as_secs(),
            "metadata": { OWNER: new.owner, WORKSPACE: new.workspace },
            "autoPause": true,
            "allow_internet_access": new.internet,
        });
        let mut ask = self.asked(Method::POST, "/v2/sandboxes", Some(&body))?;
        ask.headers.push((ONCE, HeaderValue::from_str(new.once).map_err(|_| internal())?));
        let answer = self.0.client.ask_again(&self.0.url, ask).await?;
        if !answer.is_good() {
            return Err(self.refused("make a sandbox", &answer));
        }
        self.met(&answer.json())
    }

    /// Meets a sandbox, which goes on if it was paused and lives at least so long from now;
    /// nothing where there is none.
    pub(crate) async fn connect(&self, id: &str, timeout: Duration) -> Result<Option<Met>> {
        let body = json!({ "timeout": timeout.as_secs() });
        let path = format!("/v2/sandboxes/{}/connect", checked(id)?);
        let answer = self.ask(Method::POST, &path, Some(&body)).await?;
        match answer.status {
            404 => Ok(None),
            _ if answer.is_good() => Ok(Some(self.met(&answer.json())?)),
            _ => Err(self.refused("meet a sandbox", &answer)),
        }
    }

    /// Lets a sandbox live for so long from now.
    pub(crate) async fn renew(&self, id: &str, timeout: Duration) -> Result<()> {
        let body = json!({ "timeout": timeout.as_secs() });
        let path = format!("/sandboxes/{}/timeout", checked(id)?);
        let answer = self.ask(Method::POST, &path, Some(&body)).await?;
        if answer.is_good() { Ok(()) } else { Err(self.refused("renew a sandbox", &answer)) }
    }

    /// Pauses a sandbox; one that is paused or gone is as good.
    pub(crate) async fn pause(&self, id: &str) -> Result<()> {
        let path = format!("/sandboxes/{}/pause", checked(id)?);
        let answer = self.ask(Method::POST, &path, Some(&json!({}))).await?;
        match answer.status {
            404 | 409 => Ok(()),
            _ if answer.is_good() => Ok(()),
            _ => Err(self.refused("pause a sandbox", &answer)),
        }
    }

    /// Ends a sandbox with everything in it; no error where there is none.
    pub(crate) async fn kill(&self, id: &str) -> Result<()> {
        let path = format!("/sandboxes/{}", checked(id)?);
        let answer = self.ask(Method::DELETE, &path, None).await?;
        match answer.status {
            404 => Ok(()),
            _ if answer.is_good() => Ok(()),
            _ => Err(self.refused("end a sandbox", &answer)),
        }
    }

    /// Whether there is a sandbox of this id, running or paused.
    pub(crate) async fn has(&self, id: &str) -> Result<bool> {
        let path = format!("/sandboxes/{}", checked(id)?);
        let answer = self.ask(Method::GET, &path, None).await?;
        match answer.status {
            404 => Ok(false),
            _ if answer.is_good() => Ok(true),
            _ => Err(self.refused("look at a sandbox", &answer)),
        }
    }

    /// The sandboxes of an owner, running or paused.
    pub(crate) async fn list(&self, owner: &str) -> Result<Vec<Listed>> {
        let mut found = Vec::new();
        let mut next: Option<String> = None;
        for _ in 0..MOST_PAGES {
            // Names and values are encoded once as a query of their own, and that as one value.
            let mut path =
                format!("/v2/sandboxes?metadata={OWNER}%3D{owner}&state=running,paused&limit=100");
            if let Some(next) = &next {
                path.push_str(&format!("&nextToken={}", encoded(next)));
            }
            let answer = self.ask(Method::GET, &path, None).await?;
            if !answer.is_good() {
                return Err(self.refused("list sandboxes", &answer));
            }
            let page = answer.json();
            let page = page.as_array().ok_or_else(|| unruly("a list of sandboxes is none"))?;
            found.extend(page.iter().filter_map(|one| listed(one, owner)));
            next = answer.next;
            if next.is_none() {
                break;
            }
        }
        Ok(found)
    }

    fn met(&self, told: &Value) -> Result<Met> {
        let text = |name: &str| told.get(name).and_then(Value::as_str).filter(|it| !it.is_empty());
        let id = checked(text("sandboxID").ok_or_else(|| unruly("a sandbox has no id"))?)?;
        let url = match &self.0.reached {
            Reached::At(url) => url.clone(),
            Reached::Below(usual) => Url::of_sandbox(PORT, id, text("domain").unwrap_or(usual))
                .map_err(|_| unruly("a sandbox has no name that could be reached"))?,
        };
        let token = text("envdAccessToken").map(Secret::new).transpose();
        let token = token.map_err(|_| unruly("a sandbox has a secret that no header can hold"))?;
        let envd = Envd::new(Arc::clone(&self.0.client), url, id.to_owned(), token);
        Ok(Met { id: id.to_owned(), envd })
    }

    async fn ask(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Answer> {
        self.0.client.ask_again(&self.0.url, self.asked(method, path, body)?).await
    }

    fn asked(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Ask> {
        let mut key = HeaderValue::from_str(self.0.key.reveal()).map_err(|_| internal())?;
        key.set_sensitive(true);
        Ok(Ask {
            method,
            path: path.to_owned(),
            headers: vec![(KEY, key), (CONTENT_TYPE, HeaderValue::from_static("application/json"))],
            body: body.map(|body| Bytes::from(body.to_string())).unwrap_or_default(),
            patience: PATIENCE,
        })
    }

    /// A refusal, in which the key is not repeated whoever repeats it.
    fn refused(&self, what: &str, answer: &Answer) -> Error {
        let error = refused(what, answer);
        if error.message().contains(self.0.key.reveal()) {
            let message = format!("E2B refuses to {what} ({})", answer.status);
            return error.reword(message);
        }
        error
    }
}

fn listed(told: &Value, owner: &str) -> Option<Listed> {
    let text = |name: &str| told.get(name).and_then(Value::as_str);
    let metadata = |name: &str| told.get("metadata")?.get(name)?.as_str();
    // Whoever does not know the filter gives all of them.
    if metadata(OWNER)? != owner {
        return None;
    }
    Some(Listed {
        id: checked(text("sandboxID")?).ok()?.to_owned(),
        workspace: metadata(WORKSPACE)?.to_owned(),
        running: text("state") == Some("running"),
    })
}

/// An id that can stand in a path and in the name of a host.
fn checked(id: &str) -> Result<&str> {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    if id.is_empty() || id.len() > 128 || !id.bytes().all(known) {
        return Err(unruly("a sandbox has an id that none can have"));
    }
    Ok(id)
}

/// A text as the value of a query.
pub(super) fn encoded(text: &str) -> String {
    use std::fmt::Write as _;
    text.bytes().fold(String::new(), |mut all, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            all.push(char::from(byte));
        } else {
            let _ = write!(all, "%{byte:02X}");
        }
        all
    })
}

fn internal() -> Error {
    Error::of(Code::Internal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_owners_own_sandboxes_are_taken_from_a_list() {
        let one = |owner: &str| {
            json!({ "sandboxID": "i1", "state": "paused",
                    "metadata": { OWNER: owner, WORKSPACE: "w@1" } })
        };
        let found = listed(&one("me"), "me").unwrap();
        assert_eq!((&*found.id, &*found.workspace, found.running), ("i1", "w@1", false));
        assert!(listed(&one("other"), "me").is_none());
        assert!(listed(&json!({ "sandboxID": "i1" }), "me").is_none());
        let odd = json!({ "sandboxID": "../x", "metadata": { OWNER: "me", WORKSPACE: "w" } });
        assert!(listed(&odd, "me").is_none());
    }

    #[test]
    fn an_account_does_not_print_its_key() {
        let url = Url::parse("https://api.example").unwrap();
        let key = Secret::new("e2b_hunter2").unwrap();
        let account = Account::new(url, Reached::Below("example".into()), key, None);
        assert!(!format!("{account:?}").contains("hunter2"));
        let echo = Bytes::from(r#"{"code":400,"message":"bad key e2b_hunter2"}"#);
        let answer = Answer { status: 400, wait: None, next: None, body: echo };
        let error = account.refused("make a sandbox", &answer);
        assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
    }

    #[test]
    fn a_query_holds_no_odd_letters() {
        assert_eq!(encoded("a b/=ü"), "a%20b%2F%3D%C3%BC");
    }
}
