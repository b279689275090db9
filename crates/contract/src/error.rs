//! An error: a code of the table, where it happened, and typed details.

use std::{borrow::Cow, fmt, time::Duration};

use crate::{Code, Version, WsPath};

/// What every fallible call in Garth returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A fact about an error that a program can act on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Detail {
    /// The lines, from 1, that the error is about.
    Lines(Vec<u64>),
    /// How many places there are in all, where `Lines` names only the first.
    Places(u64),
    /// The line, from 1, that comes nearest to what was looked for.
    Nearest(u64),
    /// The byte of the input at which it went wrong, from 0.
    Position(u64),
    /// Which of several edits failed, from 0.
    Edit(u64),
    /// A limit, and what was asked for.
    Limit {
        /// The limit in force.
        limit: u64,
        /// What was asked for or found.
        actual: u64,
    },
    /// The version that the file has now.
    Current(Version),
    /// How long to wait before trying again.
    RetryAfter(Duration),
}

/// Why a call was refused or failed.
///
/// The message never holds file content, a command's output, an absolute host
/// path or a credential: it is built from fixed sentences, paths of the workspace
/// and what the caller itself sent.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    code: Code,
    message: Cow<'static, str>,
    path: Option<WsPath>,
    hint: Option<Cow<'static, str>>,
    details: Vec<Detail>,
}

impl Error {
    /// An error with a sentence of its own.
    #[must_use]
    pub fn new(code: Code, message: impl Into<Cow<'static, str>>) -> Self {
        let message = message.into();
        Self(Box::new(Inner { code, message, path: None, hint: None, details: Vec::new() }))
    }

    /// An error with the code's own sentence.
    #[must_use]
    pub fn of(code: Code) -> Self {
        Self::new(code, code.row().phrase)
    }

    /// An error at a path, with the code's own sentence before it.
    #[must_use]
    pub fn at(code: Code, path: &WsPath) -> Self {
        let mut error = Self::new(code, format!("{}: {path}", code.row().phrase));
        error.0.path = Some(path.clone());
        error
    }

    /// That what stands at a path is no link.
    #[must_use]
    pub fn not_a_link(path: &WsPath) -> Self {
        let error = Self::at(Code::InvalidParams, path).hint("Read a file, list a directory.");
        error.reword(format!("not a link: {path}"))
    }

    /// The same error with one more detail.
    #[must_use]
    pub fn with(mut self, detail: Detail) -> Self {
        self.0.details.push(detail);
        self
    }

    /// The same error in other words, for callers that know it by those.
    #[must_use]
    pub fn reword(mut self, message: impl Into<Cow<'static, str>>) -> Self {
        self.0.message = message.into();
        self
    }

    /// The same error with another hint than the table's.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Cow<'static, str>>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// The same error under another code where it has the first of them: what is
    /// a missing file to a lookup is a missing parent to a write.
    #[must_use]
    pub fn recode(self, from: Code, to: Code) -> Self {
        match self.path() {
            Some(path) if self.code() == from => Self::at(to, path),
            None if self.code() == from => Self::of(to),
            _ => self,
        }
    }

    /// The same error as a tree tells it that holds this one at `base`.
    #[must_use]
    pub fn under(mut self, base: &WsPath) -> Self {
        let Some(path) = &self.0.path else { return self };
        let Ok(outer) = path.under(base) else { return self };
        if let Some(sentence) = self.0.message.strip_suffix(path.to_string().as_str()) {
            self.0.message = format!("{sentence}{outer}").into();
        }
        self.0.path = Some(outer);
        self
    }

    /// The code.
    #[must_use]
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// The sentence for a person.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The path it is about, where it is about one.
    #[must_use]
    pub fn path(&self) -> Option<&WsPath> {
        self.0.path.as_ref()
    }

    /// What the caller can do about it.
    #[must_use]
    pub fn advice(&self) -> &str {
        self.0.hint.as_deref().unwrap_or(self.0.code.row().hint)
    }

    /// The facts a program can act on.
    #[must_use]
    pub fn details(&self) -> &[Detail] {
        &self.0.details
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?} {:?}", self.0.code.row().name, self.0.message, self.0.details)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_at_a_path_names_it_in_one_line() {
        let path = WsPath::root().join(b"a\nb").unwrap();
        let error = Error::at(Code::NotADirectory, &path);
        assert_eq!(error.to_string(), r"not a directory: a\x0ab");
        assert_eq!(error.path(), Some(&path));
    }

    #[test]
    fn an_error_of_a_tree_inside_another_names_the_whole_path() {
        let base = WsPath::from_bytes(b"a").unwrap();
        let inner = Error::at(Code::NotAFile, &WsPath::from_bytes(b"d/f").unwrap());
        let outer = WsPath::from_bytes(b"a/d/f").unwrap();
        let detail = Detail::Position(3);
        assert_eq!(
            inner.with(detail.clone()).under(&base),
            Error::at(Code::NotAFile, &outer).with(detail)
        );
        let root = Error::at(Code::NotAFile, &WsPath::root()).under(&base);
        assert_eq!(root, Error::at(Code::NotAFile, &base));
        assert_eq!(Error::of(Code::ReadOnly).under(&base), Error::of(Code::ReadOnly));
    }

    #[test]
    fn an_error_is_one_word_wide() {
        assert_eq!(size_of::<Result<()>>(), size_of::<usize>());
    }
}
