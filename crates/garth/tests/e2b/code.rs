//! Code that is run in contexts, by the published SDKs and as bare requests.

use std::fs;

use serde_json::{Value, json};

use crate::{
    client::{Answer, Asked},
    gateway::{Gateway, Sandbox, until},
    installed,
    run::{printed, within},
};

/// How many seconds a driver gets.
const MOST_SECONDS: &str = "240";

/// A gateway whose sandboxes have a Python with IPython.
fn gateway() -> Option<Gateway> {
    let python = installed::python("ipython")?;
    // Sandboxes see the place by its own name, and not by that of a link to it.
    let place = fs::canonicalize(python.parent()?.parent()?).unwrap();
    let python = place.join("bin/python");
    let configuration = format!("[e2b]\nenabled = true\ninterpreter = {python:?}\n");
    Some(Gateway::with(&configuration))
}

fn python(client: &str) {
    let Some(library) = installed::python("e2b-interpreter") else { return };
    let Some(gateway) = gateway() else { return };
    let driver = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/e2b/drive");
    let mut command = within(&library, MOST_SECONDS);
    command.args(["-B", driver, client, "code"]);
    command.envs(gateway.variables()).env("E2B_API_KEY", &gateway.key).env_remove("E2B_DOMAIN");
    printed(&mut command);
}

#[test]
fn python_runs_code() {
    python("sync");
}

#[test]
fn asynchronous_python_runs_code() {
    python("async");
}

#[test]
fn javascript_runs_code() {
    let packages = installed::node_packages("npm-e2b", "@e2b/code-interpreter");
    let Some((packages, node)) = packages else { return };
    let Some(gateway) = gateway() else { return };
    let driver = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/e2b/drive_js/code.mjs");
    let mut command = within(&node, MOST_SECONDS);
    command.arg(driver).arg(packages);
    command.envs(gateway.variables()).env("E2B_API_KEY", &gateway.key).env_remove("E2B_DOMAIN");
    printed(&mut command);
}

/// A request to the port where code is run, without any proof.
fn unproven(sandbox: &Sandbox<'_>, method: &str, path: &str) -> Asked {
    Asked::new(method, path)
        .header("E2b-Sandbox-Id", &sandbox.id)
        .header("E2b-Sandbox-Port", "49999")
}

fn asked(sandbox: &Sandbox<'_>, method: &str, path: &str) -> Asked {
    unproven(sandbox, method, path).header("X-Access-Token", &sandbox.token)
}

fn cell(code: &str) -> Value {
    json!({ "code": code, "context_id": null, "language": null, "env_vars": null })
}

fn executed(sandbox: &Sandbox<'_>, code: &str) -> Answer {
    let asked = asked(sandbox, "POST", "/execute").json(&cell(code));
    asked.send(&sandbox.gateway.address)
}

/// The lines of an answer.
fn lines(answer: &Answer) -> Vec<Value> {
    assert_eq!(answer.status, 200, "{answer:?}");
    let text = String::from_utf8(answer.body.clone()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_cell_is_told_line_by_line_with_its_end_at_the_end() {
    let Some(gateway) = gateway() else { return };
    let sandbox = gateway.sandbox();
    let told = lines(&executed(&sandbox, "print('out')\n40 + 2"));
    let kinds: Vec<&str> = told.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["number_of_executions", "stdout", "result", "end_of_execution"]);
    assert_eq!(told[1]["text"], "out\n");
    assert!(told[1]["timestamp"].is_u64());
    assert_eq!(told[2]["text"], "42");
    assert_eq!(told[2]["is_main_result"], true);
    // What a cell may print of the wire itself is text.
    let forged = lines(&executed(&sandbox, r#"print('{"type": "error"}')"#));
    assert_eq!(forged[1]["text"], "{\"type\": \"error\"}\n");
}

#[test]
fn a_cell_that_prints_without_end_is_cut() {
    let Some(gateway) = gateway() else { return };
    let sandbox = gateway.sandbox();
    let told = lines(&executed(&sandbox, "for _ in range(24): print('x' * (1 << 20))"));
    let size: usize = told.iter().filter_map(|line| line["text"].as_str()).map(str::len).sum();
    assert!(size < 18 << 20, "{size}");
    let words = told.iter().filter_map(|line| line["text"].as_str());
    assert!(words.filter(|text| text.contains("left out")).count() == 1, "it is not said once");
    assert_eq!(told.last().unwrap()["type"], "end_of_execution");
}

#[test]
fn a_cell_that_cannot_be_interrupted_ends_with_a_restart() {
    let Some(gateway) = gateway() else { return };
    let sandbox = gateway.sandbox();
    let deaf = "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n\
                open('/tmp/on', 'w').close()\nwhile True: time.sleep(1)";
    std::thread::scope(|scope| {
        let running = scope.spawn(|| lines(&executed(&sandbox, deaf)));
        until("that the cell runs", || sandbox.run("ls /tmp/on || true") == "/tmp/on\n");
        let listed = asked(&sandbox, "GET", "/contexts").send(&gateway.address).json();
        let id = listed[0]["id"].as_str().unwrap();
        let restart = asked(&sandbox, "POST", &format!("/contexts/{id}/restart"));
        assert_eq!(restart.send(&gateway.address).status, 200);
        let told = running.join().unwrap();
        let failed = told.iter().find(|line| line["type"] == "error").unwrap();
        assert_eq!(failed["name"], "KernelDied", "{told:?}");
    });
    assert_eq!(lines(&executed(&sandbox, "1"))[1]["text"], "1");
}

#[test]
fn whoever_has_no_proof_runs_nothing_and_what_opens_ports_opens_nothing_else() {
    let gateway = Gateway::start();
    let made = gateway.control("POST", "/v2/sandboxes", Some(&json!({ "timeout": 300 }))).json();
    let text = |name: &str| made[name].as_str().unwrap().to_owned();
    let (id, token, traffic) =
        (text("sandboxID"), text("envdAccessToken"), text("trafficAccessToken"));
    let sandbox = Sandbox { gateway: &gateway, id, token };
    let other = gateway.sandbox();
    let status = |asked: Asked| asked.send(&gateway.address).status;
    let contexts = || unproven(&sandbox, "GET", "/contexts");
    assert_eq!(status(contexts().header("E2B-Traffic-Access-Token", &traffic)), 200);
    assert_eq!(status(contexts().header("X-Access-Token", &sandbox.token)), 200);
    assert_eq!(status(contexts()), 401);
    for wrong in ["", "t", &traffic[..20], &sandbox.token] {
        assert_eq!(status(contexts().header("E2B-Traffic-Access-Token", wrong)), 401, "{wrong}");
    }
    let elsewhere = unproven(&other, "GET", "/contexts");
    assert_eq!(status(elsewhere.header("E2B-Traffic-Access-Token", &traffic)), 401);
    let calls = Asked::new("GET", "/envs").header("E2b-Sandbox-Id", &sandbox.id);
    assert_eq!(status(calls.header("X-Access-Token", &traffic)), 401);
    let calls = Asked::new("GET", "/envs").header("E2b-Sandbox-Id", &sandbox.id);
    assert_eq!(status(calls.header("E2B-Traffic-Access-Token", &traffic)), 401);
}

#[test]
fn a_sandbox_that_cannot_run_code_says_what_it_lacks() {
    let gateway = Gateway::with("[e2b]\nenabled = true\ninterpreter = \"/bin/false\"\n");
    let sandbox = gateway.sandbox();
    let answer = executed(&sandbox, "1");
    assert_eq!((answer.status, answer.json()["code"].as_u64()), (501, Some(501)), "{answer:?}");
    assert!(answer.json()["message"].as_str().unwrap().contains("no such Python"), "{answer:?}");
    let create = asked(&sandbox, "POST", "/contexts").json(&json!({}));
    assert_eq!(create.send(&gateway.address).status, 501);
    // What could not be made is not there.
    let listed = asked(&sandbox, "GET", "/contexts").send(&gateway.address).json();
    assert!(listed.as_array().unwrap().len() <= 1, "{listed}");
    let missing = asked(&sandbox, "DELETE", "/contexts/none").send(&gateway.address);
    assert_eq!(missing.status, 404, "{missing:?}");
    let nowhere = asked(&sandbox, "GET", "/elsewhere").send(&gateway.address);
    assert_eq!(nowhere.status, 404, "{nowhere:?}");
}

#[test]
fn a_python_without_ipython_is_refused_with_its_name() {
    let Some(gateway) = gateway() else { return };
    let body = json!({
        "templateID": "code-interpreter-v1", "timeout": 300,
        "envVars": { "PYTHONPATH": "/home/user/first" },
    });
    let sandbox = gateway.sandbox_with(&body);
    sandbox.run("mkdir first; echo 'raise ImportError(name=\"IPython\")' > first/IPython.py");
    let answer = executed(&sandbox, "1");
    assert_eq!(answer.status, 501, "{answer:?}");
    assert!(answer.json()["message"].as_str().unwrap().contains("has no IPython"), "{answer:?}");
    sandbox.run("rm -r first");
    assert_eq!(lines(&executed(&sandbox, "'there'"))[1]["text"], "there");
}
