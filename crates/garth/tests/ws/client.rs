//! A client that sends what it likes.

use std::{collections::VecDeque, io::Write, net::TcpStream, time::Duration};

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::{
    self, Message, WebSocket, client::IntoClientRequest, handshake::client::Request,
    protocol::WebSocketConfig,
};

use crate::server::PATIENCE;

/// A connection.
pub(crate) struct Client {
    socket: WebSocket<TcpStream>,
    /// What came while something else was waited for.
    passed: VecDeque<Value>,
    last: u64,
}

/// How a connection ended: with this code, or without a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Code(u16),
    Silence,
}

/// A request for a WebSocket, with these headers beside the usual or in their place.
fn upgrade(address: &str, path: &str, headers: &[(&str, &str)]) -> Request {
    let mut request = format!("ws://{address}{path}").into_client_request().unwrap();
    for (name, value) in headers {
        let name: tungstenite::http::HeaderName = name.parse().unwrap();
        request.headers_mut().insert(name, value.parse().unwrap());
    }
    request
}

impl Client {
    /// Connects with these headers.
    ///
    /// # Errors
    /// The status that the gateway answers with instead.
    pub(crate) fn try_with(address: &str, headers: &[(&str, &str)]) -> Result<Self, u16> {
        Self::try_at(address, "/v1/ws", headers)
    }

    /// The same at another path.
    pub(crate) fn try_at(address: &str, path: &str, headers: &[(&str, &str)]) -> Result<Self, u16> {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
        let request = upgrade(address, path, headers);
        let connected = tungstenite::client::client_with_config(request, stream, Some(config));
        match connected {
            Ok((socket, _)) => Ok(Self { socket, passed: VecDeque::new(), last: 0 }),
            Err(tungstenite::HandshakeError::Failure(tungstenite::Error::Http(response))) => {
                Err(response.status().as_u16())
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// Connects and says nothing; the challenge is still to be read.
    pub(crate) fn bare(address: &str) -> Self {
        Self::try_with(address, &[]).unwrap()
    }

    /// Connects with a token in the head, and reads the challenge.
    pub(crate) fn with_token(address: &str, token: &str) -> Self {
        let bearer = format!("Bearer {token}");
        let mut client = Self::try_with(address, &[("authorization", &bearer)]).unwrap();
        client.event("connect.challenge");
        client
    }

    pub(crate) fn send(&mut self, frame: &Value) {
        self.send_text(&frame.to_string());
    }

    pub(crate) fn send_text(&mut self, text: &str) {
        self.try_send(Message::text(text)).unwrap();
    }

    /// Sends a message, which a connection that ended does not take.
    pub(crate) fn try_send(&mut self, message: Message) -> tungstenite::Result<()> {
        self.socket.send(message)
    }

    /// Sends bytes as they are, below the protocol.
    pub(crate) fn send_raw(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.socket.get_mut().write_all(bytes)
    }

    /// Sends a request, and gives its id.
    pub(crate) fn begin(&mut self, method: &str, params: Value) -> String {
        self.last += 1;
        let id = format!("r{}", self.last);
        self.send(&json!({"type": "req", "id": id, "method": method, "params": params}));
        id
    }

    /// Sends a request and waits for its reply.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.reply(&id)
    }

    /// Calls a method that must succeed.
    pub(crate) fn ok(&mut self, method: &str, params: Value) -> Value {
        let mut reply = self.call(method, params);
        assert_eq!(reply["ok"], true, "{method}: {reply}");
        reply["payload"].take()
    }

    /// Calls a method that must be refused, and gives the error's code.
    pub(crate) fn refused(&mut self, method: &str, params: Value) -> String {
        let reply = self.call(method, params);
        assert_eq!(reply["ok"], false, "{method}: {reply}");
        reply["error"]["code"].as_str().unwrap().to_owned()
    }

    /// The reply to a request, whatever comes before it.
    pub(crate) fn reply(&mut self, id: &str) -> Value {
        self.wait_for(&format!("the reply {id}"), |frame| {
            frame["type"] == "res" && frame["id"] == id
        })
    }

    /// The next event of this name.
    pub(crate) fn event(&mut self, name: &str) -> Value {
        let found = self.wait_for(name, |frame| frame["type"] == "event" && frame["event"] == name);
        found["payload"].clone()
    }

    /// The next frame.
    pub(crate) fn next(&mut self) -> Value {
        self.wait_for("any frame", |_| true)
    }

    /// The first frame that is wanted; others are kept.
    pub(crate) fn wait_for(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.passed.iter().position(&wanted) {
            return self.passed.remove(at).unwrap();
        }
        loop {
            let frame = self.receive().unwrap_or_else(|end| panic!("{what}, but {end:?}"));
            if wanted(&frame) {
                return frame;
            }
            self.passed.push_back(frame);
        }
    }

    /// Reads a frame, or how the connection ended.
    pub(crate) fn receive(&mut self) -> Result<Value, End> {
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => return Ok(serde_json::from_str(&text).unwrap()),
                Ok(Message::Close(Some(frame))) => return Err(End::Code(frame.code.into())),
                Ok(Message::Close(None)) => return Err(End::Silence),
                Ok(_) => {}
                Err(tungstenite::Error::Io(error))
                    if matches!(
                        error.kind(),
                        std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut
                    ) =>
                {
                    panic!("the gateway says nothing")
                }
                Err(_) => return Err(End::Silence),
            }
        }
    }

    /// Takes what came, without waiting for more, and answers what asks whether it lives.
    pub(crate) fn breathe(&mut self) {
        self.socket.get_ref().set_nonblocking(true).unwrap();
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => {
                    self.passed.push_back(serde_json::from_str(&text).unwrap());
                }
                Ok(_) => {}
                Err(tungstenite::Error::Io(error))
                    if error.kind() == std::io::ErrorKind::WouldBlock =>
                {
                    break;
                }
                Err(error) => panic!("an idle connection ended: {error}"),
            }
        }
        self.socket.get_ref().set_nonblocking(false).unwrap();
        self.socket.flush().unwrap();
    }

    /// The first message of the protocol itself that is wanted; others are passed over.
    pub(crate) fn message(&mut self, wanted: impl Fn(&Message) -> bool) -> Message {
        loop {
            let message = self.socket.read().unwrap();
            if wanted(&message) {
                return message;
            }
        }
    }

    /// Reads on until the connection ends.
    pub(crate) fn end(&mut self) -> End {
        loop {
            if let Err(end) = self.receive() {
                return end;
            }
        }
    }

    /// Lets little come in that is not read.
    pub(crate) fn narrow(&mut self) {
        let stream = self.socket.get_ref();
        rustix::net::sockopt::set_socket_recv_buffer_size(stream, 16 << 10).unwrap();
    }

    /// Sends frames until nobody takes them, or this many; gives how many it were.
    pub(crate) fn flood(&mut self, text: &str, most: usize) -> usize {
        self.socket.get_ref().set_write_timeout(Some(Duration::from_secs(2))).unwrap();
        (0..most).take_while(|_| self.try_send(Message::text(text)).is_ok()).count()
    }

    /// Drops the connection without a word.
    pub(crate) fn drop_dead(self) {
        drop(self.socket);
    }
}
