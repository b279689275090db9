//! Every attempt of the table, inside and outside.

use garth_sandbox::{
    Layer, State,
    attempt::{ALL, Outside},
    probe,
};

use crate::yard::{Who, is_root, yards};

#[test]
fn no_attempt_is_allowed_inside() {
    for yard in yards() {
        let bait = yard.bait();
        let mut arguments = vec!["try-all"];
        arguments.extend(bait.iter().map(String::as_str));
        let said = yard.attempt_inside(&[], &arguments);
        assert_eq!(said.code, Some(0), "{said:?}");
        for attempt in ALL {
            let refused = format!("{} refused", attempt.name);
            let found = said.out.lines().any(|line| line.starts_with(&refused));
            assert!(found, "{:?}: {}: {said:?}", yard.who, attempt.name);
        }
    }
}

#[test]
fn the_same_attempts_work_outside() {
    for yard in yards() {
        for attempt in ALL {
            let works = match attempt.outside {
                Outside::Works => true,
                Outside::WorksForRoot => yard.who == Who::Root,
                Outside::Depends => false,
                Outside::Harms => continue,
            };
            let mut command = yard.attempt();
            command.args(["try", attempt.name]).args(yard.bait());
            let said = yard.run(command);
            if works {
                let allowed = format!("{} allowed\n", attempt.name);
                assert_eq!(said.out, allowed, "{:?}: {said:?}", yard.who);
            } else {
                print!("outside, as {:?}: {}", yard.who, said.out);
            }
        }
    }
}

#[test]
fn every_layer_holds_where_it_can_be_had() {
    let found = probe();
    assert_eq!(found.len(), Layer::ALL.len() - 1);
    for row in found {
        if row.layer == Layer::Cgroup && row.state == State::Missing {
            assert!(row.advice.is_some());
            println!("skipped: no cgroup was handed over");
        } else {
            assert_eq!(row.state, State::Holds, "{row:?}");
        }
    }
}

#[test]
fn a_user_s_probe_says_what_is_missing_and_what_to_do() {
    let yards = yards();
    let yard = yards.iter().find(|yard| yard.who == Who::User).unwrap();
    let mut command = yard.enter_bare();
    command.arg("--probe");
    let said = yard.run(command);
    for layer in Layer::ALL {
        if layer != Layer::Program && layer != Layer::Cgroup {
            let holds = format!("{layer}: Holds: ");
            assert!(said.out.lines().any(|line| line.starts_with(&holds)), "{layer}: {said:?}");
        }
    }
    if is_root() {
        assert!(said.out.contains("cgroup: Missing: no sandbox: layer cgroup: "), "{said:?}");
        assert!(said.out.contains(Layer::Cgroup.advice()), "{said:?}");
        assert_eq!(said.code, Some(1));
    }
}
