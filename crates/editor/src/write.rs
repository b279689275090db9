//! `write`: a text into the client's buffer, everything else beneath.

use std::future::Future;

use bytes::Bytes;
use garth_contract::{
    Code, Content, Depth, Detail, Error, Guard, Links, Parents, Put, Result, Version, Written,
    WsPath,
};

use crate::{
    Editor,
    form::{same_but_for_form, text_of},
    known::{Look, Note, Whose},
    look::{Disk, Seen},
    resolve::Place,
    session::Told,
};

/// Runs a change to its end, also when nobody waits for it any more: a request that
/// was sent cannot be taken back, and the next change must not overtake it.
///
/// # Errors
/// `INTERNAL` when it panics.
pub(crate) async fn to_its_end<T: Send + 'static>(
    change: impl Future<Output = Result<T>> + Send + 'static,
) -> Result<T> {
    tokio::spawn(change).await.unwrap_or_else(|failure| {
        Err(Error::of(if failure.is_cancelled() { Code::Cancelled } else { Code::Internal }))
    })
}

impl Editor {
    pub(crate) async fn write_whole(
        &self,
        path: &WsPath,
        content: Bytes,
        put: Put,
    ) -> Result<Written> {
        // Who is dropped before its turn comes writes nothing.
        let turn = self.session.turn().await?;
        let (editor, path) = (self.clone(), path.clone());
        to_its_end(async move {
            let _turn = turn;
            editor.write_in_turn(&path, content, put).await
        })
        .await
    }

    async fn write_in_turn(&self, path: &WsPath, content: Bytes, put: Put) -> Result<Written> {
        let real = match self.resolve(path).await {
            Ok(Place::Real(real)) if !real.is_root() => real,
            Ok(_) => return self.beneath.write(path, content, put).await,
            Err(error) => {
                self.rehearse(path, &content).await?;
                if error.code() == Code::PermissionDenied {
                    return self.write_hidden(path, content, put).await;
                }
                return Err(error);
            }
        };
        self.rehearse(&real, &content).await?;
        let seen = self.look(&real).await?;
        if matches!(seen, Seen::Beneath) {
            return self.beneath.write(&real, content, put).await;
        }
        check(&seen, &put.guard, path)?;
        match self.destination(&real, &content, &put, &seen) {
            Some(name) => {
                let order = Order { path, real: &real, name, content };
                self.hand_over(order, put.parents, seen).await
            }
            None => self.write_beneath(&real, content, put, seen).await,
        }
    }

    /// The name under which a client takes this content, if it does.
    fn destination(
        &self,
        real: &WsPath,
        content: &Bytes,
        put: &Put,
        seen: &Seen,
    ) -> Option<String> {
        // A client cannot set permissions.
        let sets_mode = put.mode.is_some() && put.mode != seen.disk().and_then(|disk| disk.mode);
        let fits = content.len() as u64 <= self.session.bounds().most_text;
        if sets_mode || !fits || !self.session.offers().takes() {
            return None;
        }
        text_of(content)?;
        self.root.absolute(real)
    }

    /// Asks beneath whether this could be written, without writing it.
    ///
    /// A write under a guard that cannot hold is refused for every other reason
    /// first; what is left is the guard.
    ///
    /// # Errors
    /// Those of a `write` there but for the guard's.
    pub(crate) async fn rehearse(&self, path: &WsPath, content: &Bytes) -> Result<()> {
        // No file is that long.
        let guard = Guard::Unchanged(Version::from_parts([0; 32], u64::MAX));
        let put = Put { guard, parents: Parents::Require, mode: None };
        match self.beneath.write(path, content.clone(), put).await {
            Err(error) if error.code() != Code::Conflict => Err(error),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Writes beneath what no client can take.
    ///
    /// # Errors
    /// `CONFLICT` where a person has unsaved text; those of a `write` there.
    async fn write_beneath(
        &self,
        real: &WsPath,
        content: Bytes,
        put: Put,
        seen: Seen,
    ) -> Result<Written> {
        let guard = match &seen {
            Seen::Unsaved(unsaved) if unsaved.whose == Whose::Theirs => {
                return Err(unsaved_work(real));
            }
            // The guard was held against the buffer, which nobody but us wrote.
            Seen::Unsaved(unsaved) => match &unsaved.disk {
                Some(disk) => Guard::Holding(disk.bytes.clone()),
                None => Guard::Absent,
            },
            Seen::Beneath | Seen::Missing | Seen::Saved(..) => put.guard.clone(),
        };
        let written = self.beneath.write(real, content, Put { guard, ..put }).await?;
        // The client may not have seen it yet; what it held until now is no more.
        if let (Some(held), Some(name)) = (seen.held(), self.root.absolute(real)) {
            self.session.known().leave(name, held);
        }
        let created = written.created && matches!(seen, Seen::Missing);
        Ok(Written { created, ..written })
    }

    /// Gives a text to the client and looks whether it has it.
    async fn hand_over(&self, order: Order<'_>, parents: Parents, before: Seen) -> Result<Written> {
        let made = self.make_parents(&order, parents).await?;
        let handed = match &made {
            None => self.hand_over_now(&order, before.disk()).await,
            // What is new on the way may be seen by rules that were not asked before.
            Some(_) => match self.rehearse(order.real, &order.content).await {
                Ok(()) => self.hand_over_now(&order, before.disk()).await,
                Err(error) => Err(error),
            },
        };
        match handed {
            Ok(disk) => Ok(Written {
                version: Version::of(&order.content),
                created: matches!(before, Seen::Missing),
                modified: disk.and_then(|disk| disk.modified),
            }),
            Err(error) => {
                // Of a client that did not answer nobody knows what it did.
                if error.code() != Code::ProviderUnavailable {
                    self.unmake(order.real, made).await;
                }
                Err(error)
            }
        }
    }

    /// Hands a text over under the name that its file was given beneath.
    ///
    /// # Errors
    /// The client's; the file has its new name all the same.
    pub(crate) async fn carry(&self, real: &WsPath, content: Bytes) -> Result<()> {
        let name = self.root.absolute(real).filter(|_| self.session.offers().takes());
        let Some(name) = name else { return Ok(()) };
        let before = match self.on_disk(real).await? {
            Disk::Text(content) => Some(content),
            Disk::Missing | Disk::Other => None,
        };
        let order = Order { path: real, real, name, content };
        self.hand_over_now(&order, before.as_ref()).await.map(drop)
    }

    /// What is beneath after the client took the text.
    async fn hand_over_now(
        &self,
        order: &Order<'_>,
        before: Option<&Content>,
    ) -> Result<Option<Content>> {
        // The way is looked at once more, right before the client goes it.
        if self.resolve(order.path).await? != Place::Real(order.real.clone()) {
            return Err(Error::at(Code::Conflict, order.path));
        }
        let text = text_of(&order.content).unwrap_or_default();
        self.session.write(&order.name, text, order.path).await?;
        let held = if self.session.offers().gives() {
            match self.session.read(&order.name, order.path).await? {
                Told::Text(held) => Some(held),
                Told::Refused(error) => return Err(error),
                Told::None => return Err(altered(order.path)),
            }
        } else {
            None
        };
        let disk = match self.on_disk(order.real).await? {
            Disk::Missing => None,
            Disk::Text(content) => Some(content),
            Disk::Other => return Err(altered(order.path)),
        };
        self.verify(order, held.as_deref(), (before, disk.as_ref()))?;
        Ok(disk)
    }

    /// Holds what the client has against what it was given, and notes it.
    ///
    /// `held` is what it has, where it can be asked; the contents are those beneath,
    /// before and now.
    fn verify(
        &self,
        order: &Order<'_>,
        held: Option<&str>,
        (before, disk): (Option<&Content>, Option<&Content>),
    ) -> Result<()> {
        let text = text_of(&order.content).unwrap_or_default();
        let saved = disk.is_some_and(|disk| disk.bytes == order.content);
        let as_it_was = before.map(|before| &before.bytes) == disk.map(|disk| &disk.bytes);
        let exact = held.is_none_or(|held| held == text);
        let arrived = match held {
            // In a form of its own it counts unless the file says otherwise.
            Some(held) => exact || (same_but_for_form(held, text) && (saved || as_it_was)),
            None => saved || as_it_was,
        };
        let now = Version::of(held.unwrap_or(text).as_bytes());
        let note = Note {
            disk: disk.map(Look::of),
            held: now,
            unsaved: (!saved).then_some(order.content.len() as u64),
            whose: if exact { Whose::Ours } else { Whose::Theirs },
            kept: (held.is_none() && as_it_was && !saved).then(|| order.content.clone()),
        };
        self.session.known().note(order.name.clone(), note);
        if arrived { Ok(()) } else { Err(altered(order.path).with(Detail::Current(now))) }
    }

    /// Makes the directories that are missing on the way to a file, and tells the
    /// first of them.
    async fn make_parents(&self, order: &Order<'_>, parents: Parents) -> Result<Option<WsPath>> {
        let mut first = None;
        let mut above = order.real.parent();
        while let Some(dir) = above.filter(|dir| !dir.is_root()) {
            match self.beneath.stat(&dir, Links::Keep).await {
                Ok(_) => break,
                Err(error) if error.code() == Code::FileNotFound => {}
                Err(error) => return Err(error),
            }
            above = dir.parent();
            first = Some(dir);
        }
        let (Some(first), Some(parent)) = (first, order.real.parent()) else { return Ok(None) };
        if parents == Parents::Require {
            return Err(Error::at(Code::ParentNotFound, &first));
        }
        match self.beneath.make_dir(&parent, Parents::Create).await {
            Ok(_) => Ok(Some(first)),
            Err(error) => {
                self.unmake(order.real, Some(first)).await;
                Err(error)
            }
        }
    }

    /// Removes directories that were made for a file that then did not come, as far
    /// as nobody else has put anything there.
    async fn unmake(&self, real: &WsPath, first: Option<WsPath>) {
        let Some(first) = first else { return };
        let mut dir = real.parent();
        while let Some(empty) = dir.filter(|dir| dir.below(&first).is_some()) {
            match self.beneath.remove(&empty, Depth::One).await {
                Err(error) if error.code() != Code::FileNotFound => return,
                Ok(_) | Err(_) => dir = empty.parent(),
            }
        }
    }

    /// Writes where rules let nobody see the way: a directory that is only allowed
    /// as the way to a file is nothing until it is there. Beneath makes both, and
    /// then the client is given the same text.
    async fn write_hidden(&self, path: &WsPath, content: Bytes, put: Put) -> Result<Written> {
        let written = self.beneath.write(path, content.clone(), put).await?;
        let Ok(Place::Real(real)) = self.resolve(path).await else { return Ok(written) };
        if text_of(&content).is_some()
            && let Err(error) = self.carry(&real, content).await
        {
            if written.created && error.code() != Code::ProviderUnavailable {
                // It came with this write, and goes with it.
                let _ = self.beneath.remove(&real, Depth::One).await;
            }
            return Err(error);
        }
        Ok(written)
    }
}

/// A text on its way to the client.
struct Order<'a> {
    /// The file as the caller named it.
    path: &'a WsPath,
    /// Where that leads.
    real: &'a WsPath,
    /// What the client calls it.
    name: String,
    content: Bytes,
}

/// Holds a guard against what a file holds.
fn check(seen: &Seen, guard: &Guard, path: &WsPath) -> Result<()> {
    let bytes = seen.bytes();
    let conflict = || {
        let error = Error::at(Code::Conflict, path);
        Err(match bytes {
            Some(bytes) => error.with(Detail::Current(Version::of(bytes))),
            None => error,
        })
    };
    match guard {
        Guard::Any => Ok(()),
        Guard::Absent if bytes.is_some() => Err(Error::at(Code::FileExists, path)),
        Guard::Absent => Ok(()),
        Guard::Unchanged(version) if bytes.map(|bytes| Version::of(bytes)) == Some(*version) => {
            Ok(())
        }
        Guard::Holding(expected) if bytes == Some(expected) => Ok(()),
        Guard::Unchanged(_) | Guard::Holding(_) => conflict(),
    }
}

/// That a client holds another text than the one it was given.
fn altered(path: &WsPath) -> Error {
    let error = Error::at(Code::Unsupported, path)
        .hint("Read the file before the next change: the editor may have formatted it.");
    error.reword(format!("the editor holds another text than it was given: {path}"))
}

/// That a person has unsaved text where something would be written beneath.
pub(crate) fn unsaved_work(path: &WsPath) -> Error {
    let error = Error::at(Code::Conflict, path)
        .hint("Ask the person at the editor to save the file, then read it again.");
    error.reword(format!("the file has unsaved changes in the editor: {path}"))
}
