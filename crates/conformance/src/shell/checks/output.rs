//! What a process printed, read by positions: nothing twice, nothing missing.

use bytes::Bytes;
use garth_contract::{Ask, Code, Piece, Printed, ProcessId, Stream};

use super::super::{
    Subject,
    arrange::{UNTIL_GO, Whole, open, reading},
    check::checks,
};
use crate::{
    Verdict,
    stop::{failed, holds, refused, same},
};

checks! { "output"
    pages_of_any_size_join_to_the_whole [] covers "output.from" "output.again";
    any_position_can_be_read_again [] covers "output.from" "ask.from";
    an_answer_says_where_it_is [] covers "printed.start" "printed.next" "printed.total" "printed.missing";
    no_answer_has_more_than_was_asked_for [] covers "output.after.most" "ask.most";
    no_answer_is_over_its_bound [] covers "ask.bound";
    at_the_end_there_is_nothing_more [] covers "output.after.none" "printed.ended";
    a_position_beyond_is_refused [] covers "output.errors.beyond";
    an_unknown_process_is_refused [] covers "shell.unknown";
    streams_share_one_count_in_their_order [] covers "output.one_count" "stream.stdout" "stream.stderr";
    a_reader_that_keeps_up_sees_all [] covers "output.again";
    two_readers_see_the_same [] covers "output.again";
    the_output_of_an_ended_one_is_kept [] covers "run.after.whole" "list.kept";
    every_byte_is_kept [] covers "output.from";
    what_a_full_spool_dropped_is_counted [SmallSpool] covers "output.after.missing" "printed.missing" "printed.start";
    the_end_of_a_full_spool_is_right [SmallSpool] covers "output.after.missing" "printed.total";
    a_position_that_was_dropped_is_answered_later [SmallSpool] covers "output.after.missing";
}

/// Runs a script and returns its number and what it printed to standard output.
async fn ran(ws: &Subject, text: &str) -> Verdict<(ProcessId, Vec<u8>)> {
    let report = ws.run(text).await?;
    let (whole, _) = ws.whole(report.id).await?;
    holds("all of it was printed", whole.both.len() as u64 == report.stdout.total)?;
    Ok((report.id, whole.both.to_vec()))
}

fn bytes(printed: &Printed) -> Vec<u8> {
    let pieces: Vec<&[u8]> = printed.pieces.iter().map(|piece| &*piece.bytes).collect();
    pieces.concat()
}

fn from(whole: &[u8], position: u64) -> &[u8] {
    usize::try_from(position).ok().and_then(|at| whole.get(at..)).unwrap_or_default()
}

async fn pages_of_any_size_join_to_the_whole(ws: Subject) -> Verdict {
    let id = ws.run("seq 2000; seq 500 >&2").await?.id;
    let want: String = (1..=2000).map(|number| format!("{number}\n")).collect();
    for most in [7, 100, 4_096, 1 << 20] {
        let mut whole = Whole::default();
        let mut position = 0;
        loop {
            let page = ws.now(id, position, most).await?;
            if page.pieces.is_empty() {
                break;
            }
            whole.add(&page.pieces);
            position = page.next;
        }
        holds("standard output is whole", whole.stdout == want.as_bytes())?;
        holds("standard error is whole", want.as_bytes().starts_with(&whole.stderr))?;
        same("of standard error", whole.stderr.len(), 1_892)?;
    }
    Ok(())
}

async fn any_position_can_be_read_again(ws: Subject) -> Verdict {
    let (id, whole) = ran(&ws, "seq 3000").await?;
    for position in [0, 1, 2, 4_095, 4_096, 4_097, 9_999, 1, 13_892, 0] {
        let page = ws.now(id, position, 50).await?;
        let want = from(&whole, position);
        holds("something is read", !bytes(&page).is_empty())?;
        holds("it is what stood there", want.starts_with(&bytes(&page)))?;
    }
    Ok(())
}

async fn an_answer_says_where_it_is(ws: Subject) -> Verdict {
    let (id, whole) = ran(&ws, "seq 3000").await?;
    let total = whole.len() as u64;
    for position in [0, 1, 5_000, total - 1, total] {
        let page = ws.now(id, position, 100).await?;
        let next = position + bytes(&page).len() as u64;
        let told = (page.start, page.next, page.missing, page.total);
        same("start, next, missing, total", told, (position, next, 0, total))?;
    }
    Ok(())
}

async fn no_answer_has_more_than_was_asked_for(ws: Subject) -> Verdict {
    let (id, _) = ran(&ws, "seq 3000").await?;
    for most in [1, 2, 3, 1_000] {
        let got = bytes(&ws.now(id, 10, most).await?).len();
        holds("some bytes came, and no more than asked for", (1..=most).contains(&got))?;
    }
    Ok(())
}

async fn no_answer_is_over_its_bound(ws: Subject) -> Verdict {
    let id = ws.run("head -c 3000000 /dev/zero").await?.id;
    let page = ws.now(id, ws.now(id, 0, 1).await?.start, usize::MAX).await?;
    let got = bytes(&page).len();
    holds("some bytes came, and no more than the bound", (1..=Ask::MOST).contains(&got))
}

async fn at_the_end_there_is_nothing_more(ws: Subject) -> Verdict {
    let report = ws.run("printf 12345").await?;
    let page = ws.page(report.id, 5).await?;
    let end = Printed {
        start: 5,
        pieces: Vec::new(),
        next: 5,
        missing: 0,
        total: 5,
        ended: Some(report.ended),
    };
    same("the answer at the end", page, end)
}

async fn a_position_beyond_is_refused(ws: Subject) -> Verdict {
    let ended = ws.run("printf 12345").await?.id;
    let runs = ws.shell.start(open("printf 12345; read")?).await?;
    ws.until(runs, "12345").await?;
    for id in [ended, runs] {
        for position in [6, 1_000, u64::MAX] {
            refused(ws.now(id, position, 10).await, Code::InvalidParams)?;
        }
    }
    Ok(())
}

async fn an_unknown_process_is_refused(ws: Subject) -> Verdict {
    let known = ws.run("true").await?.id;
    for id in [ProcessId(known.0 + 1_000), ProcessId(u64::MAX)] {
        refused(ws.now(id, 0, 10).await, Code::InvalidParams)?;
    }
    Ok(())
}

async fn streams_share_one_count_in_their_order(ws: Subject) -> Verdict {
    // Each line waits for its predecessor to have been read, so there is one order.
    let lines = "for n in 1 2 3; do echo out$n; read; echo err$n >&2; read; done";
    let id = ws.shell.start(open(lines)?).await?;
    let piece = |stream, number: u32, text: &str| {
        let bytes = Bytes::from(format!("{text}{number}\n"));
        Piece { stream, bytes }
    };
    let mut position = 0;
    for number in 1..=3 {
        for (stream, text) in [(Stream::Stdout, "out"), (Stream::Stderr, "err")] {
            let mut got = Whole::default();
            let mut pieces: Vec<Piece> = Vec::new();
            while got.both.len() < 5 {
                let page = ws.page(id, position).await?;
                same("where it starts", page.start, position)?;
                got.add(&page.pieces);
                position = page.next;
                pieces.extend(page.pieces);
            }
            let streams_agree = pieces.iter().all(|piece| piece.stream == stream);
            holds("it came on its stream", streams_agree)?;
            same("the line", got.both, &*piece(stream, number, text).bytes)?;
            ws.write(id, "\n").await?;
        }
    }
    same("what it printed in all", position, 30)
}

async fn a_reader_that_keeps_up_sees_all(ws: Subject) -> Verdict {
    let bursts = "for n in {1..20}; do seq $n 300; sleep 0.01; seq $n 100 >&2; done";
    let id = ws.start(bursts).await?;
    let (live, _) = ws.whole(id).await?;
    let (again, _) = ws.whole(id).await?;
    holds("it is the same when read again", live.both == again.both)?;
    let lines = |last| (1..=20).flat_map(move |first| first..=last);
    let want = |last| lines(last).map(|number: u32| format!("{number}\n")).collect::<String>();
    holds("standard output is whole", live.stdout == want(300).as_bytes())?;
    holds("standard error is whole", live.stderr == want(100).as_bytes())
}

async fn two_readers_see_the_same(ws: Subject) -> Verdict {
    let id = ws.start(format!("seq 1000; {UNTIL_GO}; seq 1000")).await?;
    let early = ws.until(id, "\n1000\n").await?;
    ws.go().await?;
    let (one, _) = ws.whole(id).await?;
    let (other, _) = ws.whole(id).await?;
    holds("the early one saw the beginning", one.both.starts_with(early.as_bytes()))?;
    holds("both saw the same", one.both == other.both)?;
    same("bytes", one.both.len(), 2 * 3_893)
}

async fn the_output_of_an_ended_one_is_kept(ws: Subject) -> Verdict {
    let first = ws.run("echo first").await?.id;
    let second = ws.start("echo second").await?;
    ws.ended(second).await?;
    for _ in 0..3 {
        ws.run("echo other").await?;
    }
    same("the first", ws.whole(first).await?.0.both, "first\n")?;
    same("the second", ws.whole(second).await?.0.both, "second\n")
}

async fn every_byte_is_kept(ws: Subject) -> Verdict {
    let all: Vec<u8> = (0..=255).cycle().take(5_000).collect();
    let id = ws.run_as(reading("cat", all.clone())?).await?.id;
    let mut got = Vec::new();
    while got.len() < all.len() {
        let page = bytes(&ws.now(id, got.len() as u64, 333).await?);
        if page.is_empty() {
            return Err(failed(format!("nothing more after {} bytes", got.len())));
        }
        got.extend(page);
    }
    holds("they are the same", got == all)
}

/// Fills a spool over and over; returns the process, which has ended, and its output.
async fn overfilled(ws: &Subject) -> Verdict<(ProcessId, Vec<u8>, u64)> {
    let spool = ws.traits.spool.unwrap_or_default();
    let mut want = String::new();
    let mut last = 0;
    while (want.len() as u64) < 3 * spool + 10_000 {
        last += 1;
        want.push_str(&format!("{last}\n"));
    }
    Ok((ws.run(format!("seq {last}")).await?.id, want.into_bytes(), spool))
}

async fn what_a_full_spool_dropped_is_counted(ws: Subject) -> Verdict {
    let (id, all, spool) = overfilled(&ws).await?;
    for position in [0, 1, 1_000] {
        let page = ws.now(id, position, 100).await?;
        holds("something is missing", page.missing > 0)?;
        same("where it starts", page.start, position + page.missing)?;
        let dropped = all.len() as u64 - page.start;
        holds("no more is kept than fits", dropped <= spool)?;
        holds("bytes came", !bytes(&page).is_empty())?;
        holds("they are those", from(&all, page.start).starts_with(&bytes(&page)))?;
        same("next", page.next, page.start + bytes(&page).len() as u64)?;
    }
    Ok(())
}

async fn the_end_of_a_full_spool_is_right(ws: Subject) -> Verdict {
    let (id, all, _) = overfilled(&ws).await?;
    let start = ws.now(id, 0, 1).await?.start;
    let mut got = Vec::new();
    loop {
        let page = ws.now(id, start + got.len() as u64, 5_000).await?;
        same("what was printed in all", page.total, all.len() as u64)?;
        same("nothing more is missing", page.missing, 0)?;
        if page.pieces.is_empty() {
            break;
        }
        got.extend(bytes(&page));
    }
    holds("a good part is kept", got.len() > 1_000)?;
    holds("it is the end of what was printed", all.ends_with(&got))
}

async fn a_position_that_was_dropped_is_answered_later(ws: Subject) -> Verdict {
    // A reader that stopped in the middle is told what it missed, then goes on.
    let (id, all, _) = overfilled(&ws).await?;
    let first = ws.now(id, 500, 100).await?;
    let second = ws.now(id, first.next, 100).await?;
    same("missing at first", first.missing, first.start - 500)?;
    same("missing after", second.missing, 0)?;
    let joined = [bytes(&first), bytes(&second)].concat();
    holds("the two join", from(&all, first.start).starts_with(&joined))
}
