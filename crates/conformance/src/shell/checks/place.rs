//! What is true of a place as a whole: its abilities, and that it can go away.

use std::{future::Future, sync::Arc, time::Duration};

use garth_contract::{Ask, Code, ProcessId, Result, Signal};
use tokio::time;

use super::super::{
    Subject,
    arrange::{TERMINAL, script, typing},
    check::checks,
};
use crate::{
    Verdict,
    stop::{failed, refused, same},
};

checks! { "place"
    its_abilities_never_change [] covers "abilities.constant" "abilities.truth";
    terminals_are_there_if_it_says_so [] covers "abilities.truth" "shell_abilities.terminals" "run.errors.no_terminals";
    one_that_is_gone_answers_so [] covers "shell.gone";
    one_that_goes_away_wakes_who_waits [] covers "shell.gone";
}

async fn its_abilities_never_change(ws: Subject) -> Verdict {
    let before = ws.shell.abilities();
    ws.run("true").await?;
    let _ = ws.shell.start(typing("true")?).await;
    same("abilities", ws.shell.abilities(), before)
}

async fn terminals_are_there_if_it_says_so(ws: Subject) -> Verdict {
    let answer = ws.shell.start(typing("true")?).await;
    match ws.shell.abilities().terminals {
        true => answer.map(drop).map_err(Into::into),
        false => refused(answer, Code::Unsupported),
    }
}

/// Far more than the second in which a place that is gone must answer.
const SOON: Duration = Duration::from_secs(20);

/// Claims that a call answers that the place is gone.
async fn gone<T: std::fmt::Debug>(call: impl Future<Output = Result<T>>) -> Verdict {
    let answer = time::timeout(SOON, call).await.map_err(|_| failed("it does not answer"))?;
    refused(answer, Code::ProviderUnavailable)
}

async fn one_that_is_gone_answers_so(ws: Subject) -> Verdict {
    let id = ws.start("sleep 1000").await?;
    ws.around.lose()?;
    gone(ws.run("true")).await?;
    gone(ws.start("true")).await?;
    gone(ws.now(id, 0, 10)).await?;
    gone(ws.write(id, "x")).await?;
    gone(ws.shell.signal(id, Signal::TERM)).await?;
    gone(ws.shell.resize(id, TERMINAL)).await?;
    gone(ws.shell.list()).await?;
    gone(ws.shell.end(id)).await
}

async fn one_that_goes_away_wakes_who_waits(ws: Subject) -> Verdict {
    let mut running = ws.running(script("sleep 1000")?);
    let id: ProcessId = running.id().await?;
    let shell = Arc::clone(&ws.shell);
    let ask = Ask { from: 0, most: 10, wait: Ask::LONGEST };
    let reader = tokio::spawn(async move { shell.output(id, ask).await });
    ws.around.lose()?;
    let joined = |error: tokio::task::JoinError| failed(error.to_string());
    let answer = time::timeout(SOON, running.task).await.map_err(|_| failed("it runs on"))?;
    refused(answer.map_err(joined)?, Code::ProviderUnavailable)?;
    let answer = time::timeout(SOON, reader).await.map_err(|_| failed("it waits on"))?;
    refused(answer.map_err(joined)?, Code::ProviderUnavailable)
}
