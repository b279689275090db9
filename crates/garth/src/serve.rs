//! `garth serve`: the gateway, from its first start to its graceful end.

mod answer;
mod app;
pub(crate) mod data;
pub(crate) mod e2b;
mod first;
pub(crate) mod git;
mod guard;
mod handles;
mod http;
mod lanes;
mod left;
mod live;
mod log;
mod memory;
mod metrics;
mod openapi;
pub(crate) mod opener;
mod outflow;
mod place;
mod recalls;
pub(crate) mod sandboxes;
pub(crate) mod settings;
mod spool;
mod strangers;
mod table;
pub(crate) mod telemetry;
pub(crate) mod tls;
mod transfer;
pub(crate) mod versions;
mod wrong_tokens;
mod ws;

use std::{sync::Arc, time::Duration};

use garth_contract::{Code, Error, Result};
use garth_gateway::{Clock, Gateway, Node, Setup, Store};
use tokio::{
    net::TcpListener,
    runtime::Handle,
    signal::unix::{SignalKind, signal},
};

use crate::{
    args,
    output::{Format, Outcome, Output},
};
use app::{App, Front};
use data::{Data, Home};
use e2b::E2b;
use first::Reached;
use git::GitRemotes;
use lanes::Lanes;
use opener::Directories;
use sandboxes::Sandboxes;
use settings::Settings;
use spool::Spool;
pub(crate) use table::changed;
use versions::Versions;

/// How long calls may go on after the gateway was asked to stop.
const GRACE: Duration = Duration::from_secs(10);

/// Serves until it is asked to stop.
pub(crate) fn run(args: &args::Serve, output: &Output) -> Outcome {
    let settings = match Settings::load(args) {
        Ok(settings) => settings,
        Err(error) => {
            output.failure(&error, Format::Text);
            return Outcome::WrongUsage;
        }
    };
    log::begin(settings.log);
    match start(settings, output) {
        Ok(()) => Outcome::Done,
        Err(error) => {
            output.failure(&error, Format::Text);
            Outcome::Failed
        }
    }
}

fn start(settings: Settings, output: &Output) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|_| Error::new(Code::Internal, "the runtime could not be started"))?;
    let served = runtime.block_on(serve(settings, output));
    // What still runs had its time.
    runtime.shutdown_timeout(Duration::from_secs(1));
    served
}

async fn serve(mut settings: Settings, output: &Output) -> Result<()> {
    // Taken first, so that nothing is half done when one comes.
    let mut stops = Stops::new()?;
    let tls = tls::acceptor(&settings)?;
    let most_connections = handles::take(settings.connections)?;
    let data = Data::open(&settings.data)?;
    data.path().clone_into(&mut settings.data);
    let store = Store::open(&data.database(), Clock::system())?;
    let versions = Versions::new(data.path(), settings.versions_bytes)?;
    let seen = settings.e2b.seen().into_iter().collect();
    let sandboxes = Sandboxes::new(settings.providers(), data.path(), seen);
    let git = GitRemotes::open(&settings.git, data.path())?;
    let kept = (sandboxes.clone(), versions.clone(), git.clone());
    let opener = Directories::new(data.path(), kept, Handle::current());
    let setup = Setup {
        store,
        node: Node::alone(),
        opener: Arc::new(opener),
        limits: settings.limits,
        audit: settings.audit_config(),
    };
    let gateway = Gateway::start(setup).await?;
    let listener = TcpListener::bind(settings.listen).await.map_err(|error| {
        let message = format!("{} cannot be listened on: {}", settings.listen, error.kind());
        Error::new(Code::Internal, message).hint("Choose another address with --listen.")
    })?;
    let at = listener.local_addr().unwrap_or(settings.listen);
    let begins = settings.new_agent();
    let told = first::prepare(&gateway, &data, &begins, &Reached::of(at, &settings)).await?;
    let path = data.path().to_owned();
    let home = Home { path, begins, versions, sandboxes: sandboxes.clone(), git: git.clone() };
    let (spans, exporting) = settings.telemetry.begin(&gateway).unzip();
    let front = Front {
        names: guard::Names::of(at, &settings),
        tls,
        most_connections,
        most_frame: settings.frame_bytes,
        metrics_for: settings.metrics,
        spool: Spool::open(data.path()).await?,
        e2b: match settings.e2b.enabled {
            true => Some(E2b::open(settings.e2b.clone(), gateway.clone(), home.clone()).await?),
            false => None,
        },
        spans,
        lanes: Lanes::begin()?,
        runtime: Handle::current(),
    };
    let app = App::new(gateway.clone(), &home, front);
    output.answer(&told);
    let sweeping = tokio::spawn({
        let (sandboxes, gateway, git) = (sandboxes.clone(), gateway.clone(), git.clone());
        async move {
            git.sweep(&gateway).await;
            sandboxes.sweep(&gateway).await;
        }
    });
    let expiring = app.e2b.clone().map(|e2b| tokio::spawn(e2b.expire(Arc::clone(&app))));
    let version = env!("CARGO_PKG_VERSION");
    tracing::info!(%at, tls = app.tls.is_some(), version, "The gateway listens.");
    if most_connections < settings.connections {
        let (can, wanted) = (most_connections, settings.connections);
        tracing::warn!(can, wanted, "The limit of open files allows fewer connections.");
    }
    let serving = http::listen(listener, Arc::clone(&app));
    tokio::select! {
        () = serving => {}
        () = stops.wait() => {}
    }
    tracing::info!(connections = app.count(), "The gateway stops.");
    app.stop();
    sweeping.abort();
    if let Some(expiring) = expiring {
        expiring.abort();
    }
    let drain = async {
        app.drained(GRACE).await;
        git.stop().await;
        sandboxes.end_all().await;
    };
    tokio::select! {
        () = drain => {}
        // Whoever asks twice does not want to wait for others.
        () = stops.wait() => tracing::info!("The gateway stops at once."),
    }
    app.strangers.record().await;
    if let Some(exporting) = exporting {
        exporting.stop().await;
    }
    let stopped = gateway.stop().await;
    tracing::info!(cut = app.count(), "The gateway stopped.");
    stopped
}

/// The signals that end the program.
struct Stops {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

impl Stops {
    fn new() -> Result<Self> {
        let taken = |kind| {
            signal(kind).map_err(|_| Error::new(Code::Internal, "signals cannot be listened for"))
        };
        let (interrupt, terminate) = (SignalKind::interrupt(), SignalKind::terminate());
        Ok(Self { interrupt: taken(interrupt)?, terminate: taken(terminate)? })
    }

    async fn wait(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
