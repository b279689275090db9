//! Why git did not do what it was asked: a code of the table, and what git itself said.

use bytes::Bytes;
use garth_contract::{Code, Error};

/// What every fallible call of this crate returns.
pub type Result<T, E = Failed> = std::result::Result<T, E>;

/// A refusal or a failure.
///
/// The error holds nothing that git printed; `said` holds it, for whoever can redact it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// The error, in sentences of our own.
    pub error: Error,
    /// What git printed as errors: content of a hostile repository.
    pub said: Bytes,
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self { error, said: Bytes::new() }
    }
}

/// How much of what git printed is looked at for a reason.
const MOST_LOOKED_AT: usize = 8 << 10;

/// What git says when it fails, what that means, and what can be done. The first that fits
/// counts; git speaks the C locale here, and a repository cannot change its sentences.
const SENTENCES: &[(&str, Code, &str, &str)] = &[
    (
        "not a git repository",
        Code::GitFailed,
        "there is no git repository here",
        "Name its directory with path, or make one with action init or clone.",
    ),
    (
        "must be run in a work tree",
        Code::GitFailed,
        "the repository has no work tree",
        "Name a directory with path that is checked out.",
    ),
    (
        "would be overwritten by",
        Code::Conflict,
        "changes that are not committed would be lost",
        "Commit, stash or restore them first.",
    ),
    (
        "You have unstaged changes",
        Code::Conflict,
        "there are changes that are not committed",
        "Commit, stash or restore them first.",
    ),
    (
        "unmerged files",
        Code::Conflict,
        "there are conflicts that are not resolved",
        "Resolve them, then commit the files.",
    ),
    (
        "needs merge",
        Code::Conflict,
        "there are conflicts that are not resolved",
        "Resolve them, then commit the files.",
    ),
    (
        "you need to resolve your current index",
        Code::Conflict,
        "there are conflicts that are not resolved",
        "Resolve them, then commit the files.",
    ),
    (
        "Not possible to fast-forward",
        Code::Conflict,
        "the branch and the one on the remote have both moved on",
        "Pull with merge true, or put the changes on another branch.",
    ),
    (
        "refusing to merge unrelated histories",
        Code::Conflict,
        "the two histories have nothing in common",
        "Clone the remote into another directory.",
    ),
    (
        ".lock': File exists",
        Code::Conflict,
        "another git command is at work in this repository",
        "Wait for it, or delete the lock file if it has died.",
    ),
    (
        "ignored by one of your",
        Code::InvalidParams,
        "a named file is ignored by the repository",
        "Leave it out, or change .gitignore.",
    ),
    (
        "is beyond a symbolic link",
        Code::PathOutsideWorkspace,
        "a named file lies behind a link, where the repository does not reach",
        "Name the file where it is.",
    ),
    (
        "is outside repository",
        Code::PathOutsideWorkspace,
        "a named file is outside the repository",
        "Name files of this repository, from the workspace's root.",
    ),
    (
        "in submodule",
        Code::InvalidParams,
        "a named file belongs to a submodule",
        "Name the submodule's directory with path.",
    ),
    (
        "did not match any file",
        Code::FileNotFound,
        "a named file is neither there nor known to git",
        "Look at action status.",
    ),
    (
        "Read-only file system",
        Code::ReadOnly,
        "the workspace is read-only",
        "Ask the operator for a writable workspace.",
    ),
    (
        "No space left on device",
        Code::DiskFull,
        "no space is left on the device",
        "Delete files or ask the operator for space.",
    ),
    (
        "already exists",
        Code::DestinationExists,
        "something of this name is there already",
        "Choose another name.",
    ),
    (
        "cannot delete branch",
        Code::Conflict,
        "the branch is checked out",
        "Check out another branch first.",
    ),
    (
        "Cannot delete branch",
        Code::Conflict,
        "the branch is checked out",
        "Check out another branch first.",
    ),
    (
        "is not fully merged",
        Code::Conflict,
        "the branch has commits that are nowhere else",
        "Merge it first, or set force.",
    ),
    (
        "is already checked out at",
        Code::Conflict,
        "the branch is checked out in another work tree",
        "Choose another branch.",
    ),
    (
        "is already used by worktree",
        Code::Conflict,
        "the branch is checked out in another work tree",
        "Choose another branch.",
    ),
];

impl Failed {
    /// A failure with a sentence of its own.
    pub(crate) fn new(code: Code, message: &'static str, hint: &'static str) -> Self {
        Error::new(code, message).hint(hint).into()
    }

    /// What an exit code other than 0 means, by what git said as errors, or else by how it
    /// began to print.
    pub(crate) fn of(exit: i32, said: Bytes, printed: &[u8]) -> Self {
        let text = String::from_utf8_lossy(&said);
        let printed = printed.get(..MOST_LOOKED_AT).unwrap_or(printed);
        let printed = String::from_utf8_lossy(printed);
        let known = |text: &str| SENTENCES.iter().find(|(says, ..)| text.contains(says));
        let known = known(&text).or_else(|| known(&printed));
        let error = match known {
            Some((_, code, message, hint)) => Error::new(*code, *message).hint(*hint),
            None => Error::new(Code::GitFailed, format!("git failed with exit code {exit}"))
                .hint("Look at stderr, which is what git said."),
        };
        drop(text);
        Self { error, said }
    }

    /// Git printed something that is not what it prints.
    pub(crate) fn unread() -> Self {
        Self::new(
            Code::GitFailed,
            "what git printed could not be read",
            "Run git with bash to see what it says, or install a newer git in the sandbox.",
        )
    }

    /// Git printed more than is read of it.
    pub(crate) fn too_much() -> Self {
        Self::new(
            Code::FileTooLarge,
            "git printed more than can be read at once",
            "Name files, or ask for less.",
        )
    }

    /// There is no git where commands run.
    pub(crate) fn missing() -> Self {
        Self::new(
            Code::Unsupported,
            "there is no git in the sandbox",
            "Install the package git in the system or image that the sandbox is made of.",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_says_has_a_code_and_stays_out_of_the_message() {
        let said = Bytes::from_static(b"fatal: not a git repository: /secret/place\n");
        let failed = Failed::of(128, said.clone(), b"");
        assert_eq!(failed.error.code(), Code::GitFailed);
        assert!(!failed.error.message().contains("secret"));
        assert_eq!(failed.said, said);
        let odd = Failed::of(3, Bytes::from_static(b"\xff\xfe"), b"");
        assert_eq!(odd.error.message(), "git failed with exit code 3");
    }

    #[test]
    fn every_sentence_says_what_to_do() {
        for (_, _, message, hint) in SENTENCES {
            assert!(!message.ends_with('.') && hint.ends_with('.'), "{message}");
        }
    }
}
