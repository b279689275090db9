//! Completions and pages of the manual, which name what there is.

use crate::scene::garth;

/// What a run prints that must succeed.
fn printed(arguments: &[&str]) -> String {
    let run = garth(arguments, "");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{arguments:?}");
    run.stdout
}

#[test]
fn every_shell_gets_a_script_that_names_the_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = printed(&["completions", shell]);
        for name in ["serve", "token", "completions", "--no-redact"] {
            // A shell may have dashes of its own.
            assert!(script.contains(name.trim_start_matches('-')), "{shell}: {name}");
        }
    }
    assert_eq!(garth(&["completions", "dos"], "").code, 2);
}

#[test]
fn every_command_has_a_page() {
    let page = printed(&["man"]);
    assert!(page.contains(".TH garth 1") && page.contains("token"), "{page}");
    assert!(page.contains("Examples"), "{page}");
    let page = printed(&["man", "token", "create"]);
    assert!(page.contains(".TH garth-token-create 1"), "{page}");
    assert!(page.contains("role"), "{page}");
    assert_eq!(garth(&["man", "tokens"], "").code, 2);
}

#[test]
fn the_help_of_a_command_begins_as_the_list_of_commands_says() {
    let list = printed(&["--help"]);
    let rows = list.lines().skip_while(|line| *line != "Commands:").skip(1);
    let rows: Vec<_> = rows.take_while(|line| !line.is_empty()).collect();
    assert!(rows.len() > 10, "{list}");
    for row in rows {
        let (name, sentence) = row.trim().split_once(char::is_whitespace).unwrap();
        if ["help", "guest"].contains(&name) {
            // One is clap's own, the other has the help of the program that it starts.
            continue;
        }
        let help = printed(&[name, "--help"]);
        assert_eq!(help.lines().next(), Some(sentence.trim()), "{name}");
    }
}
