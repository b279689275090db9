//! What a client can do, and what its agent is told that it can.

use super::{
    json::{Edit, Object, Unclear},
    message::Message,
};

/// The version of the protocol that is understood; others are passed on.
const UNDERSTOOD: &str = "1";

/// What is asked of a client, or answered in its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Capabilities {
    pub(super) read: bool,
    pub(super) write: bool,
    pub(super) terminal: bool,
}

/// A connection as a client wants it.
#[derive(Debug)]
pub(super) enum Wanted {
    /// The version that is understood: what the client can do, and the edits that tell
    /// the agent what can be done here.
    Understood { client: Capabilities, edits: Vec<Edit> },
    /// Another one.
    Other,
}

/// Reads how a client begins, and lets the agent know of all that `ours` adds to it.
///
/// # Errors
/// For parameters that cannot be relied on.
pub(super) fn raised(message: &Message<'_>, ours: Capabilities) -> Result<Wanted, Unclear> {
    let whole = message.whole;
    let params = message.params()?;
    if params.get("protocolVersion")? != Some(UNDERSTOOD) {
        return Ok(Wanted::Other);
    }
    let Some(given) = params.object("clientCapabilities")? else {
        let told = told(ours);
        let edits = match told {
            Some(told) => vec![params.set(whole, "clientCapabilities", &told)?],
            None => Vec::new(),
        };
        return Ok(Wanted::Understood { client: Capabilities::default(), edits });
    };
    let files = given.object("fs")?;
    let client = Capabilities {
        read: files.as_ref().map_or(Ok(false), |files| is_true(files, "readTextFile"))?,
        write: files.as_ref().map_or(Ok(false), |files| is_true(files, "writeTextFile"))?,
        terminal: is_true(&given, "terminal")?,
    };
    let mut edits = Vec::new();
    if ours.terminal && !client.terminal {
        edits.push(given.set(whole, "terminal", "true")?);
    }
    match files {
        Some(files) => {
            if ours.read && !client.read {
                edits.push(files.set(whole, "readTextFile", "true")?);
            }
            if ours.write && !client.write {
                edits.push(files.set(whole, "writeTextFile", "true")?);
            }
        }
        None if ours.read || ours.write => edits.push(given.set(whole, "fs", &told_files(ours))?),
        None => {}
    }
    Ok(Wanted::Understood { client, edits })
}

fn is_true(object: &Object<'_>, name: &str) -> Result<bool, Unclear> {
    Ok(object.get(name)? == Some("true"))
}

/// What is said for a client that says nothing; nothing where there is nothing to say.
fn told(ours: Capabilities) -> Option<String> {
    let files = (ours.read || ours.write).then(|| format!("\"fs\":{}", told_files(ours)));
    let terminal = ours.terminal.then(|| "\"terminal\":true".to_owned());
    let all: Vec<String> = files.into_iter().chain(terminal).collect();
    (!all.is_empty()).then(|| format!("{{{}}}", all.join(",")))
}

fn told_files(ours: Capabilities) -> String {
    format!("{{\"readTextFile\":{},\"writeTextFile\":{}}}", ours.read, ours.write)
}

#[cfg(test)]
mod tests {
    use super::super::json::spliced;
    use super::*;

    const ALL: Capabilities = Capabilities { read: true, write: true, terminal: true };

    fn told(params: &str, ours: Capabilities) -> Option<(Capabilities, String)> {
        let whole = format!(r#"{{"params":{params},"method":"initialize","id":0}}"#);
        let message = Message::read(whole.as_bytes()).unwrap();
        match raised(&message, ours).unwrap() {
            Wanted::Understood { client, edits } => {
                let made = spliced(message.whole, edits);
                let end = made.len() - r#","method":"initialize","id":0}"#.len();
                Some((client, made[r#"{"params":"#.len()..end].to_owned()))
            }
            Wanted::Other => None,
        }
    }

    #[test]
    fn an_agent_is_told_of_what_the_client_lacks_and_nothing_else_changes() {
        let none = Capabilities::default();
        let whole = r#""fs":{"readTextFile":true,"writeTextFile":true}"#;
        assert_eq!(
            told(r#"{"protocolVersion":1}"#, ALL).unwrap(),
            (
                none,
                format!(
                    r#"{{"clientCapabilities":{{{whole},"terminal":true}},"protocolVersion":1}}"#
                )
            )
        );
        assert_eq!(
            told(r#"{"protocolVersion":1,"clientCapabilities":{"terminal":false,"_x": 1.0}}"#, ALL)
                .unwrap(),
            (
                none,
                format!(
                    r#"{{"protocolVersion":1,"clientCapabilities":{{{whole},"terminal":true,"_x": 1.0}}}}"#
                )
            )
        );
        let one = r#"{"protocolVersion":1,"clientCapabilities":{"fs":{ "readTextFile":true}}}"#;
        let (client, made) = told(one, ALL).unwrap();
        assert_eq!(client, Capabilities { read: true, ..none });
        assert_eq!(
            made,
            r#"{"protocolVersion":1,"clientCapabilities":{"terminal":true,"fs":{"writeTextFile":true, "readTextFile":true}}}"#
        );
    }

    #[test]
    fn what_needs_no_change_gets_none() {
        let full = r#"{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true}}"#;
        assert_eq!(told(full, ALL).unwrap(), (ALL, full.to_owned()));
        let bare = r#"{"protocolVersion":1}"#;
        let none = Capabilities::default();
        assert_eq!(told(bare, none).unwrap(), (none, bare.to_owned()));
    }

    #[test]
    fn another_version_is_left_alone() {
        for params in [r#"{"protocolVersion":2}"#, r#"{"protocolVersion":"1"}"#, "{}"] {
            assert_eq!(told(params, ALL), None, "{params}");
        }
    }
}
