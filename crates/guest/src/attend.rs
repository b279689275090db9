//! One stream: a request, its answers, the next request, until it is given up.

use std::{
    future::{Future, poll_fn},
    panic::AssertUnwindSafe,
    pin::pin,
    sync::Arc,
    task::Poll,
};

use futures::FutureExt;
use garth_contract::{BoxFuture, Code, Error};
use garth_wire::{Answer, Fault, Packet, Request, Talk, Told};
use tokio::sync::OwnedSemaphorePermit;

use crate::{
    call::{list, read, run, told},
    find::find,
    serve::{LARGE, Shared},
    stage::stage,
    watch::watch,
};

/// The longest body of a request: the largest file that a workspace may hold, by
/// the default of its policy.
const MOST_BODY: u64 = 1 << 30;

/// Serves one stream.
pub(crate) async fn attend(talk: Talk, shared: Arc<Shared>) {
    let mut attendance = Attendance { talk, shared };
    // A panic ends its own stream; those beside it go on.
    let served = AssertUnwindSafe(attendance.serve()).catch_unwind().await;
    drop(served);
    // What was said is sent before the stream is gone.
    poll_fn(|context| attendance.talk.poll_close(context)).await;
}

/// One stream with what it needs.
pub(crate) struct Attendance {
    pub(crate) talk: Talk,
    pub(crate) shared: Arc<Shared>,
}

impl Attendance {
    /// Serves requests until the client gives the stream up.
    async fn serve(&mut self) -> Result<(), Fault> {
        loop {
            let length = poll_fn(|context| self.talk.poll_length(context)).await?;
            let place = if length > LARGE { Some(self.place().await?) } else { None };
            let request = self.receive(MOST_BODY).await?;
            self.respond(request).await?;
            drop(place);
        }
    }

    /// The next request, whose body may have so many bytes.
    pub(crate) async fn receive(&mut self, most_body: u64) -> Result<Request, Fault> {
        let frame = poll_fn(|context| self.talk.poll_receive(context, most_body)).await?;
        Request::decode(frame)
    }

    async fn respond(&mut self, request: Request) -> Result<(), Fault> {
        let served = Arc::clone(&self.shared.served);
        let (files, shell) = (&served.files, &served.shell);
        match request {
            Request::Ping => self.send(Answer::Done.encode()).await,
            // A search that ended by itself has no need of this word any more.
            Request::Enough => Ok(()),
            Request::Stat(path, links) => {
                self.one(files.stat(&path, links), |entry| Answer::Told(Told::of(&entry))).await
            }
            Request::List(path, page) => list(self, path, page).await,
            Request::Read(path, span) => read(self, path, span).await,
            Request::Write(path, content, put) => {
                self.one(files.write(&path, content, put), Answer::Written).await
            }
            Request::MakeDir(path, parents) => {
                self.one(files.make_dir(&path, parents), Answer::Made).await
            }
            Request::Remove(path, depth) => {
                self.one(files.remove(&path, depth), Answer::Removed).await
            }
            Request::Rename(from, to, how) => {
                self.one(files.rename(&from, &to, how), Answer::Renamed).await
            }
            Request::Find(query) => find(self, *query).await,
            Request::Watch(spec) => watch(self, spec).await,
            Request::Run(command) => run(self, *command).await,
            Request::Start(command) => self.one(shell.start(*command), Answer::Started).await,
            Request::Output(id, ask) => self.one(shell.output(id, ask), Answer::Printed).await,
            Request::Input(id, input) => self.one(shell.input(id, input), |()| Answer::Done).await,
            Request::Signal(id, one) => self.one(shell.signal(id, one), |()| Answer::Done).await,
            Request::Resize(id, size) => self.one(shell.resize(id, size), |()| Answer::Done).await,
            Request::Processes => self.one(shell.list(), Answer::Processes).await,
            Request::End(id) => self.one(shell.end(id), Answer::Ended).await,
            Request::ReadLink(path) => self.one(files.read_link(&path), Answer::Bytes).await,
            Request::Stage(base) => stage(self, base).await,
            Request::Parts(_) | Request::ReadBack(..) | Request::Land(_) | Request::Discard => {
                Err(Fault::Malformed("a word about a tree that is not there"))
            }
        }
    }

    /// Answers with what one call gives.
    async fn one<T>(
        &mut self,
        call: BoxFuture<'_, garth_contract::Result<T>>,
        answer: impl FnOnce(T) -> Answer,
    ) -> Result<(), Fault> {
        let answer = self.unless_gone(async { told(call.await, answer) }).await?;
        self.send(answer.encode()).await
    }

    /// One of the few places for what is large.
    pub(crate) async fn place(&mut self) -> Result<OwnedSemaphorePermit, Fault> {
        let large = Arc::clone(&self.shared.large);
        let permit = large.acquire_owned().map(|permit| permit.map_err(|_| Fault::Gone));
        poll_while_there(&mut self.talk, permit).await?
    }

    /// What a call gives, unless the client gives it up: then it is dropped.
    ///
    /// A call that panics is answered for.
    pub(crate) async fn unless_gone(
        &mut self,
        call: impl Future<Output = Answer>,
    ) -> Result<Answer, Fault> {
        let call = AssertUnwindSafe(call).catch_unwind();
        let answer = poll_while_there(&mut self.talk, call).await?;
        Ok(answer.unwrap_or_else(|_| Answer::Refused(Error::of(Code::Internal))))
    }

    /// Sends a message, unless the client gives the stream up.
    pub(crate) async fn send(&mut self, mut packet: Packet) -> Result<(), Fault> {
        poll_fn(|context| {
            if let Poll::Ready(sent) = self.talk.poll_send(context, &mut packet) {
                return Poll::Ready(sent);
            }
            self.talk.poll_gone(context).map(|()| Err(Fault::Gone))
        })
        .await
    }
}

async fn poll_while_there<T>(talk: &mut Talk, call: impl Future<Output = T>) -> Result<T, Fault> {
    let mut call = pin!(call);
    poll_fn(|context| {
        if let Poll::Ready(output) = call.as_mut().poll(context) {
            return Poll::Ready(Ok(output));
        }
        talk.poll_gone(context).map(|()| Err(Fault::Gone))
    })
    .await
}
