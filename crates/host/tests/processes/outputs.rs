//! What is kept of what processes print, and how it is read.

use std::time::Duration;

use bytes::Bytes;
use garth_contract::{Ask, Code, Input, ProcessId, Shell, Stdin, Stream};
use garth_host::{Bounds, Trees};

use crate::place::{PATIENCE, Place, bytes_of, place, place_with, script};

const KILOBYTE: u64 = 1 << 10;

fn ask(from: u64, most: usize) -> Ask {
    Ask { from, most, wait: Duration::ZERO }
}

async fn feed(place: &Place, id: ProcessId, text: &'static str) {
    place.shell.input(id, Input::Bytes(Bytes::from(text))).await.unwrap();
}

#[tokio::test]
async fn both_streams_share_one_count_and_keep_their_order() {
    let place = place();
    let mut command = script("while read line; do printf $line; read line; printf $line >&2; done");
    command.stdin = Stdin::Open;
    let id = place.shell.start(command).await.unwrap();
    let mut expected = Vec::new();
    let mut from = 0;
    for (text, stream) in [("ab\n", Stream::Stdout), ("c\n", Stream::Stderr)].repeat(3) {
        feed(&place, id, text).await;
        let printed = place.output(id, from).await;
        assert_eq!((printed.start, printed.missing), (from, 0));
        expected.push((stream, text.trim().as_bytes().to_vec()));
        from = printed.next;
    }
    let printed = place.output(id, 0).await;
    let all: Vec<_> =
        printed.pieces.iter().map(|piece| (piece.stream, piece.bytes.to_vec())).collect();
    assert_eq!(all, expected);
    assert_eq!((printed.next, printed.total, printed.ended), (9, 9, None));
}

#[tokio::test]
async fn what_was_printed_can_be_read_from_every_position() {
    let place = place();
    let report = place.run("seq 200000; seq 50000 >&2; seq 200000").await;
    let (id, total) = (report.id, report.stdout.total + report.stderr.total);
    let mut whole = Vec::new();
    let mut from = 0;
    while from < total {
        let printed = place.ask(id, ask(from, 100_000)).await.unwrap();
        let count: usize = printed.pieces.iter().map(|piece| piece.bytes.len()).sum();
        assert!(count > 0 && count <= 100_000);
        assert_eq!((printed.start, printed.missing), (from, 0));
        assert_eq!((printed.next, printed.total), (from + count as u64, total));
        whole.extend(printed.pieces.iter().flat_map(|piece| piece.bytes.to_vec()));
        from = printed.next;
    }
    for from in (0..total).step_by(34_567).chain([65_534, 65_535, 65_536, 65_537, total - 1]) {
        let printed = place.ask(id, ask(from, 70_000)).await.unwrap();
        let bytes: Vec<_> = printed.pieces.iter().flat_map(|piece| piece.bytes.to_vec()).collect();
        let from = usize::try_from(from).unwrap();
        assert_eq!(bytes, whole[from..(from + 70_000).min(whole.len())], "from {from}");
    }
    let end = place.ask(id, ask(total, 10)).await.unwrap();
    assert_eq!((end.pieces, end.next, end.ended), (vec![], total, Some(report.ended)));
}

#[tokio::test]
async fn a_reader_that_waits_is_told_of_what_is_printed_and_of_the_end() {
    let place = place();
    let mut command = script("read line; echo got $line; read line; exit 0");
    command.stdin = Stdin::Open;
    let id = place.shell.start(command).await.unwrap();
    let nothing = place.ask(id, ask(0, 10)).await.unwrap();
    assert_eq!((nothing.pieces, nothing.next, nothing.ended), (vec![], 0, None));
    let (printed, ()) = tokio::join!(place.output(id, 0), feed(&place, id, "it\n"));
    assert_eq!(bytes_of(&printed, Stream::Stdout), b"got it\n");
    let (end, ()) = tokio::join!(place.output(id, printed.next), feed(&place, id, "\n"));
    assert!(end.ended.is_some() && end.pieces.is_empty());
}

#[tokio::test]
async fn a_position_beyond_the_end_and_a_process_that_is_none_are_refused() {
    let place = place();
    let id = place.run("printf 12345").await.id;
    assert!(place.ask(id, ask(5, 1)).await.is_ok());
    let error = place.ask(id, ask(6, 1)).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidParams);
    let error = place.ask(ProcessId(id.0 + 1), ask(0, 1)).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidParams);
}

#[tokio::test]
async fn no_more_is_given_than_was_asked_for() {
    let place = place();
    let id = place.run("printf 12345; printf 67890 >&2").await.id;
    let printed = place.ask(id, ask(3, 4)).await.unwrap();
    let count: usize = printed.pieces.iter().map(|piece| piece.bytes.len()).sum();
    assert_eq!((count, printed.next), (4, 7));
}

#[tokio::test]
async fn pieces_of_a_byte_each_are_kept_as_they_came() {
    let place = place();
    let id = place
        .start("for i in {1..20000}; do printf a; printf b >&2; done; printf A; printf B >&2")
        .await;
    let (out, err) = place.whole(id).await;
    assert_eq!(out, [&[b'a'; 20_000][..], b"A"].concat());
    assert_eq!(err, [&[b'b'; 20_000][..], b"B"].concat());
}

#[tokio::test]
async fn the_oldest_is_dropped_when_one_process_prints_too_much() {
    let bounds = Bounds { spool_each: 256 * KILOBYTE, ..Bounds::usual() };
    let place = place_with(bounds, Trees::Detect);
    let report = place.run("seq 1000000 1200000").await;
    let expected: String = (1_000_000..=1_200_000).map(|line| format!("{line}\n")).collect();
    assert_eq!(report.stdout.total, expected.len() as u64);
    assert!(report.stdout.head.starts_with(b"1000000\n"), "a report has the beginning");
    let printed = place.ask(report.id, ask(10, Ask::MOST)).await.unwrap();
    assert_eq!(printed.start, 10 + printed.missing);
    let kept = bytes_of(&printed, Stream::Stdout);
    assert!(kept.len() as u64 <= 256 * KILOBYTE, "{}", kept.len());
    assert!(kept.len() as u64 > 128 * KILOBYTE, "{}", kept.len());
    assert_eq!(printed.next, printed.total);
    let start = usize::try_from(printed.start).unwrap();
    assert_eq!(kept, expected.as_bytes()[start..]);
}

#[tokio::test]
async fn the_oldest_that_ended_gives_way_when_all_print_too_much() {
    let bounds = Bounds { spool_all: 512 * KILOBYTE, ..Bounds::usual() };
    let place = place_with(bounds, Trees::Detect);
    let print = "head -c 300000 /dev/zero; echo over";
    let first = place.run(print).await.id;
    let second = place.run(print).await.id;
    let old = place.ask(first, ask(0, Ask::MOST)).await.unwrap();
    assert!(old.missing > 200_000, "{}", old.missing);
    assert_eq!((old.next, old.total), (300_005, 300_005));
    let new = place.ask(second, ask(0, Ask::MOST)).await.unwrap();
    assert_eq!((new.missing, bytes_of(&new, Stream::Stdout).len()), (0, 300_005));
    // One that prints more than there is for all keeps its newest.
    let third = place.run("head -c 2000000 /dev/zero; echo over").await.id;
    let printed = place.ask(third, ask(0, Ask::MOST)).await.unwrap();
    let kept = bytes_of(&printed, Stream::Stdout);
    assert!(kept.ends_with(b"over\n") && kept.len() > 300_000, "{}", kept.len());
    assert_eq!(printed.missing + kept.len() as u64, 2_000_005);
}

#[tokio::test]
async fn a_flood_takes_no_memory_and_no_file_has_a_name() {
    let place = place();
    let id = place.start("head -c 50000000 /dev/zero; echo over; sleep 1000").await;
    let mut from = 0;
    while from < 50_000_005 {
        from = place.output(id, from).await.next;
    }
    let names = std::fs::read_dir(place.dir().join("spool")).unwrap().count();
    assert_eq!(names, 0);
    tokio::time::timeout(PATIENCE, place.shell.end(id)).await.unwrap().unwrap();
}
