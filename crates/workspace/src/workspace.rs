//! What a workspace is made of.

use std::{borrow::Cow, sync::Arc};

use garth_contract::{Aliases, Code, Detail, DynFilesystem, Error, RawPath, Result, WsPath};
use garth_redact::{BadPattern, Behaviour, Config, Permit, Redactor};
use tokio::sync::MutexGuard;

use crate::{Again, Commands, Earlier, Inside, Limits, git::Git, locks::Locks, names::Named};

/// What a workspace is made of.
pub struct Parts {
    /// Where its files are.
    pub fs: Arc<dyn DynFilesystem>,
    /// Where its commands run.
    pub commands: Commands,
    /// The absolute paths under which its root is known.
    pub aliases: Aliases,
    /// How text of its files, and of its commands, is redacted.
    pub redaction: Config,
    /// How much one call may take or give.
    pub limits: Limits,
}

/// One agent's world.
pub struct Workspace {
    pub(crate) fs: Arc<dyn DynFilesystem>,
    /// The same with the names that they really have.
    raw_fs: Arc<dyn DynFilesystem>,
    /// What stands between the two, where names are not shown as they are.
    named: Option<Arc<Named>>,
    pub(crate) commands: Commands,
    aliases: Aliases,
    roots: Vec<(Vec<u8>, WsPath)>,
    pub(crate) redactor: Redactor,
    pub(crate) redaction: Redaction,
    pub(crate) limits: Limits,
    pub(crate) locks: Locks,
    again: Again,
    pub(crate) earlier: Option<Arc<dyn Earlier>>,
    pub(crate) git: Git,
    pub(crate) inside: Option<Inside>,
}

/// Whether secrets are replaced at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Redaction {
    On,
    Off,
}

impl Redaction {
    pub(crate) fn is_on(self) -> bool {
        self == Self::On
    }
}

impl Workspace {
    /// Puts a workspace together.
    ///
    /// # Errors
    /// `INVALID_PATTERN` for a pattern of the redaction that cannot be used.
    pub fn new(parts: Parts) -> Result<Self> {
        let Parts { fs, commands, aliases, redaction, limits } = parts;
        let redactor = Redactor::new(&redaction).map_err(|bad| wrong(&bad))?;
        let redaction = match redaction.behaviour {
            Behaviour::Redact | Behaviour::Block if redaction.enabled => Redaction::On,
            Behaviour::Redact | Behaviour::Block | Behaviour::Allow => Redaction::Off,
        };
        let raw_fs = Arc::clone(&fs);
        let named = redaction.is_on().then(|| Arc::new(Named::over(fs, redactor.clone())));
        let fs: Arc<dyn DynFilesystem> = match &named {
            Some(named) => Arc::<Named>::clone(named),
            None => Arc::clone(&raw_fs),
        };
        let (roots, locks) = (Vec::new(), Locks::new());
        let (earlier, git, inside) = (None, Git::usual(), None);
        Ok(Self {
            fs,
            raw_fs,
            named,
            commands,
            aliases,
            roots,
            redactor,
            redaction,
            limits,
            locks,
            again: Again::default(),
            earlier,
            git,
            inside,
        })
    }

    /// Its files. A name that holds a secret is shown with a placeholder, and the shown name leads
    /// to the file; no error tells another.
    #[must_use]
    pub fn fs(&self) -> &dyn DynFilesystem {
        &*self.fs
    }

    /// The same, to be kept for as long as work on them goes on.
    #[must_use]
    pub fn shared_fs(&self) -> Arc<dyn DynFilesystem> {
        Arc::clone(&self.fs)
    }

    /// The same with the names that they really have, for who may be shown secrets.
    #[must_use]
    pub fn raw_fs(&self, _permit: &Permit) -> Arc<dyn DynFilesystem> {
        Arc::clone(&self.raw_fs)
    }

    /// Its bounds.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// What was answered to whoever read its files.
    #[must_use]
    pub fn again(&self) -> &Again {
        &self.again
    }

    /// The absolute paths under which its root is known.
    #[must_use]
    pub fn aliases(&self) -> &Aliases {
        &self.aliases
    }

    /// The same workspace, whose places a caller may be told by absolute paths: each
    /// of these directories stands at a place of the workspace, the preferred first.
    ///
    /// Only who started the program on their own machine is told such paths.
    #[must_use]
    pub fn shown_as(mut self, roots: Vec<(Vec<u8>, WsPath)>) -> Self {
        self.roots = roots;
        self
    }

    /// The same workspace, of whose files earlier contents are kept.
    #[must_use]
    pub fn remembering(mut self, earlier: Arc<dyn Earlier>) -> Self {
        self.earlier = Some(earlier);
        self
    }

    /// The directories whose absolute paths may be told, and where they stand.
    #[must_use]
    pub fn roots(&self) -> &[(Vec<u8>, WsPath)] {
        &self.roots
    }

    /// The absolute path of a place, where one may be told.
    #[must_use]
    pub fn absolute(&self, path: &WsPath) -> Option<Vec<u8>> {
        let mut best: Option<(&[u8], usize, &[u8])> = None;
        for (absolute, root) in &self.roots {
            let Some(below) = path.below(root) else { continue };
            let length = root.as_bytes().len();
            if best.is_none_or(|(_, longest, _)| length > longest) {
                best = Some((absolute, length, below));
            }
        }
        let (absolute, _, below) = best?;
        let mut bytes = absolute.to_vec();
        if !below.is_empty() {
            if !bytes.ends_with(b"/") {
                bytes.push(b'/');
            }
            bytes.extend_from_slice(below);
        }
        Some(bytes)
    }

    /// Turns what a caller sent into a path of this workspace.
    ///
    /// # Errors
    /// `INVALID_PATH`, `PATH_OUTSIDE_WORKSPACE`.
    pub fn path(&self, raw: impl AsRef<str>) -> Result<WsPath> {
        RawPath::resolve_text(raw.as_ref(), &self.aliases)
    }

    /// The path as it may be shown. What [`fs`](Self::fs) tells is shown already; this is for paths
    /// that come from elsewhere, such as those that a command prints.
    #[must_use]
    pub fn shown_path(&self, path: &WsPath) -> WsPath {
        let shown = self.named.as_ref().and_then(|named| named.names().shown(path));
        shown.unwrap_or_else(|| path.clone())
    }

    /// The same for a text with paths in it.
    #[must_use]
    pub fn shown_names<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        let shown = self.named.as_ref().and_then(|named| named.names().shown_names(text));
        shown.map_or(Cow::Borrowed(text), Cow::Owned)
    }

    /// The same for what went wrong at `path`.
    #[must_use]
    pub fn shown_error(&self, error: Error, path: &WsPath) -> Error {
        match &self.named {
            Some(named) => named.names().told(error, path),
            None => error,
        }
    }

    /// The path that a shown one stands for, for a command: it knows the files by the names that
    /// they really have. [`fs`](Self::fs) takes both.
    ///
    /// # Errors
    /// `REDACTED_CONTENT` where a name in it means no single file; those of a list.
    pub async fn real_path(&self, path: &WsPath) -> Result<WsPath> {
        match &self.named {
            Some(named) => named.real(path).await.map(Cow::into_owned),
            None => Ok(path.clone()),
        }
    }

    /// Waits until nobody else changes any of these files through this workspace.
    ///
    /// Cancel: what was waited for is let go.
    pub async fn hold(&self, paths: &[&WsPath]) -> Vec<MutexGuard<'_, ()>> {
        self.locks.hold(paths).await
    }
}

fn wrong(bad: &BadPattern) -> Error {
    let error = Error::new(Code::InvalidPattern, bad.to_string());
    match bad.position {
        Some(position) => error.with(Detail::Position(position as u64)),
        None => error,
    }
}

#[cfg(test)]
mod tests;
