//! What `find` brings out of the inside of files.

use std::sync::Arc;

use garth_contract::{
    Case, Code, Collect, Detail, Grep, Lines, Output, Owned, Query, Sink, Syntax, Total,
};

use crate::{
    Subject, Verdict,
    arrange::{grep, lines},
    check::{checks, open},
    stop::{failed, holds, refused, same},
};

checks! { "grep"
    matching_lines_come_by_path_then_line [Write Find] under open covers "find.walks" "output.content" "order.path" "line.number";
    matches_stand_where_the_spans_say [Write Find] under open covers "line.spans";
    line_endings_are_not_part_of_a_line [Write Find] under open covers "line.text";
    a_line_ends_before_its_line_ending [Write Find] under open covers "line.text" "syntax.regex";
    a_regular_expression_matches [Write Find] under open covers "syntax.regex";
    a_word_matches_whole_words [Write Find] under open covers "syntax.word";
    fixed_text_is_itself [Write Find] under open covers "syntax.fixed";
    case_is_as_asked [Write Find] under open covers "case";
    a_match_may_span_lines_when_asked [Write Find] under open covers "lines.multi" "lines.single";
    context_comes_with_a_match [Write Find] under open covers "grep.before" "grep.after" "summary.given" "line.kind";
    context_of_neighbours_is_shown_once [Write Find] under open covers "grep.before" "grep.after";
    files_are_named_once [Write Find] under open covers "output.files";
    matching_lines_are_counted [Write Find] under open covers "output.count";
    skip_and_take_count_results [Write Find] under open covers "query.skip" "find.after.take";
    binary_files_are_passed_over_and_counted [Write Find] under open covers "summary.binary" "summary.searched";
    a_bad_pattern_is_refused_with_its_position [Find] under open covers "find.errors.pattern";
    a_monstrous_pattern_is_refused [Write Find] under open covers "find.errors.pattern";
    an_evil_pattern_is_not_slow [Write Find] under open covers "syntax.regex";
    a_line_without_end_is_found [Write Find] under open covers "output.content";
    what_the_system_refuses_is_counted [Write Find] under open covers "find.unreadable" "summary.unreadable";
}

fn ask(grep: Grep) -> Query {
    Query { grep: Some(grep), ..lines("") }
}

async fn compare(ws: &Subject, grep: Grep, want: &[&str]) -> Verdict {
    let what = format!("{grep:?}");
    same(&what, ws.find(&ask(grep)).await?.0, want.to_vec())
}

async fn matching_lines_come_by_path_then_line(ws: Subject) -> Verdict {
    ws.write("b", "no\nneedle 1\n\nneedle 2").await?;
    ws.write("a/z", "needle 3\n").await?;
    ws.write("a-b", "needle 4\n").await?;
    let (found, summary) = ws.find(&lines("needle")).await?;
    same("found", found, ["a/z:1:needle 3", "a-b:1:needle 4", "b:2:needle 1", "b:4:needle 2"])?;
    same("given and total", (summary.given, summary.total), (4, Total::Exact(4)))?;
    same(
        "searched, binary, unreadable",
        (summary.searched, summary.binary, summary.unreadable),
        (3, 0, 0),
    )
}

async fn matches_stand_where_the_spans_say(ws: Subject) -> Verdict {
    ws.write("f", "ab x ab\näab\n").await?;
    let sink = Arc::new(Collect::default());
    ws.fs.find(&lines("ab"), Arc::clone(&sink) as Arc<dyn Sink>).await?;
    let mut spans = Vec::new();
    for found in sink.take() {
        let Owned::Line(line) = found else { return Err(failed(format!("not a line: {found:?}"))) };
        for span in &line.spans {
            same("the text of a span", line.text.get(span.clone()), Some(b"ab".as_slice()))?;
        }
        spans.push(line.spans);
    }
    same("spans", spans.concat(), [0..2, 5..7, 2..4])
}

async fn line_endings_are_not_part_of_a_line(ws: Subject) -> Verdict {
    ws.write("f", "one x\r\ntwo x\n\r\nthree x").await?;
    compare(&ws, grep("x"), &["f:1:one x", "f:2:two x", "f:4:three x"]).await
}

async fn a_line_ends_before_its_line_ending(ws: Subject) -> Verdict {
    ws.write("f", "one x\r\ntwo x\n\r\nthree x").await?;
    compare(&ws, grep("x$"), &["f:1:one x", "f:2:two x", "f:4:three x"]).await
}

async fn a_regular_expression_matches(ws: Subject) -> Verdict {
    ws.write("f", "a.b\naxb\n[a\n  indented\n").await?;
    compare(&ws, grep("a.b"), &["f:1:a.b", "f:2:axb"]).await?;
    compare(&ws, grep(r"a\.b"), &["f:1:a.b"]).await?;
    compare(&ws, grep(r"^\s+\w+$"), &["f:4:  indented"]).await?;
    compare(&ws, grep("nope|axb"), &["f:2:axb"]).await
}

async fn a_word_matches_whole_words(ws: Subject) -> Verdict {
    ws.write("f", "foo\nfood\nseafood foo_bar\na foo.\n").await?;
    compare(&ws, Grep { syntax: Syntax::Word, ..grep("fo+") }, &["f:1:foo", "f:4:a foo."]).await
}

async fn fixed_text_is_itself(ws: Subject) -> Verdict {
    ws.write("f", "a.b\naxb\n(a|b)\n-e $x\n").await?;
    let fixed = |text| Grep { syntax: Syntax::Fixed, ..grep(text) };
    compare(&ws, fixed("a.b"), &["f:1:a.b"]).await?;
    compare(&ws, fixed("(a|b)"), &["f:3:(a|b)"]).await?;
    compare(&ws, fixed("-e $"), &["f:4:-e $x"]).await?;
    compare(&ws, Grep { case: Case::Insensitive, ..fixed("A.B") }, &["f:1:a.b"]).await
}

async fn case_is_as_asked(ws: Subject) -> Verdict {
    ws.write("f", "Straße É\nSTRASSE é\nfoo\nFoo\n").await?;
    let with = |case, pattern| Grep { case, ..grep(pattern) };
    compare(&ws, with(Case::Sensitive, "foo"), &["f:3:foo"]).await?;
    compare(&ws, with(Case::Insensitive, "FOO"), &["f:3:foo", "f:4:Foo"]).await?;
    compare(&ws, with(Case::Insensitive, "é"), &["f:1:Straße É", "f:2:STRASSE é"]).await?;
    compare(&ws, with(Case::Smart, "foo"), &["f:3:foo", "f:4:Foo"]).await?;
    compare(&ws, with(Case::Smart, "Foo"), &["f:4:Foo"]).await
}

async fn a_match_may_span_lines_when_asked(ws: Subject) -> Verdict {
    ws.write("f", "x\nstart\nmiddle\nend y\nz\n").await?;
    compare(&ws, grep("start.*end"), &[]).await?;
    let multi = |pattern| Grep { lines: Lines::Multi, ..grep(pattern) };
    compare(&ws, multi("start.*end"), &[r"f:2:start\x0amiddle\x0aend y"]).await?;
    compare(&ws, multi("middle\nend"), &[r"f:3:middle\x0aend y"]).await?;
    compare(&ws, multi("z"), &["f:5:z"]).await
}

async fn context_comes_with_a_match(ws: Subject) -> Verdict {
    ws.write("f", "1\n2\n3 hit\n4\n5\n6\n7\n8 hit\n9").await?;
    let query = ask(Grep { before: 1, after: 2, ..grep("hit") });
    let (found, summary) = ws.find(&query).await?;
    let want = ["f-2-2", "f:3:3 hit", "f-4-4", "f-5-5", "f-7-7", "f:8:8 hit", "f-9-9"];
    same("found", found, want)?;
    same("given and total", (summary.given, summary.total), (2, Total::Exact(2)))
}

async fn context_of_neighbours_is_shown_once(ws: Subject) -> Verdict {
    ws.write("f", "1 hit\n2\n3 hit\n4 hit\n5\n").await?;
    let want = ["f:1:1 hit", "f-2-2", "f:3:3 hit", "f:4:4 hit", "f-5-5"];
    compare(&ws, Grep { before: 2, after: 2, ..grep("hit") }, &want).await
}

async fn files_are_named_once(ws: Subject) -> Verdict {
    ws.write("a", "hit\nhit\n").await?;
    ws.write("b", "miss\n").await?;
    ws.write("d/c", "hit hit").await?;
    let query = ask(Grep { output: Output::Files, before: 1, after: 1, ..grep("hit") });
    let (found, summary) = ws.find(&query).await?;
    same("found", found, ["a", "d/c"])?;
    same("given and total", (summary.given, summary.total), (2, Total::Exact(2)))
}

async fn matching_lines_are_counted(ws: Subject) -> Verdict {
    ws.write("a", "hit\nmiss\nhit hit\n").await?;
    ws.write("b", "miss\n").await?;
    ws.write("d/c", "hit").await?;
    let query = ask(Grep { output: Output::Count, ..grep("hit") });
    let (found, summary) = ws.find(&query).await?;
    same("found", found, ["a=2", "d/c=1"])?;
    same("given and total", (summary.given, summary.total), (2, Total::Exact(2)))
}

async fn skip_and_take_count_results(ws: Subject) -> Verdict {
    ws.write("a", "hit 1\nhit 2\nhit 3\n").await?;
    ws.write("b", "hit 4\nhit 5\n").await?;
    let query = Query { skip: 2, take: 2, ..lines("hit") };
    same("lines", ws.find(&query).await?.0, ["a:3:hit 3", "b:1:hit 4"])?;
    let files = ask(Grep { output: Output::Files, ..grep("hit") });
    same("files", ws.find(&Query { skip: 1, take: 9, ..files }).await?.0, ["b"])
}

async fn binary_files_are_passed_over_and_counted(ws: Subject) -> Verdict {
    ws.write("binary", b"needle\0needle\n").await?;
    ws.write("text", "needle\n").await?;
    for output in [Output::Content, Output::Files, Output::Count] {
        let (found, summary) = ws.find(&ask(Grep { output, ..grep("needle") })).await?;
        holds(
            "only the text is found",
            found.len() == 1 && found.iter().all(|line| line.starts_with("text")),
        )?;
        same("binary", summary.binary, 1)?;
    }
    Ok(())
}

async fn a_bad_pattern_is_refused_with_its_position(ws: Subject) -> Verdict {
    for pattern in ["a(b", "x[", "*a", r"\p{Nope}", "a{2,1}", "ä(", "(?P<a>x)(?P<a>y)"] {
        for syntax in [Syntax::Regex, Syntax::Word] {
            let answer = ws.find(&ask(Grep { syntax, ..grep(pattern) })).await;
            let details = answer.as_ref().err().map(|error| error.details().to_vec());
            refused(answer, Code::InvalidPattern)?;
            let inside = |detail: &Detail| matches!(detail, Detail::Position(at) if *at <= pattern.len() as u64);
            let what = format!("a position inside {pattern:?} is given");
            holds(&what, details.unwrap_or_default().iter().any(inside))?;
        }
        let fixed = ask(Grep { syntax: Syntax::Fixed, ..grep(pattern) });
        same("nothing matches", ws.find(&fixed).await?.1.given, 0)?;
    }
    Ok(())
}

async fn a_monstrous_pattern_is_refused(ws: Subject) -> Verdict {
    ws.write("f", "x").await?;
    refused(ws.find(&lines("((x{1000}){1000}){1000}")).await, Code::InvalidPattern)
}

async fn an_evil_pattern_is_not_slow(ws: Subject) -> Verdict {
    ws.write("f", "a".repeat(100_000)).await?;
    same("found", ws.find(&lines("(a+)+$b")).await?.0.len(), 0)?;
    same("found", ws.find(&lines("(a|aa)+c")).await?.0.len(), 0)
}

async fn a_line_without_end_is_found(ws: Subject) -> Verdict {
    let mut content = vec![b'x'; 3 << 20];
    content.extend_from_slice(b"needle");
    ws.write("long", content).await?;
    let query = ask(Grep { output: Output::Files, ..grep("needle") });
    same("found", ws.find(&query).await?.0, ["long"])
}

async fn what_the_system_refuses_is_counted(ws: Subject) -> Verdict {
    ws.write("a", "needle").await?;
    ws.write("b", "needle").await?;
    ws.outside.forbid(&crate::arrange::at("a")?)?;
    // A system that lets this program read everything refuses nothing.
    if ws.read("a").await.is_ok() {
        return Err(crate::Cannot("make the system refuse a read").into());
    }
    let (found, summary) = ws.find(&lines("needle")).await?;
    same("found", found, ["b:1:needle"])?;
    same("unreadable", summary.unreadable, 1)
}
