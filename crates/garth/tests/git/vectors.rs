//! Every way in which a repository makes git run a program, one at a time: each fires with
//! plain git, and with the tool none of them reaches what is outside the sandbox.

mod table;

use std::{fs, path::Path, process::Command};

use crate::yard::{SECRET, Yard, every_action, runs_here};
use table::{HOOKS, SETTINGS, Vector};

/// What a vector runs: it marks the outside, and the inside.
const EVIL: &str = "#!/bin/sh\n\
                    touch \"@OUTSIDE@/fired\" 2>/dev/null\n\
                    for at in . .. ../..; do [ -d $at/.git ] && touch $at/.git/fired-inside; done\n\
                    cat @OUTSIDE@/secret 2>/dev/null\n\
                    cat\nexit 0\n";

fn planted(vector: &Vector) -> Yard {
    let yard = Yard::with("");
    let git = yard.root().join(".git");
    let evil = EVIL.replace("@OUTSIDE@", yard.outside().to_str().unwrap());
    let text = git.join("evil.text");
    fs::write(&text, &evil).unwrap();
    // Copied by a process of its own: what this one writes, a child that another thread begins at
    // that moment has open too, and nothing runs that somebody may write to.
    let executable = |path: &Path| {
        let copied =
            Command::new("install").args(["-m", "755"]).args([text.as_path(), path]).status();
        assert!(copied.unwrap().success(), "{}", path.display());
    };
    executable(&git.join("evil"));
    if let Some(hook) = vector.hook {
        executable(&git.join("hooks").join(hook));
    }
    let prepared = yard.plain(vector.prepare);
    assert!(prepared.ok, "{}: {}", vector.name, prepared.said);
    fs::create_dir_all(git.join("info")).unwrap();
    fs::write(git.join("info/attributes"), vector.attributes).unwrap();
    let config = fs::read_to_string(git.join("config")).unwrap();
    fs::write(git.join("config"), format!("{config}\n{}\n", vector.config)).unwrap();
    yard
}

/// Plants a vector twice: once for plain git, once for every action of the tool.
fn try_out(vector: &Vector) {
    let plain = planted(vector);
    let said = plain.plain(vector.fire).said;
    let fired = plain.outside().join("fired");
    assert!(fired.exists(), "{}: it does not fire with plain git: {said}", vector.name);

    let ours = planted(vector);
    let before = ours.all_outside();
    for params in every_action() {
        let text = match ours.call(&params) {
            Ok(reply) => format!("{} {}", reply.text, serde_json::Value::Object(reply.payload)),
            Err(failure) => serde_json::Value::Object(failure.body()).to_string(),
        };
        assert!(!text.contains(SECRET), "{} {params}: {text}", vector.name);
        assert_eq!(ours.all_outside(), before, "{} {params}", vector.name);
    }
    if vector.hook.is_some() {
        let inside = ours.root().join(".git/fired-inside");
        assert!(!inside.exists(), "{}: hooks are off, and it ran", vector.name);
    }
}

/// Tries all of them, on as many threads as there is something to do for.
fn try_all(vectors: &'static [Vector]) {
    if !runs_here() {
        return;
    }
    let (first, second) = vectors.split_at(vectors.len() / 2);
    std::thread::scope(|scope| {
        for part in [first, second] {
            scope.spawn(move || part.iter().for_each(try_out));
        }
    });
    println!("{} vectors: each fires with plain git, none outside the sandbox", vectors.len());
}

#[test]
fn no_hook_of_a_repository_runs() {
    try_all(HOOKS);
}

#[test]
fn no_setting_of_a_repository_reaches_outside() {
    try_all(SETTINGS);
}

#[test]
fn the_table_has_every_vector_that_is_known() {
    let names: std::collections::BTreeSet<_> =
        HOOKS.iter().chain(SETTINGS).map(|vector| vector.name).collect();
    assert_eq!(names.len(), HOOKS.len() + SETTINGS.len());
    assert!(names.len() >= 39, "{}", names.len());
}

#[test]
fn hooks_run_where_they_are_asked_for_and_inside_only() {
    if !runs_here() {
        return;
    }
    let vector = HOOKS.iter().find(|vector| vector.name == "hook pre-commit").unwrap();
    let yard = planted(vector);
    let commit = serde_json::json!({"action": "commit", "message": "x", "hooks": true});
    yard.told(&commit);
    assert!(yard.root().join(".git/fired-inside").exists());
    assert!(!yard.outside().join("fired").exists());
}
