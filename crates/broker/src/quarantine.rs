//! The repository that the gateway keeps for one workspace: all that moves between a
//! sandbox and a remote passes through it and is checked here.
//!
//! It is a cache. It holds nothing that is not on one of the two sides, so whenever
//! something ended in the middle it is thrown away and made anew.

use std::path::{Path, PathBuf};

use garth_contract::{Code, Error, Result, Span};
use garth_git::{Bundle, Oid, RefName, Repository, Tip};

use crate::{
    address::Address,
    bundle::Arriving,
    git::{CONFIG, Git, Reads, STRICT, Work},
    own_files::{self, Passing},
};

/// Where the remote's refs are kept.
pub(crate) const REMOTE: &str = "refs/garth/remote/";

/// How much is moved at a time.
const PIECE: usize = 1 << 20;

/// How many commits the two sides are told of that the other has.
const MOST_KNOWN: usize = 2_000;

/// How many packs there may be before they are made into one.
const MOST_PACKS: usize = 50;

/// The name of the file that is there while something is under way.
const BUSY: &str = "busy";

/// The repository of a workspace while something is done with it. Whoever has it is alone
/// with it.
pub(crate) struct Quarantine<'a> {
    pub(crate) work: Work<'a>,
    git: &'a Git,
    place: PathBuf,
}

impl<'a> Quarantine<'a> {
    /// Opens the repository of a workspace for one operation, and makes it where it is
    /// missing, was left in the middle, or was another remote's.
    ///
    /// Errors: `INTERNAL` and `DISK_FULL` for its directory.
    pub(crate) async fn open(git: &'a Git, name: &str, address: &Address) -> Result<Self> {
        let place = git.root().join(name);
        let (at, url) = (place.clone(), address.to_string());
        blocking(move || prepare(&at, &url)).await?;
        Ok(Self { work: git.work(name, address.scheme())?, git, place })
    }

    /// Ends the operation: what may be broken or too large is not used again.
    pub(crate) async fn close<T>(self, result: Result<T>) -> Result<T> {
        let code = result.as_ref().err().map(Error::code);
        let packs = self.place.join("repo.git/objects/pack");
        match code {
            // Something was killed in the middle, or outgrew its bounds.
            Some(Code::QuotaExceeded | Code::CommandTimeout | Code::Cancelled | Code::Internal) => {
                let place = self.place;
                blocking(move || wipe(&place)).await?;
                return result;
            }
            Some(_) => {}
            None if own_files::count(&packs, ".pack") > MOST_PACKS => {
                let all = ["repack", "-a", "-d", "-q"];
                self.work.must(&all, Reads::Nothing, "git could not tidy up").await?;
            }
            None => {}
        }
        let (place, limits) = (self.place, *self.git.limits());
        blocking(move || {
            if limits.admit_bytes(own_files::measure(&place)).is_err() {
                return wipe(&place);
            }
            own_files::discard(&place.join(BUSY));
            Ok(())
        })
        .await?;
        result
    }

    /// The directory for sockets.
    pub(crate) fn run(&self) -> PathBuf {
        self.place.join("run")
    }

    /// Commits that are here, newest first, for the other side to leave out.
    pub(crate) async fn known(&self) -> Result<Vec<Oid>> {
        let count = format!("--count={MOST_KNOWN}");
        let list = [
            "for-each-ref",
            &count,
            "--sort=-committerdate",
            "--format=%(objectname)",
            "refs/garth/",
        ];
        let printed = self.work.must(&list, Reads::Nothing, "git could not list refs").await?;
        let mut known: Vec<_> = printed.lines().filter_map(|line| Oid::parse(line).ok()).collect();
        known.sort();
        known.dedup();
        Ok(known)
    }

    /// The remote's refs as they were last fetched, under their names there.
    ///
    /// Errors: `QUOTA_EXCEEDED` for too many.
    pub(crate) async fn refs(&self) -> Result<Vec<Tip>> {
        let list = ["for-each-ref", "--format=%(objectname) %(refname)", REMOTE];
        let printed = self.work.must(&list, Reads::Nothing, "git could not list refs").await?;
        self.git.limits().admit_refs(printed.lines().count())?;
        let tip = |line: &str| {
            let (oid, name) = line.split_once(' ')?;
            let name = format!("refs/{}", name.strip_prefix(REMOTE)?);
            // A name that we would not write is passed over.
            Some(Tip { name: RefName::parse(&name).ok()?, oid: Oid::parse(oid).ok()? })
        };
        Ok(printed.lines().filter_map(tip).collect())
    }

    /// Of these objects, those that are here.
    pub(crate) async fn present(&self, oids: &[Oid]) -> Result<Vec<Oid>> {
        let names: Vec<_> = oids.iter().map(Oid::as_str).collect();
        let check = ["cat-file", "--batch-check=%(objectname) %(objecttype)"];
        let input = lines(&names);
        let reads = Reads::Text(&input);
        let printed = self.work.must(&check, reads, "git could not look for objects").await?;
        let found = |line: &str| {
            let (oid, kind) = line.split_once(' ')?;
            if kind == "missing" { None } else { Oid::parse(oid).ok() }
        };
        Ok(printed.lines().filter_map(found).collect())
    }

    /// Looks whether an object is here and is a commit.
    ///
    /// Errors: `CONFLICT` where it is not here, `GIT_FAILED` for anything but a commit.
    pub(crate) async fn check_commit(&self, oid: &Oid) -> Result<()> {
        let what = "git could not look for a commit";
        let check = ["cat-file", "--batch-check=%(objecttype)"];
        let input = lines(&[oid.as_str()]);
        let printed = self.work.must(&check, Reads::Text(&input), what).await?;
        match printed.trim() {
            "commit" => Ok(()),
            kind if kind.ends_with("missing") => {
                let message = "the branch was changed while it was pushed";
                Err(Error::new(Code::Conflict, message).hint("Push again."))
            }
            _ => Err(Error::new(Code::GitFailed, "what is pushed is no commit")),
        }
    }

    /// Notes where a ref of the remote is now.
    pub(crate) async fn note(&self, name: &RefName, oid: &Oid) -> Result<()> {
        let there = name.as_str().strip_prefix("refs/").unwrap_or_default();
        let ours = format!("{REMOTE}{there}");
        let update = ["update-ref", "--end-of-options", &ours, oid.as_str()];
        let what = "git could not note what was pushed";
        self.work.must(&update, Reads::Nothing, what).await.map(drop)
    }

    /// Takes the objects of a bundle that lies in a workspace. Its agent can change the
    /// file meanwhile; what is read then is no pack, or another that is checked as well.
    ///
    /// Errors: `QUOTA_EXCEEDED` for too many bytes or objects, `GIT_FAILED` for what is
    /// no bundle, or holds an object that is malformed or lacks what it refers to.
    pub(crate) async fn take(&self, repository: &Repository<'_>, bundle: &Bundle) -> Result<()> {
        let directory = self.place.join("in");
        let mut pack = blocking(move || Passing::new(&directory)).await?;
        let mut arriving = Arriving::default();
        let mut offset = 0;
        loop {
            self.work.left()?;
            let span = Span::Bytes { offset, length: PIECE as u64 };
            let bytes = repository.fs.read(&bundle.path, span).await?.bytes;
            if bytes.is_empty() {
                break;
            }
            offset += bytes.len() as u64;
            self.git.limits().admit_bytes(offset)?;
            let piece = bytes::Bytes::copy_from_slice(arriving.take(&bytes)?);
            if let Some(head) = arriving.head() {
                self.git.limits().admit_objects(head.objects)?;
            }
            pack = blocking(move || pack.add(&piece).map(|()| pack)).await?;
        }
        arriving.end()?;
        let (name, most) = (format!("in/{}", pack.name()), self.git.limits().bytes);
        let most = format!("--max-input-size={most}");
        let index = ["index-pack", "--stdin", "--fix-thin", STRICT, &most];
        let what = "the objects of the repository are malformed or incomplete";
        self.work.must(&index, Reads::File(&name), what).await?;
        Ok(())
    }

    /// Puts refs of the remote, and what they reach that is not known, into a file.
    /// `None` where everything is known.
    pub(crate) async fn give(&self, refs: &[Tip], known: &[Oid]) -> Result<Option<Passing>> {
        if refs.is_empty() {
            return Ok(None);
        }
        let directory = self.place.join("in");
        let mut file = blocking(move || Passing::new(&directory)).await?;
        let mut input = String::new();
        for Tip { name, .. } in refs {
            let name = name.as_str().strip_prefix("refs/").unwrap_or_default();
            input.extend([REMOTE, name, "\n"]);
        }
        known.iter().for_each(|oid| input.extend(["^", oid.as_str(), "\n"]));
        let name = format!("in/{}", file.name());
        let create = ["bundle", "create", "--quiet", "--version=2", &name, "--stdin"];
        let report = self.work.run(&create, Reads::Text(&input)).await?;
        if report.ended.exit.code() != 0 {
            let empty = report.stderr.head.windows(12).any(|part| part == b"empty bundle");
            let what = "git could not put the remote's objects together";
            return if empty { Ok(None) } else { Err(crate::failure::local(&report, what)) };
        }
        let file = blocking(move || file.reopen().map(|()| file)).await?;
        Ok(Some(file))
    }
}

/// Reads what comes next of a file; nothing at its end.
pub(crate) async fn next(mut file: Passing) -> Result<(Passing, bytes::Bytes)> {
    blocking(move || file.next(PIECE).map(|bytes| (file, bytes.into()))).await
}

/// Makes the directory of a workspace what it is to be.
fn prepare(place: &Path, url: &str) -> Result<()> {
    let remote = place.join("remote");
    let same = own_files::read_short(&remote).is_some_and(|there| there == url);
    if !same || own_files::is_there(&place.join(BUSY)) {
        wipe(place)?;
        for below in
            ["in", "run", "repo.git/objects/info", "repo.git/objects/pack", "repo.git/refs"]
        {
            own_files::make_directory(&place.join(below))?;
        }
        own_files::put(&place.join("repo.git/HEAD"), "ref: refs/heads/none\n")?;
        own_files::put(&remote, url)?;
    }
    // Each time, so that it is ours whatever happened.
    own_files::put(&place.join("repo.git/config"), CONFIG)?;
    own_files::put(&place.join(BUSY), "")
}

/// Throws a directory away: first by name, so that what still ends in it harms nothing.
pub(crate) fn wipe(place: &Path) -> Result<()> {
    own_files::throw_away(place)
}

pub(crate) fn lines(words: &[&str]) -> String {
    let mut text = words.join("\n");
    text.push('\n');
    text
}

/// Does what may block on a thread that may.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| Err(Error::of(Code::Internal)))
}
