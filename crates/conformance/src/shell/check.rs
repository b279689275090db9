//! One check of a shell: what it needs, what it proves, and how it is run.

use garth_contract::BoxFuture;

use super::Subject;
use crate::Verdict;

/// One row of the table.
pub struct Check {
    /// Its name, `group.fact`; unique.
    pub name: &'static str,
    /// What the place must be like for the check to mean anything.
    pub needs: &'static [Need],
    /// The sentences of the contract that it checks, by their tags.
    pub covers: &'static [&'static str],
    /// The check itself, on a fresh and empty workspace.
    pub run: fn(Subject) -> BoxFuture<'static, Verdict>,
}

/// What a check cannot do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Commands can have a terminal.
    Terminals,
    /// Commands cannot have a terminal.
    NoTerminals,
    /// The place says how much output it keeps, and it is little.
    SmallSpool,
    /// The place says how many processes there may be, and they are few.
    FewProcesses,
    /// The place says how many ended processes it knows, and they are few.
    FewKept,
}

impl Need {
    /// Tells whether a place is like that.
    #[must_use]
    pub fn met(self, subject: &Subject) -> bool {
        let Subject { shell, traits, .. } = subject;
        match self {
            Self::Terminals => shell.abilities().terminals,
            Self::NoTerminals => !shell.abilities().terminals,
            Self::SmallSpool => traits.spool.is_some(),
            Self::FewProcesses => traits.processes.is_some(),
            Self::FewKept => traits.kept.is_some(),
        }
    }

    /// What a place that is not like that cannot do.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Terminals => "give a terminal",
            Self::NoTerminals => "be without terminals",
            Self::SmallSpool => "fill its spool",
            Self::FewProcesses => "reach its bound on processes",
            Self::FewKept => "reach its bound on ended processes",
        }
    }
}

/// Makes a group of checks from one row each: `fact [needs] covers "tag" "tag";`.
macro_rules! checks {
    ($group:literal $($fact:ident [$($need:ident)*] covers $($tag:literal)+;)*) => {
        /// The checks of this group.
        pub(super) static CHECKS: &[$crate::shell::Check] = &[$($crate::shell::Check {
            name: concat!($group, ".", stringify!($fact)),
            needs: &[$($crate::shell::Need::$need),*],
            covers: &[$($tag),+],
            run: |subject| Box::pin($fact(subject)),
        },)*];
    };
}
pub(super) use checks;
