//! Which results are kept when only the newest are wanted.

use std::time::Duration;

use garth_contract::{Collect, Entry, Facts, Hidden, Ignored, Kind, Kinds, Order, Owned, Reach};

use super::*;
use crate::Delivery;

fn query(skip: u64, take: u64) -> Query {
    Query {
        base: WsPath::root(),
        reach: Reach::Tree,
        include: Vec::new(),
        exclude: Vec::new(),
        kinds: Kinds::Files,
        hidden: Hidden::Skip,
        ignored: Ignored::Skip,
        grep: None,
        facts: Facts::All,
        order: Order::Newest,
        skip,
        take,
        after: None,
    }
}

fn run(query: &Query, entries: &[(&str, u64)]) -> (String, u64, usize) {
    let mut newest = Newest::new(query);
    let mut most = 0;
    for (name, seconds) in entries {
        let path = WsPath::from_bytes(name.as_bytes()).unwrap();
        let modified = Some(SystemTime::UNIX_EPOCH + Duration::from_secs(*seconds));
        if !newest.wants(modified) {
            newest.pass(1);
            continue;
        }
        let mut hits = Hits::new();
        let entry = Entry { path: path.clone(), kind: Kind::File, size: 0, modified, mode: None };
        hits.push(entry);
        newest.push(path, modified, 1, hits);
        most = most.max(newest.kept.len());
    }
    let total = newest.total();
    let sink = Collect::default();
    let mut delivery = Delivery::new(query, &sink);
    for hits in newest.into_hits() {
        delivery.push(&hits);
    }
    let shown = sink.take().into_iter().map(|found| {
        let Owned::Entry(entry) = found else { panic!("an entry") };
        entry.path.to_string()
    });
    (shown.collect::<Vec<_>>().join(" "), total, most)
}

const ENTRIES: &[(&str, u64)] = &[("a", 1), ("b", 5), ("c", 3), ("d", 5), ("e", 2)];

#[test]
fn the_newest_come_first_and_equal_times_by_path() {
    assert_eq!(run(&query(0, 9), ENTRIES).0, "b d c e a");
}

#[test]
fn no_more_is_kept_than_can_be_wanted() {
    assert_eq!(run(&query(1, 2), ENTRIES), ("d c".into(), 5, 3));
    assert_eq!(run(&query(0, 0), ENTRIES), (String::new(), 5, 0));
}
