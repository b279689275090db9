//! What `make_dir` makes, and when it refuses.

use garth_contract::{Code, Kind, Made, Parents};

use crate::{
    Subject, Verdict,
    arrange::at,
    check::{checks, open},
    stop::{holds, refused, same},
};

checks! { "make_dir"
    a_directory_is_made [Write EmptyDirs] under open covers "make_dir.makes" "make_dir.after" "made.created";
    a_directory_that_is_there_existed [Write] under open covers "make_dir.after" "made.existed";
    the_root_existed [Write] under open covers "made.existed";
    missing_parents_are_made [Write EmptyDirs] under open covers "parents.create" "make_dir.makes";
    a_missing_parent_is_refused_when_required [Write EmptyDirs] under open covers "make_dir.errors.parent_not_found" "parents.require";
    a_file_in_its_place_exists [Write] under open covers "make_dir.errors.exists";
    a_file_on_the_way_is_not_a_directory [Write] under open covers "common.file_on_the_way";
    a_link_to_a_file_exists [Write Symlinks] under open covers "make_dir.errors.exists";
    a_special_file_exists [Write SpecialFiles] under open covers "make_dir.errors.exists" "common.never_blocks";
    a_link_on_the_way_is_followed [Write EmptyDirs Symlinks] under open covers "make_dir.makes";
    a_link_to_a_directory_stays [Write Symlinks] under open covers "make_dir.after";
    a_directory_that_cannot_be_listed_is_passed_through [Write EmptyDirs Modes] under open covers "make_dir.makes";
    several_at_once_all_succeed_and_one_made_it [Write EmptyDirs] under open covers "make_dir.after.once";
    several_at_once_make_their_parents_once [Write EmptyDirs] under open covers "make_dir.after.once" "parents.create";
}

async fn a_directory_is_made(ws: Subject) -> Verdict {
    same("made", ws.fs.make_dir(&at("d")?, Parents::Require).await?, Made::Created)?;
    same("kind", ws.stat("d").await?.kind, Kind::Dir)?;
    ws.write("d/f", "x").await?;
    same("names", ws.names("d").await?, ["f"])
}

async fn a_directory_that_is_there_existed(ws: Subject) -> Verdict {
    ws.write("d/f", "x").await?;
    for parents in [Parents::Create, Parents::Require] {
        same("made", ws.fs.make_dir(&at("d")?, parents).await?, Made::Existed)?;
    }
    same("names", ws.names("d").await?, ["f"])
}

async fn the_root_existed(ws: Subject) -> Verdict {
    for parents in [Parents::Create, Parents::Require] {
        same("made", ws.fs.make_dir(&at("")?, parents).await?, Made::Existed)?;
    }
    Ok(())
}

async fn missing_parents_are_made(ws: Subject) -> Verdict {
    same("made", ws.make_dir("a/b/c").await?, Made::Created)?;
    same("made", ws.make_dir("a/b/d").await?, Made::Created)?;
    same("made", ws.make_dir("a/b").await?, Made::Existed)?;
    same("names", ws.names("a/b").await?, ["c", "d"])
}

async fn a_missing_parent_is_refused_when_required(ws: Subject) -> Verdict {
    for path in ["a/b", "a/b/c"] {
        refused(ws.fs.make_dir(&at(path)?, Parents::Require).await, Code::ParentNotFound)?;
    }
    same("tree", ws.tree().await?.len(), 0)
}

async fn a_file_in_its_place_exists(ws: Subject) -> Verdict {
    ws.write("f", "x").await?;
    for parents in [Parents::Create, Parents::Require] {
        refused(ws.fs.make_dir(&at("f")?, parents).await, Code::FileExists)?;
    }
    same("bytes", ws.read("f").await?, "x")
}

async fn a_file_on_the_way_is_not_a_directory(ws: Subject) -> Verdict {
    ws.write("f", "x").await?;
    for parents in [Parents::Create, Parents::Require] {
        refused(ws.fs.make_dir(&at("f/d")?, parents).await, Code::NotADirectory)?;
        refused(ws.fs.make_dir(&at("f/d/e")?, parents).await, Code::NotADirectory)?;
    }
    same("bytes", ws.read("f").await?, "x")
}

async fn a_link_to_a_file_exists(ws: Subject) -> Verdict {
    ws.write("f", "x").await?;
    ws.symlink("l", "f")?;
    refused(ws.make_dir("l").await, Code::FileExists)?;
    refused(ws.make_dir("l/d").await, Code::NotADirectory)
}

async fn a_special_file_exists(ws: Subject) -> Verdict {
    ws.outside.fifo(&at("pipe")?)?;
    refused(ws.make_dir("pipe").await, Code::FileExists)?;
    refused(ws.make_dir("pipe/d").await, Code::NotADirectory)
}

async fn a_link_on_the_way_is_followed(ws: Subject) -> Verdict {
    ws.make_dir("real").await?;
    ws.symlink("l", "real")?;
    same("made", ws.make_dir("l/a/b").await?, Made::Created)?;
    same("kind", ws.stat("real/a/b").await?.kind, Kind::Dir)?;
    same("kind", ws.stat("l").await?.kind, Kind::Symlink)
}

async fn a_link_to_a_directory_stays(ws: Subject) -> Verdict {
    ws.write("d/f", "x").await?;
    ws.symlink("l", "d")?;
    // The contract leaves open whether the link or its target is meant.
    match ws.make_dir("l").await {
        Ok(made) => same("made", made, Made::Existed)?,
        Err(error) => same("code", error.code(), Code::FileExists)?,
    }
    same("kind", ws.stat("l").await?.kind, Kind::Symlink)
}

async fn a_directory_that_cannot_be_listed_is_passed_through(ws: Subject) -> Verdict {
    ws.make_dir("a/b").await?;
    ws.outside.set_mode(&at("a")?, 0o111)?;
    same("made", ws.make_dir("a/b/c/d").await?, Made::Created)?;
    ws.write("a/b/c/d/f", "x").await?;
    same("bytes", ws.read("a/b/c/d/f").await?, "x")?;
    ws.outside.set_mode(&at("a")?, 0o755)?;
    Ok(())
}

async fn several_at_once_all_succeed_and_one_made_it(ws: Subject) -> Verdict {
    for round in 0..20 {
        at_once(&ws, &format!("d{round}")).await?;
    }
    Ok(())
}

async fn several_at_once_make_their_parents_once(ws: Subject) -> Verdict {
    for round in 0..20 {
        at_once(&ws, &format!("r{round}/a/b/c")).await?;
    }
    Ok(())
}

async fn at_once(ws: &Subject, path: &str) -> Verdict {
    let mut makers = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (fs, path) = (ws.fs.clone(), at(path)?);
        makers.spawn(async move { fs.make_dir(&path, Parents::Create).await });
    }
    let mut created = 0;
    for made in makers.join_all().await {
        match made? {
            Made::Created => created += 1,
            Made::Existed => {}
        }
    }
    same("how many made it", created, 1)?;
    holds("it is there", ws.stat(path).await?.kind == Kind::Dir)
}
