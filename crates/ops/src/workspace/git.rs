//! `git`: one tool for all that is done with a repository, by its action.
//!
//! Git itself runs in the workspace's sandbox; see `garth_git`. Here its facts become a reply:
//! every text that a repository holds is redacted, every name is shown on one line.

mod aside;
mod branches;
mod changes;
mod history;
mod named;
mod params;
mod payload;
mod remote;
mod state;
mod telling;

use garth_contract::{Code, Error, WsPath};
use garth_git::{Failed, Hooks, Repository};
use garth_redact::Clean;
use garth_workspace::Workspace;

use crate::{
    Failure, Needs, Reply, Tool, names::names_of, params::parse, running::usual, schema::schema_of,
};
use params::{Action, Params};
use payload::Payload;

pub(super) const TOOL: Tool = Tool {
    name: "git",
    title: "Work with a repository",
    summary: "Does one thing with the git repository of the workspace: status, diff, log, show, \
              commit, checkout, branch, restore, stash, init, push, pull, fetch or clone. Commits \
              are by the workspace's bot; push, pull, fetch and clone speak to the remote that \
              the operator set up, whatever the repository's own configuration says. Hooks do \
              not run unless hooks is true.",
    needs: Needs::Git,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    repeats: &["diff"],
    names: names_of::<Params>,
    run: |workspace, call| Box::pin(async move { run(workspace, parse(call.params)?).await }),
};

/// What every action works with.
struct At<'a> {
    workspace: &'a Workspace,
    /// The directory that was named.
    named: &'a WsPath,
    hooks: Hooks,
    timeout: garth_contract::Timeout,
}

impl<'a> At<'a> {
    /// The repository at the top of a work tree.
    fn repository(&self, top: &'a WsPath) -> Result<Repository<'a>, Failed> {
        Ok(self.workspace.repository(top, (self.hooks, self.timeout))?)
    }

    /// The top of the work tree that the directory is in.
    async fn top(&self) -> Result<WsPath, Failed> {
        garth_git::discover(self.workspace.fs(), self.named).await
    }
}

/// What an action has to say: to a reader, to programs, to the record.
struct Told {
    text: Clean,
    payload: Payload,
    record: Clean,
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply, Failure> {
    params.check()?;
    workspace.git_shell()?;
    if params.changes() && !workspace.fs().abilities().write {
        return Err(Error::of(Code::ReadOnly).into());
    }
    let named = match &params.path {
        Some(path) => workspace.real_path(&workspace.path(path.as_str())?).await?,
        None => WsPath::root(),
    };
    let timeout = match params.timeout_ms {
        Some(millis) => garth_contract::Timeout::millis(millis)?,
        None => usual(workspace.limits()),
    };
    let hooks = if params.hooks == Some(true) { Hooks::On } else { Hooks::Off };
    let at = At { workspace, named: &named, hooks, timeout };
    let told = act(&at, &params).await.map_err(|failed| {
        let Failed { error, said } = failed;
        failure(workspace, Failed { error: workspace.shown_error(error, &named), said })
    })?;
    let Told { text, mut payload, record } = told;
    let repository = workspace.shown_names(payload.repository.as_bytes());
    payload.repository = String::from_utf8_lossy(&repository).into_owned();
    Ok(Reply::new(text, &payload)?.recorded(record))
}

async fn act(at: &At<'_>, params: &Params) -> Result<Told, Failed> {
    match params.action {
        Action::Init => return aside::init(at, params).await,
        Action::Clone => return remote::clone(at, params).await,
        Action::Status
        | Action::Diff
        | Action::Log
        | Action::Show
        | Action::Commit
        | Action::Checkout
        | Action::Branch
        | Action::Restore
        | Action::Stash
        | Action::Push
        | Action::Pull
        | Action::Fetch => {}
    }
    let top = at.top().await?;
    let repository = at.repository(&top)?;
    let here = (at.workspace, &repository);
    match params.action {
        Action::Status => state::status(here, params).await,
        Action::Diff => changes::diff(here, params).await,
        Action::Log => history::log(here, params).await,
        Action::Show => history::show(here, params).await,
        Action::Commit => history::commit(here, params).await,
        Action::Checkout => branches::checkout(here, params).await,
        Action::Branch => branches::branch(here, params).await,
        Action::Restore => aside::restore(here, params).await,
        Action::Stash => aside::stash(here, params).await,
        Action::Push => remote::push(here, params).await,
        Action::Pull => remote::pull(here, params).await,
        Action::Fetch => remote::fetch(here, params).await,
        // They have no repository to begin with.
        Action::Init | Action::Clone => Ok(Told::nothing(params.action)),
    }
}

impl Told {
    fn nothing(action: Action) -> Self {
        let payload = Payload::of(action, &WsPath::root());
        Self { text: Clean::default(), payload, record: Clean::default() }
    }
}

/// A workspace and one of its repositories.
type Here<'a> = (&'a Workspace, &'a Repository<'a>);

/// The failure, with what git said of it.
fn failure(workspace: &Workspace, failed: Failed) -> Failure {
    let Failed { error, said } = failed;
    if said.is_empty() {
        return error.into();
    }
    let said = telling::text(workspace, &said);
    match Reply::new(said.clone(), &payload::Said { stderr: said }) {
        Ok(reply) => Failure::after(error, reply),
        Err(_) => error.into(),
    }
}
