//! `find`: names beneath, contents with the unsaved texts that are known.
//!
//! Beneath says which files count and which of them match; that is what it is fast
//! at. Where a buffer that is known holds another text than its file, the files
//! that match are searched once more here, in order, that one by its buffer.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use futures::{StreamExt, stream};
use garth_contract::{
    Code, Collect, Facts, Flow, Found, Grep, Kinds, Links, Order, Output, Owned, Query, Result,
    Sink, Span, Summary, Total, WsPath,
};
use garth_search::{Delivery, FileSearch, Hits, Newest, Search};
use tokio::task::coop::consume_budget;

use crate::{
    Editor,
    look::{Seen, Unsaved},
    overlay::Sized,
    resolve::Place,
};

/// How many buffers a search asks for at once.
const AT_ONCE: usize = 8;
/// The largest file that is searched here; a larger one counts as unreadable.
const MOST_BYTES: u64 = 64 << 20;

/// Unsaved texts below the base of a query, by the paths that its results have.
type Texts = BTreeMap<WsPath, Bytes>;

impl Editor {
    /// Answers a query.
    ///
    /// # Errors
    /// Those of [`find`](garth_contract::Filesystem::find); `PROVIDER_UNAVAILABLE`
    /// when the client does not answer for a buffer that is known.
    ///
    /// Cancel: the search ends; the sink is not called again.
    pub(crate) async fn find_all(&self, query: &Query, sink: Arc<dyn Sink>) -> Result<Summary> {
        if self.session.known().is_empty() || query.take == 0 {
            return self.beneath.find(query, sink).await;
        }
        let Ok(Place::Real(real)) = self.resolve(&query.base).await else {
            return self.beneath.find(query, sink).await;
        };
        if query.grep.is_none() {
            let base = (query.base.clone(), real);
            let sink = Arc::new(Sized { editor: self.clone(), base, sink });
            return self.beneath.find(query, sink).await;
        }
        let texts = self.unsaved_below(&real, &query.base).await?;
        if texts.is_empty() {
            return self.beneath.find(query, sink).await;
        }
        self.find_with(query, texts, sink).await
    }

    /// Asks the client for every buffer that is known below a path.
    async fn unsaved_below(&self, real: &WsPath, base: &WsPath) -> Result<Texts> {
        let known = self.known_below(real).into_iter();
        let looks = known.map(async |path| (self.look(&path).await, path));
        let mut looks = stream::iter(looks).buffer_unordered(AT_ONCE);
        let mut texts = Texts::new();
        while let Some((seen, path)) = looks.next().await {
            match seen {
                Ok(Seen::Unsaved(Unsaved { text, disk: Some(_), .. })) => {
                    let below = path.below(real).unwrap_or_default();
                    texts.insert(WsPath::from_bytes(below)?.under(base)?, text);
                }
                // Of the others nothing but what is beneath is known.
                Err(error) if error.code() == Code::ProviderUnavailable => return Err(error),
                Ok(_) | Err(_) => {}
            }
        }
        Ok(texts)
    }

    async fn find_with(&self, query: &Query, texts: Texts, sink: Arc<dyn Sink>) -> Result<Summary> {
        let counting = self.counting(query, &texts).await?;
        let (files, beneath) = self.matching(query, texts.len()).await?;
        let mut candidates: BTreeSet<WsPath> = files.into_iter().collect();
        candidates.retain(|path| !texts.contains_key(path));
        candidates.extend(counting);
        let mut finder = Finder {
            editor: self,
            texts,
            search: Search::compile(query)?.map(|search| search.start()),
            newest: (query.order == Order::Newest).then(|| Newest::new(query)),
            delivery: Delivery::new(query, &*sink),
            hits: Hits::new(),
            unreadable: beneath.unreadable,
        };
        let mut flow = match beneath.total {
            Total::Exact(_) => Flow::Continue,
            Total::AtLeast(_) => Flow::Stop,
        };
        for path in candidates {
            consume_budget().await;
            if finder.meet(path).await == Flow::Stop {
                flow = Flow::Stop;
                break;
            }
        }
        Ok(finder.finish(flow, beneath))
    }

    /// Which files with an unsaved text count in a query, by their names.
    async fn counting(&self, query: &Query, texts: &Texts) -> Result<Vec<WsPath>> {
        let names = Query {
            grep: None,
            kinds: Kinds::Files,
            facts: Facts::Names,
            order: Order::Path,
            skip: 0,
            take: u64::MAX,
            ..query.clone()
        };
        let wanted: BTreeSet<WsPath> = texts.keys().cloned().collect();
        let among = Arc::new(Among { wanted, met: Mutex::default() });
        self.beneath.find(&names, Arc::clone(&among) as Arc<dyn Sink>).await?;
        let mut met = among.met.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(std::mem::take(&mut *met))
    }

    /// The files that match beneath, as many as the query can want.
    async fn matching(&self, query: &Query, spare: usize) -> Result<(Vec<WsPath>, Summary)> {
        let grep = query.grep.clone().map(|grep| Grep {
            output: Output::Files,
            before: 0,
            after: 0,
            ..grep
        });
        // Each file has one result or more, and those of the texts may fall away.
        let take = match query.order {
            Order::Path => query.skip.saturating_add(query.take).saturating_add(spare as u64),
            Order::Newest => u64::MAX,
        };
        let files = Query { grep, order: Order::Path, skip: 0, take, ..query.clone() };
        let found = Arc::new(Collect::default());
        let summary = self.beneath.find(&files, Arc::clone(&found) as Arc<dyn Sink>).await?;
        let path = |found| if let Owned::File(path) = found { Some(path) } else { None };
        Ok((found.take().into_iter().filter_map(path).collect(), summary))
    }
}

/// A sink that keeps the paths that are wanted, and stops after the last of them.
struct Among {
    wanted: BTreeSet<WsPath>,
    met: Mutex<Vec<WsPath>>,
}

impl Sink for Among {
    fn accept(&self, found: Found<'_>) -> Flow {
        let Found::Name(path, _) = found else { return Flow::Continue };
        if self.wanted.contains(path) {
            self.met.lock().unwrap_or_else(PoisonError::into_inner).push(path.clone());
        }
        if self.wanted.last() <= Some(path) { Flow::Stop } else { Flow::Continue }
    }
}

/// A search through files one after another.
struct Finder<'a> {
    editor: &'a Editor,
    texts: Texts,
    search: Option<FileSearch>,
    /// Where results wait that come newest first.
    newest: Option<Newest>,
    delivery: Delivery<'a>,
    hits: Hits,
    unreadable: u64,
}

impl Finder<'_> {
    /// Searches a file and hands its results on.
    async fn meet(&mut self, path: WsPath) -> Flow {
        let bytes = match self.texts.get(&path) {
            Some(text) => text.clone(),
            None => {
                let span = Span::Whole { at_most: MOST_BYTES };
                let Ok(content) = self.editor.beneath.read(&path, span).await else {
                    self.unreadable += 1;
                    return Flow::Continue;
                };
                content.bytes
            }
        };
        let matches = self.search(&path, &bytes);
        match &mut self.newest {
            Some(newest) if matches > 0 => {
                let entry = self.editor.beneath.stat(&path, Links::Keep).await;
                let modified = entry.ok().and_then(|entry| entry.modified);
                newest.push(path, modified, matches, std::mem::take(&mut self.hits));
            }
            Some(_) => {}
            None => {
                self.delivery.push(&self.hits);
            }
        }
        self.hits.clear();
        if self.newest.is_none() { self.delivery.flow() } else { Flow::Continue }
    }

    /// Searches bytes, and says how many results there are.
    fn search(&mut self, path: &WsPath, bytes: &[u8]) -> u64 {
        let Some(search) = &mut self.search else { return 0 };
        let (delivery, in_order) = (&mut self.delivery, self.newest.is_none());
        let mut spill = |hits: &mut Hits| {
            if !in_order {
                return Flow::Continue;
            }
            let flow = delivery.push(hits);
            hits.clear();
            flow
        };
        match search.bytes(path.as_bytes(), bytes, &mut self.hits, &mut spill) {
            Ok(searched) => searched.matches,
            Err(_) => {
                self.unreadable += 1;
                0
            }
        }
    }

    fn finish(self, flow: Flow, beneath: Summary) -> Summary {
        let mut delivery = self.delivery;
        let total = delivery.finish(self.newest, flow);
        Summary { given: delivery.given(), total, unreadable: self.unreadable, ..beneath }
    }
}
