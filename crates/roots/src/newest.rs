//! `find` over the top, newest first: what each root has, merged by time.
//!
//! Each root hands over its newest results, as many as the whole query can want,
//! so what is kept is bounded by the query and the number of roots.

use std::{cmp::Reverse, sync::Arc, time::SystemTime};

use garth_contract::{
    Collect, Facts, Flow, LineKind, Links, Order, Owned, Query, Result, Sink, Summary, Total,
    WsPath,
};
use garth_search::Filter;

use crate::{
    find::{Gate, NOTHING, Tally, judge},
    roots::Root,
};

/// The results of one entry or file.
struct Group<'a> {
    root: &'a Root,
    path: WsPath,
    modified: Option<SystemTime>,
    found: Vec<Owned>,
    matches: u64,
}

pub(crate) async fn newest(
    roots: &[Root],
    query: &Query,
    (filter, gate): (&Filter, &Arc<Gate>),
) -> Result<Summary> {
    let mut tally = Tally::new(query);
    let mut groups = Vec::new();
    let mut total = 0_u64;
    for root in roots {
        let judged = judge(filter, root);
        if judged.counts && query.grep.is_none() {
            groups.push(Group::of(root, Owned::Entry(root.entry().await)));
            total = total.saturating_add(1);
        }
        if judged.enters {
            let summary = gather(root, query, &mut groups).await?;
            tally.look(&summary);
            total = total.saturating_add(match summary.total {
                Total::Exact(count) | Total::AtLeast(count) => count,
            });
        }
    }
    groups.sort_by(|one, other| {
        let key = |group: &Group<'_>| (Reverse(group.modified), group.path.clone());
        key(one).cmp(&key(other))
    });
    hand_out(groups, query, (&mut tally, gate)).await?;
    Ok(Summary { total: Total::Exact(total), ..tally.summary() })
}

/// Asks one root for its newest.
async fn gather<'a>(root: &'a Root, query: &Query, groups: &mut Vec<Group<'a>>) -> Result<Summary> {
    let Some(inner) = root.ask(query)? else { return Ok(NOTHING) };
    let take = query.skip.saturating_add(query.take);
    let asked = Query { skip: 0, take, facts: Facts::All, ..inner };
    let kept = Arc::new(Collect::default());
    let summary = root.search(&asked, Arc::clone(&kept) as Arc<dyn Sink>).await?;
    let first = groups.len();
    for owned in kept.take() {
        match groups.get_mut(first..).and_then(<[_]>::last_mut) {
            Some(group) if group.path == *path(&owned) => group.push(owned),
            _ => groups.push(Group::of(root, owned)),
        }
    }
    if query.grep.is_some() {
        for group in groups.iter_mut().skip(first) {
            let inner = WsPath::from_bytes(group.path.below(&root.path).unwrap_or_default())?;
            // A file that is gone since has no time, and comes last.
            let entry = root.fs.stat(&inner, Links::Keep).await.ok();
            group.modified = entry.and_then(|entry| entry.modified);
        }
    }
    Ok(summary)
}

/// Hands on what is wanted of all that was gathered.
async fn hand_out(
    groups: Vec<Group<'_>>,
    query: &Query,
    (tally, gate): (&mut Tally, &Arc<Gate>),
) -> Result<()> {
    let mut ready = Vec::new();
    let (mut skip, mut take) = (query.skip, query.take);
    for group in groups {
        if take == 0 {
            break;
        }
        if group.matches <= skip {
            skip -= group.matches;
            continue;
        }
        if skip == 0 && group.matches <= take {
            take -= group.matches;
            ready.extend(group.found.into_iter().map(|owned| shown(owned, query.facts)));
            continue;
        }
        // Only the root knows which lines surround some of a file's matches.
        if tally.deliver(gate, std::mem::take(&mut ready)).await? == Flow::Stop {
            return Ok(());
        }
        let base = WsPath::from_bytes(group.path.below(&group.root.path).unwrap_or_default())?;
        // It counts, or it would not be in a group.
        let after = None;
        let asked = Query { base, order: Order::Path, skip, take, after, ..query.clone() };
        let given = group.root.search(&asked, Arc::clone(gate) as Arc<dyn Sink>).await?.given;
        tally.given(given);
        (skip, take) = (0, take.saturating_sub(given));
    }
    tally.deliver(gate, ready).await?;
    Ok(())
}

/// A result with no more facts than were asked for.
fn shown(owned: Owned, facts: Facts) -> Owned {
    match (owned, facts) {
        (Owned::Entry(entry), Facts::Names) => Owned::Name(entry.path, entry.kind),
        (owned, Facts::Names | Facts::All) => owned,
    }
}

fn path(owned: &Owned) -> &WsPath {
    match owned {
        Owned::Entry(entry) => &entry.path,
        Owned::Line(line) => &line.path,
        Owned::Name(path, _) | Owned::File(path) | Owned::Count(path, _) => path,
    }
}

impl<'a> Group<'a> {
    fn of(root: &'a Root, owned: Owned) -> Self {
        let modified = match &owned {
            Owned::Entry(entry) => entry.modified,
            Owned::Name(..) | Owned::Line(_) | Owned::File(_) | Owned::Count(..) => None,
        };
        let path = path(&owned).clone();
        let mut group = Self { root, path, modified, found: Vec::new(), matches: 0 };
        group.push(owned);
        group
    }

    fn push(&mut self, owned: Owned) {
        let context = matches!(&owned, Owned::Line(line) if line.kind == LineKind::Context);
        self.matches += u64::from(!context);
        self.found.push(owned);
    }
}
