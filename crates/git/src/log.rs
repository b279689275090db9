//! Commits, and who made them.

use bytes::Bytes;
use garth_contract::WsPath;

use crate::{
    Failed, Oid, Repository, Result,
    invocation::Invocation,
    records::{Records, number},
};

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its id.
    pub oid: Oid,
    /// The commits before it that are here.
    pub parents: Vec<Oid>,
    /// Who wrote the change.
    pub author: Signature,
    /// Who made the commit.
    pub committer: Signature,
    /// The message: content of the repository.
    pub message: Bytes,
}

/// Who did something, and when. All of it is what the repository says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The name.
    pub name: Bytes,
    /// The address.
    pub email: Bytes,
    /// Seconds since 1970.
    pub time: u64,
}

/// Which commits are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted<'a> {
    /// Those that changed these files; all, where none is named.
    pub files: &'a [WsPath],
    /// No older than this, in any form that git reads.
    pub since: Option<&'a str>,
    /// No younger than this.
    pub until: Option<&'a str>,
    /// By an author whose name or address holds this.
    pub author: Option<&'a str>,
    /// How many are passed over.
    pub skip: u64,
    /// How many at most.
    pub take: u64,
}

/// Commits, and whether the end of them was not read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commits {
    /// The commits, newest first.
    pub commits: Vec<Commit>,
    /// Whether what was printed was too much.
    pub cut: bool,
}

/// What is printed of a commit, each between NULs.
const FORMAT: &str = "--format=tformat:%H%x00%P%x00%an%x00%ae%x00%at%x00%cn%x00%ce%x00%ct%x00%B";

impl Repository<'_> {
    /// The commits that lead to one.
    ///
    /// # Errors
    /// Those of running git.
    pub async fn log(&self, from: &Oid, wanted: &Wanted<'_>) -> Result<Commits> {
        let mut call = Invocation::new(&["log", "-z", "--no-color", "--no-decorate", FORMAT])
            .and("--no-show-signature")
            .and("--fixed-strings")
            .and("--regexp-ignore-case")
            .and(format!("--skip={}", wanted.skip))
            .and(format!("--max-count={}", wanted.take));
        for (option, value) in
            [("since", wanted.since), ("until", wanted.until), ("author", wanted.author)]
        {
            if let Some(value) = value {
                call = call.and(format!("--{option}={value}"));
            }
        }
        let call = call
            .and("--end-of-options")
            .and(from.as_str())
            .and("--")
            .and_all(self.pathspecs(wanted.files)?);
        let output = self.look(call).await?;
        let cut = output.cut;
        Ok(Commits { commits: parse(&output.done()?)?, cut })
    }

    /// One commit.
    ///
    /// # Errors
    /// Those of running git.
    pub async fn commit_of(&self, oid: &Oid) -> Result<Commit> {
        let wanted = Wanted { take: 1, ..Wanted::default() };
        let found = self.log(oid, &wanted).await?;
        found.commits.into_iter().next().ok_or_else(Failed::unread)
    }
}

/// The commits that were printed; of what was cut off, those that are whole.
pub(crate) fn parse(printed: &Bytes) -> Result<Vec<Commit>> {
    let mut commits = Vec::new();
    let mut records = Records::new(printed);
    let text = |bytes: &[u8]| printed.slice_ref(bytes);
    while let Some(oid) = records.next() {
        let oid = Oid::of(oid).ok_or_else(Failed::unread)?;
        let mut fields = [&b""[..]; 8];
        for field in &mut fields {
            let Some(next) = records.next() else { return Ok(commits) };
            *field = next;
        }
        let [parents, author, email, time, committer, address, made, message] = fields;
        let parents = parents.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
        let parents = parents.map(|word| Oid::of(word).ok_or_else(Failed::unread));
        // A commit may have any time in it, or none that can be read.
        let signature = |name, email, time: &[u8]| Signature {
            name: text(name),
            email: text(email),
            time: number(time).unwrap_or(0),
        };
        commits.push(Commit {
            oid,
            parents: parents.collect::<Result<_>>()?,
            author: signature(author, email, time),
            committer: signature(committer, address, made),
            message: text(message),
        });
    }
    Ok(commits)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OID: &str = "cb032b83e53e6e9b79557b3283667a8d76ccce04";

    #[test]
    fn a_message_of_many_lines_is_one_message() {
        let one = format!("{OID}\0{OID} {OID}\0A\0a@b\x0012\0C\0c@d\0-5\0subject\n\nbody\n\0");
        let commits = parse(&Bytes::from(format!("{one}{one}"))).unwrap();
        assert_eq!(commits.len(), 2);
        assert_eq!((commits[0].parents.len(), commits[0].author.time), (2, 12));
        assert_eq!(
            (&commits[1].message[..], commits[1].committer.time),
            (&b"subject\n\nbody\n"[..], 0)
        );
        for end in 1..one.len() {
            let cut = parse(&Bytes::from(one.as_bytes()[..end].to_vec())).unwrap();
            assert_eq!(cut, []);
        }
        assert!(parse(&Bytes::from_static(b"what\0")).is_err());
    }
}
