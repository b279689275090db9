//! One check: what it needs, what it proves, and how it is run.

use garth_contract::{Abilities, BoxFuture, Durability, Policy};

use crate::{Subject, Verdict};

/// One row of the suite's table.
pub struct Check {
    /// Its name, `group.fact`; unique.
    pub name: &'static str,
    /// What the backend must be able to do for the check to mean anything.
    pub needs: &'static [Need],
    /// The rules of the workspace it runs in.
    pub policy: fn() -> Policy,
    /// The sentences of the contract that it checks, by their tags.
    pub covers: &'static [&'static str],
    /// The check itself, on a fresh and empty workspace.
    pub run: fn(Subject) -> BoxFuture<'static, Verdict>,
}

/// One ability of [`Abilities`] that a check cannot do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is the field of Abilities that bears its name")]
pub enum Need {
    Write,
    Rename,
    EmptyDirs,
    Symlinks,
    SpecialFiles,
    Modes,
    AnyNames,
    Watch,
    Find,
    Trees,
    Durable,
}

impl Need {
    /// Tells whether a backend has this ability.
    #[must_use]
    pub fn met(self, abilities: &Abilities) -> bool {
        match self {
            Self::Write => abilities.write,
            Self::Rename => abilities.rename,
            Self::EmptyDirs => abilities.empty_dirs,
            Self::Symlinks => abilities.symlinks,
            Self::SpecialFiles => abilities.special_files,
            Self::Modes => abilities.modes,
            Self::AnyNames => abilities.any_names,
            Self::Watch => abilities.watch,
            Self::Find => abilities.find,
            Self::Trees => abilities.trees,
            Self::Durable => abilities.durable,
        }
    }

    /// What a backend without this ability cannot do.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Rename => "rename",
            Self::EmptyDirs => "keep empty directories",
            Self::Symlinks => "hold symbolic links",
            Self::SpecialFiles => "hold pipes, sockets and devices",
            Self::Modes => "keep permission bits",
            Self::AnyNames => "hold names that are not UTF-8",
            Self::Watch => "watch",
            Self::Find => "find",
            Self::Trees => "give and take whole trees",
            Self::Durable => "survive a power loss",
        }
    }
}

/// Everything allowed, without waiting for the disk: what most checks run under.
pub(crate) fn open() -> Policy {
    Policy { durability: Durability::Fast, ..Policy::open() }
}

/// Makes a group of checks from one row each:
/// `fact [needs] under policy covers "tag" "tag";`.
macro_rules! checks {
    ($group:literal $($fact:ident [$($need:ident)*] under $policy:ident covers $($tag:literal)+;)*) => {
        /// The checks of this group.
        pub(super) static CHECKS: &[$crate::Check] = &[$($crate::Check {
            name: concat!($group, ".", stringify!($fact)),
            needs: &[$($crate::Need::$need),*],
            policy: $policy,
            covers: &[$($tag),+],
            run: |subject| Box::pin($fact(subject)),
        },)*];
    };
}
pub(crate) use checks;
