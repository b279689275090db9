//! What a `protect` rule covers can be read and not changed, made or removed.

use garth_contract::{Clobber, Code, Depth, Kind, Move, Parents, Policy};

use crate::{
    Subject, Verdict,
    arrange::{ABSENT, KEEP, REPLACE, everything},
    check::{checks, open},
    stop::{refused, same},
};

checks! { "protect"
    it_is_read_and_seen [Write Find] under protecting covers "policy.protect";
    it_is_not_changed [Write] under protecting covers "policy.protect" "changing.protect";
    it_is_not_made [Write] under protecting covers "policy.protect" "changing.protect";
    it_is_not_moved [Write Rename] under protecting covers "policy.protect" "changing.protect";
    nothing_is_moved_there [Write Rename] under protecting covers "policy.protect" "changing.protect";
    its_directory_is_not_removed [Write] under protecting covers "policy.protect" "changing.protect";
    its_directory_is_not_moved [Write Rename] under protecting covers "policy.protect" "changing.protect";
    a_moved_directory_carries_nothing_there [Write Rename] under protecting covers "policy.protect" "changing.protect";
    a_link_is_no_way_round [Write Symlinks] under protecting covers "policy.resolved" "changing.protect";
    a_link_to_it_can_go [Write Rename Symlinks] under protecting covers "policy.protect" "remove.link";
    what_is_beside_it_can_change [Write Rename] under protecting covers "policy.protect";
}

fn protecting() -> Policy {
    Policy { protect: vec!["locked".into(), "conf/*.toml".into()], ..open() }
}

const PROTECTED: [&str; 4] = ["locked/f", "locked/sub/g", "a/locked", "conf/x.toml"];

async fn plant(ws: &Subject) -> Verdict {
    for path in PROTECTED {
        ws.plant(path, "needle").await?;
    }
    ws.write("a/free", "x").await?;
    ws.write("conf/free", "x").await?;
    Ok(())
}

/// Claims that everything under a rule is as it was.
async fn untouched(ws: &Subject) -> Verdict {
    for path in PROTECTED {
        same(path, ws.read(path).await?, "needle")?;
    }
    same("names", ws.names("conf").await?, ["free", "x.toml"])
}

async fn it_is_read_and_seen(ws: Subject) -> Verdict {
    plant(&ws).await?;
    untouched(&ws).await?;
    same("kind", ws.stat("locked").await?.kind, Kind::Dir)?;
    same("names", ws.names("locked").await?, ["f", "sub"])?;
    let want = [
        "a",
        "a/free",
        "a/locked",
        "conf",
        "conf/free",
        "conf/x.toml",
        "locked",
        "locked/f",
        "locked/sub",
        "locked/sub/g",
    ];
    same("found", ws.find(&everything()).await?.0, want)
}

async fn it_is_not_changed(ws: Subject) -> Verdict {
    plant(&ws).await?;
    for path in PROTECTED {
        refused(ws.write(path, "x").await, Code::PermissionDenied)?;
        refused(ws.remove(path, Depth::One).await, Code::PermissionDenied)?;
        refused(ws.remove(path, Depth::All).await, Code::PermissionDenied)?;
    }
    refused(ws.remove("locked", Depth::All).await, Code::PermissionDenied)?;
    refused(ws.remove("locked/sub", Depth::All).await, Code::PermissionDenied)?;
    untouched(&ws).await
}

async fn it_is_not_made(ws: Subject) -> Verdict {
    ws.write("conf/free", "x").await?;
    for path in ["conf/new.toml", "locked", "x/locked", "locked/new", "locked/a/b"] {
        refused(ws.write(path, "x").await, Code::PermissionDenied)?;
        refused(ws.put(path, "x", ABSENT).await, Code::PermissionDenied)?;
        refused(ws.make_dir(path).await, Code::PermissionDenied)?;
    }
    same("tree", ws.tree().await?.len(), 2)
}

async fn it_is_not_moved(ws: Subject) -> Verdict {
    plant(&ws).await?;
    for path in PROTECTED.into_iter().chain(["locked", "locked/sub"]) {
        for how in [KEEP, REPLACE] {
            refused(ws.rename(path, "elsewhere", how).await, Code::PermissionDenied)?;
        }
    }
    refused(ws.stat("elsewhere").await, Code::FileNotFound)?;
    untouched(&ws).await
}

async fn nothing_is_moved_there(ws: Subject) -> Verdict {
    plant(&ws).await?;
    for path in ["conf/x.toml", "conf/new.toml", "a/locked", "locked/new", "x/locked"] {
        let how = Move { clobber: Clobber::Replace, parents: Parents::Create };
        refused(ws.rename("a/free", path, how).await, Code::PermissionDenied)?;
    }
    same("bytes", ws.read("a/free").await?, "x")?;
    untouched(&ws).await
}

async fn its_directory_is_not_removed(ws: Subject) -> Verdict {
    plant(&ws).await?;
    let before = ws.tree().await?;
    refused(ws.remove("conf", Depth::All).await, Code::PermissionDenied)?;
    refused(ws.remove("a", Depth::All).await, Code::PermissionDenied)?;
    untouched(&ws).await?;
    same("tree", ws.tree().await?, before)
}

async fn its_directory_is_not_moved(ws: Subject) -> Verdict {
    plant(&ws).await?;
    refused(ws.rename("conf", "elsewhere", KEEP).await, Code::PermissionDenied)?;
    refused(ws.rename("a", "elsewhere", REPLACE).await, Code::PermissionDenied)?;
    untouched(&ws).await
}

async fn a_moved_directory_carries_nothing_there(ws: Subject) -> Verdict {
    ws.write("mine/x.toml", "forged").await?;
    refused(ws.rename("mine", "conf", KEEP).await, Code::PermissionDenied)?;
    refused(ws.stat("conf/x.toml").await, Code::FileNotFound)?;
    same("bytes", ws.read("mine/x.toml").await?, "forged")
}

async fn a_link_is_no_way_round(ws: Subject) -> Verdict {
    plant(&ws).await?;
    ws.symlink("l", "conf/x.toml")?;
    ws.symlink("m", "locked")?;
    ws.symlink("n", "conf/new.toml")?;
    same("bytes", ws.read("l").await?, "needle")?;
    refused(ws.write("l", "x").await, Code::PermissionDenied)?;
    refused(ws.write("n", "x").await, Code::PermissionDenied)?;
    refused(ws.write("m/f", "x").await, Code::PermissionDenied)?;
    refused(ws.write("m/new", "x").await, Code::PermissionDenied)?;
    refused(ws.make_dir("m/new").await, Code::PermissionDenied)?;
    refused(ws.remove("m/f", Depth::One).await, Code::PermissionDenied)?;
    refused(ws.rename("m/f", "elsewhere", KEEP).await, Code::PermissionDenied)?;
    refused(ws.rename("a/free", "m/new", KEEP).await, Code::PermissionDenied)?;
    untouched(&ws).await
}

async fn a_link_to_it_can_go(ws: Subject) -> Verdict {
    plant(&ws).await?;
    ws.symlink("l", "conf/x.toml")?;
    ws.rename("l", "m", KEEP).await?;
    ws.remove("m", Depth::One).await?;
    ws.symlink("l", "locked")?;
    ws.remove("l", Depth::All).await?;
    untouched(&ws).await
}

async fn what_is_beside_it_can_change(ws: Subject) -> Verdict {
    plant(&ws).await?;
    ws.write("conf/free", "y").await?;
    ws.write("conf/sub/x.toml", "y").await?;
    ws.rename("conf/free", "conf/freed", KEEP).await?;
    ws.remove("conf/freed", Depth::One).await?;
    ws.remove("conf/sub", Depth::All).await?;
    ws.write("unlocked", "y").await?;
    same("names", ws.names("conf").await?, ["x.toml"])
}
