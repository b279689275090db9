//! What a file holds to the person at the editor: the client's text beside what is
//! beneath.

use bytes::Bytes;
use garth_contract::{Code, Content, Error, Result, Span, Version, WsPath};
use garth_memory::cut;

use crate::{
    Editor,
    form::{in_form_of, same_but_for_form, text_of},
    known::{Look, Note, Whose},
    resolve::Place,
    session::Told,
};

/// What a file holds.
#[derive(Debug)]
pub(crate) enum Seen {
    /// What beneath says, and nobody else: it is no text, is too large for one, or
    /// has a name that no client can be told.
    Beneath,
    /// There is nothing, neither beneath nor in a buffer.
    Missing,
    /// What is beneath. With it the text of the client's buffer, where it has one.
    Saved(Content, Option<Version>),
    /// A text of the client's that is not what is beneath.
    Unsaved(Unsaved),
}

/// A text that is only in a buffer.
#[derive(Debug)]
pub(crate) struct Unsaved {
    /// The text as it is shown.
    pub(crate) text: Bytes,
    /// What is beneath, where there is something.
    pub(crate) disk: Option<Content>,
    /// The text as the client has it.
    pub(crate) held: Version,
    /// Who wrote it.
    pub(crate) whose: Whose,
}

impl Seen {
    /// The bytes of the file, where they are a text.
    pub(crate) fn bytes(&self) -> Option<&Bytes> {
        match self {
            Self::Beneath | Self::Missing => None,
            Self::Saved(content, _) => Some(&content.bytes),
            Self::Unsaved(unsaved) => Some(&unsaved.text),
        }
    }

    /// What the client's buffer holds, where it has one.
    pub(crate) fn held(&self) -> Option<Version> {
        match self {
            Self::Beneath | Self::Missing => None,
            Self::Saved(_, held) => *held,
            Self::Unsaved(unsaved) => Some(unsaved.held),
        }
    }

    /// What is beneath, where that is a text.
    pub(crate) fn disk(&self) -> Option<&Content> {
        match self {
            Self::Beneath | Self::Missing => None,
            Self::Saved(content, _) => Some(content),
            Self::Unsaved(unsaved) => unsaved.disk.as_ref(),
        }
    }
}

/// What is beneath.
pub(crate) enum Disk {
    Missing,
    Text(Content),
    Other,
}

impl Editor {
    /// Reads a span of what a file holds.
    ///
    /// # Errors
    /// Those of [`read`](garth_contract::Filesystem::read), and the client's.
    pub(crate) async fn read_span(&self, path: &WsPath, span: Span) -> Result<Content> {
        // What beneath would refuse it refuses in its own words.
        let Ok(Place::Real(real)) = self.resolve(path).await else {
            return self.beneath.read(path, span).await;
        };
        match self.look(&real).await? {
            Seen::Beneath | Seen::Missing => self.beneath.read(path, span).await,
            Seen::Saved(content, _) => shown(&content.bytes, path, span, Some(&content)),
            Seen::Unsaved(Unsaved { text, disk, .. }) => shown(&text, path, span, disk.as_ref()),
        }
    }

    /// Looks at a real path, beneath and in the client's buffers.
    ///
    /// # Errors
    /// Those of reading beneath, which comes first; the client's, where beneath has
    /// the file.
    pub(crate) async fn look(&self, real: &WsPath) -> Result<Seen> {
        let disk = match self.on_disk(real).await? {
            Disk::Missing => None,
            Disk::Text(content) => Some(content),
            Disk::Other => return Ok(Seen::Beneath),
        };
        let Some(name) = self.root.absolute(real) else { return Ok(without(disk, Seen::Beneath)) };
        let told = if self.session.offers().gives() {
            match self.session.read(&name, real).await? {
                Told::Text(text) => Some(text),
                Told::Refused(error) if disk.is_some() => return Err(error),
                Told::None | Told::Refused(_) => None,
            }
        } else {
            self.kept(&name, disk.as_ref())
        };
        let Some(text) = told else {
            self.session.known().forget(&name);
            return Ok(without(disk, Seen::Missing));
        };
        let seen = self.weigh(name, disk, text);
        if matches!(seen, Seen::Unsaved(_))
            && self.resolve(real).await? != Place::Real(real.clone())
        {
            // Something was put on the way while the client looked.
            return Err(Error::at(Code::Conflict, real));
        }
        Ok(seen)
    }

    /// What is beneath a real path.
    pub(crate) async fn on_disk(&self, real: &WsPath) -> Result<Disk> {
        let span = Span::Whole { at_most: self.session.bounds().most_text };
        match self.beneath.read(real, span).await {
            Ok(content) if text_of(&content.bytes).is_some() => Ok(Disk::Text(content)),
            Ok(_) => Ok(Disk::Other),
            Err(error) if error.code() == Code::FileNotFound => Ok(Disk::Missing),
            Err(error) if [Code::NotAFile, Code::FileTooLarge].contains(&error.code()) => {
                Ok(Disk::Other)
            }
            Err(error) => Err(error),
        }
    }

    /// A text that was handed over, as long as the file beneath looks as it did.
    fn kept(&self, name: &str, disk: Option<&Content>) -> Option<String> {
        let note = self.session.known().get(name)?;
        let kept = note.kept.filter(|_| note.disk == disk.map(Look::of))?;
        String::from_utf8(kept.to_vec()).ok()
    }

    /// Decides what a file holds by what a client said, and notes it.
    fn weigh(&self, name: String, disk: Option<Content>, text: String) -> Seen {
        let known = self.session.known();
        let held = Version::of(text.as_bytes());
        let before = known.get(&name).filter(|note| note.held == held);
        let whose = before.as_ref().map_or(Whose::Theirs, |note| note.whose);
        if whose == Whose::Left {
            return without(disk, Seen::Missing);
        }
        let mut note = Note {
            disk: disk.as_ref().map(Look::of),
            held,
            unsaved: None,
            whose,
            kept: before.as_ref().and_then(|note| note.kept.clone()),
        };
        let Some(content) = disk else {
            // A client that answers with nothing has nothing, and a buffer that was
            // saved when its file was last seen does not bring that back.
            let was_saved = before.as_ref().is_some_and(|note| note.unsaved.is_none());
            if was_saved || (text.is_empty() && whose != Whose::Ours) {
                return Seen::Missing;
            }
            note.unsaved = Some(text.len() as u64);
            known.note(name, note);
            return Seen::Unsaved(Unsaved { text: text.into(), disk: None, held, whose });
        };
        let file = text_of(&content.bytes).unwrap_or_default();
        let exact = whose == Whose::Ours || self.session.keeps_form();
        if text == file || (!exact && same_but_for_form(file, &text)) {
            known.note(name, note);
            return Seen::Saved(content, Some(held));
        }
        let text: Bytes = if exact { text } else { in_form_of(file, text) }.into();
        note.unsaved = Some(text.len() as u64);
        known.note(name, note);
        Seen::Unsaved(Unsaved { text, disk: Some(content), held, whose })
    }
}

/// What a file holds of which no client has a text.
fn without(disk: Option<Content>, nothing: Seen) -> Seen {
    disk.map_or(nothing, |content| Seen::Saved(content, None))
}

/// A span of a text, with what the file beneath tells of itself.
fn shown(text: &Bytes, path: &WsPath, span: Span, disk: Option<&Content>) -> Result<Content> {
    let content = cut(text, path, span)?;
    let (modified, mode) = disk.map_or((None, None), |disk| (disk.modified, disk.mode));
    Ok(Content { modified, mode, ..content })
}
