//! Objects as one file of the workspace: how they leave a repository, and how they come in.

use std::{
    collections::BTreeMap,
    hash::{BuildHasher, Hasher, RandomState},
};

use garth_contract::{Code, Depth, Error, Links, RawPath, WsPath};

use crate::{Failed, Moved, Oid, RefName, Repository, Result, Tip, invocation::Invocation};

/// A bundle in the workspace. Whoever asked for it removes it with
/// [`Repository::discard`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    /// The file, which the workspace's agent can change like any other: nothing in it is to
    /// be believed.
    pub path: WsPath,
    /// Its size when it was made.
    pub bytes: u64,
    /// What it holds, as the repository said.
    pub tips: Vec<Tip>,
}

/// Which ref of a bundle becomes which of the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapped {
    /// The name in the bundle.
    pub from: RefName,
    /// The name in the repository.
    pub to: RefName,
}

impl Repository<'_> {
    /// A path for a bundle: in the git directory, where no status sees it, with a name that
    /// nobody has. Nothing is made.
    ///
    /// # Errors
    /// `PATH_OUTSIDE_WORKSPACE` where the git directory is outside the workspace; those of
    /// running git.
    pub async fn bundle_path(&self) -> Result<WsPath> {
        let call = Invocation::new(&["rev-parse", "--path-format=relative", "--git-dir"]);
        let printed = self.look(call).await?.whole()?;
        let printed = printed.strip_suffix(b"\n").unwrap_or(&printed);
        let relative = str::from_utf8(printed).map_err(|_| Failed::unread())?;
        if relative.starts_with('/') {
            return Err(Error::of(Code::PathOutsideWorkspace).into());
        }
        let there = match self.directory.is_root() {
            true => relative.to_owned(),
            false => format!("{}/{relative}", self.directory),
        };
        let directory = RawPath::new(there).resolve(&garth_contract::Aliases::none())?;
        // A new state of std's has random keys, so the name is as good as random.
        let random = RandomState::new().build_hasher().finish();
        let name = format!("garth-{random:016x}.bundle");
        Ok(directory.join(name.as_bytes())?)
    }

    /// Writes refs, and what they reach that `known` does not, to a file of the workspace.
    ///
    /// Commits of `known` that the repository lacks are passed over. `None` where there is
    /// nothing that is not known.
    ///
    /// # Errors
    /// Those of running git, and `INVALID_PARAMS` for a ref that is not there.
    pub async fn bundle_out(&self, refs: &[RefName], known: &[Oid]) -> Result<Option<Bundle>> {
        let wanted: Vec<&str> = refs.iter().map(RefName::as_str).collect();
        let mut tips = self.tips(&wanted).await?;
        tips.retain(|tip| refs.contains(&tip.name));
        if tips.len() != refs.len() {
            let message = "a ref that is to be bundled is not there";
            return Err(Error::new(Code::InvalidParams, message).into());
        }
        let known = self.present(known).await?;
        let path = self.bundle_path().await?;
        let mut input = String::new();
        tips.iter().for_each(|tip| input.extend([tip.name.as_str(), "\n"]));
        known.iter().for_each(|oid| input.extend(["^", oid.as_str(), "\n"]));
        let call = Invocation::new(&["bundle", "create", "--quiet"])
            .and(self.relative(&path))
            .and("--stdin")
            .reading(input);
        let output = self.change(call).await?;
        if output.code != 0 {
            let empty = output.stderr.windows(5).any(|part| part == b"empty");
            return if empty { Ok(None) } else { Err(output.failed()) };
        }
        let bytes = self.fs.stat(&path, Links::Keep).await?.size;
        Ok(Some(Bundle { path, bytes, tips }))
    }

    /// Takes in a bundle that lies in the workspace: its refs become those of the repository,
    /// also where they were elsewhere before. Neither a branch that is checked out nor a file
    /// may change by it.
    ///
    /// # Errors
    /// Those of running git: a bundle that is broken, or that builds on what is not here.
    pub async fn bundle_in(&self, bundle: &WsPath, refs: &[Mapped]) -> Result<Vec<Moved>> {
        let before = self.places(refs).await?;
        let mut input = String::new();
        for Mapped { from, to } in refs {
            input.extend(["+", from.as_str(), ":", to.as_str(), "\n"]);
        }
        let options = [
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-recurse-submodules",
            "--no-auto-gc",
            "--no-prune",
            "--refmap=",
            "--stdin",
        ];
        let call =
            Invocation::new(&options).and(self.relative(bundle)).reading(input).fetching_a_file();
        self.change(call).await?.done()?;
        let after = self.places(refs).await?;
        let moved = refs.iter().filter_map(|Mapped { to, .. }| {
            let (before, now) = (before.get(to), after.get(to));
            (before != now).then(|| Moved {
                name: to.clone(),
                before: before.cloned(),
                now: now.cloned(),
            })
        });
        Ok(moved.collect())
    }

    /// Removes a bundle, if it is still there.
    ///
    /// # Errors
    /// Those of removing a file.
    pub async fn discard(&self, bundle: &WsPath) -> Result<()> {
        match self.fs.remove(bundle, Depth::One).await {
            Ok(_) => Ok(()),
            Err(error) if error.code() == Code::FileNotFound => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Those of the objects that the repository has.
    ///
    /// # Errors
    /// Those of running git.
    pub async fn present(&self, oids: &[Oid]) -> Result<Vec<Oid>> {
        if oids.is_empty() {
            return Ok(Vec::new());
        }
        let mut input = String::new();
        oids.iter().for_each(|oid| input.extend([oid.as_str(), "\n"]));
        let call = Invocation::new(&["cat-file", "--batch-check=%(objectname)"]).reading(input);
        let printed = self.look(call).await?.whole()?;
        // A missing one has a word behind it.
        Ok(printed.split(|byte| *byte == b'\n').filter_map(Oid::of).collect())
    }

    async fn places(&self, refs: &[Mapped]) -> Result<BTreeMap<RefName, Oid>> {
        let tips = self.tips(&["refs/"]).await?;
        let wanted = |tip: &Tip| refs.iter().any(|mapped| mapped.to == tip.name);
        Ok(tips.into_iter().filter(wanted).map(|tip| (tip.name, tip.oid)).collect())
    }

    /// A path as git finds it from where it runs; never one that reads as an option or as an
    /// address.
    fn relative(&self, path: &WsPath) -> Vec<u8> {
        let mut words = b"./".to_vec();
        self.directory.components().for_each(|_| words.extend_from_slice(b"../"));
        words.extend_from_slice(path.as_bytes());
        words
    }
}
