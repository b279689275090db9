//! What a glob matches.

use garth_contract::{Code, Detail, Glob, Kinds, Query};

use crate::{
    Subject, Verdict,
    arrange::{at, everything},
    check::{checks, open},
    stop::{holds, refused, same},
};

checks! { "glob"
    a_path_pattern_matches_the_whole_path [Write Find] under open covers "glob.path" "glob.stars" "query.include";
    a_filter_matches_names_at_any_depth [Write Find] under open covers "glob.filter" "query.include";
    patterns_are_relative_to_the_base [Write Find] under open covers "glob.base";
    several_patterns_add_up [Write Find] under open covers "query.include";
    an_excluded_path_is_left_out [Write Find] under open covers "query.exclude";
    an_excluded_directory_hides_what_is_below [Write Find] under open covers "query.exclude";
    directories_match_too [Write Find] under open covers "query.kinds" "glob.path";
    a_pattern_matches_names_that_are_not_text [Write Find AnyNames] under open covers "glob.stars";
    odd_characters_in_a_class_are_themselves [Write Find] under open covers "glob.stars";
    no_match_is_no_error [Write Find] under open covers "find.after.total";
    a_bad_pattern_is_refused_with_its_position [Find] under open covers "find.errors.pattern";
}

const TREE: [&str; 7] =
    ["a.rs", "b.txt", "src/c.rs", "src/deep/d.rs", "src/deep/er/e.rs", "docs/e.md", ".x.rs"];

async fn plant(ws: &Subject) -> Verdict {
    for path in TREE {
        ws.write(path, path).await?;
    }
    Ok(())
}

fn files(include: &[Glob]) -> Query {
    Query { kinds: Kinds::Files, include: include.to_vec(), ..everything() }
}

async fn compare(ws: &Subject, kind: fn(String) -> Glob, rows: &[(&str, &[&str])]) -> Verdict {
    for (pattern, want) in rows {
        let found = ws.find(&files(&[kind((*pattern).into())])).await?.0;
        same(pattern, found, want.to_vec())?;
    }
    Ok(())
}

async fn a_path_pattern_matches_the_whole_path(ws: Subject) -> Verdict {
    plant(&ws).await?;
    compare(
        &ws,
        Glob::Path,
        &[
            ("a.rs", &["a.rs"]),
            ("*.rs", &[".x.rs", "a.rs"]),
            ("**/*.rs", &[".x.rs", "a.rs", "src/c.rs", "src/deep/d.rs", "src/deep/er/e.rs"]),
            ("src/*.rs", &["src/c.rs"]),
            ("src/**", &["src/c.rs", "src/deep/d.rs", "src/deep/er/e.rs"]),
            ("src/**/*.rs", &["src/c.rs", "src/deep/d.rs", "src/deep/er/e.rs"]),
            ("**/deep/**/*.rs", &["src/deep/d.rs", "src/deep/er/e.rs"]),
            ("*/*.rs", &["src/c.rs"]),
            ("src*c.rs", &[]),
            ("src?c.rs", &[]),
            ("?.rs", &["a.rs"]),
            ("c.rs", &[]),
            ("[ab].*", &["a.rs", "b.txt"]),
            ("[!a].*", &["b.txt"]),
            ("[a-b].rs", &["a.rs"]),
            ("*.{rs,txt}", &[".x.rs", "a.rs", "b.txt"]),
            ("{src,docs}/*", &["docs/e.md", "src/c.rs"]),
            ("A.RS", &[]),
        ],
    )
    .await?;
    same("everything", ws.find(&files(&[Glob::Path("**".into())])).await?.0.len(), TREE.len())
}

async fn a_filter_matches_names_at_any_depth(ws: Subject) -> Verdict {
    plant(&ws).await?;
    compare(
        &ws,
        Glob::Filter,
        &[
            ("*.rs", &[".x.rs", "a.rs", "src/c.rs", "src/deep/d.rs", "src/deep/er/e.rs"]),
            ("c.rs", &["src/c.rs"]),
            ("e.*", &["docs/e.md", "src/deep/er/e.rs"]),
            ("?.md", &["docs/e.md"]),
            ("src/*.rs", &["src/c.rs"]),
            ("deep/*.rs", &[]),
            ("**/deep/*.rs", &["src/deep/d.rs"]),
        ],
    )
    .await
}

async fn patterns_are_relative_to_the_base(ws: Subject) -> Verdict {
    plant(&ws).await?;
    for (glob, want) in [
        (Glob::Path("*.rs".into()), vec!["src/c.rs"]),
        (Glob::Path("src/*.rs".into()), vec![]),
        (Glob::Filter("deep/*.rs".into()), vec!["src/deep/d.rs"]),
        (Glob::Path("**/e.rs".into()), vec!["src/deep/er/e.rs"]),
    ] {
        let query = Query { base: at("src")?, ..files(std::slice::from_ref(&glob)) };
        same(&format!("{glob:?}"), ws.find(&query).await?.0, want)?;
    }
    Ok(())
}

async fn several_patterns_add_up(ws: Subject) -> Verdict {
    plant(&ws).await?;
    let query = files(&[Glob::Path("*.txt".into()), Glob::Filter("d.rs".into())]);
    same("found", ws.find(&query).await?.0, ["b.txt", "src/deep/d.rs"])
}

async fn an_excluded_path_is_left_out(ws: Subject) -> Verdict {
    plant(&ws).await?;
    let exclude = vec![Glob::Filter("*.rs".into())];
    same("found", ws.find(&Query { exclude, ..files(&[]) }).await?.0, ["b.txt", "docs/e.md"])?;
    let exclude = vec![Glob::Path("a.rs".into()), Glob::Path("src/c.rs".into())];
    let query = Query { exclude, ..files(&[Glob::Path("**/*.rs".into())]) };
    same("found", ws.find(&query).await?.0, [".x.rs", "src/deep/d.rs", "src/deep/er/e.rs"])
}

async fn an_excluded_directory_hides_what_is_below(ws: Subject) -> Verdict {
    plant(&ws).await?;
    for glob in [Glob::Filter("deep".into()), Glob::Path("src/deep".into())] {
        let query = Query { exclude: vec![glob], ..files(&[Glob::Filter("*.rs".into())]) };
        same("found", ws.find(&query).await?.0, [".x.rs", "a.rs", "src/c.rs"])?;
    }
    let query = Query { exclude: vec![Glob::Filter("src".into())], ..everything() };
    same("found", ws.find(&query).await?.0, [".x.rs", "a.rs", "b.txt", "docs", "docs/e.md"])
}

async fn directories_match_too(ws: Subject) -> Verdict {
    plant(&ws).await?;
    let query = Query { include: vec![Glob::Filter("d*".into())], ..everything() };
    same("found", ws.find(&query).await?.0, ["docs", "src/deep", "src/deep/d.rs"])?;
    let query = Query { kinds: Kinds::Dirs, include: vec![Glob::Path("*".into())], ..query };
    same("found", ws.find(&query).await?.0, ["docs", "src"])
}

async fn a_pattern_matches_names_that_are_not_text(ws: Subject) -> Verdict {
    ws.write(b"d/caf\xe9.bin", "x").await?;
    ws.write(b"\xff.bin", "x").await?;
    let query = files(&[Glob::Filter("*.bin".into())]);
    same("found", ws.find(&query).await?.0, [r"d/caf\xe9.bin", r"\xff.bin"])
}

async fn odd_characters_in_a_class_are_themselves(ws: Subject) -> Verdict {
    for name in ["*", "a", "[x]", "{y}", "?"] {
        ws.write(name, "x").await?;
    }
    compare(
        &ws,
        Glob::Path,
        &[("[*]", &["*"]), ("[?]", &["?"]), ("[[]x[]]", &["[x]"]), ("[{]y[}]", &["{y}"])],
    )
    .await
}

async fn no_match_is_no_error(ws: Subject) -> Verdict {
    plant(&ws).await?;
    let (found, summary) = ws.find(&files(&[Glob::Path("*.nope".into())])).await?;
    same("found and given", (found.len(), summary.given), (0, 0))?;
    same("total", summary.total, garth_contract::Total::Exact(0))
}

async fn a_bad_pattern_is_refused_with_its_position(ws: Subject) -> Verdict {
    for pattern in ["a[", "{a", "x/[b-a]"] {
        for (include, exclude) in [
            (vec![Glob::Path(pattern.into())], vec![]),
            (vec![], vec![Glob::Filter(pattern.into())]),
        ] {
            let answer = ws.find(&Query { include, exclude, ..everything() }).await;
            let details = answer.as_ref().err().map(|error| error.details().to_vec());
            refused(answer, Code::InvalidPattern)?;
            let inside = |detail: &Detail| matches!(detail, Detail::Position(at) if *at <= pattern.len() as u64);
            holds(
                "a position inside the pattern is given",
                details.unwrap_or_default().iter().any(inside),
            )?;
        }
    }
    Ok(())
}
