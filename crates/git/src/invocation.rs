//! How git is started: the variables and settings that every call has, and its arguments.
//!
//! Everything here holds inside the sandbox, where a repository could run programs anyway. It
//! makes replies the same whatever a repository's configuration says, and keeps what a
//! repository names from running unasked.

use bytes::Bytes;
use garth_contract::{
    Command, Keep, Program, Result as Checked, Stdin, Timeout, Variables, WsPath,
};

use crate::Identity;

/// Whether the repository's own hooks run, inside the sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hooks {
    /// None runs.
    Off,
    /// They run as they do for the agent's own commands.
    On,
}

/// From where git may fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sources {
    /// From nowhere.
    Nowhere,
    /// From a file of the workspace.
    File,
}

/// How git reads the names of files in its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Names {
    /// As they are.
    Literal,
    /// As patterns, unless each says that it is none.
    Patterns,
}

/// One call of git.
pub(crate) struct Invocation {
    arguments: Vec<Vec<u8>>,
    pub(crate) stdin: Stdin,
    pub(crate) hooks: Hooks,
    pub(crate) sources: Sources,
    names: Names,
    pub(crate) keep: Keep,
}

/// The most that is read of what git prints: a patch that nobody reads to its end is longer.
pub(crate) const MOST_PRINTED: usize = 8 << 20;

/// The most that is read of what it prints as errors.
const MOST_SAID: usize = 8 << 10;

/// Settings that no file of a repository can change back, since they are in the arguments.
const SETTINGS: &[&str] = &[
    // Programs that would run unasked.
    "core.fsmonitor=false",
    "core.pager=cat",
    "core.askPass=",
    "credential.helper=",
    "gc.auto=0",
    "maintenance.auto=false",
    "log.showSignature=false",
    "commit.gpgSign=false",
    "tag.gpgSign=false",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "core.attributesFile=/dev/null",
    "protocol.allow=never",
    // Whoever owns the files inside, the sandbox is the boundary.
    "safe.directory=*",
    // The numbers of owners and files are others inside than outside, and git would read
    // every file again that somebody outside has added.
    "core.checkStat=minimal",
    // What would change the form of a reply.
    "core.quotePath=true",
    "color.ui=false",
    "diff.noprefix=false",
    "diff.mnemonicPrefix=false",
    "diff.srcPrefix=a/",
    "diff.dstPrefix=b/",
    "diff.relative=false",
    "diff.orderFile=/dev/null",
    "diff.suppressBlankEmpty=false",
    "diff.submodule=short",
    "diff.context=3",
    "diff.interHunkContext=0",
    "diff.wsErrorHighlight=none",
    "diff.colorMoved=no",
    "diff.ignoreSubmodules=none",
    "status.relativePaths=true",
    "status.renames=true",
    "status.aheadBehind=true",
    "log.follow=false",
    "log.abbrevCommit=false",
    "log.date=default",
    "log.diffMerges=first-parent",
    "i18n.commitEncoding=UTF-8",
    "i18n.logOutputEncoding=UTF-8",
    "commit.cleanup=whitespace",
    "commit.status=false",
    "commit.verbose=false",
    "core.commentChar=#",
    "advice.detachedHead=false",
];

/// Variables of every call. A repository cannot set variables, and what runs in the sandbox
/// beside us cannot set those of this call.
const VARIABLES: &[(&str, &str)] = &[
    ("LC_ALL", "C"),
    ("TZ", "UTC"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", "false"),
    ("SSH_ASKPASS", "false"),
    ("GIT_SSH_COMMAND", "false"),
    ("GIT_PAGER", "cat"),
    ("PAGER", "cat"),
    ("GIT_EDITOR", ":"),
    ("GIT_SEQUENCE_EDITOR", ":"),
    ("EDITOR", ":"),
    ("VISUAL", ":"),
    ("GIT_MERGE_AUTOEDIT", "no"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_PROTOCOL_FROM_USER", "0"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
];

/// Whether git may write what it learned by looking into the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Looks {
    /// It only looks, and takes no lock that somebody else waits for.
    Only,
    /// It changes something.
    Changes,
}

impl Invocation {
    /// A call with these arguments, which are the program's own words.
    pub(crate) fn new(arguments: &[&str]) -> Self {
        let keep = Keep { head: MOST_PRINTED, tail: MOST_SAID };
        Self {
            arguments: arguments.iter().map(|word| word.as_bytes().to_vec()).collect(),
            stdin: Stdin::Empty,
            hooks: Hooks::Off,
            sources: Sources::Nowhere,
            names: Names::Literal,
            keep,
        }
    }

    /// The same with one argument more, which was checked.
    pub(crate) fn and(mut self, argument: impl Into<Vec<u8>>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// The same with several.
    pub(crate) fn and_all(mut self, arguments: impl IntoIterator<Item = Vec<u8>>) -> Self {
        self.arguments.extend(arguments);
        self
    }

    /// The same, with something to read.
    pub(crate) fn reading(mut self, bytes: impl Into<Bytes>) -> Self {
        self.stdin = Stdin::Bytes(bytes.into());
        self
    }

    /// The same, with hooks or without.
    pub(crate) fn hooks(mut self, hooks: Hooks) -> Self {
        self.hooks = hooks;
        self
    }

    /// The same, for a command that does not work where all names are literal: each that it
    /// is given says so itself.
    pub(crate) fn with_patterns(mut self) -> Self {
        self.names = Names::Patterns;
        self
    }

    /// The same, which may fetch from a file.
    pub(crate) fn fetching_a_file(mut self) -> Self {
        self.sources = Sources::File;
        self
    }

    /// The command that runs it.
    ///
    /// # Errors
    /// `INVALID_PARAMS` where the arguments are too many or too long.
    pub(crate) fn command(
        self,
        (workdir, identity): (&WsPath, &Identity),
        (looks, timeout): (Looks, Timeout),
    ) -> Checked<Command> {
        let mut words: Vec<Vec<u8>> = vec![b"git".to_vec(), b"--no-pager".to_vec()];
        let mut set = |setting: &str| words.extend([b"-c".to_vec(), setting.as_bytes().to_vec()]);
        SETTINGS.iter().for_each(|setting| set(setting));
        match self.hooks {
            Hooks::Off => set("core.hooksPath=/dev/null"),
            Hooks::On => {}
        }
        words.extend(self.arguments);
        let mut command = Command::new(Program::arguments(words)?);
        let pair = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        let locks = match looks {
            Looks::Only => "0",
            Looks::Changes => "1",
        };
        let protocols = match self.sources {
            Sources::Nowhere => "none",
            Sources::File => "file",
        };
        let literal = match self.names {
            Names::Literal => "1",
            Names::Patterns => "0",
        };
        let own = [
            ("GIT_LITERAL_PATHSPECS", literal),
            ("GIT_OPTIONAL_LOCKS", locks),
            ("GIT_ALLOW_PROTOCOL", protocols),
            ("GIT_AUTHOR_NAME", identity.name()),
            ("GIT_AUTHOR_EMAIL", identity.email()),
            ("GIT_COMMITTER_NAME", identity.name()),
            ("GIT_COMMITTER_EMAIL", identity.email()),
        ];
        let all = VARIABLES.iter().copied().chain(own).map(pair);
        command.variables = Variables::new(all)?;
        command.workdir = workdir.clone();
        command.stdin = self.stdin;
        command.timeout = timeout;
        command.keep = self.keep;
        Ok(command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(invocation: Invocation) -> Vec<String> {
        let identity = Identity::bot();
        let root = WsPath::root();
        let command =
            invocation.command((&root, &identity), (Looks::Only, Timeout::USUAL)).unwrap();
        let words = command.program.words();
        words.iter().map(|word| String::from_utf8_lossy(word).into_owned()).collect()
    }

    #[test]
    fn hooks_are_off_unless_asked_for() {
        let off = words(Invocation::new(&["status"]));
        assert!(off.contains(&"core.hooksPath=/dev/null".to_owned()));
        assert_eq!(off.last().unwrap(), "status");
        let on = words(Invocation::new(&["commit"]).hooks(Hooks::On));
        assert!(!on.iter().any(|word| word.contains("hooksPath")));
    }

    #[test]
    fn the_bot_commits_whatever_the_repository_says() {
        let (identity, root) = (Identity::bot(), WsPath::root());
        let call = Invocation::new(&["commit"]);
        let command = call.command((&root, &identity), (Looks::Changes, Timeout::USUAL)).unwrap();
        for name in ["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"] {
            let found = command.variables.iter().find(|(there, _)| *there == name);
            assert_eq!(found, Some((name, "emergent-app[bot]")));
        }
    }
}
