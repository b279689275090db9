//! What a command finds around it: variables, descriptors, signals, the umask.

use std::collections::BTreeMap;

use garth_contract::{Command, Links, Stdin, Variables};

use super::super::{
    Subject,
    arrange::{printed, program, script},
    check::checks,
};
use crate::{
    Verdict,
    arrange::at,
    stop::{failed, holds, same},
};

checks! { "environment"
    it_is_the_places_own [] covers "command.variables";
    home_is_a_directory_that_takes_files [] covers "command.variables";
    variables_are_added [] covers "command.variables";
    variables_override_the_places_own [] covers "command.variables";
    odd_values_arrive_as_they_are [] covers "command.variables";
    exported_variables_do_not_carry_over [] covers "command.variables";
    bash_is_neither_login_nor_interactive [] covers "program.script";
    no_profile_is_read [] covers "program.script";
    the_umask_is_the_usual_one [] covers "program.script";
    no_signal_is_ignored_or_blocked [] covers "program.script";
    a_broken_pipe_ends_who_writes_to_it [] covers "program.script";
    no_other_descriptor_is_open [] covers "program.script";
    there_is_no_terminal_unless_asked_for [] covers "command.terminal";
}

/// Variables that shells make by themselves.
const BY_SHELLS: [&str; 4] = ["PWD", "OLDPWD", "SHLVL", "_"];

/// Every variable that a command has.
async fn seen(ws: &Subject, variables: &[(&str, &str)]) -> Verdict<BTreeMap<String, String>> {
    let command = Command { variables: pairs(variables)?, ..program(&["env", "-0"])? };
    let report = ws.run_as(command).await?;
    let output = String::from_utf8_lossy(&report.stdout.head).into_owned();
    let pair = |line: &str| line.split_once('=').map(|(n, v)| (n.to_owned(), v.to_owned()));
    let all: Option<BTreeMap<_, _>> = output.split_terminator('\0').map(pair).collect();
    let mut all = all.ok_or_else(|| failed(format!("not variables: {output:?}")))?;
    all.retain(|name, _| !BY_SHELLS.contains(&name.as_str()));
    Ok(all)
}

fn pairs(variables: &[(&str, &str)]) -> garth_contract::Result<Variables> {
    Variables::new(variables.iter().map(|(name, value)| ((*name).into(), (*value).into())))
}

/// What the place says it gives, and these.
fn wanted(ws: &Subject, more: &[(&str, &str)]) -> BTreeMap<String, String> {
    let own = ws.traits.environment.iter().cloned();
    own.chain(more.iter().map(|(name, value)| ((*name).into(), (*value).into()))).collect()
}

async fn it_is_the_places_own(ws: Subject) -> Verdict {
    let seen = seen(&ws, &[]).await?;
    same("the variables", &seen, &wanted(&ws, &[]))?;
    for name in ["HOME", "PATH", "LANG", "USER"] {
        holds(&format!("{name} is set"), seen.get(name).is_some_and(|value| !value.is_empty()))?;
    }
    Ok(())
}

async fn home_is_a_directory_that_takes_files(ws: Subject) -> Verdict {
    let script = "cd && file=$(mktemp \"$PWD/check-XXXXXX\") && rm \"$file\" && echo well";
    printed(&ws.run(script).await?, "well\n")
}

async fn variables_are_added(ws: Subject) -> Verdict {
    let more = [("ONE", "1"), ("TWO", "second"), ("lower.dotted-name", "x")];
    same("the variables", seen(&ws, &more).await?, wanted(&ws, &more))
}

async fn variables_override_the_places_own(ws: Subject) -> Verdict {
    let more = [("LANG", "xx_XX"), ("HOME", "/nowhere"), ("USER", "somebody")];
    same("the variables", seen(&ws, &more).await?, wanted(&ws, &more))
}

async fn odd_values_arrive_as_they_are(ws: Subject) -> Verdict {
    let more = [
        ("EMPTY", ""),
        ("LINES_", "one\ntwo\n"),
        ("EQUALS", "a=b=c"),
        ("QUOTES", "'\"$HOME`id`"),
        ("WORDS", "日本 🐎"),
    ];
    same("the variables", seen(&ws, &more).await?, wanted(&ws, &more))
}

async fn exported_variables_do_not_carry_over(ws: Subject) -> Verdict {
    ws.run("export LEFT=behind; umask 0; ulimit -n 50; set -f").await?;
    printed(&ws.run("echo \"${LEFT-nothing} $(umask) $-\"").await?, "nothing 0022 hBc\n")
}

async fn bash_is_neither_login_nor_interactive(ws: Subject) -> Verdict {
    let script = "shopt -q login_shell && echo login; [[ $- = *i* ]] && echo interactive; echo $0";
    printed(&ws.run(script).await?, "bash\n")
}

async fn no_profile_is_read(ws: Subject) -> Verdict {
    // The workspace's root is made its home, and full of what shells read.
    let plant = "for file in .profile .bashrc .bash_profile .bash_login .bash_logout .inputrc; do
        echo 'echo \"$BASH_SOURCE was read\"' > $file
    done; pwd -P";
    let report = ws.run(plant).await?;
    let home = String::from_utf8_lossy(&report.stdout.head).trim().to_owned();
    let command = Command { variables: pairs(&[("HOME", &home)])?, ..script("echo ran")? };
    let report = ws.run_as(command).await?;
    printed(&report, "ran\n")?;
    same("standard error", report.stderr.head, "")
}

async fn the_umask_is_the_usual_one(ws: Subject) -> Verdict {
    printed(&ws.run("umask; touch file; mkdir dir").await?, "0022\n")?;
    for (name, usual) in [("file", 0o644), ("dir", 0o755)] {
        let entry = ws.files.fs.stat(&at(name)?, Links::Keep).await?;
        holds(name, entry.mode.is_none_or(|mode| mode == usual))?;
    }
    Ok(())
}

async fn no_signal_is_ignored_or_blocked(ws: Subject) -> Verdict {
    let signals = "for name in HUP INT USR1 USR2 PIPE ALRM TERM; do
        bash -c 'kill -s '$name' $$'; echo $name $(($? - 128))
    done 2> /dev/null; trap -p";
    let want = "HUP 1\nINT 2\nUSR1 10\nUSR2 12\nPIPE 13\nALRM 14\nTERM 15\n";
    printed(&ws.run(signals).await?, want)
}

async fn a_broken_pipe_ends_who_writes_to_it(ws: Subject) -> Verdict {
    let report = ws.run("yes | head -1; echo ${PIPESTATUS[@]}").await?;
    printed(&report, "y\n141 0\n")?;
    same("standard error", report.stderr.head, "")
}

async fn no_other_descriptor_is_open(ws: Subject) -> Verdict {
    // The one more is the directory that is being listed.
    let list = "cd /proc/self/fd && printf '%s\\n' *";
    for stdin in [Stdin::Empty, Stdin::Bytes("x".into())] {
        let command = Command { stdin, ..program(&["bash", "-c", list])? };
        printed(&ws.run_as(command).await?, "0\n1\n2\n3\n")?;
    }
    Ok(())
}

async fn there_is_no_terminal_unless_asked_for(ws: Subject) -> Verdict {
    let script = "for fd in 0 1 2; do [ -t $fd ] && echo $fd; done; (: < /dev/tty) && echo tty";
    let report = ws.run(format!("{script}; true")).await?;
    same("what is a terminal", report.stdout.head, "")
}
