//! That results come in order, and that no more wait than may.

use std::{path::Path, thread};

use garth_contract::{
    Collect, Entry, Facts, Hidden, Ignored, Kind, Kinds, Order, Owned, Query, Reach, WsPath,
};

use super::*;

fn query(take: u64) -> Query {
    Query {
        base: WsPath::root(),
        reach: Reach::Tree,
        include: Vec::new(),
        exclude: Vec::new(),
        kinds: Kinds::All,
        hidden: Hidden::Include,
        ignored: Ignored::Include,
        grep: None,
        facts: Facts::All,
        order: Order::Path,
        skip: 0,
        take,
        after: None,
    }
}

fn hits(name: &str, count: usize) -> Hits {
    let mut hits = Hits::new();
    let path = WsPath::from_bytes(Path::new(name).as_os_str().as_encoded_bytes()).unwrap();
    for _ in 0..count {
        let path = path.clone();
        hits.push(Entry { path, kind: Kind::File, size: 0, modified: None, mode: None });
    }
    hits
}

fn taken(sink: &Collect) -> String {
    let names = sink.take().into_iter().map(|found| {
        let Owned::Entry(entry) = found else { panic!("an entry") };
        entry.path.to_string()
    });
    names.collect::<Vec<_>>().join(" ")
}

/// Enough results that others must wait for them.
fn too_many(name: &str) -> Hits {
    hits(name, MAX_AHEAD / size_of::<Entry>() + 1)
}

#[test]
fn results_come_in_the_order_of_their_places() {
    let sink = Collect::default();
    let board = Board::new(Delivery::new(&query(9), &sink));
    let places = [vec![0], vec![1], vec![1, 0], vec![2]];
    for place in &places {
        board.begin(place);
    }
    board.complete(&places[3], &mut hits("d", 1));
    board.complete(&places[1], &mut hits("b", 1));
    assert_eq!(taken(&sink), "");
    board.complete(&places[0], &mut hits("a", 1));
    assert_eq!(taken(&sink), "a b");
    board.complete(&places[2], &mut Hits::new());
    assert_eq!(taken(&sink), "d");
    assert!(!board.finish().1);
}

#[test]
fn results_wait_for_what_nobody_has_begun() {
    let sink = Collect::default();
    let board = Board::new(Delivery::new(&query(9), &sink));
    board.begin(&vec![2]);
    board.add([Stretch::at(vec![1])].into_iter());
    board.complete(&vec![2], &mut hits("b", 1));
    assert_eq!(taken(&sink), "");
    let (place, _) = board.take().unwrap();
    board.complete(&place, &mut hits("a", 1));
    assert_eq!(taken(&sink), "a b");
}

#[test]
fn the_first_stretch_is_taken_first_even_when_too_much_is_held() {
    let sink = Collect::default();
    let board = Board::new(Delivery::new(&query(u64::MAX), &sink));
    board.add([vec![4], vec![1], vec![3, 7]].map(Stretch::at).into_iter());
    board.begin(&vec![5]);
    board.complete(&vec![5], &mut too_many("z"));
    for expected in [vec![1], vec![3, 7], vec![4]] {
        let (place, _) = board.take().unwrap();
        assert_eq!(place, expected);
        board.complete(&place, &mut Hits::new());
    }
    assert!(board.take().is_none());
}

#[test]
fn what_comes_first_is_handed_on_before_it_is_done() {
    let sink = Collect::default();
    let board = Board::new(Delivery::new(&query(9), &sink));
    board.begin(&vec![0]);
    let mut part = hits("a", 1);
    assert_eq!(board.relieve(&vec![0], &mut part), Flow::Continue);
    assert!(part.is_empty());
    assert_eq!(taken(&sink), "a");
}

#[test]
fn a_later_stretch_waits_when_too_much_is_held() {
    let sink = Collect::default();
    let board = Board::new(Delivery::new(&query(u64::MAX), &sink));
    board.begin(&vec![0]);
    board.begin(&vec![1]);
    thread::scope(|scope| {
        let later = scope.spawn(|| {
            let mut many = too_many("b");
            let flow = board.relieve(&vec![1], &mut many);
            (flow, many.is_empty())
        });
        while board.lock().asleep == 0 && !later.is_finished() {
            thread::yield_now();
        }
        assert!(!later.is_finished());
        board.complete(&vec![0], &mut hits("a", 1));
        assert_eq!(later.join().unwrap(), (Flow::Continue, true));
    });
    assert!(taken(&sink).starts_with("a b b"));
}

#[test]
fn nothing_later_is_begun_while_too_much_is_held() {
    let sink = Collect::default();
    let board = Board::new(Delivery::new(&query(u64::MAX), &sink));
    board.begin(&vec![0]);
    board.begin(&vec![1]);
    board.complete(&vec![1], &mut too_many("b"));
    board.add([Stretch::at(vec![2])].into_iter());
    thread::scope(|scope| {
        let later = scope.spawn(|| board.take().map(|(place, _)| place));
        while board.lock().asleep == 0 && !later.is_finished() {
            thread::yield_now();
        }
        assert!(!later.is_finished());
        board.complete(&vec![0], &mut Hits::new());
        assert_eq!(later.join().unwrap(), Some(vec![2]));
    });
}

#[test]
fn the_end_wakes_those_who_wait() {
    let sink = Collect::default();
    let board = Board::new(Delivery::new(&query(u64::MAX), &sink));
    board.begin(&vec![0]);
    board.begin(&vec![1]);
    thread::scope(|scope| {
        let full = scope.spawn(|| board.relieve(&vec![1], &mut too_many("b")));
        let idle = scope.spawn(|| board.take().is_none());
        while board.lock().asleep < 2 {
            thread::yield_now();
        }
        board.end();
        assert_eq!(full.join().unwrap(), Flow::Stop);
        assert!(idle.join().unwrap());
    });
    assert!(board.finish().1);
}

#[test]
fn nothing_more_is_begun_once_enough_is_found() {
    let sink = Collect::default();
    let board = Board::new(Delivery::new(&query(1), &sink));
    board.begin(&vec![0]);
    board.complete(&vec![0], &mut hits("a", 3));
    assert!(board.take().is_none());
    assert_eq!(taken(&sink), "a");
}
