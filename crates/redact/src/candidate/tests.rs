//! What was found out before changes what a place costs, and nothing else.

use super::*;
use crate::keyword::Keywords;
use crate::tail::Ending;

/// What every rule finds at every keyword of a text, in the order in which they are tried.
fn found(text: &str, mut kept: Option<Memo>) -> Vec<String> {
    let keywords = Keywords::get();
    let mut hits = Vec::new();
    keywords.hits(text, 0, |hit| hits.push((hit.start, hit.keyword)));
    hits.sort_unstable();
    let view = View::new(text, 0, Ending::Final);
    let mut found = Vec::new();
    for (start, keyword) in hits {
        let row = keywords.row(keyword).unwrap();
        let place = Place::new(&view, row, start);
        for rule in &row.rules {
            let mut fresh = Memo::default();
            let memo = kept.as_mut().unwrap_or(&mut fresh);
            let candidate = place.find(*rule, None, memo);
            found.push(format!("{start} {} {candidate:?}", rule.1.name));
        }
    }
    found
}

#[test]
fn what_is_remembered_never_changes_what_is_found() {
    let value = "Kp4Qx7Rm2Sn5Tb8Vw3YzKp4Qx7Rm2Sn5Tb8Vw3Yz";
    let mut texts: Vec<String> = Vec::new();
    // What stands before a name is cut at another place for each word in it.
    for more in 0..24 {
        let lead = format!("{}=1 {}", "A".repeat(more), "ABC=1 ".repeat(CONTEXT / 6 - 2));
        texts.push(format!("x {lead}AWS_SECRET_ACCESS_KEY={value},{value}"));
        let login = format!("login {}", "m".repeat(CONTEXT + 4 - more));
        texts.push(format!("{login}\nsecret_access_key {}\n", &value[..20]));
        let name = format!("{}{}", "-".repeat(80), "A".repeat(more + 24));
        texts.push(format!("{name}_SECRET_ACCESS_KEY={value},{value}"));
        // And what stands behind it.
        let quoted = value.repeat(WINDOW / value.len() - 1);
        texts.push(format!("my_secret_access_key = \"{quoted}{}\" ", &value[..more]));
    }
    texts.extend([
        format!("secret_pass=a=b={value}\npass_token=a={value}\ntoken_pass=a={value}"),
        format!("OPENAI_API_KEY={value}\nOPENAI_API_KEY=\"{value}\"\nopenai api key {value}"),
        format!("{}okta token = {value}", "okta ".repeat(20)),
        format!("{} {value} {}{value}", "percy_token-".repeat(9), "percy-".repeat(40)),
        format!("{}{value} {}={value}", "KEY ".repeat(30), "TOKEN_KEY ".repeat(3)),
        format!("gitterSECRET-{value} gitter_secret=\"{value}\" gitter secret {value}."),
        "api_key=api_key=api-key: api-key: token=token='token token ".repeat(9),
    ]);
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
