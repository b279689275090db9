//! Paths as clients of this dialect send and expect them: absolute, or from the
//! first allowed directory.

use std::fmt;

use garth_contract::{Code, Error, RawPath, Result, WsPath, escape};
use garth_redact::Plain;
use garth_workspace::Workspace;

/// The path that a caller sent, repeated on one line. It is no content of a file.
#[derive(Clone, Copy, Debug)]
pub(in crate::reference) struct Sent<'a>(pub(in crate::reference) &'a str);

impl fmt::Display for Sent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        RawPath::new(self.0).fmt(f)
    }
}

impl Plain for Sent<'_> {}

/// A place as it is told: its absolute path where there is one, on one line.
#[derive(Clone, Debug)]
pub(in crate::reference) struct Told(String);

impl Told {
    /// How a place is told.
    pub(in crate::reference) fn of(workspace: &Workspace, path: &WsPath) -> Self {
        let absolute = workspace.absolute(path).map(|bytes| escape(&bytes));
        Self(absolute.unwrap_or_else(|| path.to_string()))
    }
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Plain for Told {}

/// Turns what a caller sent into a path of the workspace.
///
/// # Errors
/// `PATH_OUTSIDE_WORKSPACE`, also for `/` unless that is an allowed directory, for a
/// home directory and for a drive of Windows: as names of files below the root they
/// would silently mean something else. `INVALID_PATH`.
pub(in crate::reference) fn resolve(workspace: &Workspace, sent: &str) -> Result<WsPath> {
    if sent == "~" || sent.starts_with("~/") {
        let hint = "Send the whole path; ~ is not replaced by a home directory.";
        return Err(outside(workspace, Sent(sent)).hint(hint));
    }
    if is_drive(sent) {
        let hint = "Send a path with / below an allowed directory; there are no drives here.";
        return Err(outside(workspace, Sent(sent)).hint(hint));
    }
    let found =
        if sent.starts_with('/') { absolute(workspace, sent) } else { relative(workspace, sent) };
    found.map_err(|error| {
        let is_outside = error.code() == Code::PathOutsideWorkspace;
        if is_outside { outside(workspace, Sent(sent)) } else { error }
    })
}

fn absolute(workspace: &Workspace, sent: &str) -> Result<WsPath> {
    let whole = |(root, _): &(Vec<u8>, WsPath)| root.iter().all(|byte| *byte == b'/');
    let names_nothing = sent.split('/').all(|name| matches!(name, "" | "."));
    if names_nothing && !workspace.roots().iter().any(whole) {
        return Err(Error::of(Code::PathOutsideWorkspace));
    }
    workspace.path(sent)
}

/// A relative path starts at the first allowed directory. Where it leaves that for
/// another one, it means that one.
fn relative(workspace: &Workspace, sent: &str) -> Result<WsPath> {
    match workspace.roots() {
        [] => workspace.path(sent),
        roots if roots.iter().all(|(_, place)| place.is_root()) => workspace.path(sent),
        roots => {
            let mut refused = None;
            for (root, _) in roots {
                match workspace.path(joined(&escape(root), sent)) {
                    Ok(path) => return Ok(path),
                    Err(error) => refused = refused.or(Some(error)),
                }
            }
            Err(refused.unwrap_or_else(|| Error::of(Code::PathOutsideWorkspace)))
        }
    }
}

/// An absolute path with what follows it, `.` and `..` resolved as text.
fn joined(root: &str, sent: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in root.split('/').chain(sent.split('/')) {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    // Nothing is left of a path that climbed to the top; that is no allowed directory.
    if names.is_empty() { "/..".to_owned() } else { format!("/{}", names.join("/")) }
}

fn is_drive(sent: &str) -> bool {
    match sent.as_bytes() {
        [letter, b':'] | [letter, b':', b'/' | b'\\', ..] => letter.is_ascii_alphabetic(),
        _ => false,
    }
}

/// The refusal of a path, in the words that clients look for.
///
/// It is the same for all that is outside, whether it is there or not, and says
/// nothing of where a link leads.
pub(in crate::reference) fn outside(workspace: &Workspace, path: impl fmt::Display) -> Error {
    let allowed: Vec<String> = workspace.roots().iter().map(|(root, _)| escape(root)).collect();
    let beside = if allowed.is_empty() { String::new() } else { " not in ".to_owned() };
    let allowed = allowed.join(", ");
    let message =
        format!("Access denied - path outside allowed directories: {path}{beside}{allowed}");
    Error::new(Code::PathOutsideWorkspace, message)
        .hint("Send a path below a directory that list_allowed_directories names.")
}
