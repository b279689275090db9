//! Links that leave the workspace, loop or dangle: nothing outside is reached.

use garth_contract::{Code, Depth, Kind, Query, WatchSpec};

use crate::{
    SECRET, Subject, Verdict,
    arrange::{ABSENT, KEEP, REPLACE, at, everything, lines},
    check::{checks, open},
    stop::{failed, holds, refused, refused_as, same},
};

checks! { "links"
    a_link_out_is_refused_by_every_call [Write Symlinks] under open covers "common.outside" "common.nothing_outside";
    a_relative_link_out_is_refused_too [Write Symlinks] under open covers "common.outside" "common.nothing_outside";
    a_link_out_on_the_way_is_refused_by_every_call [Write Rename Symlinks] under open covers "common.outside" "common.nothing_outside";
    a_chain_that_leaves_is_refused [Write Symlinks] under open covers "common.outside";
    nothing_is_created_through_a_dangling_link_out [Write Symlinks] under open covers "common.outside" "common.nothing_outside";
    what_is_outside_and_what_is_missing_look_alike [Symlinks] under open covers "common.nothing_outside";
    a_link_out_is_itself_an_entry [Write Rename Symlinks] under open covers "stat.links" "remove.link" "rename.link" "common.nothing_outside";
    a_search_does_not_leave [Write Find Symlinks] under open covers "find.links" "common.nothing_outside";
    a_watch_does_not_leave [Watch Symlinks] under open covers "common.outside";
    an_absolute_link_inside_is_followed [Write Symlinks] under open covers "links.follow" "write.link";
    an_absolute_link_goes_by_whole_components [Symlinks] under open covers "common.outside";
    a_link_that_climbs_out_is_refused_even_if_it_comes_back [Write Symlinks] under open covers "common.outside" "common.nothing_outside";
    a_link_may_name_what_is_not_text [Write Symlinks AnyNames] under open covers "read.link";
    a_loop_is_an_invalid_path [Write Symlinks] under open covers "common.loop";
    a_link_to_a_directory_and_a_child_of_it [Write Symlinks] under open covers "read.link" "list.link" "write.link";
    a_dot_behind_a_file_is_not_a_directory [Write Symlinks] under open covers "common.file_on_the_way";
    a_magic_link_is_refused [Write Symlinks] under open covers "common.outside";
}

/// Claims that nothing changed beyond the workspace.
fn untouched(ws: &Subject) -> Verdict {
    let beyond = ws.outside.beyond_now()?;
    let want = [(b"dir/inner".to_vec(), SECRET.to_vec()), (b"secret".to_vec(), SECRET.to_vec())];
    same("what is beyond", beyond, want.into())
}

/// Every call that would follow this path to a file refuses.
async fn every_call_refuses(ws: &Subject, path: &str) -> Verdict {
    refused(ws.follow(path).await, Code::PathOutsideWorkspace)?;
    refused(ws.read(path).await, Code::PathOutsideWorkspace)?;
    refused(ws.list(path).await, Code::PathOutsideWorkspace)?;
    refused(ws.write(path, "x").await, Code::PathOutsideWorkspace)?;
    // A link there is already something, whatever it points to.
    let codes = [Code::PathOutsideWorkspace, Code::FileExists];
    refused_as(ws.put(path, "x", ABSENT).await, &codes)?;
    refused_as(ws.make_dir(path).await, &codes)?;
    untouched(ws)
}

async fn a_link_out_is_refused_by_every_call(ws: Subject) -> Verdict {
    ws.link_out("file", "secret")?;
    ws.link_out("dir", "dir")?;
    every_call_refuses(&ws, "file").await?;
    every_call_refuses(&ws, "dir").await?;
    ws.symlink("etc", "/")?;
    every_call_refuses(&ws, "etc").await
}

async fn a_relative_link_out_is_refused_too(ws: Subject) -> Verdict {
    let relative = ws.outside.beyond()?.relative;
    ws.symlink("file", [&relative[..], b"/secret"].concat())?;
    ws.symlink("up", "..")?;
    ws.write("a/b/c", "x").await?;
    ws.symlink("a/b/deep", "../../../../../../../../../../../..")?;
    for path in ["file", "up", "a/b/deep"] {
        every_call_refuses(&ws, path).await?;
    }
    Ok(())
}

async fn a_link_out_on_the_way_is_refused_by_every_call(ws: Subject) -> Verdict {
    ws.write("f", "x").await?;
    ws.link_out("out", "dir")?;
    for path in ["out/inner", "out/missing", "out/missing/deeper"] {
        refused(ws.stat(path).await, Code::PathOutsideWorkspace)?;
        refused(ws.follow(path).await, Code::PathOutsideWorkspace)?;
        refused(ws.read(path).await, Code::PathOutsideWorkspace)?;
        refused(ws.list(path).await, Code::PathOutsideWorkspace)?;
        refused(ws.write(path, "x").await, Code::PathOutsideWorkspace)?;
        refused(ws.put(path, "x", ABSENT).await, Code::PathOutsideWorkspace)?;
        refused(ws.make_dir(path).await, Code::PathOutsideWorkspace)?;
        refused(ws.remove(path, Depth::One).await, Code::PathOutsideWorkspace)?;
        refused(ws.remove(path, Depth::All).await, Code::PathOutsideWorkspace)?;
        for how in [KEEP, REPLACE] {
            refused(ws.rename(path, "stolen", how).await, Code::PathOutsideWorkspace)?;
            refused(ws.rename("f", path, how).await, Code::PathOutsideWorkspace)?;
        }
    }
    same("names", ws.names("").await?, ["f", "out"])?;
    untouched(&ws)
}

async fn a_chain_that_leaves_is_refused(ws: Subject) -> Verdict {
    ws.write("d/f", "x").await?;
    ws.link_out("d/last", "secret")?;
    ws.symlink("middle", "d/last")?;
    ws.symlink("first", "middle")?;
    every_call_refuses(&ws, "first").await
}

async fn nothing_is_created_through_a_dangling_link_out(ws: Subject) -> Verdict {
    ws.link_out("file", "new")?;
    ws.link_out("dir", "new/dir")?;
    every_call_refuses(&ws, "file").await?;
    every_call_refuses(&ws, "dir").await?;
    refused(ws.write("dir/f", "x").await, Code::PathOutsideWorkspace)?;
    untouched(&ws)
}

async fn what_is_outside_and_what_is_missing_look_alike(ws: Subject) -> Verdict {
    ws.link_out("one", "secret")?;
    ws.link_out("two", "nothing")?;
    ws.link_out("dir", "dir")?;
    for (there, missing) in [("one", "two"), ("dir/inner", "dir/nope1")] {
        let (Err(seen), Err(unseen)) = (ws.read(there).await, ws.read(missing).await) else {
            return Err(failed("a link out was read"));
        };
        same("codes", seen.code(), unseen.code())?;
        same("details", seen.details(), unseen.details())?;
        same("hints", seen.advice(), unseen.advice())?;
        same("messages", seen.message().replace(there, missing), unseen.message().to_owned())?;
        let absolute = String::from_utf8_lossy(&ws.outside.beyond()?.absolute).into_owned();
        holds("no place outside is named", !seen.message().contains(&absolute))?;
    }
    Ok(())
}

async fn a_link_out_is_itself_an_entry(ws: Subject) -> Verdict {
    ws.link_out("out", "dir")?;
    same("kind", ws.stat("out").await?.kind, Kind::Symlink)?;
    same("names", ws.names("").await?, ["out"])?;
    same("kind", ws.rename("out", "moved", KEEP).await?.kind, Kind::Symlink)?;
    ws.write("f", "x").await?;
    same("replaced", ws.rename("f", "moved", REPLACE).await?.replaced, true)?;
    ws.link_out("again", "dir")?;
    same("count", ws.remove("again", Depth::All).await?.count, 1)?;
    untouched(&ws)
}

async fn a_search_does_not_leave(ws: Subject) -> Verdict {
    ws.write("f", "needle").await?;
    ws.link_out("out", "dir")?;
    ws.link_out("file", "secret")?;
    // Not even for an ignore file, which would change what is found.
    ws.link_out(".gitignore", "secret")?;
    same("found", ws.find(&everything()).await?.0, [".gitignore", "f", "file", "out"])?;
    same("lines", ws.find(&lines("needle")).await?.0, ["f:1:needle"])?;
    for base in ["out", "file", "out/inner"] {
        let codes = [Code::PathOutsideWorkspace, Code::NotAFile];
        refused_as(ws.find(&Query { base: at(base)?, ..lines("needle") }).await, &codes)?;
    }
    Ok(())
}

async fn a_watch_does_not_leave(ws: Subject) -> Verdict {
    ws.link_out("out", "dir")?;
    let spec = WatchSpec {
        path: at("out/inner")?,
        reach: garth_contract::Reach::Tree,
        hidden: garth_contract::Hidden::Include,
        ignored: garth_contract::Ignored::Include,
    };
    refused(ws.fs.watch(&spec).await.map(|_| ()), Code::PathOutsideWorkspace)
}

async fn an_absolute_link_inside_is_followed(ws: Subject) -> Verdict {
    ws.write("d/f", "x").await?;
    let names = ws.outside.absolute(&at("d")?)?;
    for (number, absolute) in names.into_iter().enumerate() {
        let (file, dir) = (format!("file{number}"), format!("dir{number}"));
        ws.symlink(&file, [&absolute[..], b"/f"].concat())?;
        ws.symlink(&dir, absolute)?;
        same("bytes", ws.read(&file).await?, ws.read("d/f").await?)?;
        same("bytes", ws.read(format!("{dir}/f")).await?, ws.read("d/f").await?)?;
        ws.write(&file, format!("by {file}")).await?;
        same("bytes", ws.read("d/f").await?, format!("by {file}"))?;
        ws.write(format!("{dir}/g"), format!("by {dir}")).await?;
        same("bytes", ws.read("d/g").await?, format!("by {dir}"))?;
        same("names", ws.names(&dir).await?, ["f", "g"])?;
        same("kind", ws.stat(&file).await?.kind, Kind::Symlink)?;
    }
    Ok(())
}

async fn an_absolute_link_goes_by_whole_components(ws: Subject) -> Verdict {
    for (number, root) in ws.outside.absolute(&at("")?)?.into_iter().enumerate() {
        let root = root.strip_suffix(b"/").unwrap_or(&root);
        let name = format!("l{number}");
        ws.symlink(&name, [root, b"-evil/f"].concat())?;
        refused(ws.read(&name).await, Code::PathOutsideWorkspace)?;
        refused(ws.write(&name, "x").await, Code::PathOutsideWorkspace)?;
    }
    Ok(())
}

async fn a_link_that_climbs_out_is_refused_even_if_it_comes_back(ws: Subject) -> Verdict {
    ws.write("f", "x").await?;
    let mut target = ws.outside.beyond()?.absolute;
    target.extend_from_slice(b"/dir/../../");
    ws.symlink("l", target)?;
    refused(ws.list("l").await, Code::PathOutsideWorkspace)?;
    let roots = ws.outside.absolute(&at("")?)?;
    let root =
        roots.first().map(|root| root.strip_suffix(b"/").unwrap_or(root)).unwrap_or_default();
    let name = root.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    ws.symlink("back", [b"../", name, b"/f"].concat())?;
    refused(ws.read("back").await, Code::PathOutsideWorkspace)?;
    untouched(&ws)
}

async fn a_link_may_name_what_is_not_text(ws: Subject) -> Verdict {
    ws.write(b"caf\xe9", "x").await?;
    ws.symlink("l", b"caf\xe9")?;
    same("bytes", ws.read("l").await?, "x")
}

async fn a_loop_is_an_invalid_path(ws: Subject) -> Verdict {
    ws.symlink("self", "self")?;
    ws.symlink("one", "two")?;
    ws.symlink("two", "one")?;
    ws.write("d/x", "").await?;
    ws.symlink("d/into", "into/itself")?;
    for path in ["self", "one", "self/x", "d/into"] {
        refused(ws.follow(path).await, Code::InvalidPath)?;
        refused(ws.read(path).await, Code::InvalidPath)?;
        refused(ws.list(path).await, Code::InvalidPath)?;
        refused(ws.write(path, "x").await, Code::InvalidPath)?;
    }
    refused(ws.remove("self/x", Depth::One).await, Code::InvalidPath)?;
    refused(ws.make_dir("self/x").await, Code::InvalidPath)?;
    same("kind", ws.stat("self").await?.kind, Kind::Symlink)
}

async fn a_link_to_a_directory_and_a_child_of_it(ws: Subject) -> Verdict {
    ws.write("real/sub/f", "x").await?;
    ws.symlink("l", "real")?;
    ws.symlink("real/back", "../l/sub")?;
    same("bytes", ws.read("l/back/f").await?, "x")?;
    same("names", ws.names("l/back").await?, ["f"])?;
    ws.write("l/back/g", "y").await?;
    same("bytes", ws.read("real/sub/g").await?, "y")
}

async fn a_dot_behind_a_file_is_not_a_directory(ws: Subject) -> Verdict {
    ws.write("f", "x").await?;
    ws.write("d/f", "x").await?;
    ws.symlink("dot", "f/.")?;
    ws.symlink("dots", "f/../f")?;
    ws.symlink("slash", "f/")?;
    for path in ["dot", "dots", "slash"] {
        refused(ws.read(path).await, Code::NotADirectory)?;
        refused(ws.follow(path).await, Code::NotADirectory)?;
        refused(ws.write(path, "y").await, Code::NotADirectory)?;
    }
    ws.symlink("dir", "d/.")?;
    ws.symlink("back", "d/../f")?;
    ws.symlink("slashed", "d/")?;
    same("names", ws.names("dir").await?, ["f"])?;
    same("names", ws.names("slashed").await?, ["f"])?;
    same("bytes", ws.read("back").await?, "x")
}

async fn a_magic_link_is_refused(ws: Subject) -> Verdict {
    ws.outside.beyond()?;
    ws.symlink("proc", "/proc/self/cwd")?;
    ws.symlink("root", "/proc/self/root")?;
    for path in ["proc", "root", "root/etc"] {
        refused(ws.list(path).await, Code::PathOutsideWorkspace)?;
    }
    Ok(())
}
