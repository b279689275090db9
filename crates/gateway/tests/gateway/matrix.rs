//! Operation × role × whose workspace: everything that may be, and nothing else.

use garth_contract::{Code, Error};
use garth_gateway::Role;
use serde_json::json;

use crate::stage::{Stage, id_of};

const OPERATIONS: [&str; 5] =
    ["worktree.write", "worktree.delete", "worktree.watch", "bash", "worktree.purge"];
const AGENTS: [&str; 4] = ["own", "other", "missing", "gone"];

/// What the rules say, written down once more.
fn expected(operation: &str, role: &Role, agent: &str) -> Result<(), Code> {
    match role {
        Role::User => Err(Code::PermissionDenied),
        Role::Agent(_) if agent != "own" || operation == "worktree.purge" => {
            Err(Code::PermissionDenied)
        }
        Role::Operator if agent == "missing" => Err(Code::AgentNotFound),
        Role::Operator if agent == "gone" => Err(Code::WorkspaceNotFound),
        Role::Operator | Role::Agent(_) => Ok(()),
    }
}

#[tokio::test]
async fn every_role_may_do_what_it_may_and_no_more() {
    let stage = Stage::new().await;
    for role in [Role::Operator, Role::Agent(id_of("own")), Role::User] {
        let caller = stage.caller(role.clone()).await;
        for operation in OPERATIONS {
            for agent in AGENTS {
                let params = json!({"agentId": agent, "path": "a.txt", "content": "x"});
                let result = stage.call(&caller, operation, params).await;
                let got = result.map(drop).map_err(|error| error.code());
                assert_eq!(got, expected(operation, &role, agent), "{operation} {role} {agent}");
                let record = stage.last_record().await;
                let outcome = got.err().map_or("OK", |code| code.row().name);
                let facts = (
                    record.entry.operation.as_str(),
                    record.entry.role.as_str(),
                    record.entry.workspace.as_str(),
                    record.entry.outcome.as_str(),
                );
                assert_eq!(facts, (operation, &*role.to_string(), agent, outcome));
            }
        }
    }
}

#[tokio::test]
async fn the_gateway_itself_is_the_operators() {
    let stage = Stage::new().await;
    for (role, expected) in [
        (Role::Operator, None),
        (Role::Agent(id_of("own")), Some(Code::PermissionDenied)),
        (Role::User, Some(Code::PermissionDenied)),
    ] {
        let caller = stage.caller(role).await;
        let result = stage.call(&caller, "agents.list", json!({})).await;
        assert_eq!(result.err().map(|error| error.code()), expected);
    }
}

#[tokio::test]
async fn to_an_agent_another_and_a_missing_one_look_the_same() {
    let stage = Stage::new().await;
    let caller = stage.agent("own").await;
    for operation in OPERATIONS {
        let mut answers: Vec<Error> = Vec::new();
        for agent in ["other", "missing", "gone"] {
            let params = json!({"agentId": agent, "path": "a.txt"});
            answers.push(stage.call(&caller, operation, params).await.map(drop).unwrap_err());
        }
        answers.dedup();
        assert_eq!(answers, [Error::of(Code::PermissionDenied)]);
    }
}

#[tokio::test]
async fn an_agent_that_was_deleted_learns_nothing_either() {
    let stage = Stage::new().await;
    let caller = stage.agent("own").await;
    let connection = stage.intruder();
    // As if the row had gone and the token not: the token alone is no way in.
    connection.execute("UPDATE ws SET state = 'deleted' WHERE id = 'own'", []).unwrap();
    let error = stage.call(&caller, "worktree.read", json!({"path": "a"})).await.map(drop);
    assert_eq!(error, Err(Error::of(Code::PermissionDenied)));
}

#[tokio::test]
async fn what_is_no_id_is_no_agent_whoever_asks() {
    let stage = Stage::new().await;
    for role in [Role::Operator, Role::Agent(id_of("own")), Role::User] {
        let caller = stage.caller(role).await;
        for id in ["", "../own", "own/", ".own", "own\0", "ö"] {
            let result = stage.call(&caller, "bash", json!({"agentId": id})).await;
            assert_eq!(result.map(drop).unwrap_err().code(), Code::InvalidParams, "{id:?}");
            assert_eq!(stage.last_record().await.entry.workspace, "");
        }
    }
}

#[tokio::test]
async fn an_unknown_operation_is_refused_and_recorded_by_its_name() {
    let stage = Stage::new().await;
    let caller = stage.operator().await;
    let name = format!("worktree.format\n{}", "x".repeat(10_000));
    let result = stage.call(&caller, &name, json!({"path": "a"})).await;
    assert_eq!(result.map(drop).unwrap_err().code(), Code::UnknownMethod);
    let record = stage.last_record().await;
    assert!(record.entry.operation.starts_with(r"worktree.format\x0axxx"));
    assert!(record.entry.operation.len() < 200);
    assert_eq!(record.entry.outcome, "UNKNOWN_METHOD");
}

#[tokio::test]
async fn text_as_it_is_is_shown_to_operators_only_and_the_record_says_so() {
    let stage = Stage::new().await;
    let operator = stage.operator().await;
    let secret = "password = \"hunter2hunter2\"\n";
    let write = json!({"path": "a.env", "content": secret});
    stage.call(&operator, "worktree.write", write).await.unwrap();
    let clean = stage.call(&operator, "worktree.read", json!({"path": "a.env"})).await.unwrap();
    assert!(!clean.answer.to_string().contains("hunter2"));
    let raw = json!({"path": "a.env", "redact": false});
    let shown = stage.call(&operator, "worktree.read", raw.clone()).await.unwrap();
    assert_eq!(shown.answer["content"], secret);
    assert_eq!(stage.last_record().await.entry.summary, "a.env; unredacted");
    let agent = stage.agent("own").await;
    let refused = stage.call(&agent, "worktree.read", raw).await.map(drop).unwrap_err();
    assert_eq!(refused.code(), Code::PermissionDenied);
}

#[tokio::test]
async fn nothing_is_written_in_a_workspace_that_is_read_only() {
    let stage = Stage::new().await;
    let operator = stage.operator().await;
    let mut settings = garth_gateway::Settings::new("local");
    settings.read_only = true;
    stage.gateway.registry().configure(&id_of("own"), &settings).await.unwrap();
    let write = json!({"path": "a", "content": "x"});
    // Also once its agent is known, when a call goes another way.
    for _ in 0..2 {
        let refused = stage.call(&operator, "worktree.write", write.clone()).await;
        assert_eq!(refused.map(drop).unwrap_err().code(), Code::ReadOnly);
    }
    let read = stage.call(&operator, "worktree.watch", json!({"path": "a"})).await;
    assert!(read.is_ok());
}
