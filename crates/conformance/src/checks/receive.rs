//! Files that arrive in pieces; a backend that takes them whole alone has nothing to show.

use bytes::Bytes;
use garth_contract::{Code, Incoming, Policy, Version};

use super::stage::settled;
use crate::{
    Subject, Verdict,
    arrange::{ABSENT, ANY, at, everything, unchanged},
    check::{checks, open},
    stop::{refused, refused_as, same},
};

checks! { "receive"
    a_file_lands_whole [Write] under open covers "receive.opens" "receive.unsupported" "guard.any";
    nothing_is_seen_before_it_lands [Write] under open covers "receive.after";
    it_lands_under_its_guard [Write] under open covers "receive.opens" "guard.absent" "guard.unchanged";
    a_link_stays_and_its_target_changes [Write Symlinks] under open covers "receive.opens" "write.link";
    modes_are_kept [Write Modes] under open covers "receive.opens" "write.after.attributes";
    what_was_dropped_leaves_nothing [Write] under open covers "receive.cancel";
    what_cannot_be_written_cannot_arrive [Write] under ruled covers "receive.errors" "changing.protect" "common.deny";
    a_file_over_the_bound_is_refused [Write] under small covers "receive.errors" "write.errors.too_large";
}

fn ruled() -> Policy {
    Policy { deny: vec![".env".into()], protect: vec!["locked".into()], ..open() }
}

fn small() -> Policy {
    Policy { max_file: 8, quota: Some(20), ..open() }
}

/// Opens a file, unless the backend takes files whole alone.
async fn arriving(ws: &Subject, path: &str) -> Verdict<Option<Box<dyn Incoming>>> {
    match ws.fs.receive(&at(path)?).await {
        Err(error) if error.code() == Code::Unsupported => Ok(None),
        opened => Ok(Some(opened?)),
    }
}

fn bytes(text: &'static str) -> Bytes {
    Bytes::from_static(text.as_bytes())
}

async fn a_file_lands_whole(ws: Subject) -> Verdict {
    let Some(mut incoming) = arriving(&ws, "deep/er/f").await? else { return Ok(()) };
    incoming.add(vec![bytes("one "), bytes(""), bytes("two")]).await?;
    incoming.add(Vec::new()).await?;
    incoming.add(vec![bytes(" three")]).await?;
    same("read back", incoming.read_back(4, 5).await?, "two t")?;
    same("read back", incoming.read_back(99, 5).await?, "")?;
    let version = Version::of(b"one two three");
    same("version", incoming.version().await?, version)?;
    let written = incoming.land(ANY).await?;
    same("written", (written.version, written.created), (version, true))?;
    same("bytes", ws.read("deep/er/f").await?, "one two three")?;
    let Some(mut incoming) = arriving(&ws, "deep/er/f").await? else { return Ok(()) };
    incoming.add(vec![bytes("four")]).await?;
    same("created", incoming.land(ANY).await?.created, false)?;
    same("bytes", ws.read("deep/er/f").await?, "four")?;
    same("names", ws.names("deep/er").await?, ["f"])?;
    settled(&ws).await
}

async fn nothing_is_seen_before_it_lands(ws: Subject) -> Verdict {
    ws.write("there", "x").await?;
    let before = ws.tree().await?;
    let Some(mut incoming) = arriving(&ws, "d/f").await? else { return Ok(()) };
    incoming.add(vec![bytes("needle")]).await?;
    same("tree", ws.tree().await?, before)?;
    if ws.fs.abilities().find {
        same("found", ws.find(&everything()).await?.0, ["there"])?;
    }
    incoming.land(ANY).await?;
    same("bytes", ws.read("d/f").await?, "needle")
}

async fn it_lands_under_its_guard(ws: Subject) -> Verdict {
    let version = ws.write("f", "old").await?.version;
    for (put, code) in [
        (ABSENT, Some(Code::FileExists)),
        (unchanged(Version::of(b"other")), Some(Code::Conflict)),
        (unchanged(version), None),
        (unchanged(version), Some(Code::Conflict)),
    ] {
        let Some(mut incoming) = arriving(&ws, "f").await? else { return Ok(()) };
        incoming.add(vec![bytes("new")]).await?;
        let landed = incoming.land(put).await;
        match code {
            Some(code) => refused(landed, code)?,
            None => same("created", landed?.created, false)?,
        }
    }
    same("bytes", ws.read("f").await?, "new")?;
    let Some(mut incoming) = arriving(&ws, "g").await? else { return Ok(()) };
    incoming.add(vec![bytes("x")]).await?;
    refused(incoming.land(unchanged(version)).await, Code::Conflict)?;
    same("names", ws.names("").await?, ["f"])?;
    settled(&ws).await
}

async fn a_link_stays_and_its_target_changes(ws: Subject) -> Verdict {
    ws.write("d/f", "old").await?;
    ws.symlink("l", "d/f")?;
    let Some(mut incoming) = arriving(&ws, "l").await? else { return Ok(()) };
    incoming.add(vec![bytes("new")]).await?;
    incoming.land(ANY).await?;
    same("bytes", ws.read("d/f").await?, "new")?;
    same("kind", ws.stat("l").await?.kind, garth_contract::Kind::Symlink)
}

async fn modes_are_kept(ws: Subject) -> Verdict {
    let usual = {
        ws.write("usual", "x").await?;
        ws.stat("usual").await?.mode
    };
    ws.put("closed", "x", garth_contract::Put { mode: Some(0o640), ..ANY }).await?;
    for (path, mode) in [("fresh", usual), ("closed", Some(0o640))] {
        let Some(mut incoming) = arriving(&ws, path).await? else { return Ok(()) };
        incoming.add(vec![bytes("y")]).await?;
        incoming.land(ANY).await?;
        same("mode", (path, ws.stat(path).await?.mode), (path, mode))?;
    }
    Ok(())
}

async fn what_was_dropped_leaves_nothing(ws: Subject) -> Verdict {
    ws.write("there", "x").await?;
    let before = ws.tree().await?;
    let Some(mut incoming) = arriving(&ws, "d/f").await? else { return Ok(()) };
    incoming.add(vec![bytes("y")]).await?;
    drop(incoming);
    settled(&ws).await?;
    same("tree", ws.tree().await?, before)
}

async fn what_cannot_be_written_cannot_arrive(ws: Subject) -> Verdict {
    ws.plant("locked/f", "x").await?;
    if arriving(&ws, "free").await?.is_none() {
        return Ok(());
    }
    for path in [".env", "locked/f", "locked/g", ""] {
        let code = if path.is_empty() { Code::NotAFile } else { Code::PermissionDenied };
        let opened = ws.fs.receive(&at(path)?).await;
        let landed = match opened {
            Ok(incoming) => incoming.land(ANY).await.map(drop),
            Err(error) => Err(error),
        };
        refused(landed, code)?;
    }
    same("bytes", ws.read("locked/f").await?, "x")
}

async fn a_file_over_the_bound_is_refused(ws: Subject) -> Verdict {
    let Some(mut incoming) = arriving(&ws, "f").await? else { return Ok(()) };
    incoming.add(vec![bytes("12345678")]).await?;
    refused(incoming.add(vec![bytes("9")]).await, Code::FileTooLarge)?;
    refused_as(incoming.land(ANY).await, &[Code::Conflict, Code::FileTooLarge])?;
    for path in ["a", "b"] {
        ws.write(path, "12345678").await?;
    }
    let Some(mut incoming) = arriving(&ws, "f").await? else { return Ok(()) };
    let added = incoming.add(vec![bytes("12345")]).await;
    let landed = match added {
        Ok(()) => incoming.land(ANY).await.map(drop),
        Err(error) => Err(error),
    };
    refused(landed, Code::QuotaExceeded)?;
    same("names", ws.names("").await?, ["a", "b"])
}
