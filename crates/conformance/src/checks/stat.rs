//! What `stat` says of one entry.

use garth_contract::{Code, Depth, Kind, Links, Put};

use crate::{
    Subject, Verdict,
    arrange::{ANY, at},
    check::{checks, open},
    stop::{holds, refused, same},
    time,
};

checks! { "stat"
    the_root_is_a_directory [] under open covers "stat.entry";
    a_file_shows_its_kind_and_size [Write] under open covers "stat.entry" "entry.size";
    a_directory_has_size_zero [Write EmptyDirs] under open covers "stat.entry" "entry.size";
    a_missing_entry_is_not_found [] under open covers "stat.errors.not_found";
    a_missing_directory_on_the_way_is_not_found [] under open covers "common.missing_on_the_way";
    a_file_on_the_way_is_not_a_directory [Write] under open covers "common.file_on_the_way";
    a_removed_file_is_not_found [Write] under open covers "stat.errors.not_found";
    the_mode_is_the_one_set [Write Modes] under open covers "entry.mode" "put.mode";
    the_time_is_the_one_of_the_content [Write] under open covers "entry.modified";
    a_link_is_kept_or_followed_as_asked [Symlinks] under open covers "stat.links" "links.keep" "links.follow";
    links_on_the_way_are_followed [Symlinks] under open covers "stat.links";
    a_chain_of_links_is_followed [Symlinks] under open covers "stat.links";
    a_dangling_link_is_there_but_leads_nowhere [Symlinks] under open covers "stat.links" "stat.errors.not_found";
    what_is_told_at_once_is_what_is_told_after_waiting [Write EmptyDirs] under open covers "stat_now.same";
    a_link_is_told_at_once_as_after_waiting [Write Symlinks] under open covers "stat_now.same";
    a_special_file_shows_its_kind [SpecialFiles] under open covers "stat.entry" "common.never_blocks" "abilities.truth";
}

async fn the_root_is_a_directory(ws: Subject) -> Verdict {
    let root = ws.stat("").await?;
    same("kind", root.kind, Kind::Dir)?;
    same("size", root.size, 0)?;
    holds("the root's path is the root", root.path.is_root())
}

async fn a_file_shows_its_kind_and_size(ws: Subject) -> Verdict {
    ws.write("d/f", "12345").await?;
    let entry = ws.stat("d/f").await?;
    same("kind", entry.kind, Kind::File)?;
    same("size", entry.size, 5)?;
    same("path", entry.path.as_bytes(), b"d/f".as_slice())?;
    same("followed", ws.follow("d/f").await?, entry)
}

async fn a_directory_has_size_zero(ws: Subject) -> Verdict {
    ws.make_dir("d").await?;
    let entry = ws.stat("d").await?;
    same("kind and size", (entry.kind, entry.size), (Kind::Dir, 0))
}

async fn a_missing_entry_is_not_found(ws: Subject) -> Verdict {
    refused(ws.stat("nope").await, Code::FileNotFound)?;
    refused(ws.follow("nope").await, Code::FileNotFound)
}

async fn a_missing_directory_on_the_way_is_not_found(ws: Subject) -> Verdict {
    refused(ws.stat("no/such/file").await, Code::FileNotFound)?;
    refused(ws.read("no/such/file").await, Code::FileNotFound)?;
    refused(ws.list("no/such/dir").await, Code::FileNotFound)
}

async fn a_file_on_the_way_is_not_a_directory(ws: Subject) -> Verdict {
    ws.write("f", "x").await?;
    refused(ws.stat("f/x").await, Code::NotADirectory)?;
    refused(ws.follow("f/x/y").await, Code::NotADirectory)?;
    refused(ws.read("f/x").await, Code::NotADirectory)?;
    refused(ws.list("f/x").await, Code::NotADirectory)
}

async fn a_removed_file_is_not_found(ws: Subject) -> Verdict {
    ws.write("f", "x").await?;
    ws.remove("f", Depth::One).await?;
    refused(ws.stat("f").await, Code::FileNotFound)
}

async fn the_mode_is_the_one_set(ws: Subject) -> Verdict {
    for mode in [0o600, 0o644, 0o755] {
        ws.put("f", "x", Put { mode: Some(mode), ..ANY }).await?;
        same("mode", ws.stat("f").await?.mode, Some(mode))?;
    }
    Ok(())
}

async fn the_time_is_the_one_of_the_content(ws: Subject) -> Verdict {
    let written = ws.write("f", "x").await?;
    same("the time after a write", ws.stat("f").await?.modified, written.modified)?;
    ws.outside.set_modified(&at("f")?, 1_000_000_000)?;
    same("a time set", ws.stat("f").await?.modified, Some(time(1_000_000_000)))
}

async fn a_link_is_kept_or_followed_as_asked(ws: Subject) -> Verdict {
    ws.plant("d/f", "12345").await?;
    ws.symlink("l", "d/f")?;
    let kept = ws.stat("l").await?;
    same("kept", (kept.kind, kept.size), (Kind::Symlink, 0))?;
    same("path", kept.path.as_bytes(), b"l".as_slice())?;
    let followed = ws.follow("l").await?;
    same("followed", (followed.kind, followed.size), (Kind::File, 5))
}

async fn links_on_the_way_are_followed(ws: Subject) -> Verdict {
    ws.plant("real/dir/f", "12345").await?;
    ws.symlink("l", "real/dir")?;
    same("kind", ws.stat("l/f").await?.kind, Kind::File)?;
    same("size", ws.stat("l/f").await?.size, 5)
}

async fn a_chain_of_links_is_followed(ws: Subject) -> Verdict {
    ws.plant("f", "12345").await?;
    ws.plant("d/x", "").await?;
    ws.symlink("one", "two")?;
    ws.symlink("two", "d/three")?;
    ws.symlink("d/three", "../f")?;
    same("size", ws.follow("one").await?.size, 5)
}

async fn a_dangling_link_is_there_but_leads_nowhere(ws: Subject) -> Verdict {
    ws.symlink("l", "nowhere")?;
    same("kind", ws.stat("l").await?.kind, Kind::Symlink)?;
    refused(ws.follow("l").await, Code::FileNotFound)
}

/// Looks at a path in both ways, and more than once: what was seen may be remembered.
async fn told_alike(ws: &Subject, path: &str) -> Verdict {
    for links in [Links::Keep, Links::Follow, Links::Keep, Links::Follow] {
        let at_once = ws.fs.stat_now(&at(path)?, links);
        let waited = ws.fs.stat(&at(path)?, links).await;
        if let Some(entry) = at_once {
            same("what is told at once", Ok(entry), waited)?;
        }
    }
    Ok(())
}

async fn what_is_told_at_once_is_what_is_told_after_waiting(ws: Subject) -> Verdict {
    told_alike(&ws, "").await?;
    for path in ["f", "d/f"] {
        told_alike(&ws, path).await?;
        for content in ["one", "another"] {
            ws.write(path, content).await?;
            told_alike(&ws, path).await?;
        }
        ws.remove(path, Depth::One).await?;
        told_alike(&ws, path).await?;
        ws.make_dir(path).await?;
        told_alike(&ws, path).await?;
        told_alike(&ws, &format!("{path}/missing")).await?;
    }
    Ok(())
}

async fn a_link_is_told_at_once_as_after_waiting(ws: Subject) -> Verdict {
    ws.write("d/f", "12345").await?;
    ws.write("l", "x").await?;
    told_alike(&ws, "l").await?;
    for target in ["d/f", "nowhere", "l", "../.."] {
        ws.outside.remove(&at("l")?)?;
        ws.symlink("l", target)?;
        told_alike(&ws, "l").await?;
    }
    Ok(())
}

async fn a_special_file_shows_its_kind(ws: Subject) -> Verdict {
    let path = at("x")?;
    ws.outside.fifo(&path)?;
    same("a pipe", ws.stat("x").await?.kind, Kind::Fifo)?;
    same("its size", ws.follow("x").await?.size, 0)?;
    ws.outside.remove(&path)?;
    ws.outside.socket(&path)?;
    same("a socket", ws.stat("x").await?.kind, Kind::Socket)?;
    ws.outside.remove(&path)?;
    // Not everybody may make a device.
    if ws.outside.device(&path).is_ok() {
        same("a device", ws.follow("x").await?.kind, Kind::Device)?;
    }
    Ok(())
}
