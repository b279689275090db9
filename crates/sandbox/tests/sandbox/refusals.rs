//! A sandbox that cannot be whole is refused, and says what is missing.

use std::fs::File;

use crate::yard::{Who, is_root, yards};

#[test]
fn a_layer_that_cannot_be_had_is_named() {
    for yard in yards() {
        for (call, as_root, as_user) in [
            ("sethostname", "namespaces", "namespaces"),
            ("unshare", "namespaces", "namespaces"),
            ("mount_setattr", "ids", "mounts"),
            ("socket", "network", "network"),
            ("capset", "privileges", "privileges"),
            ("prlimit", "rlimits", "rlimits"),
            ("landlock", "landlock", "landlock"),
            ("seccomp", "seccomp", "seccomp"),
        ] {
            let layer = if yard.who == Who::Root { as_root } else { as_user };
            let said = run_denied(&yard, call, &[]);
            assert_eq!((said.code, said.out.as_str()), (Some(125), ""), "{call}: {said:?}");
            let named = format!("garth-enter: no sandbox: layer {layer}: cannot ");
            assert!(said.err.starts_with(&named), "{call}: {said:?}");
            let advice = garth_sandbox::Layer::from_name(layer).unwrap().advice();
            assert!(said.err.contains(advice), "{call}: {said:?}");
        }
    }
}

#[test]
fn a_layer_that_may_be_lacking_is_said_to_be() {
    for yard in yards() {
        for layer in ["landlock", "seccomp"] {
            let said = run_denied(&yard, layer, &["--without", layer]);
            assert_eq!((said.code, said.out.as_str()), (Some(0), "inside\n"), "{said:?}");
            assert_eq!(said.err, format!("garth-enter: without {layer}\n"));
            // Nothing is lacking where it can be had.
            let said = yard.inside_with(&["--without", layer], "echo inside");
            assert_eq!((said.out.as_str(), said.err.as_str()), ("inside\n", ""));
        }
    }
}

fn run_denied(yard: &crate::yard::Yard, call: &str, options: &[&str]) -> crate::yard::Said {
    let enter = yard.enter(options);
    let mut command = yard.attempt();
    // It becomes `enter`, which it finds open.
    command.stdin(File::open(env!("CARGO_BIN_EXE_garth-enter")).unwrap());
    command.args(["deny", call, "--", "/proc/self/fd/0"]).args(enter.get_args());
    command.args(["--", "echo", "inside"]);
    yard.run(command)
}

#[test]
fn there_is_no_sandbox_in_a_sandbox() {
    for yard in yards() {
        let enter = env!("CARGO_BIN_EXE_garth-enter");
        let mut command = yard.enter(&["--program", "/proc/self/fd/0"]);
        command.stdin(File::open(enter).unwrap());
        command.args(["--", "enter", "--root", "/tmp", "--memory", "0", "--", "true"]);
        let said = yard.run(command);
        assert!(said.err.contains("no sandbox: layer namespaces: "), "{said:?}");
        assert_eq!(said.code, Some(125));
    }
}

#[test]
fn a_bound_on_memory_that_cannot_hold_is_refused() {
    if !is_root() {
        println!("skipped: only root can be root");
        return;
    }
    let yards = yards();
    let yard = yards.iter().find(|yard| yard.who == Who::User).unwrap();
    let mut command = yard.enter_bare();
    command.arg("--root").arg(yard.ws()).args(["--", "echo", "inside"]);
    let said = yard.run(command);
    assert!(said.err.starts_with("garth-enter: no sandbox: layer cgroup: "), "{said:?}");
    let said = yard.inside_with(&["--memory", "1000000000", "--without", "cgroup"], "echo inside");
    assert_eq!(said.out, "inside\n");
    assert_eq!(said.err, "garth-enter: without cgroup\n");
}

#[test]
fn a_program_that_is_not_there_is_said_so() {
    for yard in yards() {
        for missing in ["/usr/bin/no-such-program", "/workspace", "no-such-program"] {
            let mut command = yard.enter(&["--", missing]);
            command.stdin(std::process::Stdio::null());
            let said = yard.run(command);
            assert!(said.err.contains("layer program: cannot run it: "), "{said:?}");
            assert_eq!(said.code, Some(125));
        }
    }
}

#[test]
fn places_must_be_names_of_their_own() {
    for yard in yards() {
        let path = yard.ws().display().to_string();
        for roots in [
            vec![path.clone(), path.clone()],
            vec![format!("a={path}"), format!("a={path}")],
            vec![format!("..={path}")],
            vec![format!("a/b={path}")],
        ] {
            let mut command = yard.enter_bare();
            for root in &roots {
                command.args(["--root", root]);
            }
            let said = yard.run({
                command.args(["--memory", "0", "--", "true"]);
                command
            });
            assert!(said.err.contains("layer mounts: cannot place "), "{roots:?}: {said:?}");
        }
    }
}

#[test]
fn a_layer_that_nobody_may_lack_cannot_be_spared() {
    for yard in yards() {
        for layer in ["namespaces", "mounts", "network", "privileges", "rlimits", "nonsense"] {
            let said = yard.inside_with(&["--without", layer], "echo inside");
            assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{said:?}");
        }
    }
}
