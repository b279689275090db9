//! Paging through results and the lines around them, one fact each.

use std::sync::Mutex;

use garth_contract::{
    Case, Collect, Facts, Grep, Hidden, Ignored, Kinds, Lines, Order, Output, Owned, Reach, Syntax,
};

use super::*;
use crate::Search;

fn query(before: u64, after: u64, skip: u64, take: u64) -> Query {
    let grep = Grep {
        pattern: "x".into(),
        syntax: Syntax::Regex,
        case: Case::Sensitive,
        lines: Lines::Single,
        output: Output::Content,
        before,
        after,
    };
    Query {
        base: WsPath::root(),
        reach: Reach::Tree,
        include: Vec::new(),
        exclude: Vec::new(),
        kinds: Kinds::Files,
        hidden: Hidden::Skip,
        ignored: Ignored::Skip,
        grep: Some(grep),
        facts: Facts::All,
        order: Order::Path,
        skip,
        take,
        after: None,
    }
}

/// Searches some files in a row and shows what the sink gets.
fn run(query: &Query, files: &[(&str, &str)]) -> (String, u64) {
    let mut search = Search::compile(query).unwrap().unwrap().start();
    let sink = Collect::default();
    let mut delivery = Delivery::new(query, &sink);
    for (path, text) in files {
        let mut hits = Hits::new();
        search.bytes(path.as_bytes(), text.as_bytes(), &mut hits, &mut |_| Flow::Continue).unwrap();
        if delivery.push(&hits) == Flow::Stop {
            break;
        }
    }
    let shown = sink.take().into_iter().map(|found| {
        let Owned::Line(line) = found else { panic!("a line") };
        let sign = if line.kind == LineKind::Match { ':' } else { '-' };
        format!("{}{sign}{}", line.path, line.number)
    });
    (shown.collect::<Vec<_>>().join(" "), delivery.given())
}

const FILES: &[(&str, &str)] = &[("a", "x\n2\nx\n4\n5\n6\nx\n"), ("b", "1\n2\nx\n")];

#[test]
fn pages_join_into_the_whole() {
    assert_eq!(run(&query(0, 0, 0, 9), FILES), ("a:1 a:3 a:7 b:3".into(), 4));
    assert_eq!(run(&query(0, 0, 0, 2), FILES), ("a:1 a:3".into(), 2));
    assert_eq!(run(&query(0, 0, 2, 2), FILES), ("a:7 b:3".into(), 2));
    assert_eq!(run(&query(0, 0, 4, 2), FILES), (String::new(), 0));
    assert_eq!(run(&query(0, 0, 0, 0), FILES), (String::new(), 0));
}

#[test]
fn the_last_match_keeps_the_lines_after_it() {
    assert_eq!(run(&query(0, 2, 0, 2), FILES).0, "a:1 a-2 a:3 a-4 a-5");
    assert_eq!(run(&query(0, 9, 0, 1), FILES).0, "a:1 a-2");
}

#[test]
fn the_lines_before_an_unwanted_match_are_left_out() {
    assert_eq!(run(&query(2, 0, 0, 2), FILES).0, "a:1 a-2 a:3");
    assert_eq!(run(&query(2, 0, 0, 3), FILES).0, "a:1 a-2 a:3 a-5 a-6 a:7");
}

#[test]
fn the_first_wanted_match_keeps_the_lines_before_it() {
    assert_eq!(run(&query(2, 0, 2, 1), FILES).0, "a-5 a-6 a:7");
    assert_eq!(run(&query(2, 1, 2, 1), FILES).0, "a-5 a-6 a:7");
    assert_eq!(run(&query(2, 2, 1, 1), FILES).0, "a-1 a-2 a:3 a-4 a-5");
    assert_eq!(run(&query(1, 0, 3, 1), FILES).0, "b-2 b:3");
}

#[test]
fn lines_after_a_match_that_was_passed_over_are_left_out() {
    assert_eq!(run(&query(0, 2, 2, 1), FILES).0, "a:7");
    assert_eq!(run(&query(0, 2, 1, 1), FILES).0, "a:3 a-4 a-5");
}

#[test]
fn a_sink_that_stops_gets_nothing_more() {
    struct Once(Mutex<u64>);
    impl Sink for Once {
        fn accept(&self, _: Found<'_>) -> Flow {
            *self.0.lock().unwrap() += 1;
            Flow::Stop
        }
    }
    let query = query(0, 0, 0, 9);
    let mut hits = Hits::new();
    let mut search = Search::compile(&query).unwrap().unwrap().start();
    search.bytes(b"a", b"x\nx\n", &mut hits, &mut |_| Flow::Continue).unwrap();
    let sink = Once(Mutex::new(0));
    let mut delivery = Delivery::new(&query, &sink);
    assert_eq!(delivery.push(&hits), Flow::Stop);
    assert_eq!(delivery.push(&hits), Flow::Stop);
    assert_eq!((delivery.given(), *sink.0.lock().unwrap()), (1, 1));
}
