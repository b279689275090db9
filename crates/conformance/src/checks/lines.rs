//! Lines of a file, from the front and from the back.
//!
//! What a window should hold the model works out in the plainest way, by cutting
//! the whole content; the two are compared over many contents and windows.

use garth_contract::{Span, Version};

use crate::{
    Subject, Verdict,
    check::{checks, open},
    model::window,
    stop::{failed, holds, same},
};

checks! { "lines"
    lines_are_cut_as_a_plain_reader_would [Write] under open covers "span.lines" "content.offset" "content.lines" "content.version";
    last_lines_are_cut_as_a_plain_reader_would [Write] under open covers "span.last_lines" "content.offset" "content.lines" "content.version";
    a_window_that_reached_the_end_knows_the_count [Write] under open covers "content.lines";
    lines_of_a_large_file_are_found [Write] under open covers "span.lines" "span.last_lines";
}

const CONTENTS: [&[u8]; 12] = [
    b"",
    b"\n",
    b"\n\n\n",
    b"one",
    b"one\n",
    b"one\ntwo\nthree",
    b"one\ntwo\nthree\n",
    b"one\r\ntwo\r\nthree\r\n",
    b"one\r\ntwo\nthree\r",
    b"a\rb\rc",
    b"\xff\xfe\n\0\n\xc3",
    b"\n\nlast without end",
];

const TAKES: [u64; 5] = [0, 1, 2, 3, 9];
const BOUNDS: [u64; 5] = [0, 1, 4, 5, 100];

async fn lines_are_cut_as_a_plain_reader_would(ws: Subject) -> Verdict {
    for content in CONTENTS {
        ws.write("f", content).await?;
        for skip in 0..5 {
            for take in TAKES {
                for at_most in BOUNDS {
                    one(&ws, content, Span::Lines { skip, take, at_most }).await?;
                }
            }
        }
    }
    Ok(())
}

async fn last_lines_are_cut_as_a_plain_reader_would(ws: Subject) -> Verdict {
    for content in CONTENTS {
        ws.write("f", content).await?;
        for take in TAKES {
            for at_most in BOUNDS {
                one(&ws, content, Span::LastLines { take, at_most }).await?;
            }
        }
    }
    Ok(())
}

/// Reads one window and compares it with what the model cuts out.
async fn one(ws: &Subject, whole: &[u8], span: Span) -> Verdict {
    let (offset, bytes) = window(whole, span).ok_or_else(|| failed("not a window"))?;
    let what = format!("{span:?} of {:?}", whole.escape_ascii().to_string());
    let content = ws.span("f", span).await?;
    same(&what, &content.bytes[..], bytes)?;
    same(&what, content.size, whole.len() as u64)?;
    if !bytes.is_empty() {
        same(&what, content.offset, offset as u64)?;
    }
    let all = bytes.len() == whole.len();
    same(&what, content.version(), all.then(|| Version::of(whole)))?;
    let count = whole.split_inclusive(|byte| *byte == b'\n').count() as u64;
    let known = content.lines.is_none_or(|lines| lines == count);
    holds(&format!("{what} has {count} lines or does not say"), known)
}

async fn a_window_that_reached_the_end_knows_the_count(ws: Subject) -> Verdict {
    ws.write("f", "one\ntwo\nthree").await?;
    for (skip, take, want) in [(1, 9, "two\nthree"), (0, 9, "one\ntwo\nthree"), (7, 1, "")] {
        let content = ws.span("f", Span::Lines { skip, take, at_most: 100 }).await?;
        same("bytes", &content.bytes[..], want.as_bytes())?;
        same("lines", content.lines, Some(3))?;
    }
    let content = ws.span("f", Span::Lines { skip: 0, take: 2, at_most: 100 }).await?;
    holds("a window in the middle says that more follows", content.more_follows())
}

async fn lines_of_a_large_file_are_found(ws: Subject) -> Verdict {
    let mut text = String::new();
    for number in 1..=200_000 {
        text.push_str(&format!("line {number}\n"));
    }
    ws.write("f", &text).await?;
    let content = ws.span("f", Span::Lines { skip: 123_455, take: 2, at_most: 100 }).await?;
    same("lines", &content.bytes[..], b"line 123456\nline 123457\n".as_slice())?;
    let offset = text.find("line 123456\n").map(|offset| offset as u64);
    same("offset", Some(content.offset), offset)?;
    let content = ws.span("f", Span::LastLines { take: 100_000, at_most: 1 << 30 }).await?;
    same(
        "the first of the last lines",
        content.bytes.split(|byte| *byte == b'\n').next(),
        Some(b"line 100001".as_slice()),
    )?;
    let content = ws.span("f", Span::LastLines { take: 1, at_most: 1 << 30 }).await?;
    same("the last line", &content.bytes[..], b"line 200000\n".as_slice())
}
