//! Who is offered commands, and who is not.

use serde_json::json;

use crate::{client::Client, yard::Yard};

fn tools(client: &mut Client) -> Vec<String> {
    let listed = client.ask("tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn commands_are_offered_where_they_can_be_held() {
    let yard = Yard::new();
    for (options, offered) in [
        (&[][..], true),
        (&["--read-only"][..], true),
        (&["--no-exec"][..], false),
        (&["--allow", "*.rs"][..], false),
        (&["--deny", "*.env"][..], false),
        (&["--protect", "*.lock"][..], false),
        (&["--memory"][..], false),
        (&["--tools", "read"][..], false),
    ] {
        let mut client = Client::start(&yard.root(), options);
        let names = tools(&mut client);
        assert_eq!(names.iter().any(|name| name == "bash"), offered, "{options:?}: {names:?}");
        if !offered {
            let result = client
                .ask("tools/call", &json!({"name": "bash", "arguments": {"command": "true"}}));
            assert!(result["error"].is_object() || result["result"]["isError"] == true, "{result}");
        }
    }
}

#[test]
fn several_roots_stand_in_one_sandbox_each_by_its_name() {
    let (one, two) = (Yard::new(), Yard::new());
    let (first, second) = (one.root().join("first"), two.root().join("second"));
    for root in [&first, &second] {
        std::fs::create_dir(root).unwrap();
    }
    let mut client = Client::start(&first, &[second.to_str().unwrap()]);
    let result = client.call("bash", &json!({"command": "ls; echo x > second/made"}));
    assert_eq!(result["content"][0]["text"], "first\nsecond", "{result}");
    assert!(second.join("made").exists());
    let result = client.call("bash", &json!({"command": "pwd", "workdir": "first"}));
    assert_eq!(result["content"][0]["text"], "/workspace/first", "{result}");
}

#[test]
fn an_address_that_cannot_be_allowed_is_wrong_usage() {
    let yard = Yard::new();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_garth"));
    let output =
        command.arg("mcp").args(["--network", "nonsense"]).arg(yard.root()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("name:port"), "{output:?}");
}
