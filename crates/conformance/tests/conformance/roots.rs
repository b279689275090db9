//! The suite on one root of several, seen as if it were the whole tree.
//!
//! Every call goes in through the name of the root and every answer must come out
//! under it, so a path that was not put under its root fails the check it is in.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use futures_core::Stream;
use garth_conformance::{Backend, Subject, Suite, model};
use garth_contract::{
    Abilities, BoxFuture, Clobber, Content, Depth, Entry, Error, Event, Filesystem, Flow, Found,
    Landed, Line, Links, Listing, Made, Move, Page, Parents, Part, Policy, Put, Query, Removed,
    Renamed, Result, Sink, Span, Stage, Summary, Watch, WatchSpec, Written, WsPath,
};
use garth_host::Resolver;
use garth_memory::Memory;
use garth_roots::Roots;

use crate::{host::OnHost, memory::InMemory};

/// A path of the whole tree is as long as any, so in a root it is as much shorter
/// as the root's name is long; these two try the longest there is.
const TOO_LONG_HERE: &[&str] =
    &["paths.the_longest_path_can_be_used", "paths.the_deepest_path_can_be_used"];

#[test]
fn every_check_holds_on_a_host_root() {
    every_check_holds(&InRoots(on_host()));
}

#[test]
fn every_check_holds_on_a_memory_root() {
    every_check_holds(&InRoots(InMemory));
}

#[test]
fn a_host_root_behaves_like_the_model() {
    behaves_like_the_model(&InRoots(on_host()));
}

#[test]
fn a_memory_root_behaves_like_the_model() {
    behaves_like_the_model(&InRoots(InMemory));
}

fn on_host() -> OnHost {
    OnHost { name: "host in roots", resolver: Resolver::Kernel, lone: false }
}

fn every_check_holds(backend: &impl Backend) {
    let only = std::env::var("GARTH_CHECK").unwrap_or_default();
    let report = Suite { only: &only, ..Suite::default() }.run(backend).unwrap();
    println!("{report}");
    let failed = report.failed.iter().map(|(name, _)| *name);
    assert_eq!(failed.filter(|name| !TOO_LONG_HERE.contains(name)).collect::<Vec<_>>(), [""; 0]);
}

fn behaves_like_the_model(backend: &impl Backend) {
    match model::run(backend, model::Length::from_environment()) {
        Ok(report) => println!("{report}"),
        Err(parting) => unreachable!("{parting}"),
    }
}

/// A backend as one root, beside another that is never asked.
struct InRoots<B>(B);

const NAME: &[u8] = b"tested root";

impl<B: Backend> Backend for InRoots<B> {
    fn name(&self) -> &str {
        self.0.name()
    }

    async fn make(&self, policy: Policy) -> Result<Subject> {
        let Subject { fs, outside } = self.0.make(policy).await?;
        let beside = || Ok::<_, Error>(Arc::new(Memory::new(Policy::open())?));
        let abilities = fs.abilities();
        let roots = Roots::new(vec![
            (b"a root before".to_vec(), beside()?),
            (NAME.to_vec(), fs),
            (b"tested root-2".to_vec(), beside()?),
        ])?;
        let base = WsPath::from_bytes(NAME)?;
        Ok(Subject { fs: Arc::new(Under { roots, base, abilities }), outside })
    }
}

/// One root as if it were the whole tree.
struct Under {
    roots: Roots,
    base: WsPath,
    /// Those of the root itself, so that no check is left out for a neighbour's sake.
    abilities: Abilities,
}

impl Under {
    fn at(&self, path: &WsPath) -> Result<WsPath> {
        path.under(&self.base)
    }
}

fn without(base: &WsPath, path: &WsPath) -> WsPath {
    let Some(below) = path.below(base) else { unreachable!("{path} is not under {base}") };
    WsPath::from_bytes(below).unwrap()
}

fn told<T>(base: &WsPath, answer: Result<T>) -> Result<T> {
    answer.map_err(|error| {
        let Some(path) = error.path() else { return error };
        assert!(error.message().ends_with(&path.to_string()), "{error}");
        let bare = Error::at(error.code(), &without(base, path)).hint(error.advice().to_owned());
        error.details().iter().cloned().fold(bare, Error::with)
    })
}

impl Filesystem for Under {
    fn abilities(&self) -> Abilities {
        self.abilities
    }

    async fn stat(&self, path: &WsPath, links: Links) -> Result<Entry> {
        let entry = told(&self.base, Filesystem::stat(&self.roots, &self.at(path)?, links).await)?;
        Ok(Entry { path: without(&self.base, &entry.path), ..entry })
    }

    async fn list(&self, path: &WsPath, page: Page) -> Result<Listing> {
        let listed = Filesystem::list(&self.roots, &self.at(path)?, page).await;
        let mut listing = told(&self.base, listed)?;
        for entry in &mut listing.entries {
            entry.path = without(&self.base, &entry.path);
        }
        Ok(listing)
    }

    async fn read(&self, path: &WsPath, span: Span) -> Result<Content> {
        told(&self.base, Filesystem::read(&self.roots, &self.at(path)?, span).await)
    }

    async fn write(&self, path: &WsPath, content: Bytes, put: Put) -> Result<Written> {
        told(&self.base, Filesystem::write(&self.roots, &self.at(path)?, content, put).await)
    }

    async fn make_dir(&self, path: &WsPath, parents: Parents) -> Result<Made> {
        told(&self.base, Filesystem::make_dir(&self.roots, &self.at(path)?, parents).await)
    }

    async fn remove(&self, path: &WsPath, depth: Depth) -> Result<Removed> {
        told(&self.base, Filesystem::remove(&self.roots, &self.at(path)?, depth).await)
    }

    async fn rename(&self, from: &WsPath, to: &WsPath, how: Move) -> Result<Renamed> {
        let (from, to) = (self.at(from)?, self.at(to)?);
        told(&self.base, Filesystem::rename(&self.roots, &from, &to, how).await)
    }

    async fn find(&self, query: &Query, sink: Arc<dyn Sink>) -> Result<Summary> {
        let after = query.after.as_ref().map(|after| self.at(after)).transpose()?;
        let query = Query { base: self.at(&query.base)?, after, ..query.clone() };
        let sink = Arc::new(Bare { base: self.base.clone(), sink });
        told(&self.base, Filesystem::find(&self.roots, &query, sink).await)
    }

    async fn read_link(&self, path: &WsPath) -> Result<Bytes> {
        told(&self.base, Filesystem::read_link(&self.roots, &self.at(path)?).await)
    }

    async fn stage(&self, base: &WsPath) -> Result<Box<dyn Stage>> {
        let opened = Filesystem::stage(&self.roots, &self.at(base)?).await;
        Ok(Box::new(BareStage { base: self.base.clone(), stage: told(&self.base, opened)? }))
    }

    async fn watch(&self, spec: &WatchSpec) -> Result<Watch> {
        let spec = WatchSpec { path: self.at(&spec.path)?, ..spec.clone() };
        let watch = told(&self.base, Filesystem::watch(&self.roots, &spec).await)?;
        Ok(Box::pin(BareWatch { base: self.base.clone(), watch }))
    }
}

struct Bare {
    base: WsPath,
    sink: Arc<dyn Sink>,
}

impl Sink for Bare {
    fn accept(&self, found: Found<'_>) -> Flow {
        let bare = |path: &WsPath| without(&self.base, path);
        match found {
            Found::Entry(entry) => {
                let entry = Entry { path: bare(&entry.path), ..entry.clone() };
                self.sink.accept(Found::Entry(&entry))
            }
            Found::Name(path, kind) => self.sink.accept(Found::Name(&bare(path), kind)),
            Found::File(path) => self.sink.accept(Found::File(&bare(path))),
            Found::Count(path, count) => self.sink.accept(Found::Count(&bare(path), count)),
            Found::Line(line) => {
                self.sink.accept(Found::Line(Line { path: &bare(line.path), ..line }))
            }
        }
    }
}

struct BareWatch {
    base: WsPath,
    watch: Watch,
}

impl Stream for BareWatch {
    type Item = Event;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Event>> {
        let event = self.watch.as_mut().poll_next(context);
        event.map(|event| {
            event.map(|event| match event {
                Event::Overflow => Event::Overflow,
                Event::Changed { path, change } => {
                    Event::Changed { path: without(&self.base, &path), change }
                }
            })
        })
    }
}

struct BareStage {
    base: WsPath,
    stage: Box<dyn Stage>,
}

impl Stage for BareStage {
    fn add(&mut self, parts: Vec<Part>) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move { told(&self.base, self.stage.add(parts).await) })
    }

    fn read_back<'a>(
        &'a mut self,
        path: &'a WsPath,
        offset: u64,
        length: u64,
    ) -> BoxFuture<'a, Result<Bytes>> {
        Box::pin(async move { told(&self.base, self.stage.read_back(path, offset, length).await) })
    }

    fn land(self: Box<Self>, clobber: Clobber) -> BoxFuture<'static, Result<Landed>> {
        Box::pin(async move { told(&self.base, self.stage.land(clobber).await) })
    }

    fn discard(self: Box<Self>) -> BoxFuture<'static, ()> {
        self.stage.discard()
    }
}
