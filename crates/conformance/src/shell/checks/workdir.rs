//! Where a command runs, and where it must not.

use garth_contract::{Code, Command, WsPath};

use super::super::{
    Subject,
    arrange::{printed, program, script},
    check::checks,
};
use crate::{
    Verdict,
    arrange::at,
    stop::{refused, same},
};

checks! { "workdir"
    the_root_is_the_usual_one [] covers "command.workdir";
    a_directory_below_is_one [] covers "command.workdir";
    odd_names_are_no_matter [] covers "command.workdir";
    a_link_to_a_directory_inside_is_one [] covers "command.workdir" "run.errors.workdir_outside";
    a_missing_one_is_not_found [] covers "run.errors.workdir_missing";
    a_file_is_not_a_directory [] covers "run.errors.workdir_file";
    one_outside_through_a_link_is_refused [] covers "run.errors.workdir_outside";
    a_start_is_refused_alike [] covers "start.errors";
    what_a_command_writes_is_in_the_files [] covers "command.workdir";
    it_does_not_carry_over [] covers "command.workdir";
}

async fn run_in(ws: &Subject, path: impl AsRef<[u8]>) -> garth_contract::Result<String> {
    let command = Command { workdir: at(path)?, ..program(&["cat", "name"])? };
    let report = ws.run_as(command).await?;
    Ok(String::from_utf8_lossy(&report.stdout.head).into_owned())
}

async fn the_root_is_the_usual_one(ws: Subject) -> Verdict {
    ws.files.write("name", "the root").await?;
    printed(&ws.run("cat name").await?, "the root")?;
    same("the name in the root", run_in(&ws, "").await?, "the root")
}

async fn a_directory_below_is_one(ws: Subject) -> Verdict {
    ws.files.write("name", "the root").await?;
    ws.files.write("a/name", "one down").await?;
    ws.files.write("a/b/c/name", "three down").await?;
    same("the name in a", run_in(&ws, "a").await?, "one down")?;
    same("the name in c", run_in(&ws, "a/b/c").await?, "three down")
}

async fn odd_names_are_no_matter(ws: Subject) -> Verdict {
    for name in ["with space", "-n", "$HOME", "quo'te\"s", "日本 🐎", "new\nline", "%s\\t"] {
        ws.files.write(format!("{name}/name"), name).await?;
        same("the name", run_in(&ws, name).await?, name)?;
    }
    Ok(())
}

async fn a_link_to_a_directory_inside_is_one(ws: Subject) -> Verdict {
    ws.files.write("a/b/name", "inside").await?;
    ws.run("ln -s a/b link; ln -s ../a a/up; ln -s link again").await?;
    for link in ["link", "a/up/b", "again"] {
        same("the name", run_in(&ws, link).await?, "inside")?;
    }
    Ok(())
}

async fn a_missing_one_is_not_found(ws: Subject) -> Verdict {
    ws.run("mkdir dir; ln -s nowhere dangling").await?;
    for path in ["missing", "missing/below", "dir/missing", "dangling"] {
        refused(run_in(&ws, path).await, Code::FileNotFound)?;
    }
    Ok(())
}

async fn a_file_is_not_a_directory(ws: Subject) -> Verdict {
    ws.run("touch file; ln -s file link").await?;
    for path in ["file", "file/below", "link"] {
        refused(run_in(&ws, path).await, Code::NotADirectory)?;
    }
    Ok(())
}

/// Links that leave, made by a command as any agent could.
async fn links_out(ws: &Subject) -> Verdict<[&'static str; 4]> {
    ws.run("ln -s / root; ln -s /usr usr; ln -s .. up; mkdir dir; ln -s ../.. dir/up").await?;
    Ok(["root", "usr", "up", "dir/up"])
}

async fn one_outside_through_a_link_is_refused(ws: Subject) -> Verdict {
    for link in links_out(&ws).await? {
        refused(run_in(&ws, link).await, Code::PathOutsideWorkspace)?;
    }
    refused(run_in(&ws, "root/usr").await, Code::PathOutsideWorkspace)
}

async fn a_start_is_refused_alike(ws: Subject) -> Verdict {
    let start = async |path: &str| -> garth_contract::Result<_> {
        ws.shell.start(Command { workdir: at(path)?, ..script("true")? }).await
    };
    for link in links_out(&ws).await? {
        refused(start(link).await, Code::PathOutsideWorkspace)?;
    }
    ws.files.write("file", "x").await?;
    refused(start("file").await, Code::NotADirectory)?;
    refused(start("missing").await, Code::FileNotFound)?;
    let background = ws.shell.list().await?.iter().any(|process| process.background);
    same("something was started", background, false)
}

async fn what_a_command_writes_is_in_the_files(ws: Subject) -> Verdict {
    ws.files.write("dir/planted", "by hand").await?;
    let workdir = at("dir")?;
    let command = Command { workdir, ..script("cp planted copy; echo made > made; rm planted")? };
    ws.run_as(command).await?;
    same("names", ws.files.names("dir").await?, ["copy", "made"])?;
    same("the copy", ws.files.read("dir/copy").await?, "by hand")?;
    same("what was made", ws.files.read("dir/made").await?, "made\n")
}

async fn it_does_not_carry_over(ws: Subject) -> Verdict {
    ws.files.write("name", "the root").await?;
    ws.files.write("a/name", "below").await?;
    printed(&ws.run("cd a; cat name").await?, "below")?;
    printed(&ws.run("cat name").await?, "the root")?;
    same("the usual one", script("true")?.workdir, WsPath::root())
}
