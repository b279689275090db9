//! An engine that runs containers, podman or Docker, through its interface.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use bollard::{
    ClientVersion, Docker,
    errors::Error as Fault,
    exec::{CreateExecOptions, StartExecOptions, StartExecResults},
    models::{ContainerInspectResponse, ContainerStateStatusEnum},
    query_parameters::{
        CreateContainerOptionsBuilder, KillContainerOptionsBuilder, ListContainersOptionsBuilder,
        RemoveContainerOptionsBuilder, StartContainerOptions,
    },
};
use garth_contract::{Code, Error, ProcessId, Result};
use rustix::{fs::stat, process::getuid};
use tokio::sync::{Mutex, OnceCell};

use super::{
    Container, Place, Root, Standing,
    body::{self, Made},
    channel::Attached,
    facts::{self, Facts},
    identity, image, owner,
    refuse::{self, asking, seeking},
    wanted::{GUEST, MEETING, SOCKET},
};

pub(super) const LABEL_OWNER: &str = "garth.owner";
pub(super) const LABEL_WORKSPACE: &str = "garth.workspace";
pub(super) const LABEL_PRINT: &str = "garth.spec";

/// How long an engine may take to say what there is, unless told otherwise. Whoever
/// waits for a call has less patience and gives up before.
const LOOK: Duration = Duration::from_secs(60);

/// How long an engine may take to make, start or end a container on a busy machine.
const CHANGE: Duration = Duration::from_secs(120);

/// An engine, by its socket.
#[derive(Debug)]
pub struct Engine {
    socket: Socket,
    look: Duration,
    /// How long it may take to say that it is there.
    answer: Duration,
    facts: OnceCell<Facts>,
    /// One image is made at a time, so that two workspaces do not both make the same.
    images: Mutex<()>,
}

#[derive(Debug)]
enum Socket {
    At(PathBuf),
    Usual,
}

/// A container that carries an owner's label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leftover {
    /// What the engine calls it.
    pub name: String,
    /// The workspace it was made for.
    pub workspace: String,
    /// Whether it runs.
    pub running: bool,
}

impl Engine {
    /// The engine at a socket. It is asked when it is first needed, and may be started
    /// later.
    #[must_use]
    pub fn at(socket: &Path) -> Self {
        Self::of(Socket::At(socket.to_owned()))
    }

    /// The engine where it usually is: this user's podman, the machine's, then Docker.
    #[must_use]
    pub fn usual() -> Self {
        Self::of(Socket::Usual)
    }

    /// The same engine, which may take so long to say what there is.
    #[must_use]
    pub fn with_patience(self, look: Duration) -> Self {
        Self { look, answer: self.answer.min(look), ..self }
    }

    /// The same engine, which is taken for gone unless it says in this time that it is
    /// there.
    #[must_use]
    pub fn answering_within(self, answer: Duration) -> Self {
        Self { answer, ..self }
    }

    fn of(socket: Socket) -> Self {
        let (look, answer) = (LOOK, LOOK);
        Self { socket, look, answer, facts: OnceCell::new(), images: Mutex::new(()) }
    }

    /// The containers that an owner's gateway has made, running or not.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE`.
    pub async fn leftovers(&self, owner: &str) -> Result<Vec<Leftover>> {
        let (engine, _) = self.ask().await?;
        let label = format!("{LABEL_OWNER}={owner}");
        let filters = HashMap::from([("label", vec![label])]);
        let options = ListContainersOptionsBuilder::default().all(true).filters(&filters).build();
        let list = engine.list_containers(Some(options));
        let found = asking("list its containers", self.look, list).await?;
        let leftover = |labels: HashMap<String, String>, running| {
            let workspace = labels.get(LABEL_WORKSPACE)?.clone();
            let name = super::wanted::name(labels.get(LABEL_OWNER)?, &workspace);
            Some(Leftover { name, workspace, running })
        };
        let found = found.into_iter().filter_map(|container| {
            let state = container.state.map(|state| state.to_string());
            leftover(container.labels?, state.as_deref() == Some("running"))
        });
        Ok(found.collect())
    }

    /// Ends and removes a container, and its directory below `run`.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE`.
    pub async fn remove(&self, run: &Path, leftover: &Leftover) -> Result<()> {
        self.end(&leftover.name).await?;
        Place::named(run, &leftover.name).remove().map_err(|_| {
            refuse::unavailable(
                "the container's directory on this machine cannot be removed",
                "Remove what is left of it by hand.",
            )
        })
    }

    /// Looks whether a container could be made.
    pub(crate) async fn ready(&self, container: &Container) -> Result<()> {
        owner::find_program(&container.guest)?;
        let (engine, facts) = self.ask().await?;
        facts.check_runtime(&container.options)?;
        image::find(&engine, &container.root).await.map(drop)
    }

    /// Whether a container runs as it is wanted; one that does not is removed.
    pub(crate) async fn standing(&self, container: &Container) -> Result<Standing> {
        let (engine, facts) = self.ask().await?;
        facts.check_runtime(&container.options)?;
        let name = container.name();
        let Some(found) = self.look_for(&engine, &name).await? else {
            return Ok(Standing::Gone);
        };
        let labels = found.config.and_then(|config| config.labels).unwrap_or_default();
        let status = found.state.and_then(|state| state.status);
        let runs = status == Some(ContainerStateStatusEnum::RUNNING);
        let print = container.print(container.inhabitant()?)?;
        if runs && labels.get(LABEL_PRINT) == Some(&print) {
            return Ok(Standing::Runs);
        }
        self.end(&name).await?;
        Ok(Standing::Gone)
    }

    /// Whether a container runs.
    pub(crate) async fn lives(&self, name: &str) -> Result<bool> {
        let (engine, _) = self.ask().await?;
        let found = self.look_for(&engine, name).await?;
        let status = found.and_then(|found| found.state?.status);
        Ok(status == Some(ContainerStateStatusEnum::RUNNING))
    }

    /// What the engine says of a container, if it has one.
    async fn look_for(
        &self,
        engine: &Docker,
        name: &str,
    ) -> Result<Option<ContainerInspectResponse>> {
        let look = async {
            match engine.inspect_container(name, None).await {
                // Podman has more words than Docker for a container that no longer runs, and
                // the client does not understand them.
                Err(Fault::JsonDataError { .. }) => Ok(ContainerInspectResponse::default()),
                found => found,
            }
        };
        seeking("look for the container", self.look, look).await
    }

    /// Makes a container and starts it.
    pub(crate) async fn start(
        self: &Arc<Self>,
        container: &Container,
        place: &Place,
        first: ProcessId,
    ) -> Result<()> {
        let (engine, facts) = self.ask().await?;
        let image = self.prepare(&container.root).await?;
        let user = container.inhabitant()?;
        let print = container.print(user)?;
        let made = Made { user, print: &print, first, image: &image, place };
        identity::write(place, (body::seen_inside(facts, user), container.seat))?;
        let name = container.name();
        let body = body::body(container, facts, &made)?;
        let options = CreateContainerOptionsBuilder::default().name(&name).build();
        let create = engine.create_container(Some(options), body);
        asking("make the container", CHANGE, create).await?;
        let start = engine.start_container(&name, None::<StartContainerOptions>);
        let started = asking("start the container", CHANGE, start).await;
        if started.is_err() {
            // It would be found and removed by the next call too.
            let _ = self.end(&name).await;
        }
        started
    }

    /// Makes the image of a root filesystem, if there is none yet, and gives its name.
    ///
    /// Cancel: it is made all the same, for whoever asks next.
    pub(crate) async fn prepare(self: &Arc<Self>, root: &Root) -> Result<String> {
        let (this, root) = (Arc::clone(self), root.clone());
        let made = tokio::spawn(async move {
            let (engine, _) = this.ask().await?;
            let _one_at_a_time = this.images.lock().await;
            image::ready(&engine, &root).await
        });
        made.await.map_err(|_| Error::of(Code::Internal))?
    }

    /// Ends a container and everything in it, and removes it.
    ///
    /// Ending it first spares the wait for a first process that ignores `SIGTERM`.
    pub(crate) async fn end(&self, name: &str) -> Result<()> {
        let (engine, _) = self.ask().await?;
        let kill = KillContainerOptionsBuilder::default().signal("KILL").build();
        let kill = async {
            match engine.kill_container(name, Some(kill)).await {
                // It does not run, or is not there: as wanted.
                Err(Fault::DockerResponseServerError { .. }) => Ok(()),
                other => other,
            }
        };
        asking("end the container", CHANGE, kill).await?;
        let options = RemoveContainerOptionsBuilder::default().force(true).v(true).build();
        let remove = engine.remove_container(name, Some(options));
        seeking("remove the container", CHANGE, remove).await.map(drop)
    }

    /// Starts a relay to the guest inside.
    pub(crate) async fn relay(&self, name: &str) -> Result<Attached> {
        let (engine, _) = self.ask().await?;
        let options = CreateExecOptions {
            attach_stdin: Some(true),
            attach_stdout: Some(true),
            attach_stderr: Some(true),
            cmd: Some(vec![GUEST.into(), "--relay".into(), format!("{MEETING}/{SOCKET}")]),
            ..CreateExecOptions::<String>::default()
        };
        let exec = engine.create_exec(name, options);
        let exec = asking("enter the container", CHANGE, exec).await?;
        let start = engine.start_exec(&exec.id, None::<StartExecOptions>);
        match asking("enter the container", CHANGE, start).await? {
            StartExecResults::Attached { output, input } => Ok(Attached::new(output, input)),
            StartExecResults::Detached => Err(refuse::unavailable(
                "the container engine does not connect to what it started",
                "Look at the engine's own log.",
            )),
        }
    }

    /// The engine, which is there, and what kind it is.
    async fn ask(&self) -> Result<(Docker, &Facts)> {
        let engine = self.open(&facts::NEWEST)?;
        asking("say that it is there", self.answer, engine.ping()).await?;
        let facts = self.facts.get_or_try_init(|| async {
            let version = asking("say its version", self.look, engine.version()).await?;
            let info = asking("say what it can do", self.look, engine.info()).await?;
            Ok::<_, Error>(Facts::of(&version, &info))
        });
        let facts = facts.await?;
        Ok((self.open(&facts.version)?, facts))
    }

    fn open(&self, version: &ClientVersion) -> Result<Docker> {
        // Every wait has a deadline of its own; this one is for the client's peace.
        let patience = CHANGE.as_secs();
        let path = match &self.socket {
            Socket::At(path) => Some(path.clone()),
            Socket::Usual => usual_sockets().into_iter().find(|path| stat(path).is_ok()),
        };
        let path = path.as_deref().and_then(Path::to_str).ok_or_else(refuse::no_engine)?;
        Docker::connect_with_unix(path, patience, version)
            .map_err(|fault| refuse::translate("be reached", &fault))
    }
}

/// Where engines listen, in the order in which they are taken.
fn usual_sockets() -> [PathBuf; 3] {
    let user = getuid().as_raw();
    [
        format!("/run/user/{user}/podman/podman.sock").into(),
        "/run/podman/podman.sock".into(),
        "/var/run/docker.sock".into(),
    ]
}
