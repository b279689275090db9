//! A command and everything it starts end as one, however they detach themselves.

use std::sync::Arc;

use garth_contract::{Cause, Exit};

use super::super::{
    Subject,
    arrange::{open, printed},
    beat::BEAT,
    check::checks,
};
use crate::{
    Verdict,
    stop::{failed, holds, same},
};

checks! { "tree"
    who_is_left_behind_holds_nothing_up [] covers "run.after.nothing_runs" "shell.tree";
    a_child_left_behind_is_gone [] covers "run.after.nothing_runs" "shell.tree";
    a_child_without_hangups_is_gone [] covers "run.after.nothing_runs" "shell.tree";
    an_orphan_is_gone [] covers "run.after.nothing_runs" "shell.tree";
    a_child_with_its_own_group_is_gone [] covers "run.after.nothing_runs" "shell.tree";
    a_child_with_its_own_session_is_gone [] covers "run.after.nothing_runs" "shell.tree";
    a_daemon_is_gone [] covers "run.after.nothing_runs" "shell.tree";
    a_child_deaf_to_signals_is_gone [] covers "run.after.nothing_runs" "shell.tree";
    a_wide_tree_is_gone [] covers "run.after.nothing_runs" "shell.tree";
    a_chain_of_forks_is_gone [] covers "run.after.nothing_runs" "shell.tree";
    all_of_it_goes_when_its_time_is_up [] covers "run.after.nothing_runs" "run.timeout.told" "shell.tree";
    all_of_it_goes_when_it_is_ended [] covers "end.after.nothing_runs" "shell.tree";
    all_of_it_goes_when_its_main_process_does [] covers "start.after.ends" "shell.tree";
    who_ignores_the_request_is_killed_after_it [] covers "end.kill" "end.after.nothing_runs" "run.after.nothing_runs";
}

/// Ways to start something that may outlive its parent: the name under which it
/// beats, and how.
const CHILD: (&str, &str) = ("child", "beat child &");
const NOHUP: (&str, &str) = ("nohup", "nohup bash -c 'beat nohup' < /dev/null > /dev/null 2>&1 &");
const ORPHAN: (&str, &str) = ("orphan", "( (beat orphan) & )");
const GROUP: (&str, &str) = ("group", "set -m; beat group & set +m");
const SESSION: (&str, &str) = ("session", "setsid bash -c 'beat session' &");
const DAEMON: (&str, &str) =
    ("daemon", "(setsid bash -c '(beat daemon) & disown' < /dev/null > /dev/null 2>&1 &)");
const DEAF: (&str, &str) = ("deaf", "(trap '' TERM HUP INT QUIT PIPE; beat deaf) &");

/// Waits in a script until something beats.
fn beats(name: &str) -> String {
    format!("until [ -s beat-{name} ]; do sleep 0.01; done")
}

/// Runs a command that starts something, and ends when that runs.
async fn leaves(ws: &Subject, (name, start): (&str, &str)) -> Verdict {
    let clock = ws.clock().await?;
    let report = ws.run(format!("{BEAT} {start}\n {}; echo left", beats(name))).await?;
    printed(&report, "left\n")?;
    ws.stopped(&clock, &[name]).await
}

async fn who_is_left_behind_holds_nothing_up(ws: Subject) -> Verdict {
    // It has the command's own streams open and would print to them much later.
    let report = ws.run("(sleep 1000; echo never) & echo now; exit 3").await?;
    same("its end", (report.ended.exit, report.ended.cause), (Exit::Code(3), Cause::Itself))?;
    same("what it printed", report.stdout.head, "now\n")
}

async fn a_child_left_behind_is_gone(ws: Subject) -> Verdict {
    leaves(&ws, CHILD).await
}

async fn a_child_without_hangups_is_gone(ws: Subject) -> Verdict {
    leaves(&ws, NOHUP).await
}

async fn an_orphan_is_gone(ws: Subject) -> Verdict {
    leaves(&ws, ORPHAN).await
}

async fn a_child_with_its_own_group_is_gone(ws: Subject) -> Verdict {
    leaves(&ws, GROUP).await
}

async fn a_child_with_its_own_session_is_gone(ws: Subject) -> Verdict {
    ws.needs("setsid", "start a session").await?;
    leaves(&ws, SESSION).await
}

async fn a_daemon_is_gone(ws: Subject) -> Verdict {
    ws.needs("setsid", "start a session").await?;
    leaves(&ws, DAEMON).await
}

async fn a_child_deaf_to_signals_is_gone(ws: Subject) -> Verdict {
    leaves(&ws, DEAF).await
}

async fn a_wide_tree_is_gone(ws: Subject) -> Verdict {
    let clock = ws.clock().await?;
    // Three levels, of which the last beats, all under one name.
    let wide = format!(
        "{BEAT} for a in 1 2 3; do (for b in 1 2 3; do (beat wide & beat wide) & done; wait) & done
        {}; echo left",
        beats("wide")
    );
    printed(&ws.run(wide).await?, "left\n")?;
    ws.stopped(&clock, &["wide"]).await
}

async fn a_chain_of_forks_is_gone(ws: Subject) -> Verdict {
    let clock = ws.clock().await?;
    // Each link starts the next and ends, so whoever looks sees the one before.
    let chain = format!(
        "hop() {{ echo >> beat-hop; [ $1 = 0 ] || (hop $(($1 - 1)) &); }} 2> /dev/null
        (hop 3000 &)\n {}; echo left",
        beats("hop")
    );
    printed(&ws.run(chain).await?, "left\n")?;
    ws.stopped(&clock, &["hop"]).await
}

/// Everything that ends when it is asked to.
const HEARING: [&str; 7] = ["main", "child", "nohup", "orphan", "group", "session", "daemon"];

/// A script that starts all of those, prints `ready`, and beats itself.
fn everything() -> String {
    let plain = [CHILD, NOHUP, ORPHAN, GROUP];
    let mut text = String::from(BEAT);
    for (name, start) in plain {
        text.push_str(&format!("{start}\n {}\n", beats(name)));
    }
    text.push_str("if command -v setsid > /dev/null; then\n");
    for (name, start) in [SESSION, DAEMON] {
        text.push_str(&format!("{start}\n {}\n", beats(name)));
    }
    text.push_str("fi; echo ready; beat main");
    text
}

async fn all_of_it_goes_when_its_time_is_up(ws: Subject) -> Verdict {
    let clock = ws.clock().await?;
    let report = ws.overrun(&everything()).await?;
    same("its cause", report.ended.cause, Cause::Timeout)?;
    ws.stopped(&clock, &HEARING).await
}

async fn all_of_it_goes_when_it_is_ended(ws: Subject) -> Verdict {
    let clock = ws.clock().await?;
    let id = ws.start(everything()).await?;
    ws.until(id, "ready").await?;
    ws.beating("main").await?;
    ws.shell.end(id).await?;
    ws.stopped(&clock, &HEARING).await
}

async fn all_of_it_goes_when_its_main_process_does(ws: Subject) -> Verdict {
    let clock = ws.clock().await?;
    let text = everything().replace("beat main", "read; exit 3");
    let id = ws.shell.start(open(text)?).await?;
    ws.until(id, "ready").await?;
    ws.write(id, "\n").await?;
    let ended = ws.ended(id).await?;
    same("its end", (ended.exit, ended.cause), (Exit::Code(3), Cause::Itself))?;
    ws.stopped(&clock, &HEARING).await
}

async fn who_ignores_the_request_is_killed_after_it(ws: Subject) -> Verdict {
    let clock = ws.clock().await?;
    let deaf = |name: &str| {
        format!(
            "{BEAT} trap '' TERM; beat {name}-child & ( (beat {name}-orphan) & )
            {}; {}; echo ready; beat {name}-main",
            beats(&format!("{name}-child")),
            beats(&format!("{name}-orphan")),
        )
    };
    // Both at once, since the grace is long.
    let id = ws.start(deaf("ended")).await?;
    ws.until(id, "ready").await?;
    ws.beating("ended-main").await?;
    let shell = Arc::clone(&ws.shell);
    let end = tokio::spawn(async move { shell.end(id).await });
    let report = ws.overrun_from(800, &deaf("timed")).await?;
    let ended = end.await.map_err(|error| failed(error.to_string()))??;
    same("one ended", (ended.exit, ended.cause), (Exit::Signal(9), Cause::Ended))?;
    let timed = (report.ended.exit, report.ended.cause);
    same("one whose time was up", timed, (Exit::Signal(9), Cause::Timeout))?;
    holds("it had heard nothing", report.stderr.total == 0)?;
    let all = ["main", "child", "orphan"];
    let names: Vec<_> =
        all.iter().flat_map(|part| ["ended", "timed"].map(|one| format!("{one}-{part}"))).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    ws.stopped(&clock, &names).await
}
