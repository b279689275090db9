//! What a `deny` rule covers can be neither seen nor touched.

use garth_contract::{
    Code, Depth, Event, Facts, Hidden, Ignored, Links, Parents, Policy, Query, Reach, Span, Total,
    WatchSpec,
};

use crate::{
    Subject, Verdict,
    arrange::{ABSENT, ANY, KEEP, REPLACE, at, everything, lines, next},
    check::{checks, open},
    stop::{holds, refused, refused_as, same},
};

checks! { "deny"
    every_call_refuses_what_is_there [Write] under denying covers "common.deny" "policy.deny";
    every_call_refuses_what_is_not_there [Write] under denying covers "common.deny" "policy.deny";
    a_name_is_denied_at_any_depth [Write] under denying covers "policy.deny";
    everything_below_is_denied [Write] under denying covers "policy.deny";
    what_is_like_it_is_not_denied [Write] under denying covers "policy.deny";
    a_move_to_or_from_it_is_refused [Write Rename] under denying covers "common.deny";
    a_list_leaves_it_out [Write] under denying covers "list.denied";
    a_walk_leaves_it_out [Write Find] under denying covers "find.denied";
    a_search_cannot_start_in_it [Write Find] under denying covers "common.deny";
    a_link_is_no_way_round [Write Symlinks] under denying covers "policy.resolved" "common.deny";
    a_link_to_its_directory_is_no_way_round [Write Symlinks] under denying covers "policy.resolved" "common.deny";
    its_directory_cannot_be_removed [Write] under denying covers "policy.deny" "common.deny";
    its_directory_is_not_empty [Write] under denying covers "policy.deny";
    its_directory_cannot_be_moved [Write Rename] under denying covers "policy.deny" "common.deny";
    a_refused_removal_removes_nothing [Write] under denying covers "common.deny";
    nothing_is_made_on_the_way [Write] under denying covers "common.deny";
    a_watcher_is_not_told [Write Watch] under denying covers "common.deny";
    a_watch_on_it_is_refused [Write Watch] under denying covers "common.deny";
}

fn denying() -> Policy {
    Policy { deny: vec!["secret.txt".into(), "private".into(), "conf/*.pem".into()], ..open() }
}

/// A file of each rule, and one beside each that no rule covers.
async fn plant(ws: &Subject) -> Verdict {
    for path in ["secret.txt", "a/b/secret.txt", "private/sub/f", "a/private", "conf/key.pem"] {
        ws.plant(path, "needle").await?;
    }
    for path in ["open.txt", "a/b/open.txt", "conf/key.txt", "conf/sub/key.pem"] {
        ws.plant(path, "needle").await?;
    }
    Ok(())
}

const DENIED: [&str; 6] =
    ["secret.txt", "a/b/secret.txt", "private", "private/sub/f", "a/private", "conf/key.pem"];

/// Every call that takes one path refuses it.
async fn every_call_refuses(ws: &Subject, path: &str) -> Verdict {
    refused(ws.stat(path).await, Code::PermissionDenied)?;
    refused(ws.follow(path).await, Code::PermissionDenied)?;
    refused(ws.read(path).await, Code::PermissionDenied)?;
    let whole = Span::Bytes { offset: 0, length: 100 };
    holds("nothing is told at once", ws.fs.stat_now(&at(path)?, Links::Keep).is_none())?;
    holds("nothing is read at once", ws.fs.read_now(&at(path)?, whole).is_none())?;
    refused(ws.list(path).await, Code::PermissionDenied)?;
    refused(ws.write(path, "x").await, Code::PermissionDenied)?;
    refused(ws.put(path, "x", ABSENT).await, Code::PermissionDenied)?;
    refused(ws.make_dir(path).await, Code::PermissionDenied)?;
    refused(ws.remove(path, Depth::One).await, Code::PermissionDenied)?;
    refused(ws.remove(path, Depth::All).await, Code::PermissionDenied)
}

async fn every_call_refuses_what_is_there(ws: Subject) -> Verdict {
    plant(&ws).await?;
    for path in DENIED {
        every_call_refuses(&ws, path).await?;
    }
    Ok(())
}

async fn every_call_refuses_what_is_not_there(ws: Subject) -> Verdict {
    ws.write("a/b/open.txt", "x").await?;
    ws.write("conf/key.txt", "x").await?;
    for path in ["secret.txt", "a/b/secret.txt", "private", "a/private", "conf/new.pem"] {
        every_call_refuses(&ws, path).await?;
    }
    same("tree", ws.tree().await?.len(), 5)
}

async fn a_name_is_denied_at_any_depth(ws: Subject) -> Verdict {
    for path in ["secret.txt", "x/secret.txt", "x/y/z/secret.txt"] {
        refused(ws.write(path, "x").await, Code::PermissionDenied)?;
    }
    same("tree", ws.tree().await?.len(), 0)
}

async fn everything_below_is_denied(ws: Subject) -> Verdict {
    for path in ["private/x", "private/x/y/z", "a/private/x"] {
        refused(ws.write(path, "x").await, Code::PermissionDenied)?;
        refused(ws.make_dir(path).await, Code::PermissionDenied)?;
        refused(ws.stat(path).await, Code::PermissionDenied)?;
    }
    same("tree", ws.tree().await?.len(), 0)
}

async fn what_is_like_it_is_not_denied(ws: Subject) -> Verdict {
    for path in ["secret.txt2", "asecret.txt", "privates/f", "conf/sub/key.pem", "x/conf/key.pem"] {
        ws.write(path, "x").await?;
        same(path, ws.read(path).await?, "x")?;
    }
    Ok(())
}

async fn a_move_to_or_from_it_is_refused(ws: Subject) -> Verdict {
    plant(&ws).await?;
    for how in [KEEP, REPLACE] {
        for path in DENIED {
            refused(ws.rename(path, "elsewhere", how).await, Code::PermissionDenied)?;
            refused(ws.rename("open.txt", path, how).await, Code::PermissionDenied)?;
        }
        refused(ws.rename("open.txt", "conf/new.pem", how).await, Code::PermissionDenied)?;
    }
    refused(ws.stat("elsewhere").await, Code::FileNotFound)?;
    same("bytes", ws.read("open.txt").await?, "needle")
}

async fn a_list_leaves_it_out(ws: Subject) -> Verdict {
    plant(&ws).await?;
    for (path, want) in
        [("", vec!["a", "conf", "open.txt"]), ("a", vec!["b"]), ("conf", vec!["key.txt", "sub"])]
    {
        let listing = ws.list(path).await?;
        same("total", listing.total, want.len() as u64)?;
        same("names", ws.names(path).await?, want)?;
    }
    Ok(())
}

async fn a_walk_leaves_it_out(ws: Subject) -> Verdict {
    plant(&ws).await?;
    let want = [
        "a",
        "a/b",
        "a/b/open.txt",
        "conf",
        "conf/key.txt",
        "conf/sub",
        "conf/sub/key.pem",
        "open.txt",
    ];
    for facts in [Facts::All, Facts::Names] {
        let (found, summary) = ws.find(&Query { facts, ..everything() }).await?;
        same("found", found, want)?;
        same("total", summary.total, Total::Exact(8))?;
    }
    let (found, summary) = ws.find(&lines("needle")).await?;
    same("lines and files", (found.len(), summary.searched), (4, 4))?;
    let inside = Query { base: at("a/b")?, ..lines("needle") };
    same("lines", ws.find(&inside).await?.0, ["a/b/open.txt:1:needle"])
}

async fn a_search_cannot_start_in_it(ws: Subject) -> Verdict {
    plant(&ws).await?;
    for path in DENIED {
        let base = at(path)?;
        refused(ws.find(&Query { base, ..lines("needle") }).await, Code::PermissionDenied)?;
    }
    Ok(())
}

async fn a_link_is_no_way_round(ws: Subject) -> Verdict {
    plant(&ws).await?;
    ws.symlink("l", "secret.txt")?;
    ws.symlink("chain", "l")?;
    for path in ["l", "chain"] {
        refused(ws.read(path).await, Code::PermissionDenied)?;
        refused(ws.follow(path).await, Code::PermissionDenied)?;
        refused(ws.write(path, "x").await, Code::PermissionDenied)?;
    }
    ws.symlink("new", "conf/new.pem")?;
    refused(ws.write("new", "x").await, Code::PermissionDenied)?;
    let unruled = ws.unruled()?;
    refused(unruled.stat("conf/new.pem").await, Code::FileNotFound)?;
    same("bytes", unruled.read("secret.txt").await?, "needle")
}

async fn a_link_to_its_directory_is_no_way_round(ws: Subject) -> Verdict {
    plant(&ws).await?;
    ws.symlink("l", "private")?;
    ws.symlink("m", "private/sub")?;
    ws.symlink("c", "conf")?;
    for path in ["l/sub/f", "m/f", "c/key.pem"] {
        refused(ws.read(path).await, Code::PermissionDenied)?;
        refused(ws.stat(path).await, Code::PermissionDenied)?;
        refused(ws.write(path, "x").await, Code::PermissionDenied)?;
        refused(ws.remove(path, Depth::One).await, Code::PermissionDenied)?;
    }
    refused(ws.list("l").await, Code::PermissionDenied)?;
    refused(ws.list("m").await, Code::PermissionDenied)?;
    refused(ws.write("l/new", "x").await, Code::PermissionDenied)?;
    refused(ws.write("c/new.pem", "x").await, Code::PermissionDenied)?;
    same("names", ws.names("c").await?, ["key.txt", "sub"])
}

async fn its_directory_cannot_be_removed(ws: Subject) -> Verdict {
    plant(&ws).await?;
    for path in ["a", "a/b", "conf"] {
        refused(ws.remove(path, Depth::All).await, Code::PermissionDenied)?;
    }
    let unruled = ws.unruled()?;
    for path in ["a/b/secret.txt", "a/private", "conf/key.pem"] {
        same(path, unruled.read(path).await?, "needle")?;
    }
    Ok(())
}

async fn its_directory_is_not_empty(ws: Subject) -> Verdict {
    ws.plant("d/secret.txt", "needle").await?;
    same("names", ws.names("d").await?, Vec::<String>::new())?;
    let codes = [Code::DirectoryNotEmpty, Code::PermissionDenied];
    refused_as(ws.remove("d", Depth::One).await, &codes)?;
    same("bytes", ws.unruled()?.read("d/secret.txt").await?, "needle")
}

async fn its_directory_cannot_be_moved(ws: Subject) -> Verdict {
    plant(&ws).await?;
    for path in ["a", "a/b", "conf"] {
        for how in [KEEP, REPLACE] {
            refused(ws.rename(path, "elsewhere", how).await, Code::PermissionDenied)?;
        }
    }
    same("bytes", ws.unruled()?.read("conf/key.pem").await?, "needle")
}

async fn a_refused_removal_removes_nothing(ws: Subject) -> Verdict {
    plant(&ws).await?;
    let unruled = ws.unruled()?;
    let before = unruled.tree().await?;
    refused(ws.remove("a", Depth::All).await, Code::PermissionDenied)?;
    refused(ws.remove("conf", Depth::All).await, Code::PermissionDenied)?;
    same("tree", unruled.tree().await?, before)
}

async fn nothing_is_made_on_the_way(ws: Subject) -> Verdict {
    refused(ws.write("new/dir/secret.txt", "x").await, Code::PermissionDenied)?;
    refused(ws.make_dir("new/dir/private").await, Code::PermissionDenied)?;
    refused(ws.fs.make_dir(&at("private/x")?, Parents::Create).await, Code::PermissionDenied)?;
    ws.write("f", "x").await?;
    same("tree", ws.tree().await?.len(), 1)
}

async fn a_watcher_is_not_told(ws: Subject) -> Verdict {
    plant(&ws).await?;
    let spec = WatchSpec {
        path: at("")?,
        reach: Reach::Tree,
        hidden: Hidden::Include,
        ignored: Ignored::Include,
    };
    let mut watch = ws.fs.watch(&spec).await?;
    for path in ["secret.txt", "a/b/secret.txt", "private/sub/f", "private/new", "conf/new.pem"] {
        ws.plant(path, "changed").await?;
    }
    for mark in ["first-mark", "last-mark"] {
        ws.put(mark, "x", ANY).await?;
        let mut marked = false;
        while !marked {
            let Some(Event::Changed { path, .. }) = next(&mut watch).await else {
                return Err(crate::stop::failed("it ended or overflowed"));
            };
            let name = path.to_string();
            marked = name == mark;
            let denied =
                name.contains("secret") || name.contains("private") || name == "conf/new.pem";
            holds(&format!("nothing is said about {name}"), !denied)?;
        }
    }
    Ok(())
}

async fn a_watch_on_it_is_refused(ws: Subject) -> Verdict {
    plant(&ws).await?;
    for path in ["private", "secret.txt", "a/private"] {
        let spec = WatchSpec {
            path: at(path)?,
            reach: Reach::Tree,
            hidden: Hidden::Include,
            ignored: Ignored::Include,
        };
        refused(ws.fs.watch(&spec).await.map(|_| ()), Code::PermissionDenied)?;
    }
    Ok(())
}
