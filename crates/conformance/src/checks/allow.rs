//! Where there are `allow` rules, what none of them covers is as good as denied.

use garth_contract::{
    Code, Depth, Event, Facts, Hidden, Ignored, Kind, Parents, Policy, Query, Reach, Total,
    WatchSpec,
};

use crate::{
    Subject, Verdict,
    arrange::{ABSENT, ANY, KEEP, REPLACE, at, everything, lines, next},
    check::{checks, open},
    stop::{holds, refused, refused_as, same},
};

checks! { "allow"
    every_call_refuses_what_is_there [Write] under allowing covers "common.allow" "policy.allow";
    every_call_refuses_what_is_not_there [Write] under allowing covers "common.allow" "policy.allow";
    what_is_allowed_is_as_ever [Write] under allowing covers "policy.allow";
    everything_is_allowed_without_rules [Write] under open covers "policy.allow";
    the_way_there_is_seen [Write] under allowing covers "policy.allow.parents";
    the_way_there_can_be_made [Write EmptyDirs] under allowing covers "policy.allow.parents";
    a_file_is_no_way_there [Write] under allowing covers "policy.allow.parents" "common.allow";
    a_name_is_allowed_at_any_depth [Write] under by_name covers "policy.allow";
    a_list_leaves_the_rest_out [Write] under allowing covers "list.denied" "policy.allow.parents";
    a_walk_leaves_the_rest_out [Write Find] under allowing covers "find.denied" "policy.allow.parents";
    a_search_cannot_start_in_the_rest [Write Find] under allowing covers "common.allow";
    a_link_is_no_way_round [Write Symlinks] under allowing covers "policy.resolved" "common.allow";
    a_move_to_or_from_the_rest_is_refused [Write Rename] under allowing covers "common.allow";
    a_moved_directory_carries_nothing_out [Write Rename] under by_name covers "common.allow";
    what_holds_the_rest_stays [Write Rename] under allowing covers "common.allow";
    nothing_is_made_on_the_way [Write] under allowing covers "common.allow";
    what_is_denied_stays_denied [Write] under allowing covers "policy.allow.deny";
    a_watcher_is_not_told_of_the_rest [Write Watch] under allowing covers "common.allow";
    a_watch_on_the_rest_is_refused [Write Watch] under allowing covers "common.allow";
}

fn allowing() -> Policy {
    let allow = ["docs/**", "notes/all", "src/*.rs", "a/b/open.txt"];
    let deny = ["docs/private"];
    let globs = |globs: &[&str]| globs.iter().map(ToString::to_string).collect();
    Policy { allow: globs(&allow), deny: globs(&deny), ..open() }
}

/// Whatever has such a name, wherever it is, and everything in one directory.
fn by_name() -> Policy {
    Policy { allow: vec!["*.rs".into(), "docs/**".into()], ..open() }
}

const ALLOWED: [&str; 5] =
    ["docs/guide.md", "docs/deep/x.md", "notes/all/n", "src/main.rs", "a/b/open.txt"];

/// Directories that are seen because they lead to what is allowed.
const WAY: [&str; 4] = ["docs", "notes", "src", "a/b"];

const REST: [&str; 12] = [
    "top.txt",
    "hidden",
    "hidden/f",
    "src/notes.txt",
    "src/deep",
    "src/deep/lib.rs",
    "a/b/closed.txt",
    "a/other",
    "a/other/f",
    "notes/some",
    "docs/private",
    "docs/private/key",
];

async fn plant(ws: &Subject) -> Verdict {
    for path in ALLOWED {
        ws.plant(path, "needle").await?;
    }
    for path in ["top.txt", "hidden/f", "src/notes.txt", "src/deep/lib.rs", "a/b/closed.txt"] {
        ws.plant(path, "needle").await?;
    }
    for path in ["a/other/f", "notes/some", "docs/private/key"] {
        ws.plant(path, "needle").await?;
    }
    Ok(())
}

/// Every call that takes one path refuses it.
async fn every_call_refuses(ws: &Subject, path: &str) -> Verdict {
    refused(ws.stat(path).await, Code::PermissionDenied)?;
    refused(ws.follow(path).await, Code::PermissionDenied)?;
    refused(ws.read(path).await, Code::PermissionDenied)?;
    refused(ws.list(path).await, Code::PermissionDenied)?;
    refused(ws.write(path, "x").await, Code::PermissionDenied)?;
    refused(ws.put(path, "x", ABSENT).await, Code::PermissionDenied)?;
    refused(ws.make_dir(path).await, Code::PermissionDenied)?;
    refused(ws.remove(path, Depth::One).await, Code::PermissionDenied)?;
    refused(ws.remove(path, Depth::All).await, Code::PermissionDenied)
}

async fn every_call_refuses_what_is_there(ws: Subject) -> Verdict {
    plant(&ws).await?;
    for path in REST {
        every_call_refuses(&ws, path).await?;
    }
    Ok(())
}

async fn every_call_refuses_what_is_not_there(ws: Subject) -> Verdict {
    ws.write("src/main.rs", "x").await?;
    for path in ["new.txt", "src/new.txt", "src/deep", "other/deep/x", "a/x", "notes/some"] {
        every_call_refuses(&ws, path).await?;
    }
    same("tree", ws.tree().await?.len(), 2)
}

async fn what_is_allowed_is_as_ever(ws: Subject) -> Verdict {
    plant(&ws).await?;
    for path in ALLOWED {
        same("kind", ws.stat(path).await?.kind, Kind::File)?;
        same("bytes", ws.read(path).await?, "needle")?;
        ws.write(path, "changed").await?;
        same("bytes", ws.read(path).await?, "changed")?;
        ws.remove(path, Depth::One).await?;
        refused(ws.read(path).await, Code::FileNotFound)?;
    }
    for path in ["src/new.rs", "docs/new/deep/x", "notes/all/new/x"] {
        ws.put(path, "x", ABSENT).await?;
        same("bytes", ws.read(path).await?, "x")?;
    }
    Ok(())
}

async fn everything_is_allowed_without_rules(ws: Subject) -> Verdict {
    plant(&ws).await?;
    for path in ["top.txt", "src/deep/lib.rs", "docs/private/key"] {
        same("bytes", ws.read(path).await?, "needle")?;
    }
    Ok(())
}

async fn the_way_there_is_seen(ws: Subject) -> Verdict {
    plant(&ws).await?;
    same("kind", ws.stat("").await?.kind, Kind::Dir)?;
    for path in WAY {
        same("kind", ws.stat(path).await?.kind, Kind::Dir)?;
        refused(ws.read(path).await, Code::NotAFile)?;
        // Some may look at what it holds first.
        let codes = [Code::NotAFile, Code::PermissionDenied];
        refused_as(ws.write(path, "x").await, &codes)?;
    }
    same("names", ws.names("a").await?, ["b"])
}

async fn the_way_there_can_be_made(ws: Subject) -> Verdict {
    for path in ["src", "a/b", "notes", "docs/any/deep"] {
        ws.make_dir(path).await?;
        same("kind", ws.stat(path).await?.kind, Kind::Dir)?;
    }
    for path in ["x", "src/x", "a/x", "a/b/x", "notes/x"] {
        refused(ws.make_dir(path).await, Code::PermissionDenied)?;
    }
    ws.remove("a/b", Depth::One).await?;
    ws.write("a/b/open.txt", "x").await?;
    same("names", ws.names("").await?, ["a", "docs", "notes", "src"])
}

async fn a_file_is_no_way_there(ws: Subject) -> Verdict {
    ws.plant("src", "needle").await?;
    ws.plant("a/b", "needle").await?;
    for path in ["src", "a/b"] {
        every_call_refuses(&ws, path).await?;
    }
    refused(ws.read("src/main.rs").await, Code::PermissionDenied)?;
    same("names", ws.names("").await?, ["a"])?;
    same("names", ws.names("a").await?, Vec::<String>::new())?;
    same("bytes", ws.unruled()?.read("src").await?, "needle")
}

async fn a_name_is_allowed_at_any_depth(ws: Subject) -> Verdict {
    for path in ["a.rs", "x/a.rs", "x/y/z/a.rs"] {
        ws.write(path, "x").await?;
        same("bytes", ws.read(path).await?, "x")?;
    }
    for path in ["a.txt", "x/a.txt", "x/y/a.rs2"] {
        refused(ws.write(path, "x").await, Code::PermissionDenied)?;
    }
    same("names", ws.names("x").await?, ["a.rs", "y"])
}

async fn a_list_leaves_the_rest_out(ws: Subject) -> Verdict {
    plant(&ws).await?;
    for (path, want) in [
        ("", vec!["a", "docs", "notes", "src"]),
        ("a", vec!["b"]),
        ("a/b", vec!["open.txt"]),
        ("docs", vec!["deep", "guide.md"]),
        ("notes", vec!["all"]),
        ("src", vec!["main.rs"]),
    ] {
        let listing = ws.list(path).await?;
        same("total", listing.total, want.len() as u64)?;
        same("names", ws.names(path).await?, want)?;
    }
    Ok(())
}

async fn a_walk_leaves_the_rest_out(ws: Subject) -> Verdict {
    plant(&ws).await?;
    let want = [
        "a",
        "a/b",
        "a/b/open.txt",
        "docs",
        "docs/deep",
        "docs/deep/x.md",
        "docs/guide.md",
        "notes",
        "notes/all",
        "notes/all/n",
        "src",
        "src/main.rs",
    ];
    for facts in [Facts::All, Facts::Names] {
        let (found, summary) = ws.find(&Query { facts, ..everything() }).await?;
        same("found", found, want)?;
        same("total", summary.total, Total::Exact(12))?;
    }
    let (found, summary) = ws.find(&lines("needle")).await?;
    same("lines and files", (found.len(), summary.searched), (5, 5))?;
    let inside = Query { base: at("src")?, ..lines("needle") };
    same("lines", ws.find(&inside).await?.0, ["src/main.rs:1:needle"])
}

async fn a_search_cannot_start_in_the_rest(ws: Subject) -> Verdict {
    plant(&ws).await?;
    for path in REST {
        let base = at(path)?;
        refused(ws.find(&Query { base, ..lines("needle") }).await, Code::PermissionDenied)?;
    }
    Ok(())
}

async fn a_link_is_no_way_round(ws: Subject) -> Verdict {
    plant(&ws).await?;
    ws.symlink("docs/file", "../top.txt")?;
    ws.symlink("docs/dir", "../hidden")?;
    ws.symlink("docs/new", "../src/new.txt")?;
    ws.symlink("docs/good", "../src/main.rs")?;
    for path in ["docs/file", "docs/dir/f"] {
        refused(ws.read(path).await, Code::PermissionDenied)?;
        refused(ws.follow(path).await, Code::PermissionDenied)?;
        refused(ws.write(path, "x").await, Code::PermissionDenied)?;
    }
    refused(ws.list("docs/dir").await, Code::PermissionDenied)?;
    refused(ws.write("docs/new", "x").await, Code::PermissionDenied)?;
    same("kind", ws.stat("docs/file").await?.kind, Kind::Symlink)?;
    same("bytes", ws.read("docs/good").await?, "needle")?;
    let unruled = ws.unruled()?;
    refused(unruled.stat("src/new.txt").await, Code::FileNotFound)?;
    same("bytes", unruled.read("top.txt").await?, "needle")
}

async fn a_move_to_or_from_the_rest_is_refused(ws: Subject) -> Verdict {
    plant(&ws).await?;
    for how in [KEEP, REPLACE] {
        for path in REST {
            refused(ws.rename(path, "docs/new", how).await, Code::PermissionDenied)?;
            refused(ws.rename("docs/guide.md", path, how).await, Code::PermissionDenied)?;
        }
        for path in ["new", "src/new", "a/b/new"] {
            refused(ws.rename("docs/guide.md", path, how).await, Code::PermissionDenied)?;
        }
    }
    ws.rename("docs/guide.md", "src/guide.rs", KEEP).await?;
    ws.rename("docs/deep", "notes/all/deep", KEEP).await?;
    same("bytes", ws.read("src/guide.rs").await?, "needle")?;
    same("bytes", ws.read("notes/all/deep/x.md").await?, "needle")
}

async fn a_moved_directory_carries_nothing_out(ws: Subject) -> Verdict {
    ws.write("docs/mixed/a.rs", "x").await?;
    ws.write("docs/mixed/a.txt", "x").await?;
    ws.write("docs/plain/deep/a.rs", "x").await?;
    for how in [KEEP, REPLACE] {
        refused(ws.rename("docs/mixed", "out", how).await, Code::PermissionDenied)?;
    }
    same("names", ws.names("docs/mixed").await?, ["a.rs", "a.txt"])?;
    ws.rename("docs/plain", "out", KEEP).await?;
    same("bytes", ws.read("out/deep/a.rs").await?, "x")
}

async fn what_holds_the_rest_stays(ws: Subject) -> Verdict {
    plant(&ws).await?;
    let unruled = ws.unruled()?;
    let before = unruled.tree().await?;
    for path in ["src", "a", "a/b", "docs", "notes"] {
        refused(ws.remove(path, Depth::All).await, Code::PermissionDenied)?;
        refused(ws.rename(path, "docs/deep/moved", KEEP).await, Code::PermissionDenied).or_else(
            // A directory that would move into itself may be told that first.
            |stop| if path == "docs" { Ok(()) } else { Err(stop) },
        )?;
    }
    same("tree", unruled.tree().await?, before)?;
    same("count", ws.remove("docs/deep", Depth::All).await?.count, 2)?;
    same("count", ws.remove("notes/all", Depth::All).await?.count, 2)
}

async fn nothing_is_made_on_the_way(ws: Subject) -> Verdict {
    refused(ws.write("src/deep/x.rs", "x").await, Code::PermissionDenied)?;
    refused(ws.write("src/x.txt", "x").await, Code::PermissionDenied)?;
    refused(ws.write("new/dir/f", "x").await, Code::PermissionDenied)?;
    refused(ws.fs.make_dir(&at("a/b/x/y")?, Parents::Create).await, Code::PermissionDenied)?;
    ws.write("docs/f", "x").await?;
    same("tree", ws.tree().await?.len(), 2)?;
    same("tree", ws.unruled()?.tree().await?.len(), 2)
}

async fn what_is_denied_stays_denied(ws: Subject) -> Verdict {
    plant(&ws).await?;
    for path in ["docs/private", "docs/private/key", "docs/private/new"] {
        every_call_refuses(&ws, path).await?;
    }
    same("names", ws.names("docs").await?, ["deep", "guide.md"])
}

fn everywhere(path: &str) -> Verdict<WatchSpec> {
    Ok(WatchSpec {
        path: at(path)?,
        reach: Reach::Tree,
        hidden: Hidden::Include,
        ignored: Ignored::Include,
    })
}

async fn a_watcher_is_not_told_of_the_rest(ws: Subject) -> Verdict {
    plant(&ws).await?;
    let mut watch = ws.fs.watch(&everywhere("")?).await?;
    for path in ["top.txt", "hidden/new/f", "src/notes.txt", "src/deep/new.rs", "a/b/new.txt"] {
        ws.plant(path, "changed").await?;
    }
    for mark in ["docs/first-mark", "src/last-mark.rs"] {
        ws.put(mark, "x", ANY).await?;
        let mut marked = false;
        while !marked {
            let Some(Event::Changed { path, .. }) = next(&mut watch).await else {
                return Err(crate::stop::failed("it ended or overflowed"));
            };
            let name = path.to_string();
            marked = name == mark;
            let told = marked || WAY.contains(&name.as_str()) || name == "a" || name.is_empty();
            let told = told || name.starts_with("docs/") || name == ".";
            holds(&format!("nothing is said about {name}"), told)?;
        }
    }
    Ok(())
}

async fn a_watch_on_the_rest_is_refused(ws: Subject) -> Verdict {
    plant(&ws).await?;
    for path in REST {
        let watch = ws.fs.watch(&everywhere(path)?).await;
        refused(watch.map(|_| ()), Code::PermissionDenied)?;
    }
    Ok(())
}
