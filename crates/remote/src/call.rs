//! One call on its way: a stream taken, a request sent, answers received.
//!
//! Dropping it before its last answer tells the guest, who drops the call too.

use std::{
    future::poll_fn,
    sync::Arc,
    task::{Context, Poll, ready},
};

use garth_contract::{Code, Error, Result};
use garth_wire::{Answer, Fault, Hush, Packet, Request, Talk};
use tokio::{sync::TryAcquireError, time::Instant};

use crate::connection::{Connection, GivenUp, Places, Token, Why};

/// What kind of call it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nature {
    /// It looks, and is over in a moment.
    Quick,
    /// It changes something, and is over in a moment.
    Change,
    /// It looks for as long as it takes.
    Lasting,
    /// It changes something, for as long as it takes.
    LastingChange,
}

impl Nature {
    fn lasts(self) -> bool {
        match self {
            Self::Quick | Self::Change => false,
            Self::Lasting | Self::LastingChange => true,
        }
    }

    fn changes(self) -> bool {
        match self {
            Self::Quick | Self::Lasting => false,
            Self::Change | Self::LastingChange => true,
        }
    }
}

/// Why a call did not begin.
pub(crate) enum Failure {
    /// The pipe was broken before anything of it was sent: another may do.
    Unsent(Why),
    /// For good.
    Told(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Told(error)
    }
}

/// One call on its way.
pub(crate) struct Call {
    connection: Arc<Connection>,
    token: Token,
    nature: Nature,
    /// There until the call is over.
    used: Option<(Talk, Places)>,
    /// What is left to send, also of something whose sender was dropped.
    unsent: Option<Packet>,
    hush: Hush,
}

impl Call {
    /// Sends a request.
    ///
    /// *Cancel*: the guest is told; a request that has not left never will.
    pub(crate) async fn begin(
        connection: Arc<Connection>,
        request: &Request,
        nature: Nature,
    ) -> Result<Self, Failure> {
        let places = places(&connection, nature).await?;
        if nature.changes() {
            connection.barrier.pass().await;
        }
        let unsent = Some(packet(request)?);
        let token = connection.token();
        let hush = Hush::default();
        let mut call = Self { connection, token, nature, used: None, unsent, hush };
        let open = |context: &mut Context<'_>| {
            call.connection.push(token, context)?;
            call.connection.poll_open(context)
        };
        let talk = poll_fn(|context| call.hush.poll(context, open)).await;
        call.used = Some((talk.map_err(Failure::Unsent)?, places));
        call.flush().await?;
        if !nature.lasts() {
            call.connection.vigil().begin();
        }
        Ok(call)
    }

    /// Makes a word about the call ready to be sent; what was before it must have been.
    pub(crate) fn put(&mut self, word: &Request) -> Result<()> {
        self.unsent = Some(packet(word)?);
        Ok(())
    }

    /// Sends what is ready.
    ///
    /// *Cancel*: the rest of it is sent when this is called again.
    pub(crate) async fn flush(&mut self) -> Result<()> {
        let Self { connection, token, used, unsent, hush, .. } = self;
        let Some((talk, _)) = used else { return Err(over()) };
        let Some(packet) = unsent else { return Ok(()) };
        poll_fn(|context| {
            hush.poll(context, |context| {
                let sent = talk.poll_send(context, packet);
                match (sent, connection.push(*token, context)) {
                    (_, Err(why)) => Poll::Ready(Err(why.error())),
                    (sent, Ok(())) => sent.map_err(|fault| at_fault(&fault)),
                }
            })
        })
        .await?;
        self.unsent = None;
        Ok(())
    }

    /// The connection that it goes over.
    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Says something about the call while it is under way.
    pub(crate) async fn add(&mut self, word: &Request) -> Result<()> {
        self.put(word)?;
        self.flush().await
    }

    /// Lets somebody else move the pipe until the call is used again.
    pub(crate) fn rest(&self) {
        self.connection.leave(self.token);
    }

    /// Waits for the next answer, whose body may have so many bytes.
    ///
    /// # Errors
    /// What the guest refuses with; `INTERNAL` for what is no answer;
    /// `PROVIDER_UNAVAILABLE` when the pipe breaks.
    pub(crate) async fn answer(&mut self, most_body: u64) -> Result<Answer> {
        poll_fn(|context| self.poll_answer(context, most_body)).await
    }

    /// As [`Call::answer`].
    pub(crate) fn poll_answer(
        &mut self,
        context: &mut Context<'_>,
        most_body: u64,
    ) -> Poll<Result<Answer>> {
        match ready!(self.poll_word(context, most_body)) {
            Ok(Answer::Refused(error)) => {
                self.finish_now();
                Poll::Ready(Err(error))
            }
            answer => Poll::Ready(answer),
        }
    }

    /// As [`Call::answer`], but for a refusal, which is not the end of the call.
    pub(crate) async fn word(&mut self, most_body: u64) -> Result<Answer> {
        poll_fn(|context| self.poll_word(context, most_body)).await
    }

    fn poll_word(&mut self, context: &mut Context<'_>, most_body: u64) -> Poll<Result<Answer>> {
        let Self { connection, token, used, hush, nature, .. } = self;
        let Some((talk, _)) = used else { return Poll::Ready(Err(over())) };
        let received = hush.poll(context, |context| {
            let pushed = connection.push(*token, context);
            // What has come counts, even if nothing will come after it.
            match (talk.poll_receive(context, most_body), pushed) {
                (Poll::Pending, Ok(())) => Poll::Pending,
                (Poll::Pending | Poll::Ready(Err(Fault::Gone)), Err(why)) => {
                    Poll::Ready(Err(why.error()))
                }
                (Poll::Ready(frame), _) => Poll::Ready(frame.map_err(|fault| at_fault(&fault))),
            }
        });
        if !nature.lasts() {
            match &received {
                Poll::Ready(_) => connection.vigil().end(),
                Poll::Pending => connection.vigil().linger(context),
            }
        }
        let frame = ready!(received);
        Poll::Ready(frame.and_then(|frame| Answer::decode(frame).map_err(|fault| at_fault(&fault))))
    }

    /// Ends a call whose last answer has come; its stream serves the next one.
    pub(crate) fn finish(mut self) {
        self.finish_now();
    }

    fn finish_now(&mut self) {
        if let Some((talk, _)) = self.used.take() {
            self.connection.keep(talk);
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if let Some((talk, place)) = self.used.take() {
            let (changes, since) = (self.nature.changes(), Instant::now());
            self.connection.give_up(GivenUp { talk, _place: place, changes, since, closed: false });
        }
        self.connection.leave(self.token);
    }
}

/// A request as it is sent, unless it is too long.
fn packet(request: &Request) -> Result<Packet> {
    let packet = request.encode();
    if packet.fits() {
        return Ok(packet);
    }
    Err(Error::new(Code::InvalidParams, "the request is too long"))
}

/// Waits for a place among the calls under way; one that lasts is refused instead.
async fn places(connection: &Connection, nature: Nature) -> Result<Places> {
    let lasting = if nature.lasts() {
        let place = Arc::clone(&connection.lasting).try_acquire_owned();
        Some(place.map_err(|_| Error::of(Code::RateLimitExceeded))?)
    } else {
        None
    };
    let one = match Arc::clone(&connection.places).try_acquire_owned() {
        Ok(one) => one,
        Err(TryAcquireError::NoPermits) => {
            let one = Arc::clone(&connection.places).acquire_owned().await;
            one.map_err(|_| over())?
        }
        Err(TryAcquireError::Closed) => return Err(over()),
    };
    Ok(Places { _one: one, _lasting: lasting })
}

/// What is told of a guest that answers wrongly.
pub(crate) fn at_fault(fault: &Fault) -> Error {
    let message = match fault {
        Fault::Gone => "the sandbox's guest gave the call up",
        Fault::Malformed(_) => "the sandbox's guest answered with nonsense",
    };
    Error::new(Code::Internal, message)
}

fn over() -> Error {
    Error::of(Code::Internal)
}
