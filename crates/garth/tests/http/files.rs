//! Files as bytes: tags, conditions, parts, types, secrets.

use garth_contract::Version;
use serde_json::json;

use crate::gateway::Gateway;

const SECRET: &str = "sk_live_4eC39HqLyjWDarjtT1zdp7dc";

fn at(path: &str) -> String {
    format!("/v1/workspaces/default/files/{path}")
}

fn tag(content: &[u8]) -> String {
    format!("\"{}\"", Version::of(content))
}

#[test]
fn bytes_go_up_and_come_down_as_they_are() {
    let gateway = Gateway::start();
    let bytes: Vec<u8> =
        (0..1_000_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let put = gateway.ask("PUT", &at("deep/new/data%20%C3%A4.bin")).body(bytes.clone()).send();
    assert_eq!(put.status, 201, "{}", put.text());
    assert_eq!(put.header("etag"), Some(tag(&bytes).as_str()));
    assert_eq!(put.value()["sizeBytes"], 1_000_000);
    let file = gateway.directory("default").join("deep/new/data ä.bin");
    assert_eq!(std::fs::read(&file).unwrap(), bytes);
    let got = gateway.ask("GET", &at("deep/new/data%20%C3%A4.bin")).send();
    assert_eq!((got.status, got.body == bytes), (200, true));
    assert_eq!(got.header("etag"), Some(tag(&bytes).as_str()));
    assert!(got.header("last-modified").unwrap().ends_with(" GMT"));
    assert_eq!(got.header("content-type"), Some("application/octet-stream"));
    let disposition = got.header("content-disposition").unwrap();
    assert_eq!(disposition, "attachment; filename*=UTF-8''data%20%C3%A4%2Ebin");
    let again = gateway.ask("PUT", &at("deep/new/data%20%C3%A4.bin")).body("short").send();
    assert_eq!(again.status, 200);
    assert_eq!(std::fs::read(&file).unwrap(), b"short");
    let gone = gateway.ask("DELETE", &at("deep/new/data%20%C3%A4.bin")).send();
    assert_eq!((gone.status, file.exists()), (200, false));
    assert_eq!(gateway.ask("DELETE", &at("deep/new/data%20%C3%A4.bin")).send().status, 404);
}

#[test]
fn an_empty_file_is_a_file() {
    let gateway = Gateway::start();
    assert_eq!(gateway.ask("PUT", &at("empty")).send().status, 201);
    let got = gateway.ask("GET", &at("empty")).send();
    assert_eq!((got.status, got.body.len(), got.header("content-length")), (200, 0, Some("0")));
    let part = gateway.ask("GET", &at("empty")).header("range", "bytes=0-").send();
    assert_eq!((part.status, part.header("content-range")), (416, Some("bytes */0")));
}

#[test]
fn a_change_is_held_to_its_conditions() {
    let gateway = Gateway::start();
    let put = |name: &str, value: &str, body: &str| {
        gateway.ask("PUT", &at("a.txt")).header(name, value).body(body).send()
    };
    let refused = |status: u16, code: &str| (status, code.to_owned());
    assert_eq!(put("if-match", "*", "x").refusal(), refused(412, "CONFLICT"));
    assert_eq!(put("if-match", &tag(b"x"), "x").refusal(), refused(412, "CONFLICT"));
    assert_eq!(put("if-none-match", "*", "one").status, 201);
    assert_eq!(put("if-none-match", "*", "two").refusal(), refused(412, "FILE_EXISTS"));
    assert_eq!(put("if-match", &tag(b"other"), "two").refusal(), refused(412, "CONFLICT"));
    assert_eq!(put("if-match", "\"nonsense\"", "two").refusal(), refused(412, "CONFLICT"));
    assert_eq!(put("if-none-match", &tag(b"one"), "two").refusal(), refused(412, "CONFLICT"));
    assert_eq!(put("if-match", &tag(b"one"), "two").status, 200);
    let either = format!("{}, {}", tag(b"one"), tag(b"two"));
    assert_eq!(put("if-match", &either, "three").status, 200);
    assert_eq!(put("if-match", "*", "four").status, 200);
    let both =
        gateway.ask("PUT", &at("a.txt")).header("if-match", "*").header("if-none-match", "*");
    assert_eq!(both.body("x").send().refusal(), refused(400, "INVALID_REQUEST"));
    let delete = |value: &str| gateway.ask("DELETE", &at("a.txt")).header("if-match", value).send();
    assert_eq!(delete(&tag(b"one")).refusal(), refused(412, "CONFLICT"));
    assert_eq!(delete(&tag(b"four")).status, 200);
}

#[test]
fn a_read_is_held_to_its_conditions() {
    let gateway = Gateway::start();
    gateway.ask("PUT", &at("a.txt")).body("one").send();
    let get = |name: &str, value: &str| gateway.ask("GET", &at("a.txt")).header(name, value).send();
    let same = get("if-none-match", &tag(b"one"));
    assert_eq!((same.status, same.body.len()), (304, 0));
    assert_eq!(same.header("etag"), Some(tag(b"one").as_str()));
    assert_eq!(get("if-none-match", &format!("W/{}", tag(b"one"))).status, 304);
    assert_eq!(get("if-none-match", "*").status, 304);
    assert_eq!(get("if-none-match", &tag(b"two")).status, 200);
    assert_eq!(get("if-match", &tag(b"one")).status, 200);
    assert_eq!(get("if-match", &tag(b"two")).refusal(), (412, "CONFLICT".to_owned()));
}

#[test]
fn a_part_is_what_was_asked_for() {
    let gateway = Gateway::start();
    gateway.ask("PUT", &at("a.bin")).body(b"\x000123456789".to_vec()).send();
    let part = |range: &str| gateway.ask("GET", &at("a.bin")).header("range", range).send();
    for (range, body, said) in [
        ("bytes=1-3", "012", "bytes 1-3/11"),
        ("bytes=8-", "789", "bytes 8-10/11"),
        ("bytes=-2", "89", "bytes 9-10/11"),
        ("bytes=5-999", "456789", "bytes 5-10/11"),
    ] {
        let reply = part(range);
        assert_eq!((reply.status, reply.text().as_str()), (206, body), "{range}");
        assert_eq!(reply.header("content-range"), Some(said));
        assert_eq!(reply.header("accept-ranges"), Some("bytes"));
    }
    for range in ["bytes=11-", "bytes=99-100", "bytes=-0"] {
        let reply = part(range);
        assert_eq!(reply.status, 416, "{range}");
        assert_eq!(reply.header("content-range"), Some("bytes */11"));
    }
    for range in ["bytes=3-1", "bytes=0-1,3-4", "lines=1-2", "bytes=x"] {
        assert_eq!((part(range).status, part(range).body.len()), (200, 11), "{range}");
    }
    let if_range = |tag: &str| {
        let request = gateway.ask("GET", &at("a.bin")).header("range", "bytes=1-3");
        request.header("if-range", tag).send().status
    };
    assert_eq!(if_range(&tag(b"\x000123456789")), 206);
    assert_eq!(if_range(&tag(b"other")), 200);
    assert_eq!(if_range("Sun, 15 Nov 2026 20:44:00 GMT"), 200);
}

#[test]
fn a_browser_is_never_made_to_run_a_file() {
    let gateway = Gateway::start();
    let page = "<!doctype html><script>alert(1)</script>";
    for (name, body, kind, shown) in [
        ("a.html", page.as_bytes(), "text/plain; charset=utf-8", "inline"),
        (
            "a.svg",
            b"<svg xmlns='http://www.w3.org/2000/svg'/>",
            "text/plain; charset=utf-8",
            "inline",
        ),
        ("a.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image/png", "inline"),
        ("a.wasm", b"\0asm\x01\0\0\0", "application/wasm", "attachment"),
    ] {
        gateway.ask("PUT", &at(name)).body(body.to_vec()).send();
        let reply = gateway.ask("GET", &at(name)).send();
        assert_eq!(reply.header("content-type"), Some(kind), "{name}");
        assert!(reply.header("content-disposition").unwrap().starts_with(shown), "{name}");
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        assert!(reply.header("content-security-policy").unwrap().contains("sandbox"));
    }
}

#[test]
fn secrets_stay_unless_an_operator_asks_for_them_and_come_back_where_they_were() {
    let gateway = Gateway::start();
    let content = format!("name = one\nkey = \"{SECRET}\"\n");
    gateway.ask("PUT", &at("env")).body(content.clone()).send();
    let clean = gateway.ask("GET", &at("env")).header("range", "bytes=0-3").send();
    assert_eq!(clean.status, 200);
    assert!(!clean.text().contains(SECRET) && clean.text().contains("[REDACTED: "));
    assert!(clean.header("x-garth-redacted").is_some());
    assert_eq!(clean.header("accept-ranges"), Some("none"));
    assert_eq!(clean.header("etag"), Some(tag(content.as_bytes()).as_str()));
    // What was shown goes back with a change beside it, held to the version that was read.
    let changed = clean.text().replace("one", "two");
    let put = gateway.ask("PUT", &at("env")).header("if-match", clean.header("etag").unwrap());
    let put = put.body(changed.clone()).send();
    assert_eq!(put.status, 200, "{}", put.text());
    let file = gateway.directory("default").join("env");
    let now = std::fs::read_to_string(&file).unwrap();
    assert_eq!(now, content.replace("one", "two"));
    // Who was shown nothing writes no placeholder over a secret.
    gateway.create("other");
    let stranger = gateway.agent("default");
    let put = gateway.anybody("PUT", &at("env")).token(&stranger).body(changed).send();
    assert_eq!(put.refusal(), (409, "REDACTED_CONTENT".to_owned()));
    let raw = gateway.ask("GET", &at("env?redact=false")).send();
    assert_eq!((raw.status, raw.text()), (200, now.clone()));
    assert_eq!(raw.header("x-garth-redacted"), None);
    let part = gateway.ask("GET", &at("env?redact=false")).header("range", "bytes=0-3").send();
    assert_eq!((part.status, part.text().as_str()), (206, "name"));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), now);
}

#[test]
fn nothing_outside_is_sent_or_taken() {
    let gateway = Gateway::start();
    std::os::unix::fs::symlink("/etc/hostname", gateway.directory("default").join("out")).unwrap();
    for path in ["../../operator.token", "..%2f..%2fa", "a/../../b", "%2fetc/hostname", "out"] {
        for method in ["GET", "PUT"] {
            let reply = gateway.ask(method, &at(path)).body("x").send();
            let refused = (403, "PATH_OUTSIDE_WORKSPACE".to_owned());
            assert_eq!(reply.refusal(), refused, "{method} {path}");
        }
    }
    let (status, code) = gateway.ask("GET", &at("a%00b")).send().refusal();
    assert_eq!((status, code.as_str()), (400, "INVALID_PATH"));
    let (status, code) = gateway.ask("GET", &at("a%ffb")).send().refusal();
    assert_eq!((status, code.as_str()), (400, "INVALID_PATH"));
    gateway.told("mkdir", &json!({"path": "dir"}));
    for method in ["GET", "PUT", "DELETE"] {
        let reply = gateway.ask(method, &at("dir")).body("x").send();
        assert_eq!(reply.refusal(), (400, "NOT_A_FILE".to_owned()), "{method}");
    }
    let query = gateway.ask("GET", &at("a?redact=maybe")).send();
    assert_eq!(query.refusal(), (400, "INVALID_PARAMS".to_owned()));
}
