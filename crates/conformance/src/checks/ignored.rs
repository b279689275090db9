//! What ignore files keep out of a walk.

use garth_contract::{Hidden, Ignored, Kinds, Query};

use crate::{
    Subject, Verdict,
    arrange::{at, everything, lines},
    check::{checks, open},
    stop::same,
};

checks! { "ignored"
    an_ignore_file_is_respected_without_git [Write Find] under open covers "ignored.skip";
    a_nested_ignore_file_speaks_for_its_directory [Write Find] under open covers "ignored.skip";
    an_ignore_file_above_the_base_counts [Write Find] under open covers "ignored.skip";
    an_ignored_directory_hides_what_is_below [Write Find] under open covers "ignored.skip";
    a_dot_ignore_wins_over_a_gitignore [Write Find] under open covers "ignored.skip";
    ignored_files_are_not_searched [Write Find] under open covers "ignored.skip";
    everything_counts_when_asked [Write Find] under open covers "ignored.include";
    only_the_inside_of_git_is_left_out_when_asked [Write Find] under open covers "ignored.no_git";
    an_ignore_file_that_is_a_directory_says_nothing [Write Find] under open covers "ignored.skip";
}

fn visible() -> Query {
    Query { kinds: Kinds::Files, hidden: Hidden::Skip, ignored: Ignored::Skip, ..everything() }
}

async fn plant(ws: &Subject, paths: &[&str]) -> Verdict {
    for path in paths {
        ws.write(path, "needle").await?;
    }
    Ok(())
}

async fn an_ignore_file_is_respected_without_git(ws: Subject) -> Verdict {
    ws.write(".gitignore", "# comment\n*.log\n!keep.log\n/build\ntarget/\ndoc/*.tmp\n\n").await?;
    plant(&ws, &["a.log", "keep.log", "sub/b.log", "sub/keep.log", "build/x", "sub/build/y"])
        .await?;
    plant(&ws, &["target/x", "sub/target/x", "file/target", "doc/a.tmp", "doc/sub/b.tmp"]).await?;
    let want = ["doc/sub/b.tmp", "file/target", "keep.log", "sub/build/y", "sub/keep.log"];
    same("found", ws.find(&visible()).await?.0, want)
}

async fn a_nested_ignore_file_speaks_for_its_directory(ws: Subject) -> Verdict {
    ws.write(".gitignore", "*.log\n").await?;
    ws.write("sub/.gitignore", "*.tmp\n!important.log\n/only_here\n").await?;
    plant(&ws, &["a.tmp", "sub/a.tmp", "sub/deep/a.tmp", "sub/important.log", "important.log"])
        .await?;
    plant(&ws, &["sub/only_here", "sub/deep/only_here"]).await?;
    let want = ["a.tmp", "sub/deep/only_here", "sub/important.log"];
    same("found", ws.find(&visible()).await?.0, want)
}

async fn an_ignore_file_above_the_base_counts(ws: Subject) -> Verdict {
    ws.write(".gitignore", "*.log\n/sub/secret\n").await?;
    plant(&ws, &["sub/a.log", "sub/b", "sub/secret", "sub/deep/secret"]).await?;
    let query = Query { base: at("sub")?, ..visible() };
    same("found", ws.find(&query).await?.0, ["sub/b", "sub/deep/secret"])
}

async fn an_ignored_directory_hides_what_is_below(ws: Subject) -> Verdict {
    ws.write(".gitignore", "node_modules/\n!node_modules/keep\n").await?;
    plant(&ws, &["node_modules/keep", "node_modules/a/b", "sub/node_modules/c", "d"]).await?;
    same("files", ws.find(&visible()).await?.0, ["d"])?;
    let query = Query { kinds: Kinds::Dirs, ..visible() };
    same("directories", ws.find(&query).await?.0, ["sub"])
}

async fn a_dot_ignore_wins_over_a_gitignore(ws: Subject) -> Verdict {
    ws.write(".gitignore", "*.log\n").await?;
    ws.write(".ignore", "!x.log\n*.md\n").await?;
    plant(&ws, &["a.log", "x.log", "a.md", "a.txt"]).await?;
    same("found", ws.find(&visible()).await?.0, ["a.txt", "x.log"])
}

async fn ignored_files_are_not_searched(ws: Subject) -> Verdict {
    ws.write(".gitignore", "*.log\n").await?;
    plant(&ws, &["a.log", "a.txt", ".hidden"]).await?;
    let query = Query { hidden: Hidden::Skip, ignored: Ignored::Skip, ..lines("needle") };
    let (found, summary) = ws.find(&query).await?;
    same("found", found, ["a.txt:1:needle"])?;
    same("searched", summary.searched, 1)
}

async fn everything_counts_when_asked(ws: Subject) -> Verdict {
    ws.write(".gitignore", "*\n").await?;
    plant(&ws, &["a", "d/b", ".git/config"]).await?;
    let query = Query { kinds: Kinds::Files, ..everything() };
    same("found", ws.find(&query).await?.0, [".git/config", ".gitignore", "a", "d/b"])
}

async fn only_the_inside_of_git_is_left_out_when_asked(ws: Subject) -> Verdict {
    ws.write(".gitignore", "*\n").await?;
    plant(&ws, &["a", ".git/config", "sub/.git/config", ".github/x", "git/y"]).await?;
    let query = Query { kinds: Kinds::Files, ignored: Ignored::IncludeNoGit, ..everything() };
    same("found", ws.find(&query).await?.0, [".github/x", ".gitignore", "a", "git/y"])
}

async fn an_ignore_file_that_is_a_directory_says_nothing(ws: Subject) -> Verdict {
    plant(&ws, &[".gitignore/x", ".ignore/x", "a"]).await?;
    same("found", ws.find(&visible()).await?.0, ["a"])
}
