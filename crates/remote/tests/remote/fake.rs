//! A guest made of what a test wants it to say.

use std::{
    collections::VecDeque,
    future::{Future, poll_fn},
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use garth_contract::{
    Abilities, Code, Error, Filesystem, Links, ProcessId, Result, ShellAbilities, WsPath,
};
use garth_remote::{Connect, Link, Patience, Remote};
use garth_wire::{Answer, Mux, Packet, Request, Session, Talk, Welcome, hello};
use tokio::{io::DuplexStream, time};

/// Longer than anything takes on a busy machine.
const DEADLINE: Duration = Duration::from_secs(60);

/// A patience that no test should wear out.
pub(crate) const PATIENT: Patience =
    Patience { start: DEADLINE, hello: DEADLINE, silence: DEADLINE };

/// What a guest does with a pipe: which one it is, from 0, and what it is asked to
/// count processes from.
type Behave =
    dyn Fn(DuplexStream, u64, ProcessId) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync;

/// Makes pipes to guests that behave so.
#[derive(Clone)]
pub(crate) struct Fake {
    behave: Arc<Behave>,
    made: Arc<AtomicU64>,
}

impl Fake {
    pub(crate) fn new<F: Future<Output = ()> + Send + 'static>(
        behave: impl Fn(DuplexStream, u64, ProcessId) -> F + Send + Sync + 'static,
    ) -> Self {
        let behave =
            move |pipe, number, first| Box::pin(behave(pipe, number, first)) as Pin<Box<_>>;
        Self { behave: Arc::new(behave), made: Arc::default() }
    }

    /// How many pipes were made.
    pub(crate) fn made(&self) -> u64 {
        self.made.load(Ordering::SeqCst)
    }

    pub(crate) async fn link(&self) -> Remote {
        self.link_with(PATIENT).await
    }

    pub(crate) async fn link_with(&self, patience: Patience) -> Remote {
        Remote::new(Link::open(self.clone(), ProcessId(1), patience).await.unwrap())
    }
}

impl Connect for Fake {
    type Pipe = DuplexStream;

    async fn connect(&self, first: ProcessId) -> Result<DuplexStream> {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let number = self.made.fetch_add(1, Ordering::SeqCst);
        tokio::spawn((self.behave)(theirs, number, first));
        Ok(ours)
    }
}

/// What a fake guest does about a request.
pub(crate) enum Reply {
    /// Answers, and is ready for the next one.
    Say(Vec<Answer>),
    /// Answers and never ends: these again and again.
    Repeat(Answer),
    /// Answers with bytes of its own.
    Raw(Vec<u8>),
    /// Says nothing.
    Silence,
    /// Says nothing, and when it is given up goes on until it may end.
    Linger(Arc<AtomicBool>),
    /// Is gone.
    Die,
}

pub(crate) fn say(answer: Answer) -> Reply {
    Reply::Say(vec![answer])
}

pub(crate) fn welcome(session: u8, first: u64) -> Welcome {
    Welcome {
        session: Session::from([session; 16]),
        first: ProcessId(first),
        files: Abilities {
            write: true,
            rename: true,
            empty_dirs: true,
            symlinks: true,
            special_files: true,
            modes: true,
            any_names: true,
            watch: true,
            find: true,
            trees: true,
            durable: true,
        },
        shell: ShellAbilities { terminals: true },
    }
}

/// Something that a guest noticed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Noticed {
    /// A request, by the first word of its debug text.
    Asked(String),
    /// A stream that was given up while it was busy.
    GivenUp,
}

/// What a guest noticed, in order.
pub(crate) type Log = Arc<Mutex<Vec<Noticed>>>;

/// Serves a pipe with the replies of a function, until it breaks.
pub(crate) async fn serve(
    mut pipe: DuplexStream,
    welcome: Welcome,
    log: Log,
    mut reply: impl FnMut(Request) -> Reply + Send + 'static,
) {
    hello::answer(&mut pipe, &welcome).await.unwrap();
    let mut mux = Mux::answering(Box::pin(pipe));
    let mut streams: Vec<Stream> = Vec::new();
    poll_fn(|context| {
        for _ in 0..2 {
            loop {
                match mux.poll(context) {
                    Poll::Ready(Ok(talk)) => streams.push(Stream::new(talk)),
                    Poll::Ready(Err(_)) => return Poll::Ready(()),
                    Poll::Pending => break,
                }
            }
            let mut alive = true;
            streams.retain_mut(|stream| match stream.poll(context, &log, &mut reply) {
                State::Goes => true,
                State::Over => false,
                State::Dies => {
                    alive = false;
                    false
                }
            });
            if !alive {
                return Poll::Ready(());
            }
        }
        Poll::Pending
    })
    .await;
}

struct Stream {
    talk: Talk,
    sending: VecDeque<Packet>,
    repeat: Option<Answer>,
    /// Whether it may end, where that is not for the client to say.
    may_end: Option<Arc<AtomicBool>>,
    busy: bool,
}

enum State {
    Goes,
    Over,
    Dies,
}

impl Stream {
    fn new(talk: Talk) -> Self {
        Self { talk, sending: VecDeque::new(), repeat: None, may_end: None, busy: false }
    }

    fn poll(
        &mut self,
        context: &mut Context<'_>,
        log: &Log,
        reply: &mut impl FnMut(Request) -> Reply,
    ) -> State {
        loop {
            if let Some(packet) = self.sending.front_mut() {
                match self.talk.poll_send(context, packet) {
                    Poll::Ready(Ok(())) => {
                        self.sending.pop_front();
                        if self.sending.is_empty() {
                            self.busy = self.repeat.is_some();
                        }
                        continue;
                    }
                    Poll::Ready(Err(_)) => return State::Over,
                    Poll::Pending => {}
                }
            } else if let Some(answer) = &self.repeat {
                self.sending.push_back(answer.encode());
                continue;
            }
            let frame = match self.talk.poll_receive(context, 1 << 30) {
                Poll::Pending => return State::Goes,
                Poll::Ready(Ok(frame)) => frame,
                Poll::Ready(Err(_)) => {
                    if self.may_end.as_ref().is_some_and(|may| !may.load(Ordering::SeqCst)) {
                        context.waker().wake_by_ref();
                        return State::Goes;
                    }
                    if self.busy {
                        log.lock().unwrap().push(Noticed::GivenUp);
                    }
                    return State::Over;
                }
            };
            let request = Request::decode(frame).unwrap();
            let word: String =
                format!("{request:?}").chars().take_while(|c| c.is_alphanumeric()).collect();
            log.lock().unwrap().push(Noticed::Asked(word));
            if let Request::Enough = request {
                continue;
            }
            self.busy = true;
            match reply(request) {
                Reply::Say(answers) => self.sending.extend(answers.iter().map(Answer::encode)),
                Reply::Repeat(answer) => self.repeat = Some(answer),
                Reply::Raw(bytes) => self.sending.push_back(Packet::raw(bytes)),
                Reply::Silence => {}
                Reply::Linger(may_end) => self.may_end = Some(may_end),
                Reply::Die => return State::Dies,
            }
        }
    }
}

/// A guest of one life that replies so.
pub(crate) fn guest(
    reply: impl Fn(Request) -> Reply + Send + Sync + Clone + 'static,
) -> (Fake, Log) {
    let log = Log::default();
    let noted = Arc::clone(&log);
    let fake =
        Fake::new(move |pipe, _, _| serve(pipe, welcome(1, 1), Arc::clone(&noted), reply.clone()));
    (fake, log)
}

/// What comes of something that must not hang.
pub(crate) async fn soon<T>(future: impl Future<Output = T>) -> T {
    time::timeout(DEADLINE, future).await.expect("it hangs")
}

/// Waits until something holds.
pub(crate) async fn until(mut holds: impl FnMut() -> bool) {
    soon(async {
        while !holds() {
            time::sleep(Duration::from_millis(2)).await;
        }
    })
    .await;
}

pub(crate) fn path(text: &str) -> WsPath {
    WsPath::from_bytes(text.as_bytes()).unwrap()
}

/// The plainest call there is.
pub(crate) async fn stat(remote: &Remote) -> Result<(), Error> {
    soon(remote.stat(&path("f"), Links::Keep)).await.map(drop)
}

pub(crate) fn code<T>(result: Result<T>) -> Code {
    result.err().expect("it was not refused").code()
}
