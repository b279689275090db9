//! How a staged tree lands: what it joins, what it replaces, and when not at all.

use garth_contract::{Clobber, Code, Part, Stamp};

use super::stage::{bytes, dir, file, link, settled};
use crate::{
    Subject, Verdict,
    arrange::{KEEP, at},
    check::{checks, open},
    drops::{cut, everywhere},
    stop::{holds, refused, same},
};

checks! { "landing"
    directories_join [Trees Write EmptyDirs] under open covers "staging.land.joins" "staging.land.whole";
    a_directory_that_is_joined_keeps_its_mode [Trees Write Modes] under open covers "staging.land.joins";
    what_is_there_stays [Trees Write EmptyDirs Symlinks] under open covers "staging.land.errors.exists" "staging.land.after" "staging.land.after.error";
    what_is_there_is_replaced_when_asked [Trees Write Symlinks] under open covers "staging.land" "landed.replaced";
    a_directory_replaces_nothing_else [Trees Write EmptyDirs] under open covers "staging.land.errors.not_a_directory" "staging.land.errors.not_a_file" "staging.land.after.error";
    a_link_in_its_place_is_not_followed [Trees Write Symlinks] under open covers "staging.land.joins" "common.nothing_outside";
    a_base_that_was_moved_is_a_conflict [Trees Write Rename EmptyDirs] under open covers "staging.land.errors.conflict";
    a_dropped_landing_is_whole_or_not_at_all [Trees Write EmptyDirs] under open covers "staging.land.cancel";
    the_second_of_two_stages_finds_the_first [Trees Write] under open covers "staging.land.errors.exists";
}

async fn directories_join(ws: Subject) -> Verdict {
    ws.write("d/sub/old", "old").await?;
    ws.write("other", "x").await?;
    let mut stage = ws.stage("").await?;
    stage.add(vec![dir("d")?, dir("d/sub")?, file("d/sub/new")?, bytes("new")]).await?;
    stage.add(vec![file("d/whole/tree/f")?, bytes("f"), dir("d/sub/empty")?]).await?;
    stage.land(Clobber::Refuse).await?;
    same("names", ws.names("").await?, ["d", "other"])?;
    same("names", ws.names("d").await?, ["sub", "whole"])?;
    same("names", ws.names("d/sub").await?, ["empty", "new", "old"])?;
    same("bytes", ws.read("d/sub/old").await?, "old")?;
    same("bytes", ws.read("d/sub/new").await?, "new")?;
    same("bytes", ws.read("d/whole/tree/f").await?, "f")?;
    settled(&ws).await
}

async fn a_directory_that_is_joined_keeps_its_mode(ws: Subject) -> Verdict {
    ws.write("d/f", "x").await?;
    let before = ws.stat("d").await?.mode;
    let mut stage = ws.stage("").await?;
    let stamp = Stamp { mode: Some(0o700), modified: None };
    stage.add(vec![Part::Dir { path: at("d")?, stamp }, file("d/g")?]).await?;
    stage.land(Clobber::Refuse).await?;
    same("mode", ws.stat("d").await?.mode, before)
}

async fn what_is_there_stays(ws: Subject) -> Verdict {
    ws.write("d/f", "old").await?;
    ws.make_dir("z").await?;
    ws.symlink("d/l", "f")?;
    let before = ws.tree().await?;
    let really = ws.outside.everything();
    for taken in [file("d/f")?, file("d/l")?, link("d/f", "x")?, link("d/l", "f")?, dir("d/f")?] {
        for late in [file("z")?, taken] {
            // What stands before and after it would have room.
            let parts = vec![file("a")?, bytes("new"), file("d/a")?, late, file("zz/new")?];
            let mut stage = ws.stage("").await?;
            stage.add(parts).await?;
            refused(stage.land(Clobber::Refuse).await, Code::DestinationExists)?;
            same("tree", ws.tree().await?, before.clone())?;
            same("really", ws.outside.everything(), really.clone())?;
        }
    }
    Ok(())
}

async fn what_is_there_is_replaced_when_asked(ws: Subject) -> Verdict {
    ws.write("d/f", "old").await?;
    ws.write("d/kept", "kept").await?;
    ws.symlink("d/l", "kept")?;
    ws.symlink("d/m", "kept")?;
    let mut stage = ws.stage("").await?;
    stage.add(vec![file("d/f")?, bytes("new"), file("d/l")?, bytes("was a link")]).await?;
    stage.add(vec![link("d/m", "f")?, file("d/n")?]).await?;
    same("replaced", stage.land(Clobber::Replace).await?.replaced, 3)?;
    same("names", ws.names("d").await?, ["f", "kept", "l", "m", "n"])?;
    same("bytes", ws.read("d/f").await?, "new")?;
    same("bytes", ws.read("d/l").await?, "was a link")?;
    same("bytes", ws.read("d/kept").await?, "kept")?;
    same("target", ws.read_link("d/m").await?, "f")?;
    settled(&ws).await
}

async fn a_directory_replaces_nothing_else(ws: Subject) -> Verdict {
    ws.write("b", "file").await?;
    ws.write("c/f", "in a directory").await?;
    ws.make_dir("e").await?;
    ws.write("a", "old").await?;
    let before = ws.tree().await?;
    let really = ws.outside.everything();
    for (taken, code) in [
        (dir("b")?, Code::NotADirectory),
        (file("b/below")?, Code::NotADirectory),
        (file("c")?, Code::NotAFile),
        (link("e", "x")?, Code::NotAFile),
    ] {
        let mut stage = ws.stage("").await?;
        stage.add(vec![file("a")?, bytes("new"), file("new")?, taken]).await?;
        refused(stage.land(Clobber::Replace).await, code)?;
        same("tree", ws.tree().await?, before.clone())?;
        same("really", ws.outside.everything(), really.clone())?;
    }
    Ok(())
}

async fn a_link_in_its_place_is_not_followed(ws: Subject) -> Verdict {
    ws.write("real/f", "x").await?;
    ws.symlink("l", "real")?;
    let mut links = vec!["l"];
    if ws.outside.beyond().is_ok() {
        ws.link_out("out", "dir")?;
        links.push("out");
    }
    let before = ws.tree().await?;
    let beyond = ws.outside.beyond_now();
    for path in links {
        for (clobber, code) in
            [(Clobber::Refuse, Code::DestinationExists), (Clobber::Replace, Code::NotADirectory)]
        {
            let mut stage = ws.stage("").await?;
            stage.add(vec![file(&format!("{path}/inner"))?, bytes("changed")]).await?;
            refused(stage.land(clobber).await, code)?;
        }
    }
    same("tree", ws.tree().await?, before)?;
    same("beyond", ws.outside.beyond_now(), beyond)
}

async fn a_base_that_was_moved_is_a_conflict(ws: Subject) -> Verdict {
    ws.make_dir("a/base").await?;
    let mut stage = ws.stage("a/base").await?;
    stage.add(vec![file("f")?, link("up", "../../x")?]).await?;
    ws.rename("a/base", "base", KEEP).await?;
    refused(stage.land(Clobber::Refuse).await, Code::Conflict)?;
    same("names", ws.names("base").await?, [""; 0])?;
    ws.make_dir("b").await?;
    let mut stage = ws.stage("b").await?;
    stage.add(vec![file("f")?]).await?;
    ws.remove("b", garth_contract::Depth::All).await?;
    refused(stage.land(Clobber::Refuse).await, Code::Conflict)?;
    refused(ws.stat("b").await, Code::FileNotFound)
}

async fn a_dropped_landing_is_whole_or_not_at_all(ws: Subject) -> Verdict {
    let ws = &ws;
    everywhere(async |number, drops| {
        let base = format!("b{number}");
        ws.write(format!("{base}/d/old"), "old").await?;
        let mut stage = ws.stage(&base).await?;
        stage.add(vec![file("d/f")?, bytes("x"), file("d/old")?, bytes("new")]).await?;
        stage.add(vec![file("a")?, file("z/deep")?, dir("d/e")?]).await?;
        let ended = cut(drops, stage.land(Clobber::Replace)).await;
        settled(ws).await?;
        let names = ws.names(&base).await?;
        let whole = names == ["a", "d", "z"];
        holds("it landed whole or not at all", whole || names == ["d"])?;
        let inside: &[&str] = if whole { &["e", "f", "old"] } else { &["old"] };
        same("names", ws.names(format!("{base}/d")).await?, inside)?;
        let old = ws.read(format!("{base}/d/old")).await?;
        same("bytes", old, if whole { "new" } else { "old" })?;
        Ok(ended.transpose()?.is_some())
    })
    .await
}

async fn the_second_of_two_stages_finds_the_first(ws: Subject) -> Verdict {
    let mut one = ws.stage("").await?;
    let mut other = ws.stage("").await?;
    one.add(vec![file("d/f")?, bytes("one")]).await?;
    other.add(vec![file("d/f")?, bytes("other")]).await?;
    one.land(Clobber::Refuse).await?;
    refused(other.land(Clobber::Refuse).await, Code::DestinationExists)?;
    same("bytes", ws.read("d/f").await?, "one")?;
    settled(&ws).await
}
