//! `terminal/*` from the workspace: commands in its sandbox, for an agent whose client runs
//! none, or must not run this agent's.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use garth_contract::{
    Ask, Code, Command, Ended, Error, Exit, ProcessId, Program, Result, Signal, Timeout, Variables,
    WsPath,
};
use garth_workspace::Workspace;
use serde_json::{Value, json};

/// The most terminals at once.
const MOST_TERMINALS: usize = 64;

/// The most bytes of output that one answer holds.
const MOST_OUTPUT: u64 = 512 << 10;

/// The terminals of one connection.
#[derive(Debug, Default)]
pub(super) struct Terminals {
    open: Mutex<HashMap<String, Terminal>>,
}

#[derive(Clone, Debug)]
struct Terminal {
    process: ProcessId,
    /// Whose it is; another session does not see it.
    session: String,
    most: u64,
}

/// A command as an agent asks for it.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) command: String,
    pub(super) arguments: Vec<String>,
    pub(super) variables: Vec<(String, String)>,
    pub(super) workdir: WsPath,
    pub(super) most: Option<u64>,
}

impl Terminals {
    /// Starts a command.
    ///
    /// # Errors
    /// `QUOTA_EXCEEDED` for too many; those of starting it.
    pub(super) async fn create(
        &self,
        workspace: &Workspace,
        session: &str,
        wanted: Wanted,
    ) -> Result<Value> {
        let full = || Error::new(Code::QuotaExceeded, "there are too many terminals");
        if self.lock().len() >= MOST_TERMINALS {
            return Err(full().hint("Release those that are not needed."));
        }
        let Wanted { command: name, arguments, variables, workdir, most } = wanted;
        let program = if arguments.is_empty() {
            // Agents send whole lines for a shell this way.
            Program::script(name)?
        } else {
            let words = std::iter::once(name).chain(arguments).map(String::into_bytes);
            Program::arguments(words.collect())?
        };
        let mut command = Command::new(program);
        command.workdir = workdir;
        command.variables = Variables::new(variables)?;
        command.timeout = Timeout::MOST;
        let process = workspace.shell()?.start(command).await?;
        let most = most.unwrap_or(MOST_OUTPUT).min(MOST_OUTPUT);
        let terminal = Terminal { process, session: session.to_owned(), most };
        let name = format!("garth-{process}");
        self.lock().insert(name.clone(), terminal);
        Ok(json!({ "terminalId": name }))
    }

    /// What a command printed so far: the end of it, where it is too much.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for a terminal that there is not.
    pub(super) async fn output(
        &self,
        workspace: &Workspace,
        (session, name): (&str, &str),
    ) -> Result<Value> {
        let Terminal { process, most, .. } = self.find(session, name)?;
        let now = |from, most| Ask { from, most, wait: Duration::ZERO };
        let total = workspace.shell()?.output(process, now(0, 1)).await?.total;
        let from = total.saturating_sub(most);
        let room = usize::try_from(most).unwrap_or(usize::MAX).max(1);
        let shown = workspace.follow(process, now(from, room)).await?;
        let mut text = String::new();
        shown.told.iter().for_each(|told| text.push_str(&told.text));
        // Placeholders can be longer than what they stand for.
        let over = text.len().saturating_sub(usize::try_from(most).unwrap_or(usize::MAX));
        let text = text.get(text.ceil_char_boundary(over)..).unwrap_or_default();
        let truncated = shown.start > 0 || shown.missing > 0 || over > 0;
        let mut facts = json!({ "output": text, "truncated": truncated });
        if let (Some(ended), Value::Object(facts)) = (shown.ended, &mut facts) {
            facts.insert("exitStatus".to_owned(), status(ended));
        }
        Ok(facts)
    }

    /// Waits until a command has ended, and says how.
    ///
    /// # Errors
    /// As for [`output`](Self::output).
    pub(super) async fn wait(
        &self,
        workspace: &Workspace,
        (session, name): (&str, &str),
    ) -> Result<Value> {
        let Terminal { process, .. } = self.find(session, name)?;
        let shell = workspace.shell()?;
        let mut from = 0;
        loop {
            let ask = Ask { from, most: Ask::MOST, wait: Ask::LONGEST };
            let printed = shell.output(process, ask).await?;
            match printed.ended {
                Some(ended) => return Ok(status(ended)),
                None => from = printed.next,
            }
        }
    }

    /// Ends a command; its terminal stays.
    ///
    /// # Errors
    /// As for [`output`](Self::output).
    pub(super) async fn kill(
        &self,
        workspace: &Workspace,
        (session, name): (&str, &str),
    ) -> Result<Value> {
        let Terminal { process, .. } = self.find(session, name)?;
        workspace.shell()?.end(process).await?;
        Ok(json!({}))
    }

    /// Ends a command and forgets its terminal.
    ///
    /// # Errors
    /// As for [`output`](Self::output).
    pub(super) async fn release(
        &self,
        workspace: &Workspace,
        (session, name): (&str, &str),
    ) -> Result<Value> {
        let Terminal { process, .. } = self.find(session, name)?;
        self.lock().remove(name);
        workspace.shell()?.end(process).await?;
        Ok(json!({}))
    }

    fn find(&self, session: &str, name: &str) -> Result<Terminal> {
        let found = self.lock().get(name).cloned();
        found.filter(|terminal| terminal.session == session).ok_or_else(|| {
            Error::new(Code::InvalidParams, "there is no such terminal")
                .hint("terminal/create answers with the id of a new one.")
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Terminal>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn status(ended: Ended) -> Value {
    match ended.exit {
        Exit::Code(code) => json!({ "exitCode": code, "signal": null }),
        Exit::Signal(number) => {
            let name = Signal::from_number(number.into()).map(|signal| signal.to_string());
            json!({ "exitCode": null, "signal": name })
        }
    }
}
