//! A session with a client: its two requests under a deadline and a bound, and what
//! is known of its buffers.

use std::{
    fmt,
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use agent_client_protocol_schema::v1::{
    ErrorCode, ReadTextFileRequest, SessionId, WriteTextFileRequest,
};
use garth_contract::{Code, Detail, Error, Result, WsPath};
use tokio::{
    sync::{Mutex, OwnedMutexGuard, Semaphore},
    time::timeout,
};

use crate::{Bounds, Buffers, DynBuffers, Offers, Trouble, form::has_form, known::Known};

/// One session with a client.
///
/// Cloning is cheap and gives the same session. Whatever changes texts through one
/// session waits for its turn, also through several [`Editor`](crate::Editor)s, so
/// of two writes that expect one version one is refused.
#[derive(Clone)]
pub struct Session(Arc<Inner>);

struct Inner {
    client: Arc<dyn DynBuffers>,
    id: SessionId,
    offers: Offers,
    bounds: Bounds,
    /// Requests that may still be made at once.
    room: Semaphore,
    /// Held by the one that changes texts.
    turn: Arc<Mutex<()>>,
    known: Known,
    /// Whether the client was seen to give texts with CRLF or a byte order mark.
    keeps_form: AtomicBool,
}

/// What a client answered that was asked for a text.
#[derive(Debug)]
pub(crate) enum Told {
    Text(String),
    /// It has none.
    None,
    /// It would not or could not give one, and this is why.
    Refused(Error),
}

impl Session {
    /// A session with a client, by the id that the agent gave it.
    ///
    /// `offers` is what the client negotiated: it is asked for nothing else.
    #[must_use]
    pub fn new(
        client: impl Buffers,
        id: impl Into<SessionId>,
        offers: Offers,
        bounds: Bounds,
    ) -> Self {
        let bounds = bounds.held();
        Self(Arc::new(Inner {
            client: Arc::new(client),
            id: id.into(),
            offers,
            bounds,
            room: Semaphore::new(bounds.in_flight),
            turn: Arc::default(),
            known: Known::default(),
            keeps_form: AtomicBool::new(false),
        }))
    }

    /// What the client offered.
    #[must_use]
    pub fn offers(&self) -> Offers {
        self.0.offers
    }

    pub(crate) fn bounds(&self) -> Bounds {
        self.0.bounds
    }

    pub(crate) fn known(&self) -> &Known {
        &self.0.known
    }

    /// Whether the client was seen to keep line endings and byte order marks.
    pub(crate) fn keeps_form(&self) -> bool {
        self.0.keeps_form.load(Ordering::Relaxed)
    }

    /// Waits for the turn to change texts.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` when it does not come in time.
    pub(crate) async fn turn(&self) -> Result<OwnedMutexGuard<()>> {
        let turn = Arc::clone(&self.0.turn).lock_owned();
        // Whoever has the turn makes a few requests, each of which ends in time.
        let patience = self.0.bounds.deadline.saturating_mul(8);
        timeout(patience, turn).await.map_err(|_| unavailable("the editor is busy"))
    }

    /// Asks for the text of a file.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` when no answer comes in time or the client is gone;
    /// `FILE_TOO_LARGE` for a text over the bound.
    pub(crate) async fn read(&self, absolute: &str, path: &WsPath) -> Result<Told> {
        let request = ReadTextFileRequest::new(self.0.id.clone(), absolute);
        let text = match self.bounded(path, self.0.client.read(request)).await? {
            Ok(answer) => answer.content,
            Err(Trouble::Refused(refusal)) if refusal.code == ErrorCode::ResourceNotFound => {
                return Ok(Told::None);
            }
            Err(trouble @ Trouble::Refused(_)) => {
                return Ok(Told::Refused(self.error(path, trouble)));
            }
            Err(trouble) => return Err(self.error(path, trouble)),
        };
        let (limit, actual) = (self.0.bounds.most_text, text.len() as u64);
        if actual > limit {
            let limit = Detail::Limit { limit, actual };
            return Err(self.error(path, Trouble::TooLarge).with(limit));
        }
        if has_form(&text) {
            self.0.keeps_form.store(true, Ordering::Relaxed);
        }
        Ok(Told::Text(text))
    }

    /// Hands a text over.
    ///
    /// # Errors
    /// `PERMISSION_DENIED` when the client refuses; those of [`Session::read`]. After
    /// `PROVIDER_UNAVAILABLE` the text may have arrived.
    pub(crate) async fn write(&self, absolute: &str, text: &str, path: &WsPath) -> Result<()> {
        let request = WriteTextFileRequest::new(self.0.id.clone(), absolute, text);
        let answer = self.bounded(path, self.0.client.write(request)).await?;
        answer.map(drop).map_err(|trouble| self.error(path, trouble))
    }

    /// Waits for an answer, and for the room to ask, no longer than the deadline.
    async fn bounded<T>(&self, path: &WsPath, answer: impl Future<Output = T>) -> Result<T> {
        let asked = async {
            let _room = self.0.room.acquire().await;
            answer.await
        };
        let late = |_| {
            let error = Error::at(Code::ProviderUnavailable, path).hint(TRY_LATER);
            error.reword(format!("the editor did not answer in time: {path}"))
        };
        timeout(self.0.bounds.deadline, asked).await.map_err(late)
    }

    /// What a client's trouble is to a caller. Its own words are not repeated: they
    /// may hold paths of its machine, or anything else.
    fn error(&self, path: &WsPath, trouble: Trouble) -> Error {
        let of = |code, what: &str| Error::at(code, path).reword(format!("{what}: {path}"));
        match trouble {
            Trouble::Gone => of(Code::ProviderUnavailable, "the editor is gone").hint(TRY_LATER),
            Trouble::Garbled => {
                of(Code::ProviderUnavailable, "the editor's answer makes no sense").hint(TRY_LATER)
            }
            Trouble::TooLarge => of(Code::FileTooLarge, "the text in the editor is too large"),
            Trouble::Refused(refusal) => {
                // The protocol has no code for a refusal; clients use what they have.
                let known = REFUSALS.iter().find(|(refused, ..)| *refused == refusal.code);
                let (code, what) = known
                    .map_or((Code::PermissionDenied, "the editor refuses"), |(_, code, what)| {
                        (*code, *what)
                    });
                of(code, what).hint("Ask the person at the editor, or choose another path.")
            }
        }
    }
}

/// What a client's codes mean that are more than a refusal.
const REFUSALS: [(ErrorCode, Code, &str); 3] = [
    (ErrorCode::MethodNotFound, Code::Unsupported, "the editor offered this and cannot do it"),
    (ErrorCode::RequestCancelled, Code::Cancelled, "the editor gave it up"),
    (ErrorCode::ResourceNotFound, Code::FileNotFound, "the editor has no such file"),
];

const TRY_LATER: &str = "Try again later, or ask the person at the editor to look at it.";

fn unavailable(what: &'static str) -> Error {
    Error::new(Code::ProviderUnavailable, what).hint(TRY_LATER)
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("offers", &self.0.offers).finish_non_exhaustive()
    }
}
