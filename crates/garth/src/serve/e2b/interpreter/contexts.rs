//! The contexts of a sandbox: each has a kernel once it is used, and runs one cell at a
//! time.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use garth_contract::WsPath;
use serde_json::{Value, json};
use tokio::sync::OwnedMutexGuard;

use super::kernel::{Handle, Kernel};
use crate::serve::e2b::{
    door::shown,
    life::random,
    refuse::{Kind, Result, Wrong},
};

/// Contexts of a sandbox: each is a process with a Python of some 60 megabytes.
const MOST: usize = 16;
/// The one that is meant where none is named.
const USUAL: &str = "default";
/// The one language that there is.
pub(super) const LANGUAGE: &str = "python";

/// The contexts of one sandbox.
#[derive(Default)]
pub(in crate::serve::e2b) struct Contexts(Mutex<BTreeMap<String, Arc<Context>>>);

/// One context.
pub(super) struct Context {
    pub(super) id: String,
    /// Where its code runs.
    pub(super) directory: WsPath,
    /// Held while a cell runs.
    kernel: Arc<tokio::sync::Mutex<Option<Kernel>>>,
    /// The kernel, for whoever ends it while a cell runs.
    handle: Mutex<Option<Handle>>,
}

/// A turn in a context.
pub(super) type Turn = OwnedMutexGuard<Option<Kernel>>;

impl Contexts {
    /// The context that is meant.
    ///
    /// # Errors
    /// That there is none; that there are too many.
    pub(super) fn find(&self, id: Option<&str>, home: &WsPath) -> Result<Arc<Context>> {
        let mut all = self.lock();
        match (id, all.get(id.unwrap_or(USUAL))) {
            (_, Some(context)) => Ok(Arc::clone(context)),
            (Some(id), None) => Err(missing(id)),
            (None, None) => add(&mut all, USUAL.to_owned(), home.clone()),
        }
    }

    /// Makes a context.
    ///
    /// # Errors
    /// That there are too many.
    pub(super) fn make(&self, directory: WsPath) -> Result<Arc<Context>> {
        add(&mut self.lock(), random::<16>()?, directory)
    }

    /// Every context.
    pub(super) fn all(&self) -> Vec<Arc<Context>> {
        self.lock().values().cloned().collect()
    }

    /// Forgets a context, and gives it to whoever ends it.
    ///
    /// # Errors
    /// That there is none.
    pub(super) fn remove(&self, id: &str) -> Result<Arc<Context>> {
        self.lock().remove(id).ok_or_else(|| missing(id))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Context>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn add(
    all: &mut BTreeMap<String, Arc<Context>>,
    id: String,
    directory: WsPath,
) -> Result<Arc<Context>> {
    if all.len() >= MOST {
        let message = format!("a sandbox has at most {MOST} contexts; remove one");
        return Err(Wrong::new(Kind::ResourceExhausted, message));
    }
    let kernel = Arc::default();
    let context = Context { id: id.clone(), directory, kernel, handle: Mutex::default() };
    let context = Arc::new(context);
    all.insert(id, Arc::clone(&context));
    Ok(context)
}

fn missing(id: &str) -> Wrong {
    Wrong::new(Kind::NotFound, format!("Context {id} not found"))
}

impl Context {
    /// As the wire tells of it.
    pub(super) fn told(&self) -> Value {
        json!({ "id": self.id, "language": LANGUAGE, "cwd": shown(&self.directory) })
    }

    /// Waits for its turn.
    pub(super) async fn turn(&self) -> Turn {
        Arc::clone(&self.kernel).lock_owned().await
    }

    /// Its turn, where nobody has it.
    pub(super) fn turn_now(&self) -> Option<Turn> {
        Arc::clone(&self.kernel).try_lock_owned().ok()
    }

    /// Remembers its kernel for whoever ends it.
    pub(super) fn remember(&self, kernel: Option<&Kernel>) {
        let handle = kernel.map(Kernel::handle);
        *self.handle.lock().unwrap_or_else(PoisonError::into_inner) = handle;
    }

    /// Ends its kernel, also while a cell runs.
    pub(super) async fn kill(&self) {
        if let Some(handle) = self.handle() {
            handle.kill().await;
        }
    }

    fn handle(&self) -> Option<Handle> {
        self.handle.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sandbox_has_so_many_contexts_and_no_more() {
        let (contexts, home) = (Contexts::default(), WsPath::root());
        let usual = contexts.find(None, &home).unwrap();
        assert!(Arc::ptr_eq(&usual, &contexts.find(None, &home).unwrap()));
        let others: Vec<_> = (1..MOST).map(|_| contexts.make(home.clone()).unwrap()).collect();
        let Err(wrong) = contexts.make(home.clone()) else { panic!("one too many") };
        assert_eq!(wrong.kind, Kind::ResourceExhausted);
        contexts.remove(&others[0].id).unwrap();
        let Err(wrong) = contexts.find(Some(&others[0].id), &home) else { panic!("still there") };
        assert_eq!(wrong.kind, Kind::NotFound);
        contexts.make(home).unwrap();
    }
}
