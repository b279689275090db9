//! In which order results come, how many, and what the summary says of them.

use std::{
    fs::File,
    sync::{Arc, Mutex},
    time::{Duration, SystemTime},
};

use garth_contract::{Flow, Found, Order, Output, Query, Sink, Total};

use crate::yard::{Yard, everything, files, find_into, grep, show_line, with};

/// Many files over many directories, more than one thread can look at alone.
fn many() -> Yard {
    let yard = Yard::with(&[]);
    for number in 0..2000 {
        let path = format!("d{}/e{}/f{number}", number % 7, number % 31);
        yard.add(&path, format!("x\nneedle {number}\nneedle\n").as_bytes());
    }
    yard
}

#[test]
fn names_sort_by_component_so_that_a_directory_stands_together() {
    let yard =
        Yard::with(&[("a/z", ""), ("a-b", ""), ("a/b/c", ""), ("b", ""), ("a0", ""), ("a/b-", "")]);
    assert_eq!(yard.shown(&everything()), "a a/b a/b/c a/b- a/z a-b a0 b");
}

#[test]
fn the_order_is_that_of_paths_however_many_threads_search() {
    let yard = many();
    let mut sorted = yard.find(&files()).0;
    assert_eq!(sorted.len(), 2000);
    let found = sorted.clone();
    sorted.sort_by_key(|path| path.replace('/', "\0"));
    assert_eq!(found, sorted);
    let lines = yard.find(&grep("needle")).0;
    let expected: Vec<String> = sorted
        .iter()
        .flat_map(|path| {
            let number = path.rsplit('f').next().unwrap();
            [format!("{path}:2:needle {number}"), format!("{path}:3:needle")]
        })
        .collect();
    assert_eq!(lines, expected);
}

#[test]
fn pages_join_into_the_whole() {
    let yard = many();
    for query in [files(), grep("needle")] {
        let (whole, summary) = yard.find(&query);
        assert_eq!(summary.total, Total::Exact(whole.len() as u64));
        assert_eq!(summary.given, whole.len() as u64);
        let mut joined = Vec::new();
        let mut skip = 0;
        loop {
            let (page, summary) = yard.find(&Query { skip, take: 333, ..query.clone() });
            assert_eq!(summary.given, page.len() as u64);
            skip += summary.given;
            joined.extend(page);
            match summary.total {
                Total::AtLeast(seen) => assert_eq!(seen, skip),
                Total::Exact(total) => {
                    assert_eq!(total, whole.len() as u64);
                    break;
                }
            }
        }
        assert_eq!(joined, whole);
    }
}

#[test]
fn a_search_that_wants_nothing_gives_nothing() {
    let yard = Yard::with(&[("a", "needle")]);
    let (lines, summary) = yard.find(&Query { take: 0, ..grep("needle") });
    assert_eq!((lines.len(), summary.given), (0, 0));
    let (lines, summary) = yard.find(&Query { skip: 5, take: 5, ..grep("needle") });
    assert_eq!((lines.len(), summary.total), (0, Total::Exact(1)));
}

#[test]
fn the_newest_come_first_and_all_are_counted() {
    let yard =
        Yard::with(&[("a/1", "needle"), ("b", "needle\nneedle"), ("c", "other"), ("d", "needle")]);
    for (path, age) in [("a/1", 30), ("b", 10), ("c", 20), ("d", 30)] {
        let file = File::options().write(true).open(yard.path().join(path)).unwrap();
        let base = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        file.set_modified(base - Duration::from_secs(age)).unwrap();
    }
    let newest = |query: Query| Query { order: Order::Newest, ..query };
    assert_eq!(yard.shown(&newest(files())), "b c a/1 d");
    let (page, summary) = yard.find(&newest(Query { skip: 1, take: 2, ..files() }));
    assert_eq!((page.join(" "), summary.total), ("c a/1".into(), Total::Exact(4)));
    let (page, summary) = yard.find(&newest(Query { skip: 1, take: 2, ..grep("needle") }));
    assert_eq!(page, ["b:2:needle", "a/1:1:needle"]);
    assert_eq!(summary.total, Total::Exact(4));
    let counts = newest(with(&grep("needle"), |grep| grep.output = Output::Count));
    assert_eq!(yard.shown(&counts), "b:2 a/1:1 d:1");
}

#[test]
fn a_sink_that_stops_is_not_called_again() {
    struct Some(Mutex<Vec<String>>);
    impl Sink for Some {
        fn accept(&self, found: Found<'_>) -> Flow {
            let Found::Line(line) = found else { panic!("a line") };
            let mut lines = self.0.lock().unwrap();
            lines.push(show_line(&line));
            if lines.len() < 3 { Flow::Continue } else { Flow::Stop }
        }
    }
    let yard = many();
    let sink = Arc::new(Some(Mutex::new(Vec::new())));
    let summary = find_into(&yard.host(), &grep("needle"), Arc::<Some>::clone(&sink)).unwrap();
    assert_eq!((summary.given, summary.total), (3, Total::AtLeast(3)));
    assert_eq!(*sink.0.lock().unwrap(), yard.find(&grep("needle")).0[..3]);
}

#[test]
fn binary_files_are_counted_and_what_follows_is_searched() {
    let yard = Yard::with(&[("a", "needle\0"), ("b", "needle"), ("c", "\0needle")]);
    let (lines, summary) = yard.find(&grep("needle"));
    assert_eq!(lines, ["b:1:needle"]);
    assert_eq!((summary.binary, summary.searched, summary.unreadable), (2, 3, 0));
}
