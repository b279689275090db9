//! The key of an account is known to the gateway and to nobody else.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::{gateway::Data, keeper::Keeper};

/// Whether any file below a directory holds these bytes.
fn holds(directory: &Path, bytes: &str) -> Option<String> {
    let mut waiting = vec![directory.to_owned()];
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                waiting.push(path);
                continue;
            }
            let content = fs::read(&path).unwrap_or_default();
            if content.windows(bytes.len()).any(|some| some == bytes.as_bytes()) {
                return Some(path.display().to_string());
            }
        }
    }
    None
}

#[test]
fn the_key_is_in_no_sandbox_no_log_and_no_file_of_the_gateway() {
    let Some(keeper) = Keeper::start() else { return };
    let data = keeper.data();
    let gateway = data.start();
    gateway.made("bird", "e2b");
    gateway.say("bird", "echo kept > file");
    // What it would look for must not be in its own words.
    let (first, second) = keeper.key.split_at(keeper.key.len() / 2);
    let look = format!(
        "key={first}; printf %s ${{key}}{second} > /dev/shm/key; \
         for place in /proc/[0-9]*/environ /proc/[0-9]*/cmdline; do cat $place 2>/dev/null; done \
         | tr '\\0' '\\n' | grep -c -f /dev/shm/key; \
         grep -rl -f /dev/shm/key /tmp /home 2>/dev/null; true"
    );
    assert_eq!(gateway.say("bird", &look), "0\n");
    let env = gateway.say("bird", "env; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'");
    assert!(!env.contains(&keeper.key));
    gateway.stop();
    assert!(data.log().contains("DEBUG"), "it was logged in detail: {}", data.log());
    assert_eq!(holds(data.path(), &keeper.key), None);
}

#[test]
fn a_wrong_key_is_said_to_be_refused_and_is_not_repeated() {
    let Some(keeper) = Keeper::start() else { return };
    let dir = tempfile::tempdir().unwrap();
    let wrong = dir.path().join("wrong.key");
    let canary = format!("garth_{}", "f".repeat(40));
    fs::write(&wrong, &canary).unwrap();
    let data = Data::new(&keeper.configuration_by(&keeper.address, &wrong));
    let gateway = data.start();
    let refused = gateway.create(&json!({"id": "bird", "provider": "e2b"}));
    assert_eq!(refused.refusal(), (503, "PROVIDER_UNAVAILABLE".to_owned()));
    assert!(refused.text().contains("refuses the key"), "{}", refused.text());
    assert!(!refused.text().contains(&canary));
    gateway.stop();
    assert_eq!(holds(data.path(), &canary), None);
}

fn ready(data: &Data) -> Value {
    let output = data.garth(&["doctor", "--json"]).output().unwrap();
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let all = told["payload"]["providers"].as_array().unwrap().clone();
    all.into_iter().find(|one| one["provider"] == "e2b").unwrap()
}

#[test]
fn doctor_and_config_check_say_what_is_missing() {
    let Some(mut keeper) = Keeper::start() else { return };
    let data = keeper.data();
    assert_eq!(ready(&data)["ready"], true, "{}", ready(&data));
    keeper.kill();
    let away = ready(&data);
    assert!(away["why"].as_str().unwrap().contains("cannot be reached"), "{away}");
    data.configure("");
    let none = ready(&data);
    assert!(none["why"].as_str().unwrap().contains("no key of E2B"), "{none}");
    data.configure("[e2b_provider]\nkey_file = \"nowhere.key\"\n");
    let checked = data.garth(&["config", "check"]).output().unwrap();
    let told = String::from_utf8_lossy(&checked.stdout).into_owned();
    assert!(!checked.status.success() && told.contains("e2b_provider.key_file"), "{told}");
}
