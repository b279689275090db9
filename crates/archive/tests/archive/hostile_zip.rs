//! Zip files that lie: each is refused whole, and nothing is changed.

use garth_archive::{Format, Restore, Unfit};
use garth_contract::Code;

use crate::{
    craft::{Entry, Zip, put16, put32},
    fixture::{Yard, memory, names, plainly, read, restored},
    hostile_tar::refused_as,
};

async fn refused(archive: &[u8], code: Code, why: &str) {
    refused_as(archive, &plainly(Format::Zip), code, why).await;
}

/// A good entry, the one in question, and another good one.
fn between(entry: &Entry) -> Vec<u8> {
    let zip = Zip::default().put(&Entry::new("good", "good"));
    zip.put(entry).put(&Entry::deflated("after", b"after")).end()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_right_is_restored() {
    let mut later = Entry::deflated("later", &[b'x'; 1000]);
    later.bits = 8;
    let sizes = [later.sum, u32::try_from(later.data.len()).unwrap(), later.size];
    for sign in [&b"PK\x07\x08"[..], b""] {
        later.tail = sign.to_vec();
        put32(&mut later.tail, &sizes);
        let files = memory();
        restored(&files, "", between(&later), &plainly(Format::Zip)).await.unwrap();
        assert_eq!(names(&files).await, ["after", "good", "later"]);
        assert_eq!(read(&files, "later").await, &[b'x'; 1000][..]);
    }
    let commented = Zip::default().put(&Entry::new("f", "x")).end_with(b"a comment");
    restored(&memory(), "", commented, &plainly(Format::Zip)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_lead_elsewhere() {
    for (name, code) in [
        (&b"/etc/evil"[..], Code::PathOutsideWorkspace),
        (b"../../evil", Code::PathOutsideWorkspace),
        (b"a/../../../beyond/evil", Code::PathOutsideWorkspace),
        (b"a\0b", Code::InvalidPath),
        (br"..\..\evil", Code::InvalidPath),
        (&[b'n'; 300], Code::InvalidPath),
        (&[&b"d/".repeat(3000)[..], b"f"].concat(), Code::InvalidPath),
    ] {
        let why = garth_contract::escape(&name[..name.len().min(20)]);
        refused(&between(&Entry::new(name, "x")), code, &why).await;
        let dir = [name, b"/"].concat();
        refused(&between(&Entry::new(dir, "")), code, &why).await;
    }
    // Made on another system, a backslash was meant as a slash.
    let other = Entry { made_by: 0, mode: 0, ..Entry::new(r"a\b", "x") };
    refused(&between(&other), Code::InvalidPath, "backslash").await;
    let twice = Zip::default().put(&Entry::new("f", "1")).put(&Entry::new("f", "2")).end();
    refused(&twice, Code::FileExists, "one name twice").await;
    let below = Zip::default().put(&Entry::new("f", "1")).put(&Entry::new("f/g", "2")).end();
    refused(&below, Code::NotADirectory, "below a file").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn links_that_lead_out() {
    let link = |target: &str| Entry { mode: 0o120_777, ..Entry::new("l", target) };
    for target in ["/etc/passwd", "../../../beyond", "x/../../.."] {
        refused(&between(&link(target)), Code::PathOutsideWorkspace, target).await;
        let how = Restore { unfit: Unfit::LeaveOut, ..plainly(Format::Zip) };
        let files = memory();
        let told = restored(&files, "to", between(&link(target)), &how).await.unwrap();
        assert_eq!((told.left_out, told.links, told.files), (1, 0, 2));
    }
    let through = Zip::default().put(&link(".")).put(&Entry::new("l/evil", "x")).end();
    refused(&through, Code::NotADirectory, "below a link").await;
    let long = Entry { mode: 0o120_777, ..Entry::new("l", "x".repeat(5000)) };
    refused(&between(&long), Code::InvalidParams, "a target too long").await;
    let good = between(&link("good"));
    let files = memory();
    assert_eq!(restored(&files, "", good, &plainly(Format::Zip)).await.unwrap().links, 1);
    assert_eq!(read(&files, "l").await, "good");
    for kind in [0o010_644, 0o020_644, 0o060_644, 0o140_644] {
        let special = Entry { mode: kind, ..Entry::new("special", "") };
        refused(&between(&special), Code::InvalidParams, "a special file").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_and_directory_that_disagree() {
    let plain = || Entry::new("shown", "content");
    let deflated = || Entry::deflated("shown", &[b'y'; 500]);
    // What the directory says, against what stands in the file.
    let told = |entry: &Entry, change: &dyn Fn(&mut Entry)| {
        let mut zip = Zip::default();
        zip.local(entry);
        let mut listed = entry.clone();
        change(&mut listed);
        zip.listed(&listed, 0).end()
    };
    for (archive, why) in [
        (between(&Entry { local_name: Some(b"../other".to_vec()), ..plain() }), "another name"),
        (told(&plain(), &|entry| entry.name = b"hidden".to_vec()), "another name in front"),
        (told(&plain(), &|entry| entry.method = 8), "another method"),
        (told(&plain(), &|entry| entry.bits = 1 << 11), "other bits"),
        (told(&plain(), &|entry| entry.sum ^= 1), "another sum"),
        (told(&deflated(), &|entry| entry.size += 1), "another size"),
        (between(&Entry { sum: 7, ..plain() }), "a wrong sum"),
        (between(&Entry { size: 8, ..plain() }), "a stored size too large"),
        (between(&Entry { size: 6, ..plain() }), "a stored size too small"),
        (between(&Entry { size: 499, ..deflated() }), "a size too small"),
        (between(&Entry { size: 501, ..deflated() }), "a size too large"),
        (between(&Entry { bits: 1, ..plain() }), "encrypted"),
        (between(&Entry { bits: 1 << 6, ..plain() }), "strongly encrypted"),
        (between(&Entry { method: 12, ..plain() }), "an unknown method"),
        (between(&Entry { bits: 8, ..plain() }), "sizes that never come"),
        (between(&Entry { bits: 8, tail: vec![0; 16], ..plain() }), "sizes that are wrong"),
        (between(&Entry { tail: b"hidden".to_vec(), ..plain() }), "something between"),
        (between(&Entry { offset: Some(0), ..plain() }), "an entry that lies on another"),
        (between(&Entry { offset: Some(1 << 30), ..plain() }), "an entry behind the end"),
        (between(&Entry { size: u32::MAX, ..plain() }), "a large size that is missing"),
        (between(&Entry::new("dir/", "content")), "a directory with content"),
    ] {
        refused(&archive, Code::InvalidParams, why).await;
    }
    let mut more = deflated();
    more.data.extend_from_slice(b"hidden");
    refused(&between(&more), Code::InvalidParams, "something behind a content").await;
    let mut cut = deflated();
    cut.data.pop();
    refused(&between(&cut), Code::InvalidParams, "a content cut off").await;
    let noise = Entry { data: crate::fixture::noise(400, 2), ..deflated() };
    refused(&between(&noise), Code::InvalidParams, "noise for a content").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn directories_that_lie() {
    let whole = between(&Entry::new("f", "x"));
    let changed = |at_end: usize, value: u8| {
        let mut archive = whole.clone();
        let at = archive.len() - at_end;
        archive[at] = value;
        archive
    };
    for (archive, why) in [
        ([&whole[..], b"x"].concat(), "something behind the end"),
        ([b"MZ stub", &whole[..]].concat(), "something before the beginning"),
        (changed(14, 2), "fewer entries than there are, on this disk"),
        (changed(18, 1), "another disk"),
        (changed(6, 0xff), "a directory elsewhere"),
        (changed(10, 0xff), "a directory of another length"),
        (changed(2, 9), "a comment that is not there"),
    ] {
        refused(&archive, Code::InvalidParams, why).await;
    }
    let mut fewer = whole.clone();
    let at = fewer.len() - 14;
    fewer[at] = 2;
    fewer[at + 2] = 2;
    refused(&fewer, Code::InvalidParams, "fewer entries than there are").await;
    fewer[at] = 4;
    fewer[at + 2] = 4;
    refused(&fewer, Code::InvalidParams, "more entries than there are").await;
    // A comment that is itself an end: two programs would see two directories.
    let inner = Zip::default().end();
    let two = Zip::default().put(&Entry::new("f", "x")).end_with(&inner);
    refused(&two, Code::InvalidParams, "two ends").await;
    for end in [1, 10, 21, 22, 40, whole.len() / 2, whole.len() - 1] {
        refused(&whole[..whole.len() - end], Code::InvalidParams, &format!("{end} short")).await;
    }
    let mut hidden = Zip::default();
    hidden.local(&Entry::new("hidden", "x"));
    let hidden = hidden.put(&Entry::new("f", "x")).end();
    refused(&hidden, Code::InvalidParams, "an entry that is not listed").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn large_ends_that_lie() {
    let plain = Zip::default().put(&Entry::new("f", "x"));
    let start = plain.bytes.len() as u64;
    let length = plain.central.len() as u64;
    let build = |record: [u64; 4], locator: u64| {
        let mut bytes = [plain.bytes.clone(), plain.central.clone()].concat();
        bytes.extend_from_slice(b"PK\x06\x06");
        bytes.extend_from_slice(&44_u64.to_le_bytes());
        put16(&mut bytes, &[45, 45]);
        put32(&mut bytes, &[0, 0]);
        for number in record {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(b"PK\x06\x07");
        put32(&mut bytes, &[0]);
        bytes.extend_from_slice(&locator.to_le_bytes());
        put32(&mut bytes, &[1]);
        bytes.extend_from_slice(b"PK\x05\x06");
        put16(&mut bytes, &[0, 0, u16::MAX, u16::MAX]);
        put32(&mut bytes, &[u32::MAX, u32::MAX]);
        put16(&mut bytes, &[0]);
        bytes
    };
    let good = build([1, 1, length, start], start + length);
    restored(&memory(), "", good.clone(), &plainly(Format::Zip)).await.unwrap();
    for (archive, why) in [
        (build([2, 2, length, start], start + length), "another count"),
        (build([1, 2, length, start], start + length), "two counts"),
        (build([1, 1, length + 1, start], start + length), "another length"),
        (build([1, 1, length, start + 1], start + length), "another start"),
        (build([1, 1, u64::MAX, 2], start + length), "numbers that overflow"),
        (build([1, 1, length, start], u64::MAX), "a record nowhere"),
        (build([1, 1, length, start], 0), "a record elsewhere"),
    ] {
        refused(&archive, Code::InvalidParams, why).await;
    }
    let mut disagrees = good;
    let at = disagrees.len() - 12;
    disagrees[at] = 7;
    disagrees[at + 1] = 0;
    refused(&disagrees, Code::InvalidParams, "two ends that disagree").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn set_id_bits_are_dropped() {
    let entry = Entry { mode: 0o106_755, ..Entry::new("suid", "x") };
    let yard = Yard::new();
    restored(&yard.host(), "", between(&entry), &plainly(Format::Zip)).await.unwrap();
    let metadata = std::fs::metadata(yard.root().join("suid")).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions());
    assert_eq!(mode & 0o7777, 0o755);
}
