//! A session on its way to the agent: its directory is checked, and it gets our server.

use garth_contract::{Code, Error, Kind, Result};
use serde_json::json;

use super::{
    json::{Edit, Object, Unclear, elements, push, quoted},
    message::Message,
    places::{Place, Places, Side},
    reply::unclear,
};

/// The requests that begin or go on with a session.
pub(super) const METHODS: [&str; 4] =
    ["session/new", "session/load", "session/resume", "session/fork"];

/// What our server is called in a session, where nothing else is.
const NAME: &str = "garth";

/// How an agent starts our server.
#[derive(Clone, Debug)]
pub(super) struct Server {
    /// The program.
    pub(super) command: String,
    /// Its arguments.
    pub(super) arguments: Vec<String>,
}

/// A session as it goes to the agent.
pub(super) struct Begun {
    pub(super) edits: Vec<Edit>,
    /// Where it works.
    pub(super) place: Place,
    /// Its name, where it has one by now.
    pub(super) session: Option<String>,
    /// What our server is called in it.
    pub(super) server: Option<String>,
}

/// Checks the directories of a session, and adds our server to its own.
///
/// # Errors
/// `PATH_OUTSIDE_WORKSPACE` for a directory elsewhere, and others of looking at it;
/// `INVALID_PARAMS` for parameters that cannot be relied on.
pub(super) async fn begin(
    message: &Message<'_>,
    method: &str,
    places: &Places,
    server: Option<&Server>,
) -> Result<Begun> {
    let bad = |error: Unclear| unclear(method, &error);
    let whole = message.whole;
    let params = message.params().map_err(bad)?;
    let cwd = params.get("cwd").map_err(bad)?.ok_or_else(|| bad(Unclear::Wrong))?;
    let (place, edit) = directory(whole, cwd, places, method).await?;
    let mut edits: Vec<Edit> = edit.into_iter().collect();
    for more in params.array("additionalDirectories").map_err(bad)? {
        let (_, edit) = directory(whole, more, places, method).await?;
        edits.extend(edit);
    }
    let session = params.text("sessionId").map_err(bad)?;
    let mut begun = Begun { edits, place, session, server: None };
    if let Some(server) = server {
        let (name, edit) = with_server(whole, &params, server).map_err(bad)?;
        begun.edits.push(edit);
        begun.server = Some(name);
    }
    Ok(begun)
}

/// A directory that a client named: where it is, and how the agent is told of it.
async fn directory(
    whole: &str,
    value: &str,
    places: &Places,
    method: &str,
) -> Result<(Place, Option<Edit>)> {
    let text: String = serde_json::from_str(value).map_err(|_| unclear(method, &Unclear::Wrong))?;
    let place = places.checked(Side::Client, &text).await.map_err(|error| {
        if error.code() != Code::PathOutsideWorkspace {
            return error;
        }
        Error::new(Code::PathOutsideWorkspace, "the session's directory is not in the workspace")
            .hint("Start garth acp with --root on a directory that holds it.")
    })?;
    places.is_directory(&place).await?;
    let edit = places.translated(Side::Client, &text);
    Ok((place, edit.map(|told| Edit::replace(whole, value, &quoted(&told)))))
}

impl Places {
    /// Makes sure that a session can work there.
    async fn is_directory(&self, place: &Place) -> Result<()> {
        match self.kind(place).await? {
            Kind::Dir => Ok(()),
            Kind::File | Kind::Symlink | Kind::Fifo | Kind::Socket | Kind::Device => {
                Err(Error::at(Code::NotADirectory, &place.path))
            }
        }
    }
}

/// The edit that adds our server, and the name that it gets.
fn with_server(
    whole: &str,
    params: &Object<'_>,
    server: &Server,
) -> Result<(String, Edit), Unclear> {
    let given = params.get("mcpServers")?.filter(|given| *given != "null");
    let mut taken = Vec::new();
    for other in given.map(elements).transpose()?.unwrap_or_default() {
        taken.extend(Object::of(other)?.text("name")?);
    }
    let numbered = (2..).map(|number| format!("{NAME}-{number}"));
    let name = std::iter::once(NAME.to_owned()).chain(numbered).find(|name| !taken.contains(name));
    let name = name.unwrap_or_else(|| NAME.to_owned());
    let Server { command, arguments } = server;
    let entry = json!({ "name": name, "command": command, "args": arguments, "env": [] });
    let edit = match given {
        Some(given) => push(whole, given, &entry.to_string())?,
        None => params.set(whole, "mcpServers", &format!("[{entry}]"))?,
    };
    Ok((name, edit))
}

#[cfg(test)]
mod tests {
    use super::super::json::spliced;
    use super::*;

    fn added(params: &str) -> String {
        let whole = format!(r#"{{"id":1,"method":"session/new","params":{params}}}"#);
        let message = Message::read(whole.as_bytes()).unwrap();
        let server = Server { command: "/bin/garth".to_owned(), arguments: vec!["mcp".to_owned()] };
        let params = message.params().unwrap();
        let (_, edit) = with_server(message.whole, &params, &server).unwrap();
        let made = spliced(message.whole, vec![edit]);
        let start = r#"{"id":1,"method":"session/new","params":"#.len();
        made[start..made.len() - 1].to_owned()
    }

    #[test]
    fn our_server_is_the_last_and_has_a_name_of_its_own() {
        let ours = |name: &str| {
            format!(r#"{{"name":"{name}","command":"/bin/garth","args":["mcp"],"env":[]}}"#)
        };
        let (one, two) = (ours("garth"), ours("garth-2"));
        assert_eq!(added("{}"), format!(r#"{{"mcpServers":[{one}]}}"#));
        assert_eq!(added(r#"{"mcpServers": null }"#), format!(r#"{{"mcpServers": [{one}] }}"#));
        assert_eq!(added(r#"{"mcpServers":[ ]}"#), format!(r#"{{"mcpServers":[{one} ]}}"#));
        let taken = r#"{"mcpServers":[{"name":"garth"}],"x":1}"#;
        assert_eq!(added(taken), format!(r#"{{"mcpServers":[{{"name":"garth"}},{two}],"x":1}}"#));
    }
}
