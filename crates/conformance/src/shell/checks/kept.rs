//! How much of a command's output its report holds.

use bytes::Bytes;
use garth_contract::{Command, Keep, Kept};

use super::super::{
    Subject,
    arrange::{reading, script},
    check::checks,
};
use crate::{
    Verdict,
    stop::{holds, same},
};

checks! { "run"
    what_fits_is_held_whole [] covers "run.after.report" "kept.head";
    one_byte_more_is_cut_in_the_middle [] covers "run.after.report" "kept.head" "kept.tail" "keep.each";
    huge_output_is_held_at_both_ends_and_counted [] covers "run.after.report" "kept.tail" "kept.total";
    each_stream_is_cut_by_itself [] covers "run.after.report" "keep.each";
    nothing_is_held_when_nothing_is_asked_for [] covers "keep.each" "kept.total";
    only_the_end_is_held_when_only_that_is_asked_for [] covers "keep.each";
    the_whole_can_be_asked_for [] covers "run.after.whole" "report.id";
}

/// Bytes of which no stretch looks like its neighbours.
fn varied(length: usize) -> Vec<u8> {
    let lines = (0_u32..).flat_map(|number| format!("{number}\n").into_bytes());
    lines.take(length).collect()
}

/// What a report must hold of these bytes.
fn kept(bytes: &[u8], keep: Keep) -> Kept {
    let all = Bytes::copy_from_slice(bytes);
    let total = bytes.len() as u64;
    if bytes.len() <= keep.head + keep.tail {
        return Kept { head: all, tail: Bytes::new(), total };
    }
    let tail = all.slice(bytes.len() - keep.tail..);
    Kept { head: all.slice(..keep.head), tail, total }
}

const SMALL: Keep = Keep { head: 200, tail: 300 };

async fn what_fits_is_held_whole(ws: Subject) -> Verdict {
    for length in [1, 200, 201, 300, 499, 500] {
        let bytes = varied(length);
        let command = Command { keep: SMALL, ..reading("cat", bytes.clone())? };
        same("what is held", ws.run_as(command).await?.stdout, kept(&bytes, SMALL))?;
    }
    Ok(())
}

async fn one_byte_more_is_cut_in_the_middle(ws: Subject) -> Verdict {
    for length in [501, 700, 5_000] {
        let bytes = varied(length);
        let command = Command { keep: SMALL, ..reading("cat", bytes.clone())? };
        same("what is held", ws.run_as(command).await?.stdout, kept(&bytes, SMALL))?;
    }
    Ok(())
}

async fn huge_output_is_held_at_both_ends_and_counted(ws: Subject) -> Verdict {
    let report = ws.run("seq 1000000; seq 300000 >&2").await?;
    let all: String = (1..=1_000_000).map(|number| format!("{number}\n")).collect();
    let few: String = (1..=300_000).map(|number| format!("{number}\n")).collect();
    same("of standard output", report.stdout, kept(all.as_bytes(), Keep::USUAL))?;
    same("of standard error", report.stderr, kept(few.as_bytes(), Keep::USUAL))
}

async fn each_stream_is_cut_by_itself(ws: Subject) -> Verdict {
    let bytes = varied(100_000);
    let command = Command { keep: SMALL, ..reading("cat; printf err >&2", bytes.clone())? };
    let report = ws.run_as(command).await?;
    same("of standard output", report.stdout, kept(&bytes, SMALL))?;
    same("of standard error", report.stderr, kept(b"err", SMALL))
}

async fn nothing_is_held_when_nothing_is_asked_for(ws: Subject) -> Verdict {
    let keep = Keep { head: 0, tail: 0 };
    let report = ws.run_as(Command { keep, ..script("printf 12345; printf 678 >&2")? }).await?;
    same("of standard output", report.stdout, kept(b"12345", keep))?;
    same("of standard error", report.stderr, kept(b"678", keep))
}

async fn only_the_end_is_held_when_only_that_is_asked_for(ws: Subject) -> Verdict {
    let keep = Keep { head: 0, tail: 3 };
    let report = ws.run_as(Command { keep, ..script("printf 12345")? }).await?;
    same("of standard output", report.stdout, kept(b"12345", keep))
}

async fn the_whole_can_be_asked_for(ws: Subject) -> Verdict {
    ws.keeps(4 << 20)?;
    let (out, err) = (varied(2 << 20), varied(50_000));
    ws.files.write("err", &err).await?;
    let command = Command { keep: SMALL, ..reading("cat err >&2; cat", out.clone())? };
    let report = ws.run_as(command).await?;
    let (whole, ended) = ws.whole(report.id).await?;
    holds("standard output is whole", whole.stdout == out)?;
    holds("standard error is whole", whole.stderr == err)?;
    same("its end", ended, report.ended)
}
