//! What `remove` takes away, and what it leaves alone.

use garth_contract::{Code, Depth, Kind, Removed};

use crate::{
    Subject, Verdict,
    arrange::at,
    check::{checks, open},
    stop::{refused, same},
};

checks! { "remove"
    a_file_is_gone [Write] under open covers "remove.entry" "remove.after" "removed.count" "depth.one" "depth.all";
    an_empty_directory_is_gone [Write EmptyDirs] under open covers "remove.entry" "depth.one";
    a_directory_that_is_not_empty_stays [Write] under open covers "remove.errors.not_empty" "depth.one";
    a_tree_is_gone_and_counted [Write] under open covers "depth.all" "removed.count" "remove.after";
    a_wide_tree_is_gone [Write] under open covers "depth.all" "removed.count";
    nothing_next_to_it_is_changed [Write] under open covers "remove.after.nothing_else";
    the_root_cannot_be_removed [Write] under open covers "remove.errors.root";
    a_missing_entry_is_not_found [Write] under open covers "remove.errors.not_found";
    a_file_on_the_way_is_not_a_directory [Write] under open covers "common.file_on_the_way";
    a_link_goes_and_its_target_stays [Write Symlinks] under open covers "remove.link";
    a_dangling_link_goes [Write Symlinks] under open covers "remove.link";
    links_in_a_tree_go_and_their_targets_stay [Write Symlinks] under open covers "remove.link" "remove.after.nothing_else";
    a_link_on_the_way_is_followed [Write Symlinks] under open covers "remove.entry";
    special_files_go [Write SpecialFiles] under open covers "remove.entry" "common.never_blocks" "removed.count";
    a_path_is_free_again [Write] under open covers "remove.after";
}

async fn a_file_is_gone(ws: Subject) -> Verdict {
    for depth in [Depth::One, Depth::All] {
        ws.write("f", "x").await?;
        same("removed", ws.remove("f", depth).await?, Removed { kind: Kind::File, count: 1 })?;
        refused(ws.stat("f").await, Code::FileNotFound)?;
        same("names", ws.names("").await?, Vec::<String>::new())?;
    }
    Ok(())
}

async fn an_empty_directory_is_gone(ws: Subject) -> Verdict {
    for depth in [Depth::One, Depth::All] {
        ws.make_dir("d").await?;
        same("removed", ws.remove("d", depth).await?, Removed { kind: Kind::Dir, count: 1 })?;
        refused(ws.stat("d").await, Code::FileNotFound)?;
    }
    Ok(())
}

async fn a_directory_that_is_not_empty_stays(ws: Subject) -> Verdict {
    ws.write("d/f", "x").await?;
    refused(ws.remove("d", Depth::One).await, Code::DirectoryNotEmpty)?;
    same("bytes", ws.read("d/f").await?, "x")
}

async fn a_tree_is_gone_and_counted(ws: Subject) -> Verdict {
    for path in ["d/a", "d/b/c", "d/b/d/e", "d/b/.hidden"] {
        ws.write(path, "x").await?;
    }
    let removed = ws.remove("d", Depth::All).await?;
    same("removed", removed, Removed { kind: Kind::Dir, count: 7 })?;
    same("tree", ws.tree().await?.len(), 0)
}

async fn a_wide_tree_is_gone(ws: Subject) -> Verdict {
    for number in 0..1_000 {
        ws.write(format!("d/{}/{number}", number % 10), "").await?;
    }
    let removed = ws.remove("d", Depth::All).await?;
    same("removed", removed, Removed { kind: Kind::Dir, count: 1_011 })?;
    same("tree", ws.tree().await?.len(), 0)
}

async fn nothing_next_to_it_is_changed(ws: Subject) -> Verdict {
    for path in ["d/f", "da/f", "d.txt", "x/d/f", "D/f"] {
        ws.write(path, "x").await?;
    }
    ws.remove("d", Depth::All).await?;
    for path in ["da/f", "d.txt", "x/d/f", "D/f"] {
        same(path, ws.read(path).await?, "x")?;
    }
    same("names", ws.names("").await?, ["D", "d.txt", "da", "x"])
}

async fn the_root_cannot_be_removed(ws: Subject) -> Verdict {
    refused(ws.remove("", Depth::One).await, Code::CannotDeleteRoot)?;
    ws.write("f", "x").await?;
    refused(ws.remove("", Depth::One).await, Code::CannotDeleteRoot)?;
    refused(ws.remove("", Depth::All).await, Code::CannotDeleteRoot)?;
    same("bytes", ws.read("f").await?, "x")
}

async fn a_missing_entry_is_not_found(ws: Subject) -> Verdict {
    for depth in [Depth::One, Depth::All] {
        refused(ws.remove("nope", depth).await, Code::FileNotFound)?;
        refused(ws.remove("no/such", depth).await, Code::FileNotFound)?;
    }
    Ok(())
}

async fn a_file_on_the_way_is_not_a_directory(ws: Subject) -> Verdict {
    ws.write("f", "x").await?;
    refused(ws.remove("f/g", Depth::One).await, Code::NotADirectory)?;
    refused(ws.remove("f/g", Depth::All).await, Code::NotADirectory)?;
    same("bytes", ws.read("f").await?, "x")
}

async fn a_link_goes_and_its_target_stays(ws: Subject) -> Verdict {
    ws.write("d/f", "x").await?;
    for (target, depth) in
        [("d/f", Depth::One), ("d", Depth::One), ("d", Depth::All), (".", Depth::All)]
    {
        ws.symlink("l", target)?;
        let removed = ws.remove("l", depth).await?;
        same("removed", removed, Removed { kind: Kind::Symlink, count: 1 })?;
        refused(ws.stat("l").await, Code::FileNotFound)?;
        same("bytes of the target", ws.read("d/f").await?, "x")?;
    }
    Ok(())
}

async fn a_dangling_link_goes(ws: Subject) -> Verdict {
    ws.symlink("l", "nowhere")?;
    ws.symlink("loop", "loop")?;
    ws.remove("l", Depth::One).await?;
    ws.remove("loop", Depth::All).await?;
    same("tree", ws.tree().await?.len(), 0)
}

async fn links_in_a_tree_go_and_their_targets_stay(ws: Subject) -> Verdict {
    ws.write("keep/f", "x").await?;
    ws.write("d/f", "x").await?;
    ws.symlink("d/l", "../keep")?;
    ws.symlink("d/root", "..")?;
    let removed = ws.remove("d", Depth::All).await?;
    same("removed", removed, Removed { kind: Kind::Dir, count: 4 })?;
    same("bytes of the target", ws.read("keep/f").await?, "x")?;
    if ws.outside.beyond().is_ok() {
        ws.write("d/f", "x").await?;
        ws.link_out("d/out", "dir")?;
        let before = ws.outside.beyond_now()?;
        ws.remove("d", Depth::All).await?;
        same("what is beyond", ws.outside.beyond_now()?, before)?;
    }
    same("names", ws.names("").await?, ["keep"])
}

async fn a_link_on_the_way_is_followed(ws: Subject) -> Verdict {
    ws.write("real/f", "x").await?;
    ws.write("real/g", "x").await?;
    ws.symlink("l", "real")?;
    ws.remove("l/f", Depth::One).await?;
    same("names", ws.names("real").await?, ["g"])
}

async fn special_files_go(ws: Subject) -> Verdict {
    ws.outside.fifo(&at("p")?)?;
    same("removed", ws.remove("p", Depth::One).await?, Removed { kind: Kind::Fifo, count: 1 })?;
    ws.write("d/f", "x").await?;
    ws.outside.fifo(&at("d/p")?)?;
    ws.outside.socket(&at("d/s")?)?;
    same("removed", ws.remove("d", Depth::All).await?, Removed { kind: Kind::Dir, count: 4 })?;
    same("tree", ws.tree().await?.len(), 0)
}

async fn a_path_is_free_again(ws: Subject) -> Verdict {
    ws.write("x", "file").await?;
    ws.remove("x", Depth::One).await?;
    ws.write("x/y", "now a directory").await?;
    ws.remove("x", Depth::All).await?;
    ws.write("x", "a file again").await?;
    same("bytes", ws.read("x").await?, "a file again")
}
