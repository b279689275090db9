//! A long file on its way out: gone through once, then sent piece by piece, each
//! checked before it leaves.

use std::{pin::pin, sync::Arc};

use bytes::Bytes;
use futures::{Stream, future::Either, stream};
use garth_contract::{Code, Content, Error, PIECE, Result, Span, WsPath};
use garth_gateway::Credential;
use garth_ops::worktree::{
    Recall,
    transfer::{Download, Plan, Secrets, Survey},
};
use garth_workspace::Workspace;
use tokio::sync::mpsc;

use super::{
    memory::{Memory, Taken},
    ws::Task,
};

/// What a file that leaves has in memory: pieces that wait to be sent, the one that is
/// looked at and the one that is read, each of them twice where its text is changed.
const WINDOW: u64 = 8 * PIECE as u64;
/// How many pieces wait to be sent.
const AHEAD: usize = 2;

/// A file that was gone through.
pub(crate) struct Outflow {
    workspace: Arc<Workspace>,
    path: WsPath,
    plan: Plan,
    taken: Taken,
}

impl Outflow {
    /// Goes through a file and finds out what is announced of it.
    ///
    /// # Errors
    /// Those of reading; `CONFLICT` for a file that changes meanwhile;
    /// `PERMISSION_DENIED` where texts with secrets are held back.
    pub(crate) async fn plan(
        workspace: &Arc<Workspace>,
        path: WsPath,
        (memory, secrets): (Memory, Secrets),
        recall: Arc<Recall>,
    ) -> Result<(Download, Self)> {
        let taken = memory.take(WINDOW).await?;
        let mut piece = piece(workspace, &path, 0).await?;
        let mut survey = Survey::begin(workspace, &path, (&piece, secrets));
        while !piece.bytes.is_empty() {
            let at = survey.seen() + piece.bytes.len() as u64;
            let owned = Arc::clone(workspace);
            let looked = computed(move || {
                survey.take(&owned, &piece)?;
                Ok(survey)
            });
            let (looked, next) = tokio::join!(looked, self::piece(workspace, &path, at));
            (survey, piece) = (looked?, next?);
        }
        let owned = Arc::clone(workspace);
        let (file, plan) = computed(move || survey.finish(&owned, &recall)).await?;
        let workspace = Arc::clone(workspace);
        Ok((file, Self { workspace, path, plan, taken }))
    }

    /// The bytes that leave, of a part that begins and is long so; of a text without its
    /// secrets always all of it. It ends with an error when the file is not what was
    /// announced any more, or the credential is not good any more.
    pub(crate) fn sent(
        self,
        part: (u64, u64),
        credential: Credential,
    ) -> impl Stream<Item = Result<Bytes>> + Send + 'static {
        let (tell, told) = mpsc::channel(AHEAD);
        let sending = Task::spawn(async move {
            if let Err(error) = self.send(part, &tell).await {
                // Nobody is there to hear it.
                let _ = tell.send(Err(error)).await;
            }
        });
        stream::unfold(Some((told, sending, credential)), |state| async {
            let (mut told, sending, credential) = state?;
            let next = {
                let (next, ended) = (pin!(told.recv()), pin!(credential.ended()));
                match futures::future::select(next, ended).await {
                    Either::Left((next, _)) => next?,
                    Either::Right(_) => Err(Error::of(Code::Unauthenticated)),
                }
            };
            let state = next.is_ok().then_some((told, sending, credential));
            Some((next, state))
        })
    }

    async fn send(self, (start, length): (u64, u64), tell: &Tell) -> Result<()> {
        let Self { workspace, path, mut plan, taken: _taken } = self;
        // Where placeholders stand, a place in what is sent is none in the file.
        let (start, end) = match plan.is_raw() {
            true => (start, start.saturating_add(length).min(plan.size())),
            false => (0, plan.size()),
        };
        let mut at = start - start % PIECE as u64;
        let mut piece = piece(&workspace, &path, at).await?;
        while at < end {
            let number = usize::try_from(at / PIECE as u64).unwrap_or(usize::MAX);
            let looked = computed(move || {
                let given = plan.give(number, &piece)?;
                Ok((plan, given))
            });
            let next = at + PIECE as u64;
            // Behind the end there is nothing, which takes no time.
            let read = self::piece(&workspace, &path, if next < end { next } else { u64::MAX });
            let (looked, read) = tokio::join!(looked, read);
            let given;
            ((plan, given), piece) = (looked?, read?);
            let given = if plan.is_raw() { cut(&given, at, (start, end)) } else { given };
            if !given.is_empty() && tell.send(Ok(given)).await.is_err() {
                return Ok(());
            }
            at = next;
        }
        let rest = plan.end()?;
        if !rest.is_empty() {
            let _ = tell.send(Ok(rest)).await;
        }
        Ok(())
    }
}

type Tell = mpsc::Sender<Result<Bytes>>;

/// What of a piece that stands at a place is between two others.
fn cut(piece: &Bytes, at: u64, (start, end): (u64, u64)) -> Bytes {
    let place = |place: u64| usize::try_from(place.saturating_sub(at)).unwrap_or(usize::MAX);
    let end = place(end).min(piece.len());
    piece.slice(place(start).min(end)..end)
}

/// Reads a whole piece; less only at the end of the file.
async fn piece(workspace: &Workspace, path: &WsPath, at: u64) -> Result<Content> {
    let mut content =
        workspace.fs().read(path, Span::Bytes { offset: at, length: PIECE as u64 }).await?;
    // A backend may give less at once.
    while content.bytes.len() < PIECE && !content.bytes.is_empty() && content.more_follows() {
        let have = content.bytes.len() as u64;
        let span = Span::Bytes { offset: at + have, length: PIECE as u64 - have };
        let more = workspace.fs().read(path, span).await?;
        if more.bytes.is_empty() {
            break;
        }
        content.bytes = [content.bytes, more.bytes].concat().into();
    }
    Ok(content)
}

/// Computes where nobody else waits for it.
async fn computed<T: Send + 'static>(
    compute: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let computed = tokio::task::spawn_blocking(compute).await;
    computed.unwrap_or_else(|_| Err(Error::of(Code::Internal)))
}
