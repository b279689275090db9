//! Signals: everything of one tree gets them, and nobody else.

use garth_contract::{Cause, Code, Exit, ProcessId, Signal};

use super::super::{
    Subject,
    arrange::{LINGER, patiently},
    beat::BEAT,
    check::checks,
};
use crate::{
    Verdict,
    stop::{refused, same},
};

checks! { "signal"
    a_signal_ends_who_does_not_catch_it [] covers "signal.sends" "cause.itself" "exit.signal";
    a_signal_can_be_caught [] covers "signal.sends";
    each_signal_arrives_as_itself [] covers "signal.sends";
    everything_of_the_tree_gets_it [] covers "signal.sends" "shell.tree";
    nobody_else_gets_it [] covers "signal.sends";
    it_stops_and_continues [] covers "signal.sends";
    a_kill_cannot_be_ignored [] covers "signal.sends";
    an_ended_process_is_refused [] covers "signal.errors.ended";
    an_unknown_process_is_refused [] covers "shell.unknown";
}

fn signal(name: &str) -> garth_contract::Result<Signal> {
    Signal::parse(name)
}

async fn a_signal_ends_who_does_not_catch_it(ws: Subject) -> Verdict {
    for (name, number) in [("TERM", 15), ("USR1", 10), ("KILL", 9)] {
        let id = ws.start("sleep 1000").await?;
        ws.shell.signal(id, signal(name)?).await?;
        let ended = ws.ended(id).await?;
        same("its end", (ended.exit, ended.cause), (Exit::Signal(number), Cause::Itself))?;
    }
    Ok(())
}

async fn a_signal_can_be_caught(ws: Subject) -> Verdict {
    let id = ws.start(format!("trap 'echo caught; exit 5' TERM; echo ready; {LINGER}")).await?;
    ws.until(id, "ready").await?;
    ws.shell.signal(id, Signal::TERM).await?;
    let (whole, ended) = ws.whole(id).await?;
    same("what it printed", whole.stdout, "ready\ncaught\n")?;
    same("its end", (ended.exit, ended.cause), (Exit::Code(5), Cause::Itself))
}

const NAMES: [&str; 7] = ["HUP", "INT", "USR1", "USR2", "ALRM", "TERM", "WINCH"];

async fn each_signal_arrives_as_itself(ws: Subject) -> Verdict {
    let traps: String =
        NAMES.iter().map(|name| format!("trap 'echo got {name}' {name};")).collect();
    // What waits with it ignores them, so that the trap alone answers.
    let linger =
        "while :; do (trap '' HUP INT USR1 USR2 ALRM TERM; exec sleep 0.1) & wait $!; done";
    let id = ws.start(format!("{traps} echo ready; {linger}")).await?;
    ws.until(id, "ready").await?;
    let mut want = String::from("ready\n");
    for name in NAMES {
        ws.shell.signal(id, signal(name)?).await?;
        want.push_str(&format!("got {name}\n"));
        ws.until(id, &want).await?;
    }
    Ok(())
}

async fn everything_of_the_tree_gets_it(ws: Subject) -> Verdict {
    let child = |name: &str| format!("trap 'echo {name} >> got' USR1; echo ready {name}; {LINGER}");
    let tree = format!(
        "one() {{ {}; }}; two() {{ {}; }}; export -f one two
        one & nohup bash -c two < /dev/null & (trap '' HUP; {}) & {}",
        child("one"),
        child("two"),
        child("three"),
        child("main")
    );
    let id = ws.start(tree).await?;
    for name in ["one", "two", "three", "main"] {
        ws.until(id, &format!("ready {name}\n")).await?;
    }
    ws.shell.signal(id, signal("USR1")?).await?;
    patiently("each of the tree got it", async || {
        let got = ws.files.read("got").await.unwrap_or_default();
        let mut got: Vec<_> = got.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        got.sort();
        Ok((got == [&b""[..], b"main", b"one", b"three", b"two"]).then_some(()))
    })
    .await
}

async fn nobody_else_gets_it(ws: Subject) -> Verdict {
    let counts = format!("trap 'echo got' USR1; echo ready; {LINGER}");
    let one = ws.start(counts.clone()).await?;
    let other = ws.start(counts).await?;
    for id in [one, other] {
        ws.until(id, "ready").await?;
    }
    ws.shell.signal(one, signal("USR1")?).await?;
    ws.until(one, "got").await?;
    ws.shell.signal(other, Signal::KILL).await?;
    same("what the other heard", ws.whole(other).await?.0.stdout, "ready\n")
}

async fn it_stops_and_continues(ws: Subject) -> Verdict {
    let clock = ws.clock().await?;
    let id = ws.start(format!("{BEAT} beat child & beat main")).await?;
    ws.beating("child").await?;
    ws.beating("main").await?;
    ws.shell.signal(id, signal("STOP")?).await?;
    ws.stops(&clock, &["main", "child"]).await?;
    same("its end", ws.listed(id).await?.ended, None)?;
    ws.shell.signal(id, signal("CONT")?).await?;
    ws.beating("main").await?;
    ws.beating("child").await
}

async fn a_kill_cannot_be_ignored(ws: Subject) -> Verdict {
    let clock = ws.clock().await?;
    let id = ws.start(format!("trap '' TERM INT HUP; {BEAT} beat child & beat main")).await?;
    ws.beating("child").await?;
    ws.beating("main").await?;
    ws.shell.signal(id, Signal::KILL).await?;
    same("its end", ws.ended(id).await?.exit, Exit::Signal(9))?;
    ws.stopped(&clock, &["main", "child"]).await
}

async fn an_ended_process_is_refused(ws: Subject) -> Verdict {
    let foreground = ws.run("true").await?.id;
    let background = ws.start("true").await?;
    ws.ended(background).await?;
    for id in [foreground, background] {
        refused(ws.shell.signal(id, Signal::TERM).await, Code::InvalidParams)?;
    }
    Ok(())
}

async fn an_unknown_process_is_refused(ws: Subject) -> Verdict {
    let unknown = ProcessId(ws.run("true").await?.id.0 + 1_000);
    refused(ws.shell.signal(unknown, Signal::TERM).await, Code::InvalidParams)
}
