//! What `rename` moves, and where it refuses to.

use garth_contract::{Clobber, Code, Kind, Move, Parents, Put, Renamed};

use crate::{
    Subject, Verdict,
    arrange::{ANY, KEEP, REPLACE, at},
    check::{checks, open},
    stop::{refused, refused_as, same},
    time,
};

checks! { "rename"
    a_file_moves_with_its_content [Write Rename] under open covers "rename.moves" "rename.after" "renamed.replaced";
    a_directory_moves_whole [Write Rename] under open covers "rename.moves" "rename.after";
    an_empty_directory_moves [Write Rename EmptyDirs] under open covers "rename.moves";
    mode_and_time_move_along [Write Rename Modes] under open covers "rename.after.attributes";
    a_missing_source_is_not_found [Write Rename] under open covers "rename.errors.source_not_found";
    a_file_on_the_way_is_not_a_directory [Write Rename] under open covers "common.file_on_the_way";
    a_destination_that_is_there_stays [Write Rename] under open covers "rename.errors.destination_exists" "clobber.refuse";
    the_root_cannot_be_moved [Write Rename] under open covers "rename.errors.root";
    nothing_moves_over_the_root [Write Rename] under open covers "rename.errors.root";
    a_directory_does_not_move_into_itself [Write Rename] under open covers "rename.errors.subdirectory";
    a_missing_parent_is_refused_when_required [Write Rename] under open covers "rename.errors.parent_not_found" "parents.require";
    missing_parents_are_made [Write Rename] under open covers "parents.create";
    a_refused_move_makes_no_parents [Write Rename] under open covers "rename.errors.source_not_found" "parents.create";
    a_path_onto_itself_changes_nothing [Write Rename] under open covers "rename.after.itself";
    a_file_replaces_a_file [Write Rename] under open covers "clobber.replace" "renamed.replaced";
    a_directory_replaces_an_empty_directory [Write Rename EmptyDirs] under open covers "clobber.replace" "renamed.replaced";
    a_directory_does_not_replace_a_full_one [Write Rename] under open covers "rename.errors.replace";
    a_file_does_not_replace_a_directory [Write Rename EmptyDirs] under open covers "rename.errors.replace";
    a_directory_does_not_replace_a_file [Write Rename] under open covers "rename.errors.replace";
    nothing_replaces_its_own_parent [Write Rename] under open covers "rename.errors.replace";
    a_link_moves_and_its_target_stays [Write Rename Symlinks] under open covers "rename.link";
    a_link_at_the_destination_is_itself_replaced [Write Rename Symlinks] under open covers "rename.link" "clobber.replace";
    a_link_on_the_way_is_followed [Write Rename Symlinks] under open covers "rename.moves";
    a_directory_does_not_move_into_itself_through_a_link [Write Rename Symlinks] under open covers "rename.errors.subdirectory";
    a_way_through_a_link_up_is_not_below_it [Write Rename Symlinks] under open covers "rename.moves" "rename.after.itself";
    a_refused_move_through_a_link_makes_no_parents [Write Rename Symlinks] under open covers "rename.errors.subdirectory" "parents.create";
    two_names_of_one_file_become_one [Write Rename] under open covers "rename.after";
    a_special_file_moves [Write Rename SpecialFiles] under open covers "rename.moves" "common.never_blocks";
}

const CREATE: Move = Move { clobber: Clobber::Refuse, parents: Parents::Create };

async fn a_file_moves_with_its_content(ws: Subject) -> Verdict {
    ws.write("a", "x").await?;
    let renamed = ws.rename("a", "b", KEEP).await?;
    same("renamed", renamed, Renamed { kind: Kind::File, replaced: false })?;
    refused(ws.stat("a").await, Code::FileNotFound)?;
    same("bytes", ws.read("b").await?, "x")?;
    ws.write("d/other", "y").await?;
    ws.rename("b", "d/c", KEEP).await?;
    same("bytes", ws.read("d/c").await?, "x")?;
    same("names", ws.names("").await?, ["d"])
}

async fn a_directory_moves_whole(ws: Subject) -> Verdict {
    for path in ["a/f", "a/sub/g", "ab/f"] {
        ws.write(path, path).await?;
    }
    let renamed = ws.rename("a", "b", KEEP).await?;
    same("renamed", renamed, Renamed { kind: Kind::Dir, replaced: false })?;
    same("bytes", ws.read("b/f").await?, "a/f")?;
    same("bytes", ws.read("b/sub/g").await?, "a/sub/g")?;
    same("names", ws.names("").await?, ["ab", "b"])
}

async fn an_empty_directory_moves(ws: Subject) -> Verdict {
    ws.make_dir("a").await?;
    ws.rename("a", "b", KEEP).await?;
    same("names", ws.names("").await?, ["b"])?;
    same("kind", ws.stat("b").await?.kind, Kind::Dir)
}

async fn mode_and_time_move_along(ws: Subject) -> Verdict {
    ws.put("a", "x", Put { mode: Some(0o750), ..ANY }).await?;
    let before = ws.stat("a").await?;
    ws.rename("a", "b", KEEP).await?;
    let after = ws.stat("b").await?;
    same("mode and time", (after.mode, after.modified), (before.mode, before.modified))?;
    ws.outside.set_modified(&at("b")?, 1_000_000_000)?;
    ws.rename("b", "d/c", CREATE).await?;
    same("time", ws.stat("d/c").await?.modified, Some(time(1_000_000_000)))
}

async fn a_missing_source_is_not_found(ws: Subject) -> Verdict {
    for how in [KEEP, REPLACE, CREATE] {
        refused(ws.rename("nope", "b", how).await, Code::SourceNotFound)?;
        refused(ws.rename("no/such", "b", how).await, Code::SourceNotFound)?;
        refused(ws.rename("nope", "nope", how).await, Code::SourceNotFound)?;
    }
    same("tree", ws.tree().await?.len(), 0)
}

async fn a_file_on_the_way_is_not_a_directory(ws: Subject) -> Verdict {
    ws.write("f", "x").await?;
    ws.write("g", "y").await?;
    for how in [KEEP, REPLACE, CREATE] {
        refused(ws.rename("f/a", "b", how).await, Code::NotADirectory)?;
        refused(ws.rename("f", "g/b", how).await, Code::NotADirectory)?;
    }
    same("names", ws.names("").await?, ["f", "g"])
}

async fn a_destination_that_is_there_stays(ws: Subject) -> Verdict {
    for path in ["a", "b", "d/f", "e/f"] {
        ws.write(path, path).await?;
    }
    for (from, to) in [("a", "b"), ("a", "d"), ("d", "a"), ("d", "e"), ("d/f", "d")] {
        refused(ws.rename(from, to, KEEP).await, Code::DestinationExists)?;
        refused(ws.rename(from, to, CREATE).await, Code::DestinationExists)?;
    }
    for path in ["a", "b", "d/f", "e/f"] {
        same(path, ws.read(path).await?, path)?;
    }
    Ok(())
}

async fn the_root_cannot_be_moved(ws: Subject) -> Verdict {
    ws.write("d/f", "x").await?;
    for how in [KEEP, REPLACE, CREATE] {
        refused(ws.rename("", "new", how).await, Code::CannotDeleteRoot)?;
        refused(ws.rename("", "d", how).await, Code::CannotDeleteRoot)?;
    }
    same("bytes", ws.read("d/f").await?, "x")
}

async fn nothing_moves_over_the_root(ws: Subject) -> Verdict {
    ws.write("d/f", "x").await?;
    let codes = [Code::CannotDeleteRoot, Code::DestinationExists];
    refused_as(ws.rename("d", "", KEEP).await, &codes)?;
    refused(ws.rename("d", "", REPLACE).await, Code::CannotDeleteRoot)?;
    same("bytes", ws.read("d/f").await?, "x")
}

async fn a_directory_does_not_move_into_itself(ws: Subject) -> Verdict {
    ws.write("a/sub/f", "x").await?;
    for how in [KEEP, REPLACE, CREATE] {
        refused(ws.rename("a", "a/b", how).await, Code::CannotMoveToSubdirectory)?;
        refused(ws.rename("a", "a/sub/b", how).await, Code::CannotMoveToSubdirectory)?;
    }
    refused(ws.rename("a", "a/new/b", CREATE).await, Code::CannotMoveToSubdirectory)?;
    same("tree", ws.tree().await?.len(), 3)?;
    same("bytes", ws.read("a/sub/f").await?, "x")
}

async fn a_missing_parent_is_refused_when_required(ws: Subject) -> Verdict {
    ws.write("a", "x").await?;
    for how in [KEEP, REPLACE] {
        refused(ws.rename("a", "no/b", how).await, Code::ParentNotFound)?;
        refused(ws.rename("a", "no/such/b", how).await, Code::ParentNotFound)?;
    }
    same("names", ws.names("").await?, ["a"])
}

async fn missing_parents_are_made(ws: Subject) -> Verdict {
    ws.write("a", "x").await?;
    ws.rename("a", "b/c/d", CREATE).await?;
    same("bytes", ws.read("b/c/d").await?, "x")?;
    same("names", ws.names("").await?, ["b"])
}

async fn a_refused_move_makes_no_parents(ws: Subject) -> Verdict {
    ws.write("a", "x").await?;
    refused(ws.rename("nope", "b/c/d", CREATE).await, Code::SourceNotFound)?;
    same("names", ws.names("").await?, ["a"])
}

async fn a_path_onto_itself_changes_nothing(ws: Subject) -> Verdict {
    ws.write("a", "x").await?;
    ws.write("d/f", "y").await?;
    let before = (ws.stat("a").await?, ws.tree().await?);
    for how in [KEEP, REPLACE, CREATE] {
        let file = Renamed { kind: Kind::File, replaced: false };
        same("renamed", ws.rename("a", "a", how).await?, file)?;
        same("renamed", ws.rename("d", "d", how).await?, Renamed { kind: Kind::Dir, ..file })?;
    }
    same("entry and tree", (ws.stat("a").await?, ws.tree().await?), before)
}

async fn a_file_replaces_a_file(ws: Subject) -> Verdict {
    ws.write("a", "new").await?;
    ws.write("b", "old").await?;
    let renamed = ws.rename("a", "b", REPLACE).await?;
    same("renamed", renamed, Renamed { kind: Kind::File, replaced: true })?;
    same("bytes", ws.read("b").await?, "new")?;
    same("names", ws.names("").await?, ["b"])?;
    let renamed = ws.rename("b", "c", REPLACE).await?;
    same("renamed", renamed, Renamed { kind: Kind::File, replaced: false })
}

async fn a_directory_replaces_an_empty_directory(ws: Subject) -> Verdict {
    ws.write("a/f", "x").await?;
    ws.make_dir("b").await?;
    let renamed = ws.rename("a", "b", REPLACE).await?;
    same("renamed", renamed, Renamed { kind: Kind::Dir, replaced: true })?;
    same("bytes", ws.read("b/f").await?, "x")?;
    same("names", ws.names("").await?, ["b"])
}

async fn a_directory_does_not_replace_a_full_one(ws: Subject) -> Verdict {
    ws.write("a/f", "x").await?;
    ws.write("b/g", "y").await?;
    refused(ws.rename("a", "b", REPLACE).await, Code::DirectoryNotEmpty)?;
    same("bytes", ws.read("a/f").await?, "x")?;
    same("bytes", ws.read("b/g").await?, "y")
}

async fn a_file_does_not_replace_a_directory(ws: Subject) -> Verdict {
    ws.write("a", "x").await?;
    ws.make_dir("empty").await?;
    ws.write("full/f", "y").await?;
    refused(ws.rename("a", "empty", REPLACE).await, Code::NotAFile)?;
    let codes = [Code::NotAFile, Code::DirectoryNotEmpty];
    refused_as(ws.rename("a", "full", REPLACE).await, &codes)?;
    same("names", ws.names("").await?, ["a", "empty", "full"])
}

async fn a_directory_does_not_replace_a_file(ws: Subject) -> Verdict {
    ws.write("d/f", "x").await?;
    ws.write("a", "y").await?;
    refused(ws.rename("d", "a", REPLACE).await, Code::NotADirectory)?;
    same("bytes", ws.read("a").await?, "y")?;
    same("bytes", ws.read("d/f").await?, "x")
}

async fn nothing_replaces_its_own_parent(ws: Subject) -> Verdict {
    ws.write("a/b/c", "x").await?;
    refused(ws.rename("a/b", "a", REPLACE).await, Code::DirectoryNotEmpty)?;
    let codes = [Code::NotAFile, Code::DirectoryNotEmpty];
    refused_as(ws.rename("a/b/c", "a/b", REPLACE).await, &codes)?;
    same("bytes", ws.read("a/b/c").await?, "x")
}

async fn a_link_moves_and_its_target_stays(ws: Subject) -> Verdict {
    ws.write("d/f", "x").await?;
    ws.symlink("l", "d/f")?;
    ws.symlink("m", "d")?;
    ws.symlink("dangling", "nowhere")?;
    for name in ["l", "m", "dangling"] {
        let renamed = ws.rename(name, format!("{name}2"), KEEP).await?;
        same("renamed", renamed, Renamed { kind: Kind::Symlink, replaced: false })?;
        refused(ws.stat(name).await, Code::FileNotFound)?;
    }
    same("bytes through it", ws.read("l2").await?, "x")?;
    same("bytes through it", ws.read("m2/f").await?, "x")?;
    same("names", ws.names("").await?, ["d", "dangling2", "l2", "m2"])
}

async fn a_link_at_the_destination_is_itself_replaced(ws: Subject) -> Verdict {
    ws.write("target", "old").await?;
    ws.write("a", "new").await?;
    ws.symlink("l", "target")?;
    ws.symlink("dangling", "nowhere")?;
    refused(ws.rename("a", "l", KEEP).await, Code::DestinationExists)?;
    refused(ws.rename("a", "dangling", KEEP).await, Code::DestinationExists)?;
    let renamed = ws.rename("a", "l", REPLACE).await?;
    same("renamed", renamed, Renamed { kind: Kind::File, replaced: true })?;
    same("kind", ws.stat("l").await?.kind, Kind::File)?;
    same("bytes of the target", ws.read("target").await?, "old")?;
    same("bytes", ws.read("l").await?, "new")
}

async fn a_link_on_the_way_is_followed(ws: Subject) -> Verdict {
    ws.write("real/f", "x").await?;
    ws.symlink("l", "real")?;
    ws.rename("l/f", "l/g", KEEP).await?;
    same("names", ws.names("real").await?, ["g"])?;
    // Two texts of one path: the same entry, or a destination that is there.
    if let Err(error) = ws.rename("real/g", "l/g", KEEP).await {
        same("code", error.code(), Code::DestinationExists)?;
    }
    same("bytes", ws.read("real/g").await?, "x")
}

async fn a_directory_does_not_move_into_itself_through_a_link(ws: Subject) -> Verdict {
    ws.write("a/sub/f", "x").await?;
    ws.symlink("l", "a/sub")?;
    refused(ws.rename("a", "l/b", KEEP).await, Code::CannotMoveToSubdirectory)?;
    same("bytes", ws.read("a/sub/f").await?, "x")
}

async fn a_way_through_a_link_up_is_not_below_it(ws: Subject) -> Verdict {
    ws.write("b/f", "x").await?;
    ws.symlink("b/up", "..")?;
    let moved = Renamed { kind: Kind::Dir, replaced: false };
    same("onto itself", ws.rename("b/up/b", "b/up/b", KEEP).await?, moved)?;
    same("elsewhere", ws.rename("b/up/b", "b/up/c", KEEP).await?, moved)?;
    same("bytes", ws.read("c/f").await?, "x")?;
    same("names", ws.names("").await?, ["c"])
}

async fn a_refused_move_through_a_link_makes_no_parents(ws: Subject) -> Verdict {
    ws.write("a/f", "x").await?;
    ws.symlink("l", "a")?;
    refused(ws.rename("a", "l/new/b", CREATE).await, Code::CannotMoveToSubdirectory)?;
    same("names", ws.names("a").await?, ["f"])
}

async fn two_names_of_one_file_become_one(ws: Subject) -> Verdict {
    ws.write("a", "x").await?;
    ws.outside.hard_link(&at("a")?, &at("b")?)?;
    ws.rename("a", "b", REPLACE).await?;
    same("names", ws.names("").await?, ["b"])?;
    same("bytes", ws.read("b").await?, "x")
}

async fn a_special_file_moves(ws: Subject) -> Verdict {
    ws.outside.fifo(&at("p")?)?;
    same("kind", ws.rename("p", "q", KEEP).await?.kind, Kind::Fifo)?;
    same("kind", ws.stat("q").await?.kind, Kind::Fifo)
}
