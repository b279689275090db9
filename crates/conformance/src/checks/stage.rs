//! What is staged: how it is built, out of sight, and what it may not hold.

use bytes::Bytes;
use garth_contract::{Clobber, Code, Kind, Part, Policy, Stamp, WsPath};

use crate::{
    Subject, Verdict,
    arrange::{at, everything},
    check::{checks, open},
    drops::{cut, everywhere},
    outside::time,
    stop::{holds, refused, same},
};

checks! { "stage"
    a_tree_lands_whole [Trees Write EmptyDirs] under open covers "stage.opens" "staging.add" "staging.land" "part.file";
    nothing_is_seen_before_it_lands [Trees Write Find] under open covers "stage.after" "staging.add.unseen";
    modes_and_times_land_too [Trees Write Modes] under open covers "stamp.mode" "stamp.modified" "part.dir";
    links_land_as_links [Trees Write Symlinks] under open covers "part.link";
    a_link_that_may_lead_out_is_refused [Trees Write Symlinks] under open covers "staging.add.errors.outside" "staging.add.errors.no_path" "staging.add.after_an_error" "common.nothing_outside";
    what_was_staged_exists [Trees Write EmptyDirs] under open covers "staging.add.errors.exists";
    a_name_of_a_temporary_file_is_refused [Trees Write] under open covers "staging.add.errors.temporary";
    nothing_goes_below_a_file_or_a_link [Trees Write Symlinks] under open covers "staging.add.errors.not_a_directory";
    bytes_belong_to_a_file [Trees Write] under open covers "staging.add.errors.no_file" "part.bytes";
    what_was_staged_is_read_back [Trees Write] under open covers "staging.read_back" "staging.read_back.ends" "staging.read_back.errors";
    a_file_over_the_bound_is_refused [Trees Write] under small_files covers "staging.add.errors.too_large";
    the_quota_bounds_what_lands [Trees Write] under small_quota covers "changing.no_room";
    what_is_denied_or_protected_does_not_land [Trees Write] under ruled covers "changing.protect" "common.deny";
    what_is_not_allowed_does_not_land [Trees Write EmptyDirs Symlinks] under allowing covers "common.allow";
    a_base_is_a_directory [Trees Write Symlinks] under open covers "stage.errors.not_a_directory" "stage.errors.not_found" "stage.link";
    a_base_outside_is_refused [Trees Write Symlinks] under open covers "common.outside" "common.nothing_outside";
    a_discarded_stage_leaves_nothing [Trees Write EmptyDirs] under open covers "staging.discard" "staging.drop";
    a_dropped_stage_call_leaves_nothing [Trees Write EmptyDirs] under open covers "stage.cancel" "staging.add.cancel";
}

/// Nothing is said about mode and time.
pub(super) const PLAIN: Stamp = Stamp { mode: None, modified: None };

pub(super) fn dir(path: &str) -> Verdict<Part> {
    Ok(Part::Dir { path: at(path)?, stamp: PLAIN })
}

pub(super) fn file(path: &str) -> Verdict<Part> {
    Ok(Part::File { path: at(path)?, stamp: PLAIN })
}

pub(super) fn bytes(text: &'static str) -> Part {
    Part::Bytes(Bytes::from_static(text.as_bytes()))
}

pub(super) fn link(path: &str, target: impl AsRef<[u8]>) -> Verdict<Part> {
    let target = Bytes::copy_from_slice(target.as_ref());
    Ok(Part::Link { path: at(path)?, target, modified: None })
}

/// Waits until no temporary file is left, where that can be seen.
pub(super) async fn settled(ws: &Subject) -> Verdict {
    let temporary =
        |path: &[u8]| path.split(|byte| *byte == b'/').any(garth_contract::is_temporary);
    while let Ok(paths) = ws.outside.everything()
        && paths.iter().any(|path| temporary(path))
    {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    Ok(())
}

fn small_files() -> Policy {
    Policy { max_file: 8, ..open() }
}

fn small_quota() -> Policy {
    Policy { quota: Some(100), ..open() }
}

fn ruled() -> Policy {
    Policy { deny: vec![".env".into()], protect: vec!["locked".into()], ..open() }
}

fn allowing() -> Policy {
    Policy { allow: vec!["src/*.rs".into(), "docs/**".into()], ..open() }
}

async fn a_tree_lands_whole(ws: Subject) -> Verdict {
    let mut stage = ws.stage("").await?;
    stage.add(vec![dir("d/empty")?, file("d/f")?, bytes("one "), bytes("two")]).await?;
    stage.add(vec![bytes(" three"), file("deep/er/g")?, file("h")?, bytes("")]).await?;
    same("replaced", stage.land(Clobber::Refuse).await?.replaced, 0)?;
    same("names", ws.names("").await?, ["d", "deep", "h"])?;
    same("kind", ws.stat("d/empty").await?.kind, Kind::Dir)?;
    same("bytes", ws.read("d/f").await?, "one two three")?;
    same("bytes", ws.read("deep/er/g").await?, "")?;
    same("bytes", ws.read("h").await?, "")?;
    settled(&ws).await
}

async fn nothing_is_seen_before_it_lands(ws: Subject) -> Verdict {
    ws.write("base/there", "x").await?;
    let before = ws.tree().await?;
    let mut stage = ws.stage("base").await?;
    same("tree", ws.tree().await?, before.clone())?;
    stage.add(vec![file("d/f")?, bytes("needle"), dir("e")?]).await?;
    same("tree", ws.tree().await?, before)?;
    same("found", ws.find(&everything()).await?.0, ["base", "base/there"])?;
    refused(ws.stat("base/d").await, Code::FileNotFound)?;
    stage.land(Clobber::Refuse).await?;
    same("names", ws.names("base").await?, ["d", "e", "there"])
}

async fn modes_and_times_land_too(ws: Subject) -> Verdict {
    let stamp = |mode, seconds| Stamp { mode: Some(mode), modified: Some(time(seconds)) };
    let part = |path: &str, stamp| Ok::<_, crate::Stop>(Part::Dir { path: at(path)?, stamp });
    let mut stage = ws.stage("").await?;
    let loose = part("d", stamp(0o700, 1))?;
    stage.add(vec![loose, part("d/closed", stamp(0o555, 1_000_000))?]).await?;
    let path = at("d/closed/f")?;
    stage.add(vec![Part::File { path, stamp: stamp(0o640, 2_000_000) }, bytes("x")]).await?;
    let path = at("set-id")?;
    stage.add(vec![Part::File { path, stamp: stamp(0o7711, 3_000_000) }]).await?;
    stage.add(vec![part("d", stamp(0o750, 4_000_000))?]).await?;
    stage.land(Clobber::Refuse).await?;
    for (path, mode, seconds) in [
        ("d", 0o750, 4_000_000),
        ("d/closed", 0o555, 1_000_000),
        ("d/closed/f", 0o640, 2_000_000),
        ("set-id", 0o711, 3_000_000),
    ] {
        let entry = ws.stat(path).await?;
        same("mode", (path, entry.mode), (path, Some(mode)))?;
        same("time", (path, entry.modified), (path, Some(time(seconds))))?;
    }
    Ok(())
}

async fn links_land_as_links(ws: Subject) -> Verdict {
    ws.write("there", "x").await?;
    let mut stage = ws.stage("").await?;
    stage.add(vec![link("d/up", "../there")?, link("dangling", "no/where")?]).await?;
    stage.add(vec![link("odd", b"caf\xe9")?, link("here", ".")?]).await?;
    stage.land(Clobber::Refuse).await?;
    same("bytes", ws.read("d/up").await?, "x")?;
    for (path, target) in
        [("d/up", &b"../there"[..]), ("dangling", b"no/where"), ("odd", b"caf\xe9"), ("here", b".")]
    {
        same("kind", ws.stat(path).await?.kind, Kind::Symlink)?;
        same("target", ws.read_link(path).await?, target)?;
    }
    Ok(())
}

async fn a_link_that_may_lead_out_is_refused(ws: Subject) -> Verdict {
    let beyond = ws.outside.beyond()?;
    let mut stage = ws.stage("").await?;
    stage.add(vec![dir("d")?]).await?;
    let outside: [&[u8]; 6] =
        [b"..", b"d/../..", b"/", b"/etc/passwd", &beyond.absolute, &beyond.relative];
    for target in outside {
        let parts = vec![link("d/l", [b"../", target].concat())?, link("x", target)?];
        for part in parts.into_iter().skip(usize::from(target.starts_with(b"/"))) {
            refused(stage.add(vec![part]).await, Code::PathOutsideWorkspace)?;
        }
    }
    refused(stage.add(vec![link("l", "")?]).await, Code::InvalidPath)?;
    refused(stage.add(vec![link("l", "a\0b")?]).await, Code::InvalidPath)?;
    stage.add(vec![file("d/f")?, bytes("x"), link("d/in", "f")?]).await?;
    stage.land(Clobber::Refuse).await?;
    same("names", ws.names("").await?, ["d"])?;
    same("names", ws.names("d").await?, ["f", "in"])
}

async fn what_was_staged_exists(ws: Subject) -> Verdict {
    let mut stage = ws.stage("").await?;
    stage.add(vec![file("d/f")?, bytes("first"), dir("d")?, dir("d")?]).await?;
    refused(stage.add(vec![file("d/f")?]).await, Code::FileExists)?;
    refused(stage.add(vec![dir("d/f")?]).await, Code::FileExists)?;
    refused(stage.add(vec![link("d/f", "x")?]).await, Code::FileExists)?;
    refused(stage.add(vec![file("d")?]).await, Code::FileExists)?;
    refused(stage.add(vec![file("")?]).await, Code::FileExists)?;
    stage.add(vec![dir("")?]).await?;
    stage.land(Clobber::Refuse).await?;
    same("bytes", ws.read("d/f").await?, "first")
}

async fn a_name_of_a_temporary_file_is_refused(ws: Subject) -> Verdict {
    let mut stage = ws.stage("").await?;
    for path in [".garth-0123456789abcdef.tmp", "d/.garth-0123456789abcdef.tmp/f"] {
        refused(stage.add(vec![file(path)?]).await, Code::InvalidPath)?;
        refused(stage.add(vec![dir(path)?]).await, Code::InvalidPath)?;
    }
    Ok(())
}

async fn nothing_goes_below_a_file_or_a_link(ws: Subject) -> Verdict {
    ws.write("real/f", "x").await?;
    let mut stage = ws.stage("").await?;
    stage.add(vec![file("f")?, link("l", "real")?, dir("d")?, link("inner", "d")?]).await?;
    for path in ["f/x", "l/x", "l/deep/er", "inner/x"] {
        refused(stage.add(vec![file(path)?]).await, Code::NotADirectory)?;
        refused(stage.add(vec![dir(path)?]).await, Code::NotADirectory)?;
        refused(stage.add(vec![link(path, "x")?]).await, Code::NotADirectory)?;
    }
    stage.land(Clobber::Refuse).await?;
    same("names", ws.names("real").await?, ["f"])?;
    same("names", ws.names("d").await?, [""; 0])
}

async fn bytes_belong_to_a_file(ws: Subject) -> Verdict {
    let mut stage = ws.stage("").await?;
    refused(stage.add(vec![bytes("x")]).await, Code::InvalidParams)?;
    stage.add(vec![file("f")?, bytes("x"), dir("d")?]).await?;
    refused(stage.add(vec![bytes("y")]).await, Code::InvalidParams)?;
    stage.land(Clobber::Refuse).await?;
    same("bytes", ws.read("f").await?, "x")
}

async fn what_was_staged_is_read_back(ws: Subject) -> Verdict {
    let mut stage = ws.stage("").await?;
    stage.add(vec![dir("d")?, file("d/f")?, bytes("0123"), bytes("456789")]).await?;
    let path = at("d/f")?;
    for (offset, length, want) in [(0, 100, "0123456789"), (2, 5, "23456"), (9, 9, "9")] {
        same("bytes", stage.read_back(&path, offset, length).await?, want)?;
    }
    for offset in [10, 11, u64::MAX] {
        same("bytes", stage.read_back(&path, offset, u64::MAX).await?, "")?;
    }
    refused(stage.add(vec![bytes("more")]).await, Code::InvalidParams)?;
    refused(stage.read_back(&at("d")?, 0, 1).await, Code::NotAFile)?;
    refused(stage.read_back(&WsPath::root(), 0, 1).await, Code::NotAFile)?;
    refused(stage.read_back(&at("d/g")?, 0, 1).await, Code::FileNotFound)?;
    stage.add(vec![file("copy")?]).await?;
    for offset in 0..10 {
        let byte = stage.read_back(&path, offset, 1).await?;
        stage.add(vec![Part::Bytes(byte)]).await?;
    }
    stage.land(Clobber::Refuse).await?;
    same("bytes", ws.read("copy").await?, "0123456789")
}

async fn a_file_over_the_bound_is_refused(ws: Subject) -> Verdict {
    let mut stage = ws.stage("").await?;
    stage.add(vec![file("fits")?, bytes("1234"), bytes("5678")]).await?;
    let parts = vec![file("over")?, bytes("1234"), bytes("56789")];
    refused(stage.add(parts).await, Code::FileTooLarge)?;
    stage.land(Clobber::Refuse).await?;
    same("bytes", ws.read("fits").await?, "12345678")?;
    refused(ws.stat("over").await, Code::FileNotFound)
}

async fn the_quota_bounds_what_lands(ws: Subject) -> Verdict {
    let part = |count: usize| Part::Bytes(vec![b'x'; count].into());
    ws.write("there", [b'x'; 60]).await?;
    let before = ws.tree().await?;
    let mut stage = ws.stage("").await?;
    let added = stage.add(vec![file("d/a")?, part(20), file("d/b")?, part(21)]).await;
    let landed = match added {
        Ok(()) => stage.land(Clobber::Refuse).await.map(drop),
        refused => {
            stage.discard().await;
            refused
        }
    };
    refused(landed, Code::QuotaExceeded)?;
    same("tree", ws.tree().await?, before)?;
    let mut stage = ws.stage("").await?;
    stage.add(vec![file("d/a")?, part(20), file("d/b")?, part(20)]).await?;
    stage.land(Clobber::Refuse).await?;
    refused(ws.write("more", "x").await, Code::QuotaExceeded)
}

async fn what_is_denied_or_protected_does_not_land(ws: Subject) -> Verdict {
    ws.plant("locked/f", "x").await?;
    let mut stage = ws.stage("").await?;
    for path in [".env", "d/.env", "d/.env/below", "locked", "locked/f", "locked/g", "d/locked"] {
        refused(stage.add(vec![file(path)?]).await, Code::PermissionDenied)?;
        refused(stage.add(vec![link(path, "x")?]).await, Code::PermissionDenied)?;
        refused(stage.add(vec![dir(path)?]).await, Code::PermissionDenied)?;
    }
    stage.add(vec![file("d/free")?]).await?;
    stage.land(Clobber::Replace).await?;
    same("names", ws.names("d").await?, ["free"])?;
    same("bytes", ws.read("locked/f").await?, "x")?;
    refused(ws.stage(".env").await.map(drop), Code::PermissionDenied)
}

async fn what_is_not_allowed_does_not_land(ws: Subject) -> Verdict {
    let mut stage = ws.stage("").await?;
    for path in ["f", "src", "src/f.c", "src/deep/er"] {
        refused(stage.add(vec![file(path)?]).await, Code::PermissionDenied)?;
        refused(stage.add(vec![link(path, "x")?]).await, Code::PermissionDenied)?;
    }
    refused(stage.add(vec![dir("other")?]).await, Code::PermissionDenied)?;
    refused(stage.add(vec![file("other/f.rs")?]).await, Code::PermissionDenied)?;
    stage.add(vec![dir("src")?, file("src/f.rs")?, file("docs/deep/f")?]).await?;
    stage.land(Clobber::Refuse).await?;
    same("names", ws.names("").await?, ["docs", "src"])?;
    same("names", ws.names("src").await?, ["f.rs"])
}

async fn a_base_is_a_directory(ws: Subject) -> Verdict {
    ws.write("d/f", "x").await?;
    ws.symlink("l", "d")?;
    refused(ws.stage("d/f").await.map(drop), Code::NotADirectory)?;
    refused(ws.stage("d/f/g").await.map(drop), Code::NotADirectory)?;
    refused(ws.stage("none").await.map(drop), Code::FileNotFound)?;
    refused(ws.stage("none/below").await.map(drop), Code::FileNotFound)?;
    let mut stage = ws.stage("l").await?;
    stage.add(vec![file("g")?, bytes("y"), link("up", "../d")?]).await?;
    refused(stage.add(vec![link("out", "../..")?]).await, Code::PathOutsideWorkspace)?;
    stage.land(Clobber::Refuse).await?;
    same("names", ws.names("d").await?, ["f", "g", "up"])?;
    same("kind", ws.stat("l").await?.kind, Kind::Symlink)
}

async fn a_base_outside_is_refused(ws: Subject) -> Verdict {
    ws.link_out("out", "dir")?;
    let before = ws.outside.beyond_now()?;
    refused(ws.stage("out").await.map(drop), Code::PathOutsideWorkspace)?;
    same("beyond", ws.outside.beyond_now()?, before)
}

async fn a_discarded_stage_leaves_nothing(ws: Subject) -> Verdict {
    ws.write("base/there", "x").await?;
    let before = ws.tree().await?;
    let really = ws.outside.everything();
    let mut stage = ws.stage("base").await?;
    stage.add(vec![dir("a/b/c")?, file("a/f")?, bytes("x")]).await?;
    stage.discard().await;
    same("really", ws.outside.everything(), really.clone())?;
    let mut stage = ws.stage("base").await?;
    stage.add(vec![dir("a/b/c")?, file("a/f")?, bytes("x")]).await?;
    drop(stage);
    settled(&ws).await?;
    same("tree", ws.tree().await?, before)?;
    same("really", ws.outside.everything(), really)
}

async fn a_dropped_stage_call_leaves_nothing(ws: Subject) -> Verdict {
    let ws = &ws;
    ws.write("there", "x").await?;
    let before = ws.tree().await?;
    everywhere(async |_, drops| {
        let built = async {
            let mut stage = ws.stage("").await?;
            stage.add(vec![file("d/f")?, Part::Bytes(vec![b'x'; 100_000].into())]).await?;
            stage.add(vec![dir("e")?]).await?;
            Ok::<_, crate::Stop>(())
        };
        let ended = cut(drops, built).await;
        holds("nothing is seen", ws.tree().await? == before)?;
        Ok(ended.transpose()?.is_some())
    })
    .await?;
    settled(ws).await
}
