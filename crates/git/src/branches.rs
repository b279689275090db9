//! The branches of a repository, and what is known of the remote's.

use bytes::Bytes;
use garth_contract::{Code, Error};

use crate::{
    Branch, Failed, Oid, Repository, Result,
    invocation::Invocation,
    records::{Records, number},
};

/// A branch as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its name without `refs/heads/` or `refs/remotes/`, as bytes.
    pub name: Bytes,
    /// Whether it is one of the remote's.
    pub remote: bool,
    /// Whether it is checked out here.
    pub current: bool,
    /// Where it is.
    pub oid: Oid,
    /// What it follows, as bytes; empty for nothing.
    pub upstream: Bytes,
    /// How many commits it has that the other lacks, and the other way round.
    pub counts: Option<(u64, u64)>,
    /// When its last commit was made.
    pub time: u64,
    /// The first line of that commit's message: content of the repository.
    pub subject: Bytes,
}

/// Which branches are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// The repository's own.
    Own,
    /// The remote's too.
    All,
}

/// Whether commits may be lost with a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// They may not.
    Refused,
    /// They may.
    Accepted,
}

const FORMAT: &str = "--format=%(refname)%00%(objectname)%00%(HEAD)%00%(upstream:short)%00\
                      %(upstream:track,nobracket)%00%(committerdate:unix)%00%(subject)%00";

impl Repository<'_> {
    /// The branches, by name.
    ///
    /// # Errors
    /// Those of running git.
    pub async fn branches(&self, whose: Whose) -> Result<Vec<Listed>> {
        let mut call = Invocation::new(&["for-each-ref", FORMAT, "refs/heads/"]);
        if whose == Whose::All {
            call = call.and("refs/remotes/");
        }
        parse(&self.look(call).await?.whole()?)
    }

    /// Makes a branch and leaves what is checked out.
    ///
    /// # Errors
    /// `DESTINATION_EXISTS`; those of running git.
    pub async fn make_branch(&self, branch: &Branch, at: &Oid) -> Result<()> {
        let call = Invocation::new(&["branch", "--no-track", "--end-of-options"])
            .and(branch.as_str())
            .and(at.as_str());
        self.change(call).await?.done().map(drop)
    }

    /// Deletes a branch, and says where it was.
    ///
    /// # Errors
    /// `CONFLICT` for one that is checked out, or that has commits which are nowhere else.
    pub async fn delete_branch(&self, branch: &Branch, loss: Loss) -> Result<Oid> {
        let Some(was) = self.find(&branch.into()).await? else {
            let message = format!("there is no branch {:?}", branch.as_str());
            return Err(Error::new(Code::InvalidParams, message).into());
        };
        let delete = match loss {
            Loss::Refused => "-d",
            Loss::Accepted => "-D",
        };
        let call = Invocation::new(&["branch", "--quiet", delete, "--end-of-options"])
            .and(branch.as_str());
        self.change(call).await?.done()?;
        Ok(was)
    }
}

fn parse(printed: &Bytes) -> Result<Vec<Listed>> {
    let mut listed = Vec::new();
    let mut records = Records::new(printed);
    while let Some(name) = records.next() {
        // Each line ends behind its last NUL.
        let name = name.strip_prefix(b"\n").unwrap_or(name);
        let mut fields = [&b""[..]; 6];
        for field in &mut fields {
            *field = records.next().ok_or_else(Failed::unread)?;
        }
        let [oid, head, upstream, track, time, subject] = fields;
        let (own, far) = (name.strip_prefix(b"refs/heads/"), name.strip_prefix(b"refs/remotes/"));
        let Some(short) = own.or(far) else { return Err(Failed::unread()) };
        listed.push(Listed {
            name: printed.slice_ref(short),
            remote: own.is_none(),
            current: head == b"*",
            oid: Oid::of(oid).ok_or_else(Failed::unread)?,
            upstream: printed.slice_ref(upstream),
            counts: (!upstream.is_empty()).then(|| counts(track)).flatten(),
            time: number(time).unwrap_or(0),
            subject: printed.slice_ref(subject),
        });
    }
    Ok(listed)
}

/// `ahead 1, behind 2`, one of them, nothing where both are the same; or `gone`.
fn counts(track: &[u8]) -> Option<(u64, u64)> {
    let mut both = (0, 0);
    for part in str::from_utf8(track).ok()?.split(", ").filter(|part| !part.is_empty()) {
        match part.split_once(' ')? {
            ("ahead", count) => both.0 = number(count.as_bytes())?,
            ("behind", count) => both.1 = number(count.as_bytes())?,
            _ => return None,
        }
    }
    Some(both)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OID: &str = "cb032b83e53e6e9b79557b3283667a8d76ccce04";

    #[test]
    fn branches_are_read_with_what_they_follow() {
        let printed = format!(
            "refs/heads/a\0{OID}\0*\0origin/a\0ahead 1, behind 2\x0012\0one\0\n\
             refs/heads/b\0{OID}\0 \0origin/b\0gone\x00\0two\0\n\
             refs/heads/c\0{OID}\0 \0origin/c\0\x003\0\0\n\
             refs/remotes/origin/a\0{OID}\0 \0\0\x003\0x\0\n"
        );
        let listed = parse(&Bytes::from(printed)).unwrap();
        let counts: Vec<_> = listed.iter().map(|branch| branch.counts).collect();
        assert_eq!(counts, [Some((1, 2)), None, Some((0, 0)), None]);
        assert!(listed[0].current && !listed[1].current);
        assert!(listed[3].remote && listed[3].name == "origin/a");
        assert!(parse(&Bytes::from_static(b"x\0")).is_err());
    }
}
