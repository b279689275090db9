//! What stands beside a name, and what does not.

use super::*;
use crate::judge::Look;

fn found(text: &str, name: &'static str, naming: Naming) -> Option<String> {
    let at = text.to_ascii_lowercase().find(name).unwrap();
    let beside = read(text, at, (&Name::of(name, 0), naming), &mut Memo::default())?;
    Some(text[beside.value_at..beside.value_end].to_owned())
}

#[test]
fn a_random_value_beside_a_name_is_a_credential() {
    for text in [
        "algolia_api_key = \"Kp4Qx7Rm2Sn5Tb8Vw3Yz\"",
        "myAlgoliaKey: 'Kp4Qx7Rm2Sn5Tb8Vw3Yz'",
        "ALGOLIA=Kp4Qx7Rm2Sn5Tb8Vw3Yz",
        "algoliaSecretTOKEN Kp4Qx7Rm2Sn5Tb8Vw3Yz",
        "algolia-access-key-Kp4Qx7Rm2Sn5Tb8Vw3Yz",
        "algolia client id: Kp4Qx7Rm2Sn5Tb8Vw3Yz",
        "algolia_key2 = Kp4Qx7Rm2Sn5Tb8Vw3Yz",
        "algoliaPRIVATEalgolia_KEY: Kp4Qx7Rm2Sn5Tb8Vw3Yz",
        "algolia_access_key_id: Kp4Qx7Rm2Sn5Tb8Vw3Yz",
    ] {
        let value = found(text, "algolia", Naming::Coined);
        assert_eq!(value.as_deref(), Some("Kp4Qx7Rm2Sn5Tb8Vw3Yz"), "{text}");
    }
}

#[test]
fn other_words_versions_and_names_end_the_search() {
    for text in [
        "algoliasearch-4.14.2.tgz#eb9e15deb83e4ca532989df12b40fedd434ef89a",
        "algolia integrity sha512-Kp4Qx7Rm2Sn5Tb8Vw3Yz",
        "algolia-7d9f8c6b5d-x2x4z",
        "algolia: 98fc74a8",
        "algolia key: algolia_default_search_key",
        "algolia token = 1.2.3-rc.4.build.20240101",
        "algolia_key = get_key2_from_settings3(x)",
        "algolia-7b3e5d8c1a9f4e2b6c8d3a5e9f1b7c4d.js",
        "algolia_key_OF=Kp4Qx7Rm2Sn5Tb8Vw3Yz",
        "algolia_key = 7b3e5d8c-1a9f-4e2b-6c8d-3a5e9f1b7c4",
        "algolia_key = 7b3e5d8c1a9f4e2b6c8d3a5e9f1b7c4",
        "algolia_key_id = Kp4Qx7Rm2Sn5Tb8Vw3Yz",
        "algoliaKeyId: Kp4Qx7Rm2Sn5Tb8Vw3Yz",
        "algolia_private_key=7b3e5d8c1a9f4e2b",
    ] {
        assert_eq!(found(text, "algolia", Naming::Coined), None, "{text}");
    }
}

#[test]
fn what_issuers_make_is_known_by_its_form() {
    for value in [
        "7b3e5d8c-1a9f-4e2b-6c8d-3a5e9f1b7c4d",
        "kp4q-x7rm-2sn5-tb8v",
        "Kp4Qx7Rm2Sn5Tb8Vw3Yz==",
        "Kp4Qx7Rm2Sn5Tb8V.Kp4Qx7Rm2Sn5Tb8V.Kp4Qx7Rm2Sn5Tb8V",
    ] {
        let text = format!("algolia={value}");
        assert_eq!(found(&text, "algolia", Naming::Coined).as_deref(), Some(value));
    }
    let appended = "algolia-7b3e5d8c-1a9f-4e2b-6c8d-3a5e9f1b7c4d";
    assert!(found(appended, "algolia", Naming::Coined).is_some());
    assert!(found(&appended.replace("algolia", "square"), "square", Naming::Word).is_none());
}

#[test]
fn a_password_beside_a_name_may_have_any_mark() {
    for (text, value) in [
        ("upcloud_password : = \"Gr3en>Tr|act%or!", Some("Gr3en>Tr|act%or!")),
        ("upcloud password: is set elsewhere", None),
        ("upcloud_password = read(config1.password)", None),
    ] {
        assert_eq!(found(text, "upcloud", Naming::Coined).as_deref(), value, "{text}");
    }
}

#[test]
fn a_word_needs_another_that_speaks_of_a_secret() {
    let value = "3b335d612137949d2f21fcc6c8c8164d";
    assert_eq!(found(&format!("square {value}"), "square", Naming::Word), None);
    assert!(found(&format!("square token {value}"), "square", Naming::Word).is_some());
}

/// Values that stand so close that they are counted together, of every form that is told apart.
#[test]
fn what_is_counted_together_is_judged_as_if_it_stood_alone() {
    const PARTS: &[&str] = &[
        "KEY_",
        "KEY=",
        "TOKEN: ",
        "_",
        "H",
        "5",
        "wordy",
        "abcdefgh-ijkl1m2n3o",
        "=",
        "//",
        "==",
        "7b3e5d8c-1a9f-4e2b-6c8d-3a5e9f1b7c4d",
        "_HERE",
        "xx",
        "bcdfghjk",
        "Kp4Qx7Rm2Sn5Tb8Vw3Yz",
        "abcdefghijk1lmno2pqrst3u",
        ".",
        " ",
        "A_B_C",
        "KEY_Rq1w_Xy2z-Pn3vKqTzWmRbLp",
        "%{",
    ];
    let (mut text, mut state) = (String::new(), 1_usize);
    while text.len() < 60_000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        text.push_str(PARTS[(state >> 33) % PARTS.len()]);
    }
    let (mut memo, mut found) = (Memo::default(), [0, 0]);
    for (word, naming) in
        [("KEY", Naming::Shouted), ("KEY", Naming::Coined), ("TOKEN", Naming::Word)]
    {
        let name = Name::of(word, 0);
        for (at, _) in text.match_indices(word) {
            let text = &text[..text.len().min(at + 600)];
            let [together, alone] = [&mut memo, &mut Memo::default()].map(|memo| {
                let beside = read(text, at, (&name, naming), memo)?;
                Some((beside.value_at, beside.value_end, beside.run_end))
            });
            assert_eq!(together, alone, "{}", &text[at..text.len().min(at + 150)]);
            found[usize::from(alone.is_some())] += 1;
        }
    }
    assert!(found.iter().all(|many| *many > 200), "{found:?}");
}

/// All that a gap may say, and what it may say together.
fn gaps() -> Vec<Gap> {
    let said = [
        Said::default(),
        Said::ID,
        Said::CLIENT,
        Said::SECRET,
        Said::ASSIGNED,
        Said::BLANK,
        Said::ASSIGNED.and(Said::TIGHT),
        Said::ASSIGNED.and(Said::PAIR).and(Said::BLANK),
        Said::LISTED,
        Said::SECRET.and(Said::at(10)),
    ];
    let pairs = said.iter().flat_map(|one| said.map(|other| one.and(other)));
    let gap = |said, words| Gap { words, said, last: Last::default() };
    pairs.flat_map(|said| [gap(said, 0), gap(said, 1)]).collect()
}

#[test]
fn what_words_ask_for_is_refused_by_no_first_look() {
    let values = [
        "Kp4Qx7Rm",
        "Kp4Qx7Rm2",
        "Kp4Qx7Rm2Sn5",
        "Kp4Qx7Rm2Sn5Tb8Vw3Yz",
        "Kp4Qx7Rm2Sn5Tb8Vw3YzKp4Q",
        "Kp4Qx7Rm_Sn5Tb8Vw3YzKp4Q",
        "Kp4Qx7Rm2Sn5Tb8Vw3YzKp4Qx7Rm2Sn5Tb8Vw3YzKp4Qx_7Rm2Sn5Tb8Vw3Yz",
        "7b3e5d8c1a9f4e2b6c8d3a5e9f1b7c4d",
        "7b3e5d8c-1a9f-4e2b-6c8d-3a5e9f1b7c4d",
        "7b3e5d8c-1.9f-4e2b-6c8d-3a5e9f1b7c4d",
        "7b!e5d8c-1a9f-4e2b-6c8d-3a5e9f1b7c4d",
        "kp4q-x7rm-2sn5-tb8v-w3yz-kp4q",
        "Kp4Qx7Rm2Sn5Tb8V.Kp4Qx7Rm2Sn5Tb8V.Kp4Qx7Rm2Sn5Tb8V",
    ];
    let mut formed = 0;
    for gap in gaps() {
        for (value, naming) in values.iter().flat_map(|value| {
            [Naming::Coined, Naming::Word, Naming::Shouted].map(|it| (*value, it))
        }) {
            let look = Look::default();
            let asked = naming != Naming::Shouted || gap.secret();
            if asked && is_formed(Value::new(value, &look), &gap, naming) {
                assert!(may_be_formed(value, &gap, naming), "{value} {gap:?} {naming:?}");
                let looked = naming != Naming::Shouted || may_be_shouted(value.as_bytes());
                assert!(looked, "{value}");
                formed += 1;
            }
        }
    }
    assert!(formed > 500, "{formed}");
}
