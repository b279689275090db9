//! What the judge says about single values.

use super::words::{is_gibberish, is_placeholder, is_reference, is_wordy};
use super::*;

#[test]
fn words_are_told_from_random_text() {
    for wordy in ["my-service-token", "ClientSecretConfigValue2", "kubernetes/tls.secret", "v1"] {
        assert!(is_wordy(wordy) || wordy == "v1", "{wordy}");
    }
    for random in ["Kp4Qx7Rm2Sn5Tb8Vw3Yz", "7b3e5d8c1a9f4e2b6c8d3a5e9f1b7c4d", "xK9!aa"] {
        assert!(!is_wordy(random), "{random}");
    }
    assert!(is_gibberish("ufnlbbavawsdeecn"));
    assert!(!is_gibberish("configurationvalue"));
    assert!(!is_gibberish("has-a-dash-kkkkkk"));
}

#[test]
fn references_and_examples_are_no_secrets() {
    for reference in [
        "${X}",
        "$X",
        "$(cat x)",
        "process.env.X",
        "{{ x }}",
        "%PASSWORD%",
        "a.b.c",
        "DB_PASSWORD",
        "<key>",
        "!vault",
        ":password",
        "#{x}",
    ] {
        assert!(is_reference(reference), "{reference}");
    }
    for secret in ["pa$$word", "super$ecret", "100%sure", "a.b2.c", "!Qa2@ws", "db_Password"] {
        assert!(!is_reference(secret), "{secret}");
    }
    for example in ["changeme", "YOUR_KEY_HERE", "xxxxxxxx", "aaaaaa", "[key]", "***"] {
        assert!(is_placeholder(example), "{example}");
    }
}

#[test]
fn a_hash_that_lost_a_digit_is_none_and_a_key_of_another_length_is_one() {
    let digits = "7b3e5d8c1a9f4e2b6c8d3a5e9f1b7c4d7b3e5d8c1a9f4e2b6c8d3a5e9f1b7c4d7";
    let cut = (16..=65).filter(|&len| is_cut_hash(&digits[..len])).collect::<Vec<_>>();
    assert_eq!(cut, [31, 33, 39, 41, 63, 65]);
    assert!(!is_cut_hash("123456789012345678901234567890123"), "a number is no hash");
    assert!(!is_cut_hash("7b3e5d8c1a9f4e2b6c8d3a5e9f1b7cx"), "x is no digit of base 16");
}

#[test]
fn basic_credentials_decode_to_a_pair() {
    assert!(is_credential_pair("QWxhZGRpbjpvcGVuIHNlc2FtZQ=="));
    assert!(!is_credential_pair("authentication"));
    assert!(!is_credential_pair("QWxhZGRpbg=="));
}

#[test]
fn an_example_host_in_base64_is_known_by_its_beginning() {
    for example in [
        "ZXhhbXBsZS5hY2NvdW50cy5kZXYk",
        "pk_live_ZXhhbXBsZS5hY2NvdW50cy5kZXYk",
        "aG9zdC5leGFtcGxlLm9yZw==",
    ] {
        assert!(is_encoded_example(example), "{example}");
    }
    for other in [
        "",
        "ZXhhbXBs",
        "Kp4Qx7Rm2Sn5Tb8Vw3Yz",
        "YWJj=xxxx",
        "ZXhhbXBsZS5hY2NvdW50cy5kZXYk_Kp4Qx7Rm2Sn5",
        "YW4gZXhhbXBsZS5vZiBpdA==",
    ] {
        assert!(!is_encoded_example(other), "{other}");
    }
}

#[test]
fn padding_joins_nothing() {
    for (value, joints) in [
        ("", 0),
        ("=", 0),
        ("a==", 0),
        ("a=b", 1),
        ("=b==c=", 2),
        ("a=b=c=d==e", 4),
        ("a=b=c=d=e=f=g=h=i=j=k=l=m=n=o=p", 15),
    ] {
        for least in 1..20 {
            assert_eq!(form::has_joints(value.as_bytes(), least), joints >= least, "{value}");
        }
    }
}
