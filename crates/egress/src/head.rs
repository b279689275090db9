//! The head of a request to the proxy: read within bounds, understood, written anew.

use tokio::io::{AsyncRead, AsyncReadExt};

use crate::Target;

/// The longest head, in bytes.
const MOST_HEAD: usize = 32 * 1024;

/// The most header lines.
const MOST_HEADERS: usize = 128;

/// What a client of the proxy wants.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Where to.
    pub(crate) target: Target,
    /// What is to be sent there first; nothing for a tunnel.
    pub(crate) send: Vec<u8>,
    /// Whether bytes are to be passed on as they are, both ways.
    pub(crate) kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Tunnel,
    Request,
}

/// Why a head is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bad {
    /// The client went away.
    Gone,
    /// It is too long.
    Long,
    /// It is no request to a proxy.
    Malformed,
}

/// Reads a request's head, and whatever came behind it.
pub(crate) async fn read(from: &mut (impl AsyncRead + Unpin)) -> Result<Wanted, Bad> {
    let mut bytes = Vec::with_capacity(1024);
    loop {
        if let Some(end) = end_of(&bytes) {
            let (head, behind) = bytes.split_at(end);
            return understand(head, behind).ok_or(Bad::Malformed);
        }
        if bytes.len() >= MOST_HEAD {
            return Err(Bad::Long);
        }
        let room = MOST_HEAD - bytes.len();
        match (&mut *from).take(room as u64).read_buf(&mut bytes).await {
            Ok(0) | Err(_) => return Err(Bad::Gone),
            Ok(_) => {}
        }
    }
}

fn end_of(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4)
}

fn understand(head: &[u8], behind: &[u8]) -> Option<Wanted> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    request.parse(head).ok().filter(httparse::Status::is_complete)?;
    let (method, path) = (request.method?, request.path?);
    if method == "CONNECT" {
        let target = Target::parse(path)?;
        return Some(Wanted { target, send: behind.to_vec(), kind: Kind::Tunnel });
    }
    let rest = path.strip_prefix("http://")?;
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, place) = rest.split_at(end);
    let target = Target::parse(authority).or_else(|| Target::new(authority, 80))?;
    let slash = if place.starts_with('/') { "" } else { "/" };
    let mut send =
        format!("{method} {slash}{place} HTTP/1.1\r\nHost: {authority}\r\n").into_bytes();
    for header in request.headers.iter() {
        // The name that was allowed is the only one that is sent, and the connection
        // serves one request, so that no second one can name another host.
        let ours = ["host", "connection", "keep-alive"];
        let name = header.name.to_ascii_lowercase();
        if ours.contains(&name.as_str()) || name.starts_with("proxy-") {
            continue;
        }
        send.extend_from_slice(header.name.as_bytes());
        send.extend_from_slice(b": ");
        send.extend_from_slice(header.value);
        send.extend_from_slice(b"\r\n");
    }
    send.extend_from_slice(b"Connection: close\r\n\r\n");
    send.extend_from_slice(behind);
    Some(Wanted { target, send, kind: Kind::Request })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(head: &str) -> Option<Wanted> {
        let end = end_of(head.as_bytes()).unwrap();
        let (head, behind) = head.as_bytes().split_at(end);
        understand(head, behind)
    }

    #[test]
    fn a_tunnel_names_its_target_and_sends_what_came_behind() {
        let tunnel = wanted("CONNECT a.org:443 HTTP/1.1\r\nHost: b.org\r\n\r\nhello").unwrap();
        assert_eq!(tunnel.target, Target::parse("a.org:443").unwrap());
        assert_eq!((tunnel.send.as_slice(), tunnel.kind), (&b"hello"[..], Kind::Tunnel));
    }

    #[test]
    fn a_request_goes_on_under_the_name_that_was_allowed() {
        let text = "POST http://a.org/x?y=1 HTTP/1.1\r\nHost: b.org\r\nProxy-Authorization: s\r\n\
                    Connection: keep-alive\r\nX-One: 1\r\n\r\nbody";
        let request = wanted(text).unwrap();
        assert_eq!(request.target, Target::parse("a.org:80").unwrap());
        assert_eq!(
            String::from_utf8(request.send).unwrap(),
            "POST /x?y=1 HTTP/1.1\r\nHost: a.org\r\nX-One: 1\r\nConnection: close\r\n\r\nbody"
        );
    }

    #[test]
    fn a_place_may_be_left_out() {
        let request = wanted("GET http://a.org:81?q HTTP/1.1\r\n\r\n").unwrap();
        assert!(request.send.starts_with(b"GET /?q HTTP/1.1\r\nHost: a.org:81\r\n"));
    }

    #[test]
    fn what_is_no_request_to_a_proxy_is_not_understood() {
        for head in [
            "GET / HTTP/1.1\r\n\r\n",
            "CONNECT a.org HTTP/1.1\r\n\r\n",
            "GET https://a.org/ HTTP/1.1\r\n\r\n",
            "GET http://u:p@a.org/ HTTP/1.1\r\n\r\n",
            "GET http:///x HTTP/1.1\r\n\r\n",
            "nonsense\r\n\r\n",
        ] {
            assert_eq!(wanted(head), None, "{head:?}");
        }
    }
}
