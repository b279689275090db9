//! Redaction: a secret that is planted is gone, all else stays, wherever the text
//! is cut and however often it is done.

use std::sync::LazyLock;

use garth_redact::{Config, Raw, Redactor};

static REDACTOR: LazyLock<Redactor> =
    LazyLock::new(|| Redactor::new(&Config::standard()).expect("the built-in rules are right"));

/// Secrets in halves, so that this file can be shown like any other.
const PLANTED: [(&str, &str); 3] = [
    ("ghp", "_z9Kq3Vw7Lx2Bn5Tm8Rc4Hd6Pf1Js0Yg2Ua3Wb"),
    ("AKIA", "Q7ZT4XKP2MWN6RBD"),
    (
        "sk-ant-api03-",
        "h7Gk2Lq9Zx4Vb8Nm3Wt6Yr1Pc5Jd0Fs7Ka2Ue9Ho4Ti8Xg3Bw6Qn1Mv5Lz0Rp7Cy2Ej9Ds4-Uf8Ga3Ih6",
    ),
];

/// Checks a text, cut in two at a place that its first byte chooses.
pub fn check(data: &[u8]) {
    let Some((cut, rest)) = data.split_first() else { return };
    let text = String::from_utf8_lossy(rest).into_owned();
    let clean = cleaned(&text);
    only_secrets_changed(&text, &clean);
    assert_eq!(cleaned(&clean), clean, "redacting twice is redacting once");
    assert_eq!(streamed(rest, usize::from(*cut) % (rest.len() + 1)), clean, "a cut hides nothing");
    planted_secrets_are_gone(&text);
}

fn cleaned(text: &str) -> String {
    let redaction = REDACTOR.clean(Raw::from(text)).expect("nothing is held back");
    redaction.clean.into_string()
}

/// Puts the result together from the text and the reported secrets alone.
fn only_secrets_changed(text: &str, clean: &str) {
    let mut rest = clean;
    let mut from = 0;
    for span in REDACTOR.find(text) {
        assert!(from <= span.start && span.start < span.end, "sorted, without overlaps");
        rest = rest.strip_prefix(&text[from..span.start]).expect("what is no secret stays");
        let number = if span.nth == 1 { String::new() } else { format!("#{}", span.nth) };
        let mark = format!("[REDACTED: {}{number}]", span.rule);
        rest = rest.strip_prefix(&mark).expect("a placeholder stands for the secret");
        from = span.end;
    }
    assert_eq!(rest, &text[from..]);
}

fn streamed(bytes: &[u8], cut: usize) -> String {
    let mut stream = REDACTOR.stream();
    let (first, second) = bytes.split_at(cut);
    let mut out = String::new();
    for piece in [first, second] {
        out.push_str(stream.feed(&Raw::from(piece.to_vec())).unwrap().as_ref());
    }
    out.push_str(stream.finish().unwrap().clean.as_ref());
    out
}

/// A secret on a line of its own is found whatever stands around that line.
fn planted_secrets_are_gone(text: &str) {
    for (head, tail) in PLANTED.iter().filter(|(_, tail)| !text.contains(tail)) {
        let clean = cleaned(&format!("{text}\n{head}{tail}\n{text}"));
        assert!(!clean.contains(tail), "{head} was not redacted");
    }
}
