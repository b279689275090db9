//! Reads `git status --porcelain=v2 -z --branch`.

use garth_contract::WsPath;

use super::{Change, Conflict, ConflictKind, Status, Submodule, Untracked, Upstream};
use crate::{
    Failed, Kind, Oid, Result,
    records::{Records, number, path, word},
};

/// The status that was printed; of what was cut off, everything that is whole.
pub(crate) fn status(printed: &[u8], top: &WsPath) -> Result<Status> {
    let mut status = Status::default();
    let mut records = Records::new(printed);
    while let Some(record) = records.next() {
        let Some((kind, rest)) = record.split_first() else { return Err(Failed::unread()) };
        let rest = rest.strip_prefix(b" ").ok_or_else(Failed::unread)?;
        match kind {
            b'#' => header(&mut status, rest),
            b'1' => status.changes.push(change(rest, 6, top)?),
            b'2' => {
                let mut change = change(rest, 7, top)?;
                // Where its old name was cut off, the file is left out with it.
                let Some(from) = records.next() else { break };
                change.from = Some(path(from, top)?);
                status.changes.push(change);
            }
            b'u' => status.conflicts.push(conflict(rest, top)?),
            b'?' => {
                let directory = rest.ends_with(b"/");
                status.untracked.push(Untracked { path: path(rest, top)?, directory });
            }
            // Ignored files were not asked for; what later versions add says nothing here.
            _ => {}
        }
    }
    Ok(status)
}

fn header(status: &mut Status, header: &[u8]) {
    let mut rest = header;
    match word(&mut rest) {
        Some(b"branch.oid") => status.commit = Oid::of_something(rest),
        Some(b"branch.head") if rest != b"(detached)" => status.branch = Some(rest.to_vec()),
        Some(b"branch.upstream") => {
            status.upstream = Some(Upstream { name: rest.to_vec(), counts: None });
        }
        Some(b"branch.ab") => {
            let ahead = word(&mut rest).and_then(|ahead| number(ahead.strip_prefix(b"+")?));
            let behind = rest.strip_prefix(b"-").and_then(number);
            if let Some(upstream) = &mut status.upstream {
                upstream.counts = ahead.zip(behind);
            }
        }
        Some(_) | None => {}
    }
}

/// A change: the letters, the submodule, so many words that are not told, and the path.
fn change(record: &[u8], untold: usize, top: &WsPath) -> Result<Change> {
    let mut rest = record;
    let letters = word(&mut rest).ok_or_else(Failed::unread)?;
    let submodule = word(&mut rest).ok_or_else(Failed::unread)?;
    for _ in 1..untold {
        word(&mut rest).ok_or_else(Failed::unread)?;
    }
    let [staged, unstaged] = letters else { return Err(Failed::unread()) };
    let (staged, unstaged) = (kind(*staged)?, kind(*unstaged)?);
    let submodule = module(submodule);
    Ok(Change { path: path(rest, top)?, from: None, staged, unstaged, submodule })
}

fn kind(letter: u8) -> Result<Option<Kind>> {
    match letter {
        b'.' => Ok(None),
        letter => Kind::of(letter).map(Some).ok_or_else(Failed::unread),
    }
}

fn module(word: &[u8]) -> Option<Submodule> {
    let [b'S', commit, changed, untracked] = word else { return None };
    Some(Submodule {
        commit: *commit == b'C',
        changed: *changed == b'M',
        untracked: *untracked == b'U',
    })
}

fn conflict(record: &[u8], top: &WsPath) -> Result<Conflict> {
    let mut rest = record;
    let letters = word(&mut rest).ok_or_else(Failed::unread)?;
    for _ in 0..8 {
        word(&mut rest).ok_or_else(Failed::unread)?;
    }
    let kind = match letters {
        b"DD" => ConflictKind::BothDeleted,
        b"AU" => ConflictKind::AddedByUs,
        b"UD" => ConflictKind::DeletedByThem,
        b"UA" => ConflictKind::AddedByThem,
        b"DU" => ConflictKind::DeletedByUs,
        b"AA" => ConflictKind::BothAdded,
        b"UU" => ConflictKind::BothModified,
        _ => return Err(Failed::unread()),
    };
    Ok(Conflict { path: path(rest, top)?, kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OID: &str = "cb032b83e53e6e9b79557b3283667a8d76ccce04";

    fn ws(text: &[u8]) -> WsPath {
        WsPath::from_bytes(text).unwrap()
    }

    #[test]
    fn names_with_newlines_quotes_and_odd_bytes_are_names() {
        let mut printed = format!(
            "# branch.oid {OID}\0# branch.head feature/x\0# branch.upstream origin/feature/x\0\
             # branch.ab +2 -13\0\
             1 M. N... 100644 100644 100644 {OID} {OID} a b\0\
             2 RM N... 100644 100644 100644 {OID} {OID} R66 d/n\nl\"q\0old \0\
             1 .M SCMU 160000 160000 160000 {OID} {OID} sub\0\
             u UU N... 100644 100644 100644 100644 {OID} {OID} {OID} both\0\
             ? new/\0"
        )
        .into_bytes();
        printed.extend_from_slice(b"? caf\xe9\0");
        let status = status(&printed, &ws(b"top")).unwrap();
        assert_eq!(status.branch.as_deref(), Some(&b"feature/x"[..]));
        assert_eq!(status.upstream.unwrap().counts, Some((2, 13)));
        let paths: Vec<_> = status.changes.iter().map(|c| c.path.to_string()).collect();
        assert_eq!(paths, ["top/a b", r#"top/d/n\x0al"q"#, "top/sub"]);
        assert_eq!(status.changes[1].from, Some(ws(b"top/old ")));
        assert_eq!(status.changes[1].unstaged, Some(Kind::Modified));
        let all = Submodule { commit: true, changed: true, untracked: true };
        assert_eq!(status.changes[2].submodule, Some(all));
        assert_eq!(status.conflicts[0].kind, ConflictKind::BothModified);
        let shown = |file: &Untracked| (file.path.to_string(), file.directory);
        let untracked: Vec<_> = status.untracked.iter().map(shown).collect();
        assert_eq!(untracked, [("top/new".to_owned(), true), (r"top/caf\xe9".to_owned(), false)]);
    }

    #[test]
    fn a_repository_without_a_commit_and_a_detached_head_say_so() {
        let read = |text: &[u8]| status(text, &WsPath::root()).unwrap();
        let unborn = read(b"# branch.oid (initial)\0# branch.head main\0");
        assert_eq!((unborn.commit, unborn.branch.as_deref()), (None, Some(&b"main"[..])));
        let detached = read(format!("# branch.oid {OID}\0# branch.head (detached)\0").as_bytes());
        assert_eq!((detached.commit.unwrap().as_str(), detached.branch), (OID, None));
    }

    #[test]
    fn of_what_was_cut_off_everything_whole_is_read() {
        let printed = format!("1 M. N... 1 1 1 {OID} {OID} a\0? b\0? half");
        let status = status(printed.as_bytes(), &WsPath::root()).unwrap();
        assert_eq!((status.changes.len(), status.untracked.len()), (1, 1));
    }

    #[test]
    fn what_git_does_not_print_is_refused() {
        for text in ["\0", "1\0", "1 M.\0", "u UU\0", "1 Q. N... 1 1 1 a b p\0", "? ../x\0", "? \0"]
        {
            let read = status(text.as_bytes(), &WsPath::root());
            assert!(read.is_err() || text == "? \0", "{text:?}");
        }
    }
}
