//! Reads `git diff -z --raw --numstat --patch`.

use std::collections::HashMap;

use bytes::Bytes;
use garth_contract::WsPath;

use super::{Diff, FileDiff, quote};
use crate::{
    Failed, Kind, Result,
    records::{Records, number, path, word},
};

/// The difference that was printed; of what was cut off, everything that is whole.
pub(crate) fn diff(printed: &Bytes, top: &WsPath) -> Result<Diff> {
    let mut diff = Diff::default();
    let mut names: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    let mut records = Records::new(printed);
    while let Some(record) = records.peek().filter(|record| record.starts_with(b":")) {
        records.next();
        let (mut file, letter) = raw(record)?;
        let Some(first) = records.next() else { return Ok(ended(diff)) };
        let second = match letter {
            Kind::Renamed | Kind::Copied => match records.next() {
                Some(second) => Some(second),
                None => return Ok(ended(diff)),
            },
            Kind::Added | Kind::Modified | Kind::Deleted | Kind::TypeChanged | Kind::Unmerged => {
                None
            }
        };
        let now = second.unwrap_or(first);
        file.path = path(now, top)?;
        file.from = second.map(|_| path(first, top)).transpose()?;
        names.push((first.to_vec(), now.to_vec()));
        diff.files.push(file);
    }
    let counts = counts(&mut records)?;
    for (file, (_, now)) in diff.files.iter_mut().zip(&names) {
        if let Some(count) = counts.get(now.as_slice()).filter(|_| file.kind != Kind::Unmerged) {
            (file.lines, file.binary) = (*count, count.is_none());
        }
    }
    let patches = records.rest();
    let start = printed.len() - patches.len();
    let mut sections = sections(patches);
    for (file, (from, now)) in diff.files.iter_mut().zip(&names) {
        if file.kind == Kind::Unmerged {
            continue;
        }
        let header = quote::header(from, now);
        if let Some((first, last)) = sections.remove(header.as_slice()) {
            file.patch = printed.slice(start + first..start + last);
        }
    }
    Ok(diff)
}

/// What was cut off before its files were all named.
fn ended(mut diff: Diff) -> Diff {
    diff.cut = true;
    diff
}

/// `:100644 100644 0123… 4567… M`, and for a move how much alike the two are.
fn raw(record: &[u8]) -> Result<(FileDiff, Kind)> {
    let mut rest = record.get(1..).unwrap_or_default();
    let mode = |bytes: Option<&[u8]>| {
        let text = bytes.and_then(|bytes| str::from_utf8(bytes).ok());
        text.and_then(|text| u32::from_str_radix(text, 8).ok()).ok_or_else(Failed::unread)
    };
    let old_mode = mode(word(&mut rest))?;
    let new_mode = mode(word(&mut rest))?;
    for _ in 0..2 {
        word(&mut rest).ok_or_else(Failed::unread)?;
    }
    let kind = rest.first().copied().and_then(Kind::of).ok_or_else(Failed::unread)?;
    let file = FileDiff {
        path: WsPath::root(),
        from: None,
        kind,
        old_mode,
        new_mode,
        lines: None,
        binary: false,
        patch: Bytes::new(),
    };
    Ok((file, kind))
}

/// Lines added and removed, by the name that a file has now; none for a binary one.
type Counts<'a> = HashMap<&'a [u8], Option<(u64, u64)>>;

/// `1\t2\tname`, or `1\t2\t` and two names.
fn counts<'a>(records: &mut Records<'a>) -> Result<Counts<'a>> {
    let mut counts = HashMap::new();
    while let Some(record) = records.next() {
        // An empty one stands between the counts and the patches.
        if record.is_empty() {
            break;
        }
        let mut parts = record.splitn(3, |byte| *byte == b'\t');
        let (Some(added), Some(removed), Some(name)) = (parts.next(), parts.next(), parts.next())
        else {
            return Err(Failed::unread());
        };
        let lines = match (added, removed) {
            (b"-", b"-") => None,
            (added, removed) => {
                Some(number(added).zip(number(removed)).ok_or_else(Failed::unread)?)
            }
        };
        let name = if name.is_empty() {
            let Some(now) = records.next().and_then(|_| records.next()) else { break };
            now
        } else {
            name
        };
        // A file in conflict is counted twice, and the first says nothing.
        counts.insert(name, lines);
    }
    Ok(counts)
}

/// Where each patch stands, by its first line. A thing that became another type has two.
fn sections<'a>(patches: &'a [u8]) -> HashMap<&'a [u8], (usize, usize)> {
    let mut found: HashMap<&'a [u8], (usize, usize)> = HashMap::new();
    let mut open: Option<(&'a [u8], usize)> = None;
    let mut at = 0;
    let mut close = |open: Option<(&'a [u8], usize)>, end: usize| {
        if let Some((header, start)) = open {
            found.entry(header).and_modify(|place| place.1 = end).or_insert((start, end));
        }
    };
    // Lines of content begin with a sign, so that none of them can be taken for this.
    for line in patches.split_inclusive(|byte| *byte == b'\n') {
        if line.starts_with(b"diff --git ") {
            close(open.take(), at);
            open = Some((line.strip_suffix(b"\n").unwrap_or(line), at));
        } else if line.starts_with(b"* Unmerged path ") {
            close(open.take(), at);
        }
        at += line.len();
    }
    close(open, at);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const ZERO: &str = "0000000000000000000000000000000000000000";

    fn read(printed: &str) -> Diff {
        diff(&Bytes::from(printed.to_owned()), &WsPath::root()).unwrap()
    }

    #[test]
    fn files_counts_and_patches_come_together_by_name() {
        let printed = format!(
            ":100644 100644 {ZERO} {ZERO} M\0bin\0\
             :100644 100755 {ZERO} {ZERO} R066\0a\0d/n\nl\"q\0\
             :000000 100644 {ZERO} {ZERO} A\0s\0\
             -\t-\tbin\0{}\0a\0d/n\nl\"q\0{}s\0\0\
             diff --git a/bin b/bin\nBinary files a/bin and b/bin differ\n\
             diff --git a/a \"b/d/n\\nl\\\"q\"\nrename from a\n@@ -1 +1,2 @@\n a\n+c\n\
             diff --git a/s b/s\nnew file mode 100644\n@@ -0,0 +1 @@\n+diff --git a/x b/x\n",
            "1\t0\t", "1\t0\t"
        );
        let diff = read(&printed);
        let [bin, moved, new] = diff.files.as_slice() else { panic!("{diff:?}") };
        assert!(bin.binary && bin.lines.is_none());
        assert!(bin.patch.ends_with(b"differ\n"));
        assert_eq!((moved.kind, moved.new_mode), (Kind::Renamed, 0o100_755));
        assert_eq!(moved.from.as_ref().unwrap().to_string(), "a");
        assert_eq!(moved.lines, Some((1, 0)));
        assert!(moved.patch.ends_with(b"+c\n"));
        assert!(new.patch.ends_with(b"+diff --git a/x b/x\n"));
    }

    #[test]
    fn what_became_another_type_has_both_its_patches() {
        let printed = format!(
            ":100644 120000 {ZERO} {ZERO} T\0x\x001\t1\tx\0\0\
             diff --git a/x b/x\ndeleted file mode 100644\n@@ -1 +0,0 @@\n-a\n\
             diff --git a/x b/x\nnew file mode 120000\n@@ -0,0 +1 @@\n+b\n"
        );
        let diff = read(&printed);
        assert!(diff.files[0].patch.ends_with(b"+b\n") && diff.files[0].patch.len() > 100);
    }

    #[test]
    fn what_was_cut_off_is_read_as_far_as_it_goes() {
        let whole = format!(
            ":100644 100644 {ZERO} {ZERO} R100\0a\0b\x000\t0\t\0a\0b\0\0diff --git a/a b/b\nsim"
        );
        for end in 0..whole.len() {
            let cut = Bytes::from(whole.as_bytes()[..end].to_vec());
            assert!(diff(&cut, &WsPath::root()).is_ok(), "{end}");
        }
        assert_eq!(read(&whole).files[0].patch.len(), 22);
        assert_eq!(read(""), Diff::default());
    }
}
