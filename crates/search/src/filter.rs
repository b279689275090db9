//! Which entries of a tree a query counts, and which directories it looks into.

use std::cmp::Ordering;

use garth_contract::{Glob, Hidden, Ignored, Kind, Kinds, Query, Result, WsPath};

use crate::{
    fold::Fold,
    globs::{Globs, Pattern},
    ignores::{Ignores, Verdict},
    reach::Reach,
};

/// The names-and-kinds half of a query, compiled.
#[derive(Clone, Debug)]
pub struct Filter {
    /// How many bytes of a path from the root lead to the base.
    strip: usize,
    depth: garth_contract::Reach,
    /// `None` when everything is included.
    include: Option<Globs>,
    /// Where `include` can match.
    reach: Vec<Reach>,
    exclude: Globs,
    kinds: Kinds,
    hidden: Hidden,
    ignored: Ignored,
    after: Option<WsPath>,
    /// Whether a base that is a file stands behind `after`.
    base_is_behind: bool,
}

/// An entry that a walk came upon.
#[derive(Clone, Copy, Debug)]
pub struct Met<'a> {
    /// Its path from the workspace's root.
    pub path: &'a [u8],
    /// Its own name, the end of `path`.
    pub name: &'a [u8],
    /// What it is.
    pub kind: Kind,
}

/// What a walk does with an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Whether it is a result, or a file whose content must be searched.
    pub counts: bool,
    /// Whether it is a directory to look into.
    pub enters: bool,
}

impl Judged {
    const PASSED: Self = Self { counts: false, enters: false };
}

impl Filter {
    /// Compiles the globs of a query.
    ///
    /// # Errors
    /// `INVALID_PATTERN` with the position of what is wrong.
    pub fn compile(query: &Query) -> Result<Self> {
        let include = patterns(&query.include)?;
        let exclude = patterns(&query.exclude)?;
        let base = query.base.as_bytes().len();
        Ok(Self {
            strip: if base == 0 { 0 } else { base + 1 },
            depth: query.reach,
            reach: include.iter().map(Reach::of).collect(),
            include: match include.as_slice() {
                [] => None,
                include => Some(Globs::compile(include, Fold::Exact)?),
            },
            exclude: Globs::compile(&exclude, Fold::Exact)?,
            kinds: query.kinds,
            hidden: query.hidden,
            ignored: query.ignored,
            after: query.after.clone(),
            base_is_behind: query.after.as_ref().is_none_or(|after| query.base > *after),
        })
    }

    /// Tells whether a walk must read ignore files.
    #[must_use]
    pub fn reads_ignore_files(&self) -> bool {
        self.ignored == Ignored::Skip
    }

    /// Tells whether a base that is itself a file counts.
    ///
    /// It was named, so neither its name nor an ignore file is held against it.
    #[must_use]
    pub fn counts_base(&self) -> bool {
        self.kinds.has(Kind::File) && self.base_is_behind
    }

    /// Tells whether every entry of the base counts, whatever it is called, and none is
    /// looked into.
    #[must_use]
    pub fn counts_all_entries(&self) -> bool {
        self.depth == garth_contract::Reach::Entries
            && (self.include.is_none() && self.exclude.is_empty())
            && (self.kinds == Kinds::All && self.hidden == Hidden::Include)
            && (self.ignored != Ignored::Skip && self.after.is_none())
    }

    /// Decides about an entry below the base.
    ///
    /// `ignores` are the rules of the directory that holds it.
    #[must_use]
    pub fn judge(&self, met: &Met<'_>, ignores: &Ignores) -> Judged {
        let below = met.path.get(self.strip..).unwrap_or_default();
        let stands = self.after.as_ref().map_or(Stands::Behind, |after| stands(met.path, after));
        let judged = Judged {
            counts: stands == Stands::Behind && self.includes(below, met.kind),
            enters: stands != Stands::Before && self.enters(met, below),
        };
        if judged == Judged::PASSED || self.hides(met, ignores) || self.exclude.matches(below) {
            return Judged::PASSED;
        }
        judged
    }

    fn includes(&self, below: &[u8], kind: Kind) -> bool {
        self.kinds.has(kind) && self.include.as_ref().is_none_or(|globs| globs.matches(below))
    }

    fn enters(&self, met: &Met<'_>, below: &[u8]) -> bool {
        met.kind == Kind::Dir
            && self.depth == garth_contract::Reach::Tree
            && !(self.ignored == Ignored::IncludeNoGit && met.name == b".git")
            && (self.reach.is_empty() || self.reach.iter().any(|reach| reach.goes_below(below)))
    }

    /// Tells whether an entry is passed over as hidden or ignored.
    ///
    /// An ignore file that takes a dotfile back in makes it seen, as in ripgrep.
    fn hides(&self, met: &Met<'_>, ignores: &Ignores) -> bool {
        let hidden = self.hidden == Hidden::Skip && met.name.starts_with(b".");
        if self.ignored != Ignored::Skip {
            return hidden;
        }
        match ignores.verdict(met.path, met.kind) {
            Verdict::Ignored => true,
            Verdict::Wanted => false,
            Verdict::Silent => hidden,
        }
    }
}

/// Where an entry stands, seen from the path behind which results begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stands {
    /// Before it, with all that is below.
    Before,
    /// On the way to it, or it itself: what is below can stand behind it.
    OnTheWay,
    Behind,
}

fn stands(path: &[u8], after: &WsPath) -> Stands {
    let after = after.as_bytes();
    if after.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/")) {
        return Stands::OnTheWay;
    }
    // As paths compare: the separator sorts before every byte that a name can hold.
    let key = |byte: &u8| if *byte == b'/' { 0 } else { *byte };
    match path.iter().map(key).cmp(after.iter().map(key)) {
        Ordering::Less | Ordering::Equal => Stands::Before,
        Ordering::Greater => Stands::Behind,
    }
}

fn patterns(globs: &[Glob]) -> Result<Vec<Pattern<'_>>> {
    globs
        .iter()
        .map(|glob| match glob {
            Glob::Path(text) => Pattern::path(text),
            Glob::Filter(text) => Pattern::filter(text),
        })
        .collect()
}

#[cfg(test)]
mod tests;
