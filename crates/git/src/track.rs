//! What a repository knows of its remote's refs, set without any objects moving.

use std::collections::BTreeMap;

use crate::{Branch, Moved, Oid, RefName, Repository, Result, invocation::Invocation};

impl Repository<'_> {
    /// Has what is known of a branch on the remote point to a commit that is here.
    ///
    /// # Errors
    /// Those of running git.
    pub async fn track_branch(&self, branch: &Branch, tip: &Oid) -> Result<()> {
        let call = Invocation::new(&["update-ref", "--no-deref", "--end-of-options"])
            .and(branch.tracking().as_str())
            .and(tip.as_str());
        self.change(call).await?.done().map(drop)
    }

    /// Has refs point to objects that are here, or go, whatever they were before: those of
    /// the remote, and tags. It is done for all of them or for none.
    ///
    /// # Errors
    /// Those of running git, for an object that is not here among others.
    pub async fn track(&self, wanted: &[(RefName, Option<Oid>)]) -> Result<Vec<Moved>> {
        let there = self.tips(&["refs/remotes/", "refs/tags/"]).await?;
        let there: BTreeMap<_, _> = there.into_iter().map(|tip| (tip.name, tip.oid)).collect();
        let differs = |(name, now): &&(RefName, Option<Oid>)| there.get(name) != now.as_ref();
        let moved: Vec<_> = wanted
            .iter()
            .filter(differs)
            .map(|(name, now)| Moved {
                name: name.clone(),
                before: there.get(name).cloned(),
                now: now.clone(),
            })
            .collect();
        if moved.is_empty() {
            return Ok(moved);
        }
        let mut input = Vec::new();
        for Moved { name, now, .. } in &moved {
            let (verb, oid) = match now {
                Some(oid) => (&b"update "[..], oid.as_str()),
                None => (&b"delete "[..], ""),
            };
            // Fields end with NUL; the last, what was before, is left open.
            input.extend_from_slice(verb);
            input.extend_from_slice(name.as_str().as_bytes());
            input.push(0);
            if now.is_some() {
                input.extend_from_slice(oid.as_bytes());
                input.push(0);
            }
            input.push(0);
        }
        let call = Invocation::new(&["update-ref", "--no-deref", "--stdin", "-z"]).reading(input);
        self.change(call).await?.done()?;
        Ok(moved)
    }
}
