//! TLS by certificate files.

use std::{
    io::{Read, Write},
    net::TcpStream,
};

use crate::{
    scene::{Run, command},
    serving::{Data, PATIENCE},
};

/// A directory with a certificate for localhost and its key.
fn certified() -> Data {
    let data = Data::new();
    let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
    let made = rcgen::generate_simple_self_signed(names).unwrap();
    data.put("cert.pem", &made.cert.pem());
    data.put("key.pem", &made.signing_key.serialize_pem());
    data
}

fn ask(data: &Data, url: &str, ca: &str) -> Run {
    let token = data.path().join("operator.token");
    let ca = data.path().join(ca);
    let (token, ca) = (token.to_str().unwrap(), ca.to_str().unwrap());
    let arguments =
        ["rpc", "agents.list", "--json", "--url", url, "--token-file", token, "--ca", ca];
    let output = command(&arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run {
        code: output.status.code().unwrap(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

#[test]
fn a_gateway_with_a_certificate_speaks_tls_and_nothing_else() {
    let data = certified();
    data.put("garth.toml", "[tls]\ncertificate = \"cert.pem\"\nkey = \"key.pem\"\n");
    let served = data.serve(&[]);
    assert!(served.url.starts_with("https://127.0.0.1:"), "{}", served.url);
    let run = ask(&data, &served.url, "cert.pem");
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("\"default\""), "{run:?}");
    // Who does not trust the certificate does not send its token.
    let other = certified();
    data.put("other.pem", &other.path().join("cert.pem").to_str().map(read).unwrap());
    let run = ask(&data, &served.url, "other.pem");
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stdout.contains("is not believed to be the gateway"), "{run:?}");
    // Who speaks plainly gets nothing out of it.
    let mut plain = TcpStream::connect(served.url.strip_prefix("https://").unwrap()).unwrap();
    plain.set_read_timeout(Some(PATIENCE)).unwrap();
    plain.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP"), "{answer:?}");
}

#[test]
fn with_tls_an_address_that_others_can_reach_may_be_listened_on() {
    let data = certified();
    data.put("garth.toml", "listen = \"0.0.0.0:7717\"\n");
    assert_eq!(data.run(&["config", "check"]).code, 1);
    let tls = "[tls]\ncertificate = \"cert.pem\"\nkey = \"key.pem\"\n";
    data.put("garth.toml", &format!("listen = \"0.0.0.0:7717\"\n{tls}"));
    assert_eq!(data.run(&["config", "check"]).code, 0);
    data.put(
        "garth.toml",
        &format!("listen = \"0.0.0.0:7717\"\n{}", tls.replace("key.pem", "no.pem")),
    );
    let run = data.run(&["config", "check"]);
    assert!(run.code == 1 && run.stdout.contains("no.pem cannot be used"), "{run:?}");
}

#[test]
fn files_that_hold_no_certificate_are_refused() {
    let data = certified();
    let other = certified();
    data.put("empty.pem", "");
    data.put("other.pem", &other.path().join("key.pem").to_str().map(read).unwrap());
    for (certificate, key) in [
        ("missing.pem", "key.pem"),
        ("empty.pem", "key.pem"),
        ("key.pem", "key.pem"),
        ("cert.pem", "cert.pem"),
        ("cert.pem", "other.pem"),
    ] {
        let path = |name: &str| data.path().join(name).to_str().unwrap().to_owned();
        let (certificate, key) = (path(certificate), path(key));
        let arguments =
            ["serve", "--certificate", &certificate, "--key", &key, "--listen", "127.0.0.1:0"];
        let run = data.run(&arguments);
        assert!(run.code != 0 && run.stdout.is_empty(), "{certificate} {key} {run:?}");
        assert!(run.stderr.contains("cannot be used"), "{certificate} {key} {run:?}");
        assert!(!run.stderr.contains("BEGIN"), "{run:?}");
    }
}

#[allow(clippy::disallowed_methods, reason = "the test looks at its own directory")]
fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap()
}
