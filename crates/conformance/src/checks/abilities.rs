//! What a backend says it can do, and what it answers where it cannot.

use garth_contract::{Code, Hidden, Ignored, Reach, WatchSpec};

use crate::{
    Subject, Verdict,
    arrange::{KEEP, at, everything},
    check::{checks, open},
    stop::{refused, same},
};

checks! { "abilities"
    the_answer_never_changes [] under open covers "abilities.constant";
    what_it_cannot_do_is_unsupported [] under open covers "common.unsupported" "abilities.truth";
    a_backend_that_writes_holds_what_was_written [Write] under open covers "abilities.truth";
    modes_are_known_where_they_are_kept [Write] under open covers "abilities.truth" "entry.mode";
}

async fn the_answer_never_changes(ws: Subject) -> Verdict {
    let before = ws.fs.abilities();
    let _ = ws.write("f", "x").await;
    let _ = ws.stat("f").await;
    same("abilities", ws.fs.abilities(), before)
}

async fn what_it_cannot_do_is_unsupported(ws: Subject) -> Verdict {
    let abilities = ws.fs.abilities();
    if !abilities.write {
        refused(ws.write("f", "x").await, Code::Unsupported)?;
    }
    if !abilities.rename {
        let _ = ws.write("f", "x").await;
        refused(ws.rename("f", "g", KEEP).await, Code::Unsupported)?;
    }
    if !abilities.find {
        refused(ws.find(&everything()).await, Code::Unsupported)?;
    }
    if !abilities.trees {
        refused(ws.read_link("f").await, Code::Unsupported)?;
        refused(ws.stage("").await.map(drop), Code::Unsupported)?;
    }
    if !abilities.watch {
        let (hidden, ignored) = (Hidden::Include, Ignored::Include);
        let spec = WatchSpec { path: at("")?, reach: Reach::Tree, hidden, ignored };
        refused(ws.fs.watch(&spec).await.map(|_| ()), Code::Unsupported)?;
    }
    Ok(())
}

async fn a_backend_that_writes_holds_what_was_written(ws: Subject) -> Verdict {
    ws.write("f", "x").await?;
    same("bytes", ws.read("f").await?, "x")
}

async fn modes_are_known_where_they_are_kept(ws: Subject) -> Verdict {
    ws.write("f", "x").await?;
    same("a mode is given", ws.stat("f").await?.mode.is_some(), ws.fs.abilities().modes)
}
