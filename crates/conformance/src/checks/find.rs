//! How `find` walks: what it visits, in which order, and when it ends.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use garth_contract::{
    Code, Facts, Flow, Found, Hidden, Ignored, Kind, Kinds, Order, Owned, Query, Reach, Sink, Total,
};

use crate::{
    Subject, Verdict,
    arrange::{at, everything, lines},
    check::{checks, open},
    stop::{holds, refused, refused_as, same},
};

checks! { "find"
    a_whole_tree_is_walked_in_order [Write Find] under open covers "find.walks" "find.after.order" "order.path" "reach.tree";
    entries_are_what_stat_says [Write Find] under open covers "find.walks" "stat.entry" "facts.all";
    names_are_the_paths_and_kinds_of_the_entries [Write Find] under open covers "facts.names" "query.facts";
    a_link_is_one_by_its_name_too [Write Find Symlinks] under open covers "facts.names" "find.links";
    special_files_are_told_apart_by_name [Write Find SpecialFiles] under open covers "facts.names" "common.never_blocks";
    facts_change_nothing_about_lines [Write Find] under open covers "query.facts";
    only_direct_entries_are_reached [Write Find] under open covers "reach.entries";
    a_base_bounds_the_walk [Write Find] under open covers "query.base";
    a_base_may_be_a_file [Write Find] under open covers "query.base";
    kinds_are_told_apart [Write Find] under open covers "query.kinds";
    an_empty_tree_has_nothing [Find] under open covers "find.after.total";
    a_missing_base_is_not_found [Find] under open covers "find.errors.not_found";
    a_special_base_is_not_a_file [Find SpecialFiles] under open covers "find.errors.not_a_file" "common.never_blocks";
    skip_and_take_cut_the_results [Write Find] under open covers "find.after.take" "find.after.total" "query.skip" "summary.given" "total.exact" "total.at_least";
    results_begin_behind_a_path [Write Find] under open covers "query.after" "total.exact";
    a_path_behind_which_results_begin_may_be_gone [Write Find] under open covers "query.after";
    the_newest_come_first [Write Find] under open covers "order.newest";
    links_are_reported_and_not_followed [Find Symlinks] under open covers "find.links";
    a_loop_of_links_ends [Find Symlinks] under open covers "find.links";
    special_files_are_reported_and_not_opened [Write Find SpecialFiles] under open covers "find.walks" "common.never_blocks" "query.kinds";
    a_sink_that_has_enough_ends_the_search [Write Find] under open covers "sink.flow" "total.at_least" "summary.given";
    dotfiles_are_passed_over_when_asked [Write Find] under open covers "hidden.skip" "hidden.include";
    a_hidden_base_is_looked_at [Write Find] under open covers "hidden.skip" "query.base";
    a_wide_and_deep_tree_keeps_its_order [Write Find] under open covers "find.after.order" "order.path";
}

const TREE: [&str; 7] = ["a-b", "a/z", "a/b/c", "a.txt", "b", "Z", ".h/x"];

async fn plant(ws: &Subject) -> Verdict {
    for path in TREE {
        ws.write(path, path).await?;
    }
    Ok(())
}

async fn a_whole_tree_is_walked_in_order(ws: Subject) -> Verdict {
    plant(&ws).await?;
    let (found, summary) = ws.find(&everything()).await?;
    let want = [".h", ".h/x", "Z", "a", "a/b", "a/b/c", "a/z", "a-b", "a.txt", "b"];
    same("found", found, want)?;
    same("given and total", (summary.given, summary.total), (10, Total::Exact(10)))
}

async fn results_begin_behind_a_path(ws: Subject) -> Verdict {
    plant(&ws).await?;
    let (all, _) = ws.find(&everything()).await?;
    for (index, after) in all.iter().enumerate() {
        let query = Query { after: Some(at(after)?), ..everything() };
        let behind: Vec<String> = all.iter().skip(index + 1).cloned().collect();
        let (found, summary) = ws.find(&query).await?;
        same("total", summary.total, Total::Exact(behind.len() as u64))?;
        let next: Vec<String> = behind.first().cloned().into_iter().collect();
        same("found", found, behind)?;
        same("next", ws.find(&Query { take: 1, ..query }).await?.0, next)?;
    }
    let query = Query { base: at("a")?, after: Some(at("a/b")?), ..everything() };
    same("below a base", ws.find(&query).await?.0, ["a/b/c", "a/z"])?;
    let query = Query { reach: Reach::Entries, ..query };
    same("entries", ws.find(&query).await?.0, ["a/z"])?;
    for (after, want) in [("a/b", &["a/z"][..]), ("a/z", &[]), ("b", &[])] {
        let query = Query { base: at("a/z")?, after: Some(at(after)?), ..everything() };
        same("a file as a base", ws.find(&query).await?.0, want.to_vec())?;
    }
    let query = Query { after: Some(at("a/b")?), ..lines("a") };
    let (found, _) = ws.find(&query).await?;
    holds(
        "lines of files behind it",
        !found.is_empty() && found.iter().all(|path| !path.starts_with("Z")),
    )
}

async fn a_path_behind_which_results_begin_may_be_gone(ws: Subject) -> Verdict {
    plant(&ws).await?;
    for (after, first) in
        [("a/a", "a/b"), ("a/b/c/d", "a/z"), ("a/zz", "a-b"), ("0", "Z"), ("Z/y", "a")]
    {
        let query = Query { after: Some(at(after)?), take: 1, ..everything() };
        same(after, ws.find(&query).await?.0, [first])?;
    }
    Ok(())
}

async fn entries_are_what_stat_says(ws: Subject) -> Verdict {
    plant(&ws).await?;
    for found in collect(&ws, &everything()).await? {
        let Owned::Entry(entry) = found else {
            return Err(crate::stop::failed(format!("not an entry: {found:?}")));
        };
        same("entry", ws.stat(entry.path.as_bytes()).await?, entry)?;
    }
    Ok(())
}

/// Everything a query finds, as it came.
async fn collect(ws: &Subject, query: &Query) -> Verdict<Vec<Owned>> {
    let sink = Arc::new(garth_contract::Collect::default());
    ws.fs.find(query, Arc::clone(&sink) as Arc<dyn Sink>).await?;
    Ok(sink.take())
}

async fn names_are_the_paths_and_kinds_of_the_entries(ws: Subject) -> Verdict {
    plant(&ws).await?;
    for order in [Order::Path, Order::Newest] {
        let all = Query { order, ..everything() };
        for query in [
            Query { kinds: Kinds::Files, ..all.clone() },
            Query { base: at("a")?, reach: Reach::Entries, ..all.clone() },
            Query { base: at("a/z")?, ..all.clone() },
            Query { skip: 2, take: 3, hidden: Hidden::Skip, ..all.clone() },
            all,
        ] {
            let mut want = Vec::new();
            for found in collect(&ws, &query).await? {
                let Owned::Entry(entry) = found else {
                    return Err(crate::stop::failed(format!("not an entry: {found:?}")));
                };
                want.push(Owned::Name(entry.path, entry.kind));
            }
            let query = Query { facts: Facts::Names, ..query };
            same("names", collect(&ws, &query).await?, want)?;
        }
    }
    Ok(())
}

async fn a_link_is_one_by_its_name_too(ws: Subject) -> Verdict {
    ws.plant("d/f", "x").await?;
    ws.symlink("to_dir", "d")?;
    ws.symlink("to_file", "d/f")?;
    ws.symlink("to_nothing", "nothing")?;
    let names = Query { facts: Facts::Names, ..everything() };
    let want = [
        Owned::Name(at("d")?, Kind::Dir),
        Owned::Name(at("d/f")?, Kind::File),
        Owned::Name(at("to_dir")?, Kind::Symlink),
        Owned::Name(at("to_file")?, Kind::Symlink),
        Owned::Name(at("to_nothing")?, Kind::Symlink),
    ];
    same("names", collect(&ws, &names).await?, want)
}

async fn special_files_are_told_apart_by_name(ws: Subject) -> Verdict {
    ws.write("f", "x").await?;
    ws.outside.fifo(&at("pipe")?)?;
    ws.outside.socket(&at("socket")?)?;
    let names = Query { facts: Facts::Names, ..everything() };
    let want = [
        Owned::Name(at("f")?, Kind::File),
        Owned::Name(at("pipe")?, Kind::Fifo),
        Owned::Name(at("socket")?, Kind::Socket),
    ];
    same("names", collect(&ws, &names).await?, want)
}

async fn facts_change_nothing_about_lines(ws: Subject) -> Verdict {
    plant(&ws).await?;
    for order in [Order::Path, Order::Newest] {
        let all = Query { order, ..lines("a") };
        let names = Query { facts: Facts::Names, ..all.clone() };
        same("lines", collect(&ws, &names).await?, collect(&ws, &all).await?)?;
    }
    Ok(())
}

async fn only_direct_entries_are_reached(ws: Subject) -> Verdict {
    plant(&ws).await?;
    let query = Query { reach: Reach::Entries, ..everything() };
    same("found", ws.find(&query).await?.0, [".h", "Z", "a", "a-b", "a.txt", "b"])?;
    let query = Query { base: at("a")?, ..query };
    same("found", ws.find(&query).await?.0, ["a/b", "a/z"])
}

async fn a_base_bounds_the_walk(ws: Subject) -> Verdict {
    plant(&ws).await?;
    let query = Query { base: at("a")?, ..everything() };
    same("found", ws.find(&query).await?.0, ["a/b", "a/b/c", "a/z"])
}

async fn a_base_may_be_a_file(ws: Subject) -> Verdict {
    plant(&ws).await?;
    let base = at("a/z")?;
    same("found", ws.find(&Query { base: base.clone(), ..everything() }).await?.0, ["a/z"])?;
    same("found", ws.find(&Query { base, ..lines("z") }).await?.0, ["a/z:1:a/z"])
}

async fn kinds_are_told_apart(ws: Subject) -> Verdict {
    plant(&ws).await?;
    let query = Query { kinds: Kinds::Dirs, ..everything() };
    same("directories", ws.find(&query).await?.0, [".h", "a", "a/b"])?;
    let query = Query { kinds: Kinds::Files, ..query };
    same("files", ws.find(&query).await?.0.len(), TREE.len())
}

async fn an_empty_tree_has_nothing(ws: Subject) -> Verdict {
    let (found, summary) = ws.find(&everything()).await?;
    same("found", found, Vec::<String>::new())?;
    same("given and total", (summary.given, summary.total), (0, Total::Exact(0)))?;
    same("found", ws.find(&lines("x")).await?.1.total, Total::Exact(0))
}

async fn a_missing_base_is_not_found(ws: Subject) -> Verdict {
    refused(ws.find(&Query { base: at("nope")?, ..everything() }).await, Code::FileNotFound)?;
    refused(ws.find(&Query { base: at("no/such")?, ..lines("x") }).await, Code::FileNotFound)
}

async fn a_special_base_is_not_a_file(ws: Subject) -> Verdict {
    ws.outside.fifo(&at("pipe")?)?;
    refused(ws.find(&Query { base: at("pipe")?, ..everything() }).await, Code::NotAFile)?;
    refused(ws.find(&Query { base: at("pipe")?, ..lines("x") }).await, Code::NotAFile)
}

async fn skip_and_take_cut_the_results(ws: Subject) -> Verdict {
    for name in ["a", "b", "c", "d", "e"] {
        ws.write(name, "x\nx\n").await?;
    }
    for query in [everything(), lines("x")] {
        let all = ws.find(&query).await?.0;
        let count = all.len() as u64;
        for (skip, take) in [
            (0, 2),
            (2, 2),
            (1, 0),
            (4, 9),
            (9, 9),
            (0, count),
            (0, count + 1),
            (u64::MAX, u64::MAX),
        ] {
            let (found, summary) = ws.find(&Query { skip, take, ..query.clone() }).await?;
            let first = usize::try_from(skip.min(count)).unwrap_or(usize::MAX);
            let most = usize::try_from(take.min(count)).unwrap_or(usize::MAX);
            let want: Vec<_> = all.iter().skip(first).take(most).cloned().collect();
            same("given", summary.given, want.len() as u64)?;
            let what = format!("{:?} is true, skip {skip}, take {take}", summary.total);
            // A search that was not cut has looked at everything.
            let cut = skip.saturating_add(take) <= count;
            match summary.total {
                Total::Exact(total) => holds(&what, total == count)?,
                Total::AtLeast(total) => {
                    holds(&what, cut && summary.given <= total && total <= count)?;
                }
            }
            same("found", found, want)?;
        }
    }
    Ok(())
}

async fn the_newest_come_first(ws: Subject) -> Verdict {
    for (name, seconds) in
        [("a", 3_000), ("b", 9_000), ("d/c", 5_000), ("d/e", 5_000), ("z", 5_000)]
    {
        ws.write(name, "x").await?;
        ws.outside.set_modified(&at(name)?, seconds)?;
    }
    let query = Query { order: Order::Newest, kinds: Kinds::Files, ..everything() };
    same("found", ws.find(&query).await?.0, ["b", "d/c", "d/e", "z", "a"])?;
    let page = Query { skip: 1, take: 2, ..query };
    same("a page", ws.find(&page).await?.0, ["d/c", "d/e"])
}

async fn links_are_reported_and_not_followed(ws: Subject) -> Verdict {
    ws.plant("d/f", "needle").await?;
    ws.symlink("to_dir", "d")?;
    ws.symlink("to_file", "d/f")?;
    same("found", ws.find(&everything()).await?.0, ["d", "d/f", "to_dir", "to_file"])?;
    same("lines", ws.find(&lines("needle")).await?.0, ["d/f:1:needle"])?;
    let query = Query { kinds: Kinds::Files, ..everything() };
    same("files", ws.find(&query).await?.0, ["d/f"])
}

async fn a_loop_of_links_ends(ws: Subject) -> Verdict {
    ws.plant("d/f", "needle").await?;
    ws.symlink("d/up", "..")?;
    ws.symlink("d/self", "self")?;
    ws.symlink("d/here", ".")?;
    let (found, summary) = ws.find(&everything()).await?;
    same("found", found, ["d", "d/f", "d/here", "d/self", "d/up"])?;
    same("total", summary.total, Total::Exact(5))?;
    same("lines", ws.find(&lines("needle")).await?.0, ["d/f:1:needle"])
}

async fn special_files_are_reported_and_not_opened(ws: Subject) -> Verdict {
    ws.write("f", "needle").await?;
    ws.outside.fifo(&at("pipe")?)?;
    ws.outside.socket(&at("socket")?)?;
    same("found", ws.find(&everything()).await?.0, ["f", "pipe", "socket"])?;
    same("lines", ws.find(&lines("needle")).await?.0, ["f:1:needle"])?;
    // An ignore file may be a pipe as well.
    ws.outside.fifo(&at(".gitignore")?)?;
    ws.outside.fifo(&at(".ignore")?)?;
    let query = Query { ignored: Ignored::Skip, hidden: Hidden::Skip, ..lines("needle") };
    same("lines", ws.find(&query).await?.0, ["f:1:needle"])
}

/// Takes so many results and then no more.
struct Few {
    wanted: u64,
    taken: AtomicU64,
}

impl Sink for Few {
    fn accept(&self, _: Found<'_>) -> Flow {
        let taken = self.taken.fetch_add(1, Ordering::SeqCst) + 1;
        if taken < self.wanted { Flow::Continue } else { Flow::Stop }
    }
}

async fn a_sink_that_has_enough_ends_the_search(ws: Subject) -> Verdict {
    for number in 0..200 {
        ws.write(format!("d{}/f{number}", number % 7), "x\nx\n").await?;
    }
    for query in [everything(), lines("x"), Query { order: Order::Newest, ..everything() }] {
        let sink = Arc::new(Few { wanted: 3, taken: AtomicU64::new(0) });
        let summary = ws.fs.find(&query, Arc::clone(&sink) as Arc<dyn Sink>).await?;
        same("calls of the sink", sink.taken.load(Ordering::SeqCst), 3)?;
        same("given", summary.given, 3)?;
        let honest = match summary.total {
            Total::Exact(total) => total >= 200,
            Total::AtLeast(total) => total >= 3,
        };
        holds("the total is true", honest)?;
    }
    Ok(())
}

async fn dotfiles_are_passed_over_when_asked(ws: Subject) -> Verdict {
    for path in ["f", ".f", ".d/f", "d/.f", "d/g", "d/.e/f"] {
        ws.write(path, "x").await?;
    }
    let query = Query { hidden: Hidden::Skip, ..everything() };
    same("found", ws.find(&query).await?.0, ["d", "d/g", "f"])?;
    let query = Query { hidden: Hidden::Include, ..query };
    same("found", ws.find(&query).await?.0.len(), 9)
}

async fn a_hidden_base_is_looked_at(ws: Subject) -> Verdict {
    for path in [".d/f", ".d/.g"] {
        ws.write(path, "x").await?;
    }
    let query = Query { base: at(".d")?, hidden: Hidden::Skip, ..everything() };
    same("found", ws.find(&query).await?.0, [".d/f"])
}

async fn a_wide_and_deep_tree_keeps_its_order(ws: Subject) -> Verdict {
    let mut want = Vec::new();
    for number in 0..600 {
        let path = format!("d{:02}/s{}/f{number:03}", number % 20, number % 3);
        ws.write(&path, format!("needle {number}\n")).await?;
        want.push(at(path)?);
    }
    want.sort();
    let files = Query { kinds: Kinds::Files, ..everything() };
    for (query, cut) in [(files, 0), (lines("needle"), 1)] {
        let (found, summary) = ws.find(&query).await?;
        let paths: Vec<_> =
            found.iter().map(|line| line.split(':').next().unwrap_or(line)).collect();
        same("paths", paths, want.iter().map(ToString::to_string).collect::<Vec<_>>())?;
        same("total", summary.total, Total::Exact(600))?;
        holds("every file was searched", cut == 0 || summary.searched == 600)?;
    }
    refused_as(
        ws.find(&Query { base: at("d00/nope")?, ..everything() }).await,
        &[Code::FileNotFound],
    )
}
