//! `garth redact` as a filter.

use crate::scene::{Scene, garth};

const SECRET: &str = "sk_live_4eC39HqLyjWDarjtT1zdp7dc";

#[test]
fn standard_input_comes_out_without_its_secrets() {
    let run = garth(&["redact"], &format!("a\nkey = \"{SECRET}\"\nno newline"));
    assert_eq!(run.code, 0);
    assert_eq!(run.stdout, "a\nkey = \"[REDACTED: STRIPE_KEY]\"\nno newline");
}

#[test]
fn files_come_out_one_after_the_other() {
    let scene = Scene::new(&[("a", &format!("{SECRET}\n")), ("b", "plain\n")]);
    let path = |name: &str| scene.path().join(name).to_str().unwrap().to_owned();
    let run = garth(&["redact", &path("a"), &path("b")], "");
    assert_eq!((run.code, run.stdout.as_str()), (0, "[REDACTED: STRIPE_KEY]\nplain\n"));
    let run = garth(&["redact", &path("nope")], "");
    assert!(run.code == 1 && run.stderr.contains("FILE_NOT_FOUND"), "{run:?}");
    let run = garth(&["redact", scene.path().to_str().unwrap()], "");
    assert!(run.code == 1 && run.stderr.contains("NOT_A_FILE"), "{run:?}");
}

#[test]
fn a_long_text_is_not_cut_and_no_border_hides_a_secret() {
    let line = format!("{} {SECRET}\n", "x".repeat(997));
    let run = garth(&["redact"], &line.repeat(300));
    assert_eq!(run.stdout, line.replace(SECRET, "[REDACTED: STRIPE_KEY]").repeat(300));
}
