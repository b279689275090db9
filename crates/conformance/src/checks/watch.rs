//! What a watcher is told, and what it is not.
//!
//! That something is *not* reported is shown without waiting: a change that must
//! be reported follows, and when its event has come, twice, the other never did.

use std::collections::BTreeSet;

use garth_contract::{Change, Code, Depth, Event, Hidden, Ignored, Reach, Watch, WatchSpec};

use crate::{
    Subject, Verdict,
    arrange::{KEEP, at, next},
    check::{checks, open},
    stop::{failed, holds, refused, same},
};

checks! { "watch"
    a_new_file_is_created [Write Watch] under open covers "watch.reports" "change.created";
    a_replaced_file_is_modified [Write Watch] under open covers "watch.reports" "change.modified";
    a_removed_file_is_deleted [Write Watch] under open covers "watch.reports" "change.deleted";
    a_move_deletes_and_creates [Write Rename Watch] under open covers "change.created" "change.deleted";
    a_new_directory_is_watched_too [Write Watch] under open covers "watch.after.every";
    a_deep_path_made_at_once_is_reported [Write Watch] under open covers "watch.after.every";
    many_changes_are_all_reported_or_an_overflow_is [Write Watch] under open covers "watch.after.every" "event.overflow";
    only_direct_entries_are_reported_when_asked [Write Watch] under open covers "watch_spec.reach";
    one_file_can_be_watched [Write Watch] under open covers "watch_spec.path";
    what_is_not_below_is_not_reported [Write Watch] under open covers "watch_spec.path";
    temporary_files_are_not_reported [Write Watch] under open covers "watch.after.temporary";
    hidden_files_are_reported_only_when_asked [Write Watch] under open covers "watch.after.hidden" "watch_spec.hidden";
    ignored_files_are_reported_only_when_asked [Write Watch] under open covers "watch.after.hidden" "watch_spec.ignored";
    a_missing_path_is_not_found [Watch] under open covers "watch.errors.not_found";
    what_others_change_is_reported [Write Watch] under open covers "watch.after.every";
    a_watch_ends_with_its_path [Write Watch] under open covers "watch.end";
    two_watchers_both_hear [Write Watch] under open covers "watch.reports";
    a_dropped_watch_disturbs_nobody [Write Watch] under open covers "watch.cancel";
    changes_before_it_are_not_reported [Write Watch] under open covers "watch.after.every";
}

fn all(path: &str) -> garth_contract::Result<WatchSpec> {
    let path = at(path)?;
    Ok(WatchSpec { path, reach: Reach::Tree, hidden: Hidden::Include, ignored: Ignored::Include })
}

/// The event that says so.
fn event(path: &str, change: Change) -> garth_contract::Result<Event> {
    Ok(Event::Changed { path: at(path)?, change })
}

/// Waits until every wanted event has come; returns all that came.
async fn hear(watch: &mut Watch, wanted: &[(&str, Change)]) -> Verdict<Vec<Event>> {
    let mut missing = Vec::new();
    for (path, change) in wanted {
        missing.push(event(path, *change)?);
    }
    let mut heard = Vec::new();
    while !missing.is_empty() {
        let Some(event) = next(watch).await else {
            return Err(failed(format!("it ended without {missing:?}, after {heard:?}")));
        };
        if event == Event::Overflow {
            return Err(failed("a few changes overflowed"));
        }
        missing.retain(|wanted| *wanted != event);
        heard.push(event);
    }
    Ok(heard)
}

/// The events until two later changes have been heard of.
async fn hear_out(ws: &Subject, watch: &mut Watch) -> Verdict<Vec<Event>> {
    ws.write("first-mark", "x").await?;
    let mut heard = hear(watch, &[("first-mark", Change::Created)]).await?;
    ws.write("last-mark", "x").await?;
    heard.extend(hear(watch, &[("last-mark", Change::Created)]).await?);
    Ok(heard)
}

fn about(heard: &[Event], path: &str) -> garth_contract::Result<Vec<Change>> {
    let wanted = at(path)?;
    let mut changes = Vec::new();
    for event in heard {
        match event {
            Event::Changed { path, change } if *path == wanted => changes.push(*change),
            Event::Changed { .. } | Event::Overflow => {}
        }
    }
    Ok(changes)
}

async fn a_new_file_is_created(ws: Subject) -> Verdict {
    let mut watch = ws.fs.watch(&all("")?).await?;
    ws.write("f", "x").await?;
    let heard = hear_out(&ws, &mut watch).await?;
    same("the first change", about(&heard, "f")?.first(), Some(&Change::Created))?;
    holds("it was not deleted", !about(&heard, "f")?.contains(&Change::Deleted))
}

async fn a_replaced_file_is_modified(ws: Subject) -> Verdict {
    ws.write("f", "old").await?;
    let mut watch = ws.fs.watch(&all("")?).await?;
    ws.write("f", "new").await?;
    let heard = hear_out(&ws, &mut watch).await?;
    let changes: BTreeSet<_> =
        about(&heard, "f")?.iter().map(|change| format!("{change:?}")).collect();
    same("changes", changes, BTreeSet::from(["Modified".to_owned()]))
}

async fn a_removed_file_is_deleted(ws: Subject) -> Verdict {
    ws.write("f", "x").await?;
    let mut watch = ws.fs.watch(&all("")?).await?;
    ws.remove("f", Depth::One).await?;
    let heard = hear_out(&ws, &mut watch).await?;
    same("the last change", about(&heard, "f")?.last(), Some(&Change::Deleted))?;
    holds("it was not created", !about(&heard, "f")?.contains(&Change::Created))
}

async fn a_move_deletes_and_creates(ws: Subject) -> Verdict {
    ws.write("a", "x").await?;
    ws.write("d/f", "x").await?;
    let mut watch = ws.fs.watch(&all("")?).await?;
    ws.rename("a", "b", KEEP).await?;
    hear(&mut watch, &[("a", Change::Deleted), ("b", Change::Created)]).await?;
    ws.rename("d", "e", KEEP).await?;
    hear(&mut watch, &[("d", Change::Deleted), ("e", Change::Created)]).await?;
    ws.write("e/g", "x").await?;
    hear(&mut watch, &[("e/g", Change::Created)]).await?;
    Ok(())
}

async fn a_new_directory_is_watched_too(ws: Subject) -> Verdict {
    let mut watch = ws.fs.watch(&all("")?).await?;
    ws.write("d/f", "x").await?;
    hear(&mut watch, &[("d", Change::Created), ("d/f", Change::Created)]).await?;
    ws.write("d/f", "y").await?;
    hear(&mut watch, &[("d/f", Change::Modified)]).await?;
    Ok(())
}

async fn a_deep_path_made_at_once_is_reported(ws: Subject) -> Verdict {
    let mut watch = ws.fs.watch(&all("")?).await?;
    for round in 0..20 {
        let path = format!("r{round}/a/b/c/d/f");
        ws.write(&path, "x").await?;
        hear(&mut watch, &[(&path, Change::Created)]).await?;
    }
    Ok(())
}

async fn many_changes_are_all_reported_or_an_overflow_is(ws: Subject) -> Verdict {
    let mut watch = ws.fs.watch(&all("")?).await?;
    let mut missing = BTreeSet::new();
    for number in 0..2_000 {
        let path = format!("d{}/f{number}", number % 10);
        ws.write(&path, "x").await?;
        missing.insert(at(path)?);
    }
    while !missing.is_empty() {
        match next(&mut watch).await {
            Some(Event::Changed { path, .. }) => missing.remove(&path),
            Some(Event::Overflow) => return Ok(()),
            None => return Err(failed(format!("it ended without {} changes", missing.len()))),
        };
    }
    Ok(())
}

async fn only_direct_entries_are_reported_when_asked(ws: Subject) -> Verdict {
    ws.write("d/sub/f", "x").await?;
    let mut watch = ws.fs.watch(&WatchSpec { reach: Reach::Entries, ..all("")? }).await?;
    ws.write("d/sub/f", "y").await?;
    ws.write("d/new", "y").await?;
    let heard = hear_out(&ws, &mut watch).await?;
    same("below", about(&heard, "d/sub/f")?, [])?;
    same("below", about(&heard, "d/new")?, [])
}

async fn one_file_can_be_watched(ws: Subject) -> Verdict {
    ws.write("d/f", "old").await?;
    let mut watch = ws.fs.watch(&all("d/f")?).await?;
    ws.write("d/g", "another").await?;
    ws.write("d/f", "new").await?;
    let heard = hear(&mut watch, &[("d/f", Change::Modified)]).await?;
    same("about its neighbour", about(&heard, "d/g")?, [])?;
    ws.write("d/f", "newer").await?;
    hear(&mut watch, &[("d/f", Change::Modified)]).await?;
    Ok(())
}

async fn what_is_not_below_is_not_reported(ws: Subject) -> Verdict {
    for path in ["d/f", "da/f", "e"] {
        ws.write(path, "x").await?;
    }
    let mut watch = ws.fs.watch(&all("d")?).await?;
    for path in ["da/f", "e", "d/f"] {
        ws.write(path, "y").await?;
    }
    ws.write("d/g", "y").await?;
    let heard = hear(&mut watch, &[("d/f", Change::Modified), ("d/g", Change::Created)]).await?;
    same("about others", (about(&heard, "da/f")?, about(&heard, "e")?), (vec![], vec![]))
}

async fn temporary_files_are_not_reported(ws: Subject) -> Verdict {
    ws.write("f", "x").await?;
    let mut watch = ws.fs.watch(&all("")?).await?;
    for number in 0..50 {
        ws.write("f", format!("content {number}")).await?;
    }
    let heard = hear_out(&ws, &mut watch).await?;
    for event in heard {
        let known = ["f", "first-mark", "last-mark"];
        let Event::Changed { path, .. } = &event else { continue };
        holds(
            &format!("{path} is one of ours"),
            known.iter().any(|name| name.as_bytes() == path.as_bytes()),
        )?;
    }
    Ok(())
}

async fn hidden_files_are_reported_only_when_asked(ws: Subject) -> Verdict {
    ws.write(".d/f", "x").await?;
    let mut seeing = ws.fs.watch(&all("")?).await?;
    let mut watch = ws.fs.watch(&WatchSpec { hidden: Hidden::Skip, ..all("")? }).await?;
    for path in [".f", ".d/f", ".d/g"] {
        ws.write(path, "y").await?;
    }
    hear(
        &mut seeing,
        &[(".f", Change::Created), (".d/f", Change::Modified), (".d/g", Change::Created)],
    )
    .await?;
    let heard = hear_out(&ws, &mut watch).await?;
    for path in [".f", ".d/f", ".d/g"] {
        same(path, about(&heard, path)?, [])?;
    }
    Ok(())
}

async fn ignored_files_are_reported_only_when_asked(ws: Subject) -> Verdict {
    ws.write(".gitignore", "*.log\n/target/\n").await?;
    ws.write("target/x", "x").await?;
    let mut seeing = ws.fs.watch(&all("")?).await?;
    let mut watch = ws.fs.watch(&WatchSpec { ignored: Ignored::Skip, ..all("")? }).await?;
    for path in ["a.log", "target/x", "target/y"] {
        ws.write(path, "y").await?;
    }
    hear(
        &mut seeing,
        &[
            ("a.log", Change::Created),
            ("target/x", Change::Modified),
            ("target/y", Change::Created),
        ],
    )
    .await?;
    let heard = hear_out(&ws, &mut watch).await?;
    for path in ["a.log", "target/x", "target/y"] {
        same(path, about(&heard, path)?, [])?;
    }
    Ok(())
}

async fn a_missing_path_is_not_found(ws: Subject) -> Verdict {
    let answer = ws.fs.watch(&all("nope")?).await.map(|_| ());
    refused(answer, Code::FileNotFound)?;
    let answer = ws.fs.watch(&all("no/such")?).await.map(|_| ());
    refused(answer, Code::FileNotFound)
}

async fn what_others_change_is_reported(ws: Subject) -> Verdict {
    ws.write("f", "x").await?;
    let mut watch = ws.fs.watch(&all("")?).await?;
    ws.outside.write(&at("f")?, b"changed in place")?;
    ws.outside.write(&at("d/new")?, b"new")?;
    hear(&mut watch, &[("f", Change::Modified), ("d/new", Change::Created)]).await?;
    ws.outside.remove(&at("d")?)?;
    hear(&mut watch, &[("d", Change::Deleted)]).await?;
    Ok(())
}

async fn a_watch_ends_with_its_path(ws: Subject) -> Verdict {
    ws.write("d/f", "x").await?;
    let mut watch = ws.fs.watch(&all("d")?).await?;
    ws.remove("d", Depth::All).await?;
    while next(&mut watch).await.is_some() {}
    Ok(())
}

async fn two_watchers_both_hear(ws: Subject) -> Verdict {
    let mut one = ws.fs.watch(&all("")?).await?;
    let mut two = ws.fs.watch(&all("")?).await?;
    ws.write("f", "x").await?;
    hear(&mut one, &[("f", Change::Created)]).await?;
    hear(&mut two, &[("f", Change::Created)]).await?;
    Ok(())
}

async fn a_dropped_watch_disturbs_nobody(ws: Subject) -> Verdict {
    let mut kept = ws.fs.watch(&all("")?).await?;
    for round in 0..50 {
        drop(ws.fs.watch(&all("")?).await?);
        let path = format!("f{round}");
        ws.write(&path, "x").await?;
        hear(&mut kept, &[(&path, Change::Created)]).await?;
    }
    Ok(())
}

async fn changes_before_it_are_not_reported(ws: Subject) -> Verdict {
    ws.write("f", "x").await?;
    let mut watch = ws.fs.watch(&all("")?).await?;
    let heard = hear_out(&ws, &mut watch).await?;
    same("about an old change", about(&heard, "f")?, [])
}
