//! Tape archives that lie: each is refused whole, and nothing is changed.

use garth_archive::{Format, Restore, Unfit};
use garth_contract::{Clobber, Code};

use crate::{
    craft::{Header, PLAIN, Tar, zst},
    fixture::{Yard, memory, names, plainly, read, restored, write},
};

/// Restores an archive on the host and in memory; both refuse, and nothing is left.
pub(crate) async fn refused_as(archive: &[u8], how: &Restore, code: Code, why: &str) {
    let yard = Yard::new();
    let host = yard.host();
    write(&host, "there/f", "there").await;
    let before = yard.really();
    for (files, to) in [(host, "there"), (memory(), "new/dir")] {
        let error = restored(&files, to, archive.to_vec(), how).await;
        let error = error.expect_err(&format!("{why}: it was restored"));
        assert_eq!(error.code(), code, "{why}: {error:?}");
        assert!(!error.message().contains('\n') && error.message().len() < 2000, "{error}");
        assert_eq!(yard.really(), before, "{why}");
        if to == "new/dir" {
            assert_eq!(names(&files).await, [""; 0], "{why}");
        }
    }
}

async fn refused(tar: Tar, code: Code, why: &str) {
    // What comes before and after the lie is good, and is not restored either.
    let good = Tar::default().file("good", "good").0;
    let archive = Tar([good, tar.0].concat()).file("after", "after").end();
    refused_as(&archive, &plainly(Format::Tar), code, why).await;
    refused_as(&zst(&archive), &plainly(Format::TarZst), code, why).await;
    let lenient =
        Restore { unfit: Unfit::LeaveOut, clobber: Clobber::Replace, ..plainly(Format::Tar) };
    if !why.starts_with("unfit") {
        refused_as(&archive, &lenient, code, why).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_lead_elsewhere() {
    let deep = "d/".repeat(300);
    for (name, code) in [
        ("/etc/evil", Code::PathOutsideWorkspace),
        ("//evil", Code::PathOutsideWorkspace),
        ("../evil", Code::PathOutsideWorkspace),
        ("../../beyond/evil", Code::PathOutsideWorkspace),
        ("a/../../evil", Code::PathOutsideWorkspace),
        ("a/..", Code::PathOutsideWorkspace),
        ("..", Code::PathOutsideWorkspace),
        (r"..\..\evil", Code::InvalidPath),
        (r"C:\..\..\evil", Code::InvalidPath),
        ("d/.garth-0123456789abcdef.tmp", Code::InvalidPath),
        (&"n".repeat(256), Code::InvalidPath),
        (&"d/".repeat(2100), Code::InvalidPath),
        (&deep, Code::InvalidPath),
    ] {
        let long = |flag| {
            let meta = Header { name: b"././@LongLink", flag, ..PLAIN };
            Tar::default().put(meta, &[name.as_bytes(), b"\0"].concat())
        };
        refused(long(b'L').file("shown", "x"), code, &format!("long {name}")).await;
        let pax = Tar::default().pax(&[("path", name.as_bytes())]);
        refused(pax.file("shown", "x"), code, &format!("pax {name}")).await;
        if name.len() <= 100 {
            refused(Tar::default().file(name, "x"), code, name).await;
            refused(Tar::default().dir(name), code, name).await;
            refused(Tar::default().link(name, "good"), code, name).await;
            refused(Tar::default().hard_link(name, "good"), code, name).await;
        }
    }
    let nul = Tar::default().pax(&[("path", b"a\0b")]).file("shown", "x");
    refused(nul, Code::InvalidPath, "NUL").await;
    let prefix = Header { name: b"evil", prefix: b"../..", ..PLAIN };
    refused(Tar::default().put(prefix, b"x"), Code::PathOutsideWorkspace, "prefix").await;
    let prefix = Header { name: b"evil", prefix: b"/etc", ..PLAIN };
    refused(Tar::default().put(prefix, b"x"), Code::PathOutsideWorkspace, "prefix").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn names_with_drives_and_backslashes_stay_names() {
    let archive = Tar::default().file("C:/x", "1").file(r"C:\y", "2").file(r"a\b", "3").end();
    let yard = Yard::new();
    let host = yard.host();
    restored(&host, "", archive, &plainly(Format::Tar)).await.unwrap();
    assert_eq!(names(&host).await, ["C:", "C:/x", r"C:\y", r"a\b"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_name_for_two_entries() {
    let twice = Tar::default().file("d/f", "1").file("d/f", "2");
    refused(twice, Code::FileExists, "a file twice").await;
    let twice = Tar::default().file("d/f", "1").file("./d//f", "2");
    refused(twice, Code::FileExists, "a file twice, spelt otherwise").await;
    let twice = Tar::default().file("d", "1").dir("d");
    refused(twice, Code::FileExists, "a file, then a directory").await;
    let twice = Tar::default().dir("d").file("d", "1");
    refused(twice, Code::FileExists, "a directory, then a file").await;
    let twice = Tar::default().file("f", "1").link("f", "good");
    refused(twice, Code::FileExists, "a file, then a link").await;
    let below = Tar::default().file("f", "1").file("f/below", "2");
    refused(below, Code::NotADirectory, "below a file").await;
    let case = Tar::default().file("README", "1").file("readme", "2").end();
    let yard = Yard::new();
    restored(&yard.host(), "", case, &plainly(Format::Tar)).await.unwrap();
    assert_eq!(read(&yard.host(), "readme").await, "2");
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_that_disagree() {
    let tar = Tar::default;
    let shown = |tar: Tar| tar.file("shown", "x");
    let long = |tar: Tar, flag, name: &[u8]| tar.put(Header { name: b"L", flag, ..PLAIN }, name);
    for (tar, why) in [
        (shown(tar().pax(&[("path", b"a"), ("path", b"b")])), "two paths"),
        (shown(tar().pax(&[("path", b"a")]).pax(&[("mtime", b"1")])), "two extended headers"),
        (shown(long(tar().pax(&[("path", b"a")]), b'L', b"b\0")), "pax and GNU names"),
        (shown(long(long(tar(), b'L', b"a\0"), b'L', b"b\0")), "two GNU names"),
        (shown(long(tar(), b'L', b"a\0../../b\0")), "a name behind a name"),
        (shown(tar().records(b'g', &[("path", b"evil")])), "a path for all"),
        (shown(tar().records(b'g', &[("linkpath", b"evil")])), "a target for all"),
        (shown(tar().records(b'g', &[("size", b"0")])), "a size for all"),
        (shown(tar().pax(&[("GNU.sparse.major", b"1")])), "a sparse file"),
        (shown(tar().pax(&[("GNU.sparse.name", b"../evil")])), "a sparse name"),
        (shown(tar().pax(&[("size", b"-1")])), "a negative size"),
        (shown(tar().pax(&[("size", b"1x")])), "a size that is no number"),
        (shown(tar().pax(&[("mtime", b"now")])), "a time that is no number"),
        (shown(tar().put(Header { flag: b'x', ..PLAIN }, b"99 path=x\n")), "a record too long"),
        (shown(tar().put(Header { flag: b'x', ..PLAIN }, b"nonsense")), "no records at all"),
        (tar().put(Header { flag: b'5', ..PLAIN }, b"content"), "a directory with content"),
        (tar().put(Header { flag: b'2', link: b"good", ..PLAIN }, b"content"), "a full link"),
        (tar().put(Header { flag: b'1', link: b"good", ..PLAIN }, b"content"), "a full hard link"),
        (tar().put(Header { flag: b'S', ..PLAIN }, b""), "an old sparse file"),
        (tar().put(Header { flag: b'M', ..PLAIN }, b""), "a part of several archives"),
        (tar().put(Header { flag: b'V', ..PLAIN }, b""), "a label"),
        (tar().put(Header { flag: b'D', ..PLAIN }, b""), "a dump"),
        (tar().put(Header { flag: b'?', ..PLAIN }, b""), "an unknown kind"),
        (tar().put(Header { size: Some(b"zzzzzzzzzzz"), ..PLAIN }, b""), "a size in letters"),
        (tar().put(Header { size: Some(&[0xff; 12]), ..PLAIN }, b""), "a size below nothing"),
        (tar().put(Header { magic: b"evil!", ..PLAIN }, b""), "an unknown magic"),
    ] {
        refused(tar, Code::InvalidParams, why).await;
    }
    let many = (0..40).fold(tar(), |tar, _| tar.records(b'g', &[("comment", b"x")]));
    refused(shown(many), Code::InvalidParams, "headers for ever").await;
    let large = tar().put(Header { flag: b'x', ..PLAIN }, &vec![b'x'; 100_000]);
    refused(shown(large), Code::InvalidParams, "a header too large").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn archives_that_are_cut_off_or_go_on() {
    let whole = Tar::default().file("f", "content").file("g", "more").end();
    let how = plainly(Format::Tar);
    for end in [0, 1, 511, 512, 515, 1023, 1024, 1500, 2047, 2048] {
        refused_as(&whole[..end], &how, Code::InvalidParams, &format!("cut at {end}")).await;
    }
    for more in [&b"x"[..], &whole, &[[0; 512].as_slice(), b"x"].concat(), &vec![0; 2 << 20]] {
        let longer = [&whole, more].concat();
        refused_as(&longer, &how, Code::InvalidParams, "something behind the end").await;
    }
    let dangling = Tar::default().file("f", "x").pax(&[("path", b"x")]).end();
    refused_as(&dangling, &how, Code::InvalidParams, "records about nothing").await;
    let packed = zst(&whole);
    let how = plainly(Format::TarZst);
    for end in [0, 1, 4, packed.len() / 2, packed.len() - 1] {
        refused_as(&packed[..end], &how, Code::InvalidParams, &format!("zst cut at {end}")).await;
    }
    let garbage = [&packed[..], b"garbage"].concat();
    refused_as(&garbage, &how, Code::InvalidParams, "garbage behind zstd").await;
    let two = [zst(&whole[..1000]), zst(&whole[1000..])].concat();
    let files = memory();
    restored(&files, "", two, &how).await.unwrap();
    assert_eq!(names(&files).await, ["f", "g"]);
    for format in crate::fixture::FORMATS {
        let noise = crate::fixture::noise(5000, 3);
        refused_as(&noise, &plainly(format), Code::InvalidParams, "noise").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn special_files_are_refused_or_left_out() {
    for (flag, what) in [(b'3', "a device"), (b'4', "a disk"), (b'6', "a pipe")] {
        let tar = Tar::default().put(Header { name: b"special", flag, ..PLAIN }, b"");
        refused(tar.clone(), Code::InvalidParams, &format!("unfit: {what}")).await;
        let how = Restore { unfit: Unfit::LeaveOut, ..plainly(Format::Tar) };
        let yard = Yard::new();
        let archive = tar.file("f", "x").end();
        let told = restored(&yard.host(), "", archive, &how).await.unwrap();
        assert_eq!((told.left_out, told.files), (1, 1));
        assert_eq!(names(&yard.host()).await, ["f"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn set_id_bits_are_dropped() {
    let modes = [("0006755", "suid"), ("0007777", "all"), ("0001777", "sticky")];
    let tar = modes.iter().fold(Tar::default(), |tar, (mode, name)| {
        tar.put(Header { name: name.as_bytes(), mode, ..PLAIN }, b"x")
    });
    let tar = tar.put(Header { name: b"dir", mode: "0007755", flag: b'5', ..PLAIN }, b"");
    let yard = Yard::new();
    restored(&yard.host(), "", tar.end(), &plainly(Format::Tar)).await.unwrap();
    for (name, mode) in [("suid", 0o755), ("all", 0o777), ("sticky", 0o777), ("dir", 0o755)] {
        let metadata = std::fs::metadata(yard.root().join(name)).unwrap();
        let bits = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o7777;
        assert_eq!(bits, mode, "{name}");
    }
}

#[tokio::test]
async fn an_error_names_the_entry_and_why() {
    let archive = Tar::default().file("good", "x").file("evil/../../x\n", "x").end();
    let error = restored(&memory(), "", archive, &plainly(Format::Tar)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"the archive's entry "evil/../../x\x0a": its name climbs by `..`"#
    );
    let archive = Tar::default().file("d/f", "x").file("d/f", "x").end();
    let error = restored(&memory(), "to", archive, &plainly(Format::Tar)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"the archive's entry "to/d/f": it is there twice, or collides with another"#
    );
}
