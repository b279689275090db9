//! What holds for every text, however odd and however it is cut.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests say what must hold")]

use garth_redact::{Config, CustomPattern, Raw, Redactor, placeholders};
use proptest::collection::vec;
use proptest::prelude::*;

fn standard() -> Redactor {
    Redactor::new(&Config::standard()).unwrap()
}

fn with_custom() -> Redactor {
    let custom = |name: &str, regex: &str| CustomPattern {
        name: name.into(),
        regex: regex.into(),
        replacement: None,
    };
    Redactor::new(&Config {
        custom: vec![
            custom("TICKET", r"\bTK-([0-9]{3,})\b"),
            custom("LINE", r"^top secret: (.+)$"),
            custom("WIDE", r"<<.*>>"),
        ],
        ..Config::standard()
    })
    .unwrap()
}

/// Pieces that rules care about; joined at random they make texts where everything overlaps.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "\n", "\n", " ", " = ", "=", ": ", "\"", "'", "\\n", "\\\"", ",", ";", "@", "/", "://", ".",
    "-", "_", "[", "]", "(", "$", "ä", "\u{1f511}", "\r\n", "x", "password", "DB_PASSWORD=",
    "pwd=", "pass: ", "api_key=", "secret", "token: ", "aws_secret_access_key = ",
    "Authorization: Bearer ", "bearer ", "Basic ", "postgres://user:", "https://me:", "@host/db",
    "hunter2", "correct horse", "s3cr3t!value", "AKIAIOSFODNN7EXAMPLE",
    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
    "ghp_XIxB7KMNdAr3zqWtQqhE94qglHqOzn1D1stg", "ghs_12_", "eyJhbGciOiJIUzI1NiJ9",
    ".eyJzdWIiOiIxIn0", ".dozjgNryP4J3jVmNHl0w5N", "sk-ant-api03-jSq6OMjv1syXaEUE0bvOckLe",
    "sk-proj-A1b2C3d4E5f6G7h8I9j0", "951bc382db9abad29c68634761dd6e19", "Kp4Qx7Rm2Sn5Tb8Vw3Yz",
    "xoxb-31446298938-537092655923-AeFmq", "-----BEGIN RSA PRIVATE KEY-----",
    "-----END RSA PRIVATE KEY-----", "-----BEGIN ", "PRIVATE KEY-----",
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj", "MIIE",
    "Proc-Type: 4,ENCRYPTED", "Private-Lines: 2\n", "<password>", "</password>", "--password ",
    "login me ", "export ", "[REDACTED: API_KEY]", "[REDACTED: JWT_TOKEN#2]", "[REDACTED: ",
    "algolia_api_key = ", "DATADOG=", "acme_live_", "KEY ", "ACME_LOGIN=", "$1$OKgLCmVl$",
    "Kp4Qx7Rm2Sn5Tb8Vw3YzKp4Qx7Rm2Sn5", "7b3e5d8c-1a9f-4e2b-6c8d-3a5e9f1b7c4d",
    "/api/webhooks/123456789012345678/", "authorization: token ", "license_key: ",
    "kind: Secret\n", "data:\n  a: YWRhYWRh\n", "\nkind: Secret\n", "- name: DB_PASSWORD\n  value: ",
    "variable \"db_password\" {\n", "  default = \"", "token: |\n  ", "<key>ApiKey</key>\n<string>",
    "</string>", "${DB_PASSWORD:-", "}", "getenv(\"API_KEY\")", " || ", "docker login -p ", "\"auth\": \"",
    "apiKey =\n  \"", "X-Amz-Signature=", "db:5432:a:b:", "+= ", " string = \"",
    "TK-12345", "top secret: ", "<<", ">>", "process.env.X", "${X}", "getPassword()",
];

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => proptest::sample::select(PIECES).prop_map(str::to_owned),
        1 => "[ -~]{0,12}",
        1 => "\\PC{0,4}",
        1 => (proptest::sample::select(&["a", "A1", "x ", "9", "ab_", "=="][..]), 1..400_usize)
            .prop_map(|(unit, times)| unit.repeat(times)),
    ];
    vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// `PROPTEST_CASES` asks for more.
fn cases(least: u32) -> ProptestConfig {
    let standard = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    let asked = std::env::var_os("PROPTEST_CASES").is_some();
    let cases = if asked { standard.cases.max(least) } else { least };
    ProptestConfig { cases, ..standard }
}

fn clean(redactor: &Redactor, text: &str) -> String {
    redactor.clean(Raw::from(text)).unwrap().clean.into_string()
}

fn streamed(redactor: &Redactor, pieces: &[&[u8]]) -> String {
    let mut stream = redactor.stream();
    let mut out = String::new();
    for piece in pieces {
        out.push_str(&stream.feed(&Raw::from(*piece)).unwrap());
    }
    out.push_str(&stream.finish().unwrap().clean);
    out
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn redacting_twice_is_redacting_once(text in text()) {
        let once = clean(&standard(), &text);
        prop_assert_eq!(clean(&standard(), &once), once);
    }

    /// Each secret becomes one placeholder, and the shortest that a rule takes is of three bytes.
    #[test]
    fn the_result_is_no_longer_than_a_bound(text in text()) {
        let clean = clean(&standard(), &text);
        prop_assert!(clean.len() <= text.len() * 28, "{} from {}", clean.len(), text.len());
    }

    #[test]
    fn text_outside_the_spans_stays_byte_for_byte(text in text()) {
        let redactor = with_custom();
        let spans = redactor.find(&text);
        let mut expected = String::new();
        let mut at = 0;
        for span in &spans {
            prop_assert!(at <= span.start && span.start < span.end);
            expected.push_str(&text[at..span.start]);
            expected.push_str(&match span.nth {
                1 => format!("[REDACTED: {}]", span.rule),
                nth => format!("[REDACTED: {}#{nth}]", span.rule),
            });
            at = span.end;
        }
        expected.push_str(&text[at..]);
        prop_assert_eq!(clean(&redactor, &text), expected);
    }

    #[test]
    fn the_same_secret_has_the_same_placeholder(text in text()) {
        let redactor = standard();
        let spans = redactor.find(&text);
        for one in &spans {
            for other in &spans {
                let same_secret = text[one.start..one.end] == text[other.start..other.end];
                let same_mark = one.nth == other.nth;
                prop_assert!(one.rule != other.rule || same_secret == same_mark);
            }
        }
    }

    #[test]
    fn every_placeholder_that_is_written_is_read_back(text in text()) {
        let redactor = standard();
        let before = placeholders(&text).count();
        let spans = redactor.find(&text).len();
        // A secret may stand inside what only looks like the beginning of a placeholder.
        prop_assert!(placeholders(&clean(&redactor, &text)).count() >= before.max(spans));
    }

    #[test]
    fn pieces_of_any_size_give_what_the_whole_gives(
        text in text(),
        cuts in vec(0..4000_usize, 0..12),
    ) {
        for redactor in [standard(), with_custom()] {
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
            cuts.sort_unstable();
            cuts.insert(0, 0);
            cuts.push(bytes.len());
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            prop_assert_eq!(streamed(&redactor, &pieces), clean(&redactor, &text));
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_the_same_in_pieces(
        bytes in vec(any::<u8>(), 0..200),
        cut in 0..200_usize,
    ) {
        let redactor = standard();
        let whole = redactor.clean(Raw::from(bytes.clone())).unwrap().clean.into_string();
        let cut = cut.min(bytes.len());
        prop_assert_eq!(streamed(&redactor, &[&bytes[..cut], &bytes[cut..]]), whole);
    }
}

proptest! {
    #![proptest_config(cases(20))]

    #[test]
    fn every_split_point_gives_what_the_whole_gives(text in text()) {
        for redactor in [standard(), with_custom()] {
            let whole = clean(&redactor, &text);
            for cut in 0..=text.len().min(1500) {
                let (left, right) = text.as_bytes().split_at(cut);
                prop_assert_eq!(&streamed(&redactor, &[left, right]), &whole, "cut at {}", cut);
            }
        }
    }

    #[test]
    fn single_bytes_give_what_the_whole_gives(text in text()) {
        for redactor in [standard(), with_custom()] {
            let pieces: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
            prop_assert_eq!(streamed(&redactor, &pieces), clean(&redactor, &text));
        }
    }
}

#[test]
fn a_value_that_was_cut_by_a_placeholder_is_not_taken_the_second_time() {
    let text = "algolia_api_key = 99999999999999999999999/api/webhooks/123456789012345678/\
                Kp4Qx7Rm2Sn5Tb8Vw3YzKp4Qx7Rm2Sn5Tb8Vw3YzKp4Qx7Rm2Sn5Tb8Vw3YzKp4Qx7RmA1[REDACTED: API_KEY]";
    let once = clean(&standard(), text);
    assert_eq!(clean(&standard(), &once), once);
}
