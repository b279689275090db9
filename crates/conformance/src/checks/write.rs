//! What `write` leaves behind, and what it refuses.

use garth_contract::{Code, Kind, Parents, Policy, Put, Version};

use crate::{
    Subject, Verdict,
    arrange::{ANY, Seen, at},
    check::{checks, open},
    stop::{holds, refused, refused_as, same},
};

checks! { "write"
    a_new_file_has_exactly_these_bytes [Write] under synced covers "write.replaces_or_creates" "write.after.bytes" "written.created" "written.version";
    a_replaced_file_has_exactly_these_bytes [Write] under synced covers "write.replaces_or_creates" "write.after.bytes" "written.created" "durability.synced";
    a_fast_write_is_whole_too [Write] under open covers "durability.fast" "write.after.bytes";
    an_empty_file_is_written [Write] under open covers "write.after.bytes";
    a_large_file_is_written [Write] under open covers "write.after.bytes";
    missing_parents_are_made [Write] under open covers "parents.create";
    a_missing_parent_is_refused_when_required [Write] under open covers "write.errors.parent_not_found" "parents.require";
    a_file_on_the_way_is_not_a_directory [Write] under open covers "common.file_on_the_way";
    the_root_is_not_a_file [Write] under open covers "write.errors.not_a_file";
    a_directory_is_not_a_file [Write] under open covers "write.errors.not_a_file";
    a_special_file_is_refused_at_once [Write SpecialFiles] under open covers "write.errors.not_a_file" "common.never_blocks";
    a_replaced_file_keeps_its_mode [Write Modes] under open covers "write.after.mode" "put.mode";
    a_replaced_file_keeps_owner_and_attributes [Write] under open covers "write.after.attributes";
    no_temporary_is_left [Write] under synced covers "write.after.no_temporary";
    a_refused_write_leaves_nothing [Write] under open covers "write.after.no_temporary" "write.errors.conflict";
    nothing_appears_next_to_the_root [Write] under open covers "write.errors.not_a_file" "write.after.no_temporary" "common.nothing_outside";
    a_link_stays_and_its_target_changes [Write Symlinks] under open covers "write.link";
    a_chain_of_links_stays [Write Symlinks] under open covers "write.link";
    a_link_on_the_way_is_followed [Write Symlinks] under open covers "write.link";
    a_dangling_link_inside_creates_its_target [Write Symlinks] under open covers "write.link";
    a_link_to_a_directory_is_not_a_file [Write Symlinks] under open covers "write.link" "write.errors.not_a_file";
    a_target_keeps_its_mode [Write Symlinks Modes] under open covers "write.after.mode" "write.link";
}

fn synced() -> Policy {
    Policy::open()
}

async fn a_new_file_has_exactly_these_bytes(ws: Subject) -> Verdict {
    let written = ws.write("f", "a\r\nb\0c").await?;
    same("created", written.created, true)?;
    same("version", written.version, Version::of(b"a\r\nb\0c"))?;
    same("bytes", ws.read("f").await?, "a\r\nb\0c")
}

async fn a_replaced_file_has_exactly_these_bytes(ws: Subject) -> Verdict {
    ws.write("f", "a long old content").await?;
    let written = ws.write("f", "new").await?;
    same("created", written.created, false)?;
    same("version", written.version, Version::of(b"new"))?;
    same("bytes", ws.read("f").await?, "new")?;
    same("size", ws.stat("f").await?.size, 3)
}

async fn a_fast_write_is_whole_too(ws: Subject) -> Verdict {
    ws.write("f", "old").await?;
    ws.write("f", "new").await?;
    same("bytes", ws.read("f").await?, "new")
}

async fn an_empty_file_is_written(ws: Subject) -> Verdict {
    same("created", ws.write("f", "").await?.created, true)?;
    let entry = ws.stat("f").await?;
    same("kind and size", (entry.kind, entry.size), (Kind::File, 0))?;
    ws.write("g", "x").await?;
    ws.write("g", "").await?;
    same("size", ws.stat("g").await?.size, 0)
}

async fn a_large_file_is_written(ws: Subject) -> Verdict {
    let content: Vec<u8> = (0..=248).cycle().take(5 << 20).collect();
    let written = ws.write("f", &content).await?;
    same("version", written.version, Version::of(&content))?;
    holds("the bytes are the ones written", ws.read("f").await? == content)
}

async fn missing_parents_are_made(ws: Subject) -> Verdict {
    ws.write("a/b/c/f", "x").await?;
    same("bytes", ws.read("a/b/c/f").await?, "x")?;
    same("kind", ws.stat("a/b").await?.kind, Kind::Dir)
}

async fn a_missing_parent_is_refused_when_required(ws: Subject) -> Verdict {
    let put = Put { parents: Parents::Require, ..ANY };
    refused(ws.put("no/f", "x", put.clone()).await, Code::ParentNotFound)?;
    refused(ws.put("no/such/f", "x", put.clone()).await, Code::ParentNotFound)?;
    refused(ws.stat("no").await, Code::FileNotFound)?;
    ws.write("d/other", "x").await?;
    ws.put("d/f", "y", put.clone()).await?;
    ws.put("f", "z", put).await?;
    same("bytes", ws.read("d/f").await?, "y")
}

async fn a_file_on_the_way_is_not_a_directory(ws: Subject) -> Verdict {
    ws.write("f", "x").await?;
    for parents in [Parents::Create, Parents::Require] {
        let put = Put { parents, ..ANY };
        refused(ws.put("f/g", "y", put.clone()).await, Code::NotADirectory)?;
        refused(ws.put("f/g/h", "y", put).await, Code::NotADirectory)?;
    }
    same("bytes", ws.read("f").await?, "x")
}

async fn the_root_is_not_a_file(ws: Subject) -> Verdict {
    refused(ws.write("", "x").await, Code::NotAFile)?;
    same("tree", ws.tree().await?.len(), 0)
}

async fn a_directory_is_not_a_file(ws: Subject) -> Verdict {
    ws.write("d/f", "x").await?;
    refused(ws.write("d", "y").await, Code::NotAFile)?;
    same("bytes", ws.read("d/f").await?, "x")
}

async fn a_special_file_is_refused_at_once(ws: Subject) -> Verdict {
    ws.outside.fifo(&at("pipe")?)?;
    ws.outside.socket(&at("socket")?)?;
    refused(ws.write("pipe", "x").await, Code::NotAFile)?;
    refused(ws.write("socket", "x").await, Code::NotAFile)?;
    same("the pipe stays", ws.stat("pipe").await?.kind, Kind::Fifo)?;
    if ws.outside.device(&at("device")?).is_ok() {
        refused(ws.write("device", "x").await, Code::NotAFile)?;
        same("the device stays", ws.stat("device").await?.kind, Kind::Device)?;
    }
    Ok(())
}

async fn a_replaced_file_keeps_its_mode(ws: Subject) -> Verdict {
    for mode in [0o755, 0o600, 0o640] {
        ws.put("f", "old", Put { mode: Some(mode), ..ANY }).await?;
        ws.write("f", "new").await?;
        same("mode", ws.stat("f").await?.mode, Some(mode))?;
    }
    Ok(())
}

async fn a_replaced_file_keeps_owner_and_attributes(ws: Subject) -> Verdict {
    ws.write("f", "old").await?;
    ws.outside.mark(&at("f")?)?;
    ws.write("f", "new").await?;
    same("bytes", ws.read("f").await?, "new")?;
    holds("owner and attributes are kept", ws.outside.marked(&at("f")?)?)
}

async fn no_temporary_is_left(ws: Subject) -> Verdict {
    for number in 0..20 {
        ws.write("d/f", format!("content {number}")).await?;
    }
    same("what is listed", ws.names("d").await?, ["f"])?;
    nothing_hidden(&ws)
}

/// Claims that nothing but `d/f` is there, where one can look behind the backend.
fn nothing_hidden(ws: &Subject) -> Verdict {
    match ws.outside.everything() {
        Ok(found) => same("what is there", found, [b"d".to_vec(), b"d/f".to_vec()]),
        Err(_) => Ok(()),
    }
}

async fn a_refused_write_leaves_nothing(ws: Subject) -> Verdict {
    ws.write("d/f", "x").await?;
    let stale = crate::arrange::unchanged(Version::of(b"another"));
    refused(ws.put("d/f", "y", stale.clone()).await, Code::Conflict)?;
    refused(ws.put("d/f", "y", crate::arrange::ABSENT).await, Code::FileExists)?;
    refused(ws.put("new/dir/f", "y", stale).await, Code::Conflict)?;
    refused(ws.write("d", "y").await, Code::NotAFile)?;
    let tree = ws.tree().await?;
    let want = [(at("d")?, Seen::Dir), (at("d/f")?, Seen::File("x".into()))];
    same("tree", tree, want.into())?;
    nothing_hidden(&ws)
}

async fn nothing_appears_next_to_the_root(ws: Subject) -> Verdict {
    let before = ws.outside.beyond_now()?;
    refused(ws.write("", "x").await, Code::NotAFile)?;
    ws.write("f", "x").await?;
    same("what is beyond", ws.outside.beyond_now()?, before)
}

async fn a_link_stays_and_its_target_changes(ws: Subject) -> Verdict {
    ws.write("d/f", "old").await?;
    ws.symlink("l", "d/f")?;
    let written = ws.write("l", "new").await?;
    same("created", written.created, false)?;
    same("kind of the link", ws.stat("l").await?.kind, Kind::Symlink)?;
    same("kind of the target", ws.stat("d/f").await?.kind, Kind::File)?;
    same("bytes of the target", ws.read("d/f").await?, "new")?;
    let version = Version::of(b"new");
    ws.put("l", "newer", crate::arrange::unchanged(version)).await?;
    refused(ws.put("l", "x", crate::arrange::unchanged(version)).await, Code::Conflict)?;
    same("bytes of the target", ws.read("d/f").await?, "newer")?;
    same("names", ws.names("d").await?, ["f"])
}

async fn a_chain_of_links_stays(ws: Subject) -> Verdict {
    ws.write("d/f", "old").await?;
    ws.symlink("one", "two")?;
    ws.symlink("two", "d/three")?;
    ws.symlink("d/three", "../d/f")?;
    ws.write("one", "new").await?;
    for link in ["one", "two", "d/three"] {
        same(link, ws.stat(link).await?.kind, Kind::Symlink)?;
    }
    same("bytes", ws.read("d/f").await?, "new")
}

async fn a_link_on_the_way_is_followed(ws: Subject) -> Verdict {
    ws.write("real/x", "").await?;
    ws.symlink("l", "real")?;
    ws.write("l/sub/f", "new").await?;
    same("bytes", ws.read("real/sub/f").await?, "new")?;
    same("kind", ws.stat("l").await?.kind, Kind::Symlink)
}

async fn a_dangling_link_inside_creates_its_target(ws: Subject) -> Verdict {
    ws.write("d/x", "").await?;
    ws.symlink("l", "d/new")?;
    same("created", ws.write("l", "content").await?.created, true)?;
    same("kind", ws.stat("l").await?.kind, Kind::Symlink)?;
    same("bytes", ws.read("d/new").await?, "content")
}

async fn a_link_to_a_directory_is_not_a_file(ws: Subject) -> Verdict {
    ws.write("d/f", "x").await?;
    ws.symlink("l", "d")?;
    ws.symlink("root", ".")?;
    refused(ws.write("l", "y").await, Code::NotAFile)?;
    refused(ws.write("root", "y").await, Code::NotAFile)?;
    refused_as(
        ws.put("l", "y", crate::arrange::ABSENT).await,
        &[Code::NotAFile, Code::FileExists],
    )?;
    same("kind", ws.stat("l").await?.kind, Kind::Symlink)
}

async fn a_target_keeps_its_mode(ws: Subject) -> Verdict {
    ws.put("f", "old", Put { mode: Some(0o750), ..ANY }).await?;
    ws.symlink("l", "f")?;
    ws.write("l", "new").await?;
    same("mode", ws.stat("f").await?.mode, Some(0o750))
}
