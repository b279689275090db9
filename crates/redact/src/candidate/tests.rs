//! What was found out before changes what a place costs, and nothing else.

use std::collections::BinaryHeap;

use super::*;
use crate::keyword::{Keywords, Slash};
use crate::near::Naming;
use crate::tail::{Ending, Quoted};

/// What is found in a text, but for what lies in something else that begins there; `kept` is what
/// is remembered from one keyword to the next.
fn found(text: &str, mut kept: Option<Memo>) -> Vec<String> {
    let keywords = Keywords::get();
    let mut hits = Vec::new();
    keywords.hits(text, (0, Slash::IsText), |hit| hits.push((hit.start, hit.keyword)));
    hits.sort_unstable();
    let view = View::new(text, 0, Ending::Final);
    let (mut waiting, mut found) = (BinaryHeap::new(), Vec::new());
    for (start, keyword) in hits {
        while waiting.peek().is_some_and(|next: &Candidate| next.start < start) {
            found.extend(waiting.pop());
        }
        let row = keywords.row(keyword).unwrap();
        let place = Place { view: &view, row, at: start };
        for rule in &row.rules {
            let candidate = match &mut kept {
                Some(memo) => place.find(*rule, waiting.peek(), memo),
                None => place.find(*rule, None, &mut Memo::default()),
            };
            waiting.extend(candidate);
        }
    }
    found.extend(waiting);
    found.sort_by(|one, other| other.cmp(one));
    found.dedup_by_key(|candidate| candidate.start);
    found.iter().map(|candidate| format!("{candidate:?}")).collect()
}

#[test]
fn what_is_remembered_never_changes_what_is_found() {
    let value = "Kp4Qx7Rm2Sn5Tb8Vw3YzKp4Qx7Rm2Sn5Tb8Vw3Yz";
    let texts = [
        format!("secret_pass=a=b={value}\npass_token=a={value}\ntoken_pass=a={value}"),
        format!("OPENAI_API_KEY={value}\nOPENAI_API_KEY=\"{value}\"\nopenai api key {value}"),
        format!("{}okta token = {value}", "okta ".repeat(20)),
        format!("{} {value} {}{value}", "percy_token-".repeat(9), "percy-".repeat(40)),
        format!("{}{value} {}={value}", "KEY ".repeat(30), "TOKEN_KEY ".repeat(3)),
        format!("gitterSECRET-{value} gitter_secret=\"{value}\" gitter secret {value}."),
        // What a rule that asks for less has judged.
        format!("api_key=short my_key={value} api_key=short preshared_key={} ", &value[..24]),
        format!("public{}_api_key = {value} ", "a".repeat(41)),
        "api_secret = \"green#Tractor!9\"".to_owned(),
        "api_key=api_key=api-key: api-key: token=token='token token ".repeat(9),
    ];
    let examples = rules::all().flat_map(|(_, rule)| rule.yes).map(|(text, _)| *text);
    let joined = examples.collect::<Vec<_>>().join(" ");
    for text in texts.iter().map(String::as_str).chain([joined.as_str()]) {
        let kept = found(text, Some(Memo::default()));
        let fresh = found(text, None);
        assert_eq!(kept.len(), fresh.len());
        for (kept, fresh) in kept.iter().zip(&fresh) {
            assert_eq!(kept, fresh, "{}", &text[..text.floor_char_boundary(200)]);
        }
    }
}

#[test]
fn digits_at_the_end_of_what_a_word_in_capitals_may_name_are_seen() {
    let value = format!("{}742", "kqzxwvbnmrtplhgdfsc".repeat(6));
    for gap in [1, 100, 480, 500] {
        let text = format!("x KEY{}{value} and more", " ".repeat(gap));
        let beside = near::read(
            &text,
            2,
            (&near::Name::of("KEY", 0), Naming::Shouted),
            &mut Memo::default(),
        );
        assert!(beside.is_some_and(|beside| beside.value_end == 5 + gap + value.len()), "{gap}");
        assert_eq!(found(&text, Some(Memo::default())).len(), 1, "{gap}");
    }
}

#[test]
fn addresses_and_values_of_few_bytes_that_reach_over_each_other_are_no_keys() {
    const PARTS: &[&str] =
        &["_KEY=", "_KEY:", "://", "5", "aab", "_KEY://", "Kp4Qx7Rm2Sn5Tb8Vw3Yz ", "x", "\"", " "];
    for seed in 1..30_usize {
        let (mut text, mut state) = (String::new(), seed);
        while text.len() < 3000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            text.push_str(PARTS[(state >> 33) % (3 + seed % PARTS.len()).min(PARTS.len())]);
        }
        assert_eq!(found(&text, Some(Memo::default())), found(&text, None), "{seed}");
    }
}

#[test]
fn a_path_behind_a_word_for_a_key_is_none() {
    let value = "Kp4Qx7Rm2Sn5Tb8Vw3YzKp4Qx7Rm2Sn5Tb8Vw3Yz";
    for row in (0..).map_while(|keyword| Keywords::get().row(keyword)) {
        for word in row.words.texts() {
            for (path, whole) in [(":/", true), ("://", true), (":", false)] {
                let text =
                    format!("acme{word}{path}{value} and more of what nobody hides anywhere");
                let view = View::new(&text, 0, Ending::Final);
                let place = Place { view: &view, row, at: 4 };
                for (index, rule) in &row.rules {
                    let key = matches!(rule.find, Find::Assigned(_, Kind::Key | Kind::LooseKey));
                    let found = place.find((*index, *rule), None, &mut Memo::default());
                    assert!(!key || !whole || found.is_none(), "{text}");
                }
            }
        }
    }
}

#[test]
fn candidates_are_the_same_where_all_of_them_is() {
    fn digit(byte: u8) -> bool {
        byte.is_ascii_digit()
    }
    let candidate = |start, end, id, replacement: Option<&str>, tail| {
        let replacement = replacement.map(str::to_owned);
        Candidate { start, end, id, replacement, tail }
    };
    let quoted = |quote| Tail::Quoted(Quoted { quote, escaped: false });
    let all = [
        candidate(1, 9, 2, None, Tail::Closed),
        candidate(2, 9, 2, None, Tail::Closed),
        candidate(1, 8, 2, None, Tail::Closed),
        candidate(1, 9, 3, None, Tail::Closed),
        candidate(1, 9, 2, Some("-"), Tail::Closed),
        candidate(1, 9, 2, None, Tail::Run(digit)),
        candidate(1, 9, 2, None, Tail::Run(crate::tail::is_base64)),
        candidate(1, 9, 2, None, quoted(b'"')),
        candidate(1, 9, 2, None, quoted(b'`')),
        candidate(1, 9, 2, None, Tail::Pem(Pem::default())),
    ];
    for (index, one) in all.iter().enumerate() {
        let same = all.iter().map(|other| one.is_same(other)).collect::<Vec<_>>();
        let expected = (0..all.len()).map(|other| other == index).collect::<Vec<_>>();
        assert_eq!(same, expected, "{one:?}");
    }
}
