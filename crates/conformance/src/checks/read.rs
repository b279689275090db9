//! What `read` brings back of a file: whole, by bytes, and what it refuses.

use std::ops::ControlFlow;

use garth_contract::{Code, Glimpse, Page, Sight, Span, Version};

use crate::{
    Subject, Verdict,
    arrange::at,
    check::{checks, open},
    model::window,
    stop::{holds, refused, same},
};

checks! { "read"
    a_whole_file_comes_with_its_version [Write] under open covers "read.span" "span.whole" "content.version" "content.size";
    an_empty_file_is_read [Write] under open covers "span.whole";
    a_large_file_is_read_whole [Write] under open covers "span.whole";
    nothing_is_lost_or_added_at_a_block_boundary [Write] under open covers "span.whole" "span.bytes" "span.last_lines";
    every_byte_comes_back [Write] under open covers "span.whole";
    a_file_over_its_bound_is_too_large [Write] under open covers "read.errors.too_large" "span.whole";
    bytes_are_cut_at_the_end [Write] under open covers "span.bytes" "content.offset";
    bytes_past_the_end_are_none [Write] under open covers "span.bytes";
    huge_numbers_do_not_overflow [Write] under open covers "span.bytes" "span.lines" "span.last_lines";
    bytes_that_are_all_of_it_have_a_version [Write] under open covers "content.version";
    bytes_of_a_part_have_no_version [Write] under open covers "content.version";
    a_directory_is_not_a_file [Write] under open covers "read.errors.not_a_file";
    the_root_is_not_a_file [] under open covers "read.errors.not_a_file";
    a_missing_file_is_not_found [] under open covers "read.errors.not_found";
    the_mode_and_time_are_those_of_the_file [Write] under open covers "content.modified" "content.mode";
    a_link_is_read_through [Symlinks] under open covers "read.link";
    a_link_to_a_directory_is_not_a_file [Symlinks] under open covers "read.link" "read.errors.not_a_file";
    a_special_file_is_refused_at_once [SpecialFiles] under open covers "read.errors.not_a_file" "common.never_blocks";
    a_link_to_a_special_file_is_refused_at_once [Symlinks SpecialFiles] under open covers "read.errors.not_a_file" "common.never_blocks";
    what_is_gathered_comes_behind_what_was_there [Write] under open covers "gather.span" "gather.after";
    what_cannot_be_gathered_leaves_the_buffer_as_it_was [Write] under open covers "gather.errors";
    a_folder_has_what_is_listed_and_what_is_read [Write] under open covers "folder.lists" "folder.reads";
    what_is_read_at_once_is_what_is_read_after_waiting [Write] under open covers "read_now.same";
    a_part_of_a_vast_file_is_read_alone [] under open covers "read.after.only_the_span";
}

/// Larger than any buffer, small enough to write often.
const LARGE: usize = 5 << 20;
/// So large that a backend which reads all of it never ends.
const VAST: u64 = 1 << 40;

async fn a_whole_file_comes_with_its_version(ws: Subject) -> Verdict {
    let written = ws.write("f", "hello\nworld").await?;
    let content = ws.span("f", Span::Whole { at_most: 11 }).await?;
    same("bytes", &content.bytes[..], b"hello\nworld".as_slice())?;
    same("offset and size", (content.offset, content.size), (0, 11))?;
    same("version", content.version(), Some(Version::of(b"hello\nworld")))?;
    same("the write's version", content.version(), Some(written.version))?;
    holds(
        "the count of lines is right or not given",
        content.lines.is_none_or(|lines| lines == 2),
    )?;
    holds("nothing follows", !content.more_follows())
}

async fn what_is_read_at_once_is_what_is_read_after_waiting(ws: Subject) -> Verdict {
    let spans = [
        Span::Whole { at_most: 8 },
        Span::Bytes { offset: 0, length: u64::MAX },
        Span::Bytes { offset: 3, length: 4 },
        Span::Bytes { offset: 30, length: 4 },
        Span::Lines { skip: 1, take: 1, at_most: 100 },
        Span::LastLines { take: 1, at_most: 100 },
    ];
    for content in ["", "a\nb", "longer\nthan eight\n"] {
        ws.write("f", content).await?;
        for path in ["f", "d", "missing", ""] {
            for span in spans {
                let at_once = ws.fs.read_now(&at(path)?, span);
                let waited = ws.fs.read(&at(path)?, span).await;
                if let Some(content) = at_once {
                    same("what is read at once", Ok(content), waited)?;
                }
            }
        }
    }
    Ok(())
}

async fn an_empty_file_is_read(ws: Subject) -> Verdict {
    ws.write("f", "").await?;
    for span in [
        Span::Whole { at_most: 0 },
        Span::Bytes { offset: 0, length: 10 },
        Span::Lines { skip: 0, take: 10, at_most: 10 },
        Span::LastLines { take: 10, at_most: 10 },
    ] {
        let content = ws.span("f", span).await?;
        same("bytes and size", (content.bytes.len(), content.size), (0, 0))?;
        same("version", content.version(), Some(Version::of(b"")))?;
        holds(
            "the count of lines is 0 or not given",
            content.lines.is_none_or(|lines| lines == 0),
        )?;
    }
    Ok(())
}

async fn a_large_file_is_read_whole(ws: Subject) -> Verdict {
    let content: Vec<u8> = (0..=250).cycle().take(LARGE).collect();
    ws.write("f", &content).await?;
    holds("the bytes are the ones written", ws.read("f").await? == content)?;
    let part = ws.span("f", Span::Bytes { offset: 3 << 20, length: 1 << 20 }).await?;
    holds("a part is right too", content.get(3 << 20..4 << 20) == Some(&part.bytes[..]))
}

async fn nothing_is_lost_or_added_at_a_block_boundary(ws: Subject) -> Verdict {
    for block in [512_u64, 4_096, 8_192, 65_536, 131_072, 262_144, 1 << 20] {
        for size in [block - 1, block, block + 1] {
            let content: Vec<u8> =
                (1..=250).cycle().take(usize::try_from(size).unwrap_or(0)).collect();
            ws.write("f", &content).await?;
            for span in [
                Span::Whole { at_most: size },
                Span::Bytes { offset: 0, length: size },
                Span::Bytes { offset: block / 2, length: size },
                Span::Lines { skip: 0, take: u64::MAX, at_most: size },
                Span::LastLines { take: u64::MAX, at_most: block },
            ] {
                let (offset, want) = window(&content, span).unwrap_or_default();
                let got = ws.span("f", span).await?;
                holds(&format!("{span:?} of {size} bytes is right"), got.bytes == want)?;
                same("offset", got.offset, offset as u64)?;
            }
        }
    }
    Ok(())
}

async fn every_byte_comes_back(ws: Subject) -> Verdict {
    let content: Vec<u8> = (0..=255).chain((0..=255).rev()).collect();
    ws.write("f", &content).await?;
    same("bytes", ws.read("f").await?, content)
}

async fn a_file_over_its_bound_is_too_large(ws: Subject) -> Verdict {
    ws.write("f", "12345").await?;
    refused(ws.span("f", Span::Whole { at_most: 4 }).await, Code::FileTooLarge)?;
    refused(ws.span("f", Span::Whole { at_most: 0 }).await, Code::FileTooLarge)?;
    same("size", ws.span("f", Span::Whole { at_most: 5 }).await?.size, 5)
}

async fn bytes_are_cut_at_the_end(ws: Subject) -> Verdict {
    ws.write("f", "abcdefghij").await?;
    for (offset, length, want) in
        [(3, 4, "defg"), (7, 9, "hij"), (0, 1, "a"), (9, 1, "j"), (2, 0, "")]
    {
        let content = ws.span("f", Span::Bytes { offset, length }).await?;
        same("bytes", &content.bytes[..], want.as_bytes())?;
        same("offset and size", (content.offset, content.size), (offset, 10))?;
        let end = offset + want.len() as u64;
        same("more follows", content.more_follows(), end < 10)?;
    }
    Ok(())
}

async fn bytes_past_the_end_are_none(ws: Subject) -> Verdict {
    ws.write("f", "abc").await?;
    for offset in [3, 4, 1 << 20, u64::MAX - 1] {
        let content = ws.span("f", Span::Bytes { offset, length: 1 }).await?;
        same("bytes and size", (content.bytes.len(), content.size), (0, 3))?;
        holds("nothing follows", !content.more_follows())?;
    }
    Ok(())
}

async fn huge_numbers_do_not_overflow(ws: Subject) -> Verdict {
    const MAX: u64 = u64::MAX;
    ws.write("f", "a\nb\n").await?;
    for (span, want) in [
        (Span::Whole { at_most: MAX }, "a\nb\n"),
        (Span::Bytes { offset: 1, length: MAX }, "\nb\n"),
        (Span::Bytes { offset: 0, length: MAX }, "a\nb\n"),
        (Span::Lines { skip: 1, take: MAX, at_most: MAX }, "b\n"),
        (Span::Lines { skip: MAX, take: MAX, at_most: MAX }, ""),
        (Span::LastLines { take: MAX, at_most: MAX }, "a\nb\n"),
    ] {
        same("bytes", &ws.span("f", span).await?.bytes[..], want.as_bytes())?;
    }
    Ok(())
}

async fn bytes_that_are_all_of_it_have_a_version(ws: Subject) -> Verdict {
    ws.write("f", "a\nb\nc\n").await?;
    for span in [
        Span::Bytes { offset: 0, length: 6 },
        Span::Bytes { offset: 0, length: 7 },
        Span::Lines { skip: 0, take: 3, at_most: 6 },
        Span::Lines { skip: 0, take: 9, at_most: 100 },
        Span::LastLines { take: 3, at_most: 6 },
    ] {
        let content = ws.span("f", span).await?;
        same("version", content.version(), Some(Version::of(b"a\nb\nc\n")))?;
    }
    Ok(())
}

async fn bytes_of_a_part_have_no_version(ws: Subject) -> Verdict {
    ws.write("f", "a\nb\nc\n").await?;
    for span in [
        Span::Bytes { offset: 0, length: 5 },
        Span::Bytes { offset: 1, length: 9 },
        Span::Bytes { offset: 9, length: 9 },
        Span::Lines { skip: 0, take: 2, at_most: 100 },
        Span::Lines { skip: 1, take: 2, at_most: 100 },
        Span::LastLines { take: 2, at_most: 100 },
        Span::LastLines { take: 3, at_most: 5 },
    ] {
        same("version", ws.span("f", span).await?.version(), None)?;
    }
    Ok(())
}

async fn a_directory_is_not_a_file(ws: Subject) -> Verdict {
    ws.write("d/f", "x").await?;
    refused(ws.read("d").await, Code::NotAFile)?;
    refused(ws.span("d", Span::Bytes { offset: 0, length: 1 }).await, Code::NotAFile)?;
    refused(ws.span("d", Span::Lines { skip: 0, take: 1, at_most: 1 }).await, Code::NotAFile)?;
    refused(ws.span("d", Span::LastLines { take: 1, at_most: 1 }).await, Code::NotAFile)
}

async fn the_root_is_not_a_file(ws: Subject) -> Verdict {
    refused(ws.read("").await, Code::NotAFile)
}

async fn a_missing_file_is_not_found(ws: Subject) -> Verdict {
    refused(ws.read("nope").await, Code::FileNotFound)?;
    refused(ws.span("nope", Span::LastLines { take: 1, at_most: 1 }).await, Code::FileNotFound)
}

async fn the_mode_and_time_are_those_of_the_file(ws: Subject) -> Verdict {
    ws.write("f", "12345").await?;
    let entry = ws.stat("f").await?;
    let content = ws.span("f", Span::Bytes { offset: 1, length: 2 }).await?;
    same("mode and time", (content.mode, content.modified), (entry.mode, entry.modified))?;
    same("a mode is known where it is kept", entry.mode.is_some(), ws.fs.abilities().modes)
}

async fn a_link_is_read_through(ws: Subject) -> Verdict {
    ws.plant("d/f", "12345").await?;
    ws.symlink("l", "d/f")?;
    ws.symlink("to_dir", "d")?;
    ws.symlink("d/up", "../l")?;
    for path in ["l", "to_dir/f", "d/up", "to_dir/up"] {
        let content = ws.span(path, Span::Whole { at_most: 5 }).await?;
        same(path, (&content.bytes[..], content.size), (b"12345".as_slice(), 5))?;
    }
    ws.symlink("dangling", "nowhere")?;
    refused(ws.read("dangling").await, Code::FileNotFound)
}

async fn a_link_to_a_directory_is_not_a_file(ws: Subject) -> Verdict {
    ws.plant("d/f", "x").await?;
    ws.symlink("l", "d")?;
    ws.symlink("root", ".")?;
    refused(ws.read("l").await, Code::NotAFile)?;
    refused(ws.read("root").await, Code::NotAFile)
}

async fn a_special_file_is_refused_at_once(ws: Subject) -> Verdict {
    let spans = [
        Span::Whole { at_most: 100 },
        Span::Bytes { offset: 0, length: 1 },
        Span::Lines { skip: 0, take: 1, at_most: 100 },
        Span::LastLines { take: 1, at_most: 100 },
    ];
    ws.outside.fifo(&at("pipe")?)?;
    ws.outside.socket(&at("socket")?)?;
    for span in spans {
        refused(ws.span("pipe", span).await, Code::NotAFile)?;
        refused(ws.span("socket", span).await, Code::NotAFile)?;
    }
    let device = ws.outside.device(&at("device")?).is_ok();
    for span in spans.into_iter().filter(|_| device) {
        refused(ws.span("device", span).await, Code::NotAFile)?;
    }
    Ok(())
}

async fn a_link_to_a_special_file_is_refused_at_once(ws: Subject) -> Verdict {
    ws.outside.fifo(&at("pipe")?)?;
    ws.symlink("l", "pipe")?;
    refused(ws.read("l").await, Code::NotAFile)
}

async fn what_is_gathered_comes_behind_what_was_there(ws: Subject) -> Verdict {
    let content: Vec<u8> = (0..=250).cycle().take(3 << 20).collect();
    ws.write("f", &content).await?;
    ws.write("empty", "").await?;
    let bytes = |offset, length| Span::Bytes { offset, length };
    for (path, span) in [
        ("f", Span::Whole { at_most: 3 << 20 }),
        ("f", bytes(0, 10)),
        ("f", bytes(1 << 20, 1 << 20)),
        ("f", bytes((3 << 20) - 7, 1 << 20)),
        ("f", bytes(3 << 20, 1)),
        ("f", bytes(4 << 20, 1)),
        ("f", Span::LastLines { take: 1, at_most: 5 }),
        ("empty", Span::Whole { at_most: 0 }),
        ("empty", bytes(0, 1)),
    ] {
        let read = ws.span(path, span).await?;
        let mut buffer = b"before".to_vec();
        let gathered = ws.fs.gather(&at(path)?, span, &mut buffer).await?;
        let expected = [b"before", &read.bytes[..]].concat();
        holds(&format!("{span:?} of {path} is behind what was there"), buffer == expected)?;
        let length = read.bytes.len() as u64;
        let told = (gathered.length, gathered.size, gathered.modified, gathered.mode);
        same("what is told", told, (length, read.size, read.modified, read.mode))?;
    }
    Ok(())
}

async fn what_cannot_be_gathered_leaves_the_buffer_as_it_was(ws: Subject) -> Verdict {
    ws.write("d/f", "12345").await?;
    let whole = Span::Whole { at_most: 4 };
    for (path, code) in
        [("d", Code::NotAFile), ("nope", Code::FileNotFound), ("d/f", Code::FileTooLarge)]
    {
        let mut buffer = b"before".to_vec();
        refused(ws.fs.gather(&at(path)?, whole, &mut buffer).await, code)?;
        same(path, &buffer[..], b"before".as_slice())?;
    }
    Ok(())
}

async fn a_folder_has_what_is_listed_and_what_is_read(ws: Subject) -> Verdict {
    for (path, text) in [("d/b", "bytes"), ("d/a", ""), ("d/e/f", "deep"), ("d/c", "more")] {
        ws.write(path, text).await?;
    }
    for (skip, take) in [(0, 100), (1, 2), (9, 1)] {
        let page = Page { skip, take };
        let Some(folder) = ws.fs.folder(&at("d")?) else { return Ok(()) };
        let glance = folder.glance(page)?;
        let listing = ws.fs.list(&at("d")?, page).await?;
        same("total", glance.total, listing.total)?;
        same("how many are listed", glance.entries.len(), listing.entries.len())?;
        for (glimpse, entry) in glance.entries.into_iter().zip(listing.entries) {
            same("what it is", (glimpse.path(), glimpse.kind()), (&entry.path, entry.kind))?;
            if let Glimpse::Entry(seen) = glimpse {
                same("what was looked at", seen, entry)?;
            }
        }
    }
    let Some(folder) = ws.fs.folder(&at("d")?) else { return Ok(()) };
    for name in ["a", "b", "c", "e", "nope"] {
        let path = at(format!("d/{name}"))?;
        let mut seen = None;
        let mut buffer = b"before".to_vec();
        let size = folder.gather_now(name.as_bytes(), &mut buffer, &mut |sight, _| {
            seen = Some(sight);
            ControlFlow::Continue(())
        });
        let Some(size) = size else {
            same("the buffer", &buffer[..], b"before".as_slice())?;
            continue;
        };
        let read = ws.fs.read(&path, Span::Whole { at_most: 10 }).await?;
        same("the buffer", buffer, [b"before", &read.bytes[..]].concat())?;
        same("its size", size, read.size)?;
        let told = Sight { size, modified: read.modified, mode: read.mode };
        same("what was seen", seen, Some(told))?;
    }
    Ok(())
}

async fn a_part_of_a_vast_file_is_read_alone(ws: Subject) -> Verdict {
    ws.outside.sparse(&at("f")?, VAST, b"\none\ntwo\nthree\n")?;
    let at_most = 1 << 16;
    let content = ws.span("f", Span::Bytes { offset: VAST - 6, length: 9 }).await?;
    same("the last bytes", &content.bytes[..], b"three\n".as_slice())?;
    same("size", content.size, VAST)?;
    let content = ws.span("f", Span::LastLines { take: 2, at_most }).await?;
    same("the last lines", &content.bytes[..], b"two\nthree\n".as_slice())?;
    same("their offset", content.offset, VAST - 10)?;
    let content = ws.span("f", Span::LastLines { take: 9, at_most }).await?;
    same("the last bytes of a line without end", content.bytes.len() as u64, at_most)?;
    let content = ws.span("f", Span::Lines { skip: 0, take: 1, at_most }).await?;
    same("the first bytes of a line without end", content.bytes.len() as u64, at_most)?;
    refused(ws.span("f", Span::Whole { at_most }).await, Code::FileTooLarge)
}
