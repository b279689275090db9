//! The methods of the gateway alone: agents, tokens, approvals, the audit, and files in
//! chunks. Methods that leave something open on a connection are not here, since over
//! HTTP there is none.

use serde_json::{Map, Value, json};

use crate::serve::table::MOST_TTL_MS;

/// A method.
pub(super) struct Own {
    pub(super) name: &'static str,
    pub(super) tag: &'static str,
    pub(super) title: &'static str,
    pub(super) summary: &'static str,
    /// Properties of the parameters, and which of them must be there.
    pub(super) params: (Value, &'static [&'static str]),
    /// The same of the answer.
    pub(super) result: (Value, &'static [&'static str]),
}

/// What they take and answer, as a schema.
pub(super) fn schema((properties, required): &(Value, &'static [&'static str])) -> Value {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties.clone());
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    Value::Object(schema)
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

/// A whole number of milliseconds since 1970.
fn moment() -> Value {
    json!({"type": "integer", "description": "Milliseconds since 1970."})
}

fn page() -> [(&'static str, Value); 2] {
    [
        (
            "cursor",
            json!({"type": "string", "description": "What an earlier answer gave as nextCursor."}),
        ),
        ("limit", json!({"type": "integer", "minimum": 0, "maximum": u32::MAX})),
    ]
}

fn object<const N: usize>(properties: [(&str, Value); N]) -> Value {
    Value::Object(properties.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// The rows.
pub(super) fn rows() -> Vec<Own> {
    [agents(), tokens(), others()].into_iter().flatten().collect()
}

fn agents() -> Vec<Own> {
    let id = || object([("agentId", reference("AgentId"))]);
    let set = || object([("agentId", reference("AgentId")), ("settings", reference("Settings"))]);
    let agent = || {
        let number = json!({"type": "integer"});
        let properties = json!({
            "id": reference("AgentId"),
            "state": {"type": "string", "enum": ["active", "stopped"]},
            "settings": reference("Settings"),
            "epoch": number, "seq": number, "createdMs": moment(), "updatedMs": moment(),
        });
        let required: &[&str] = &["id", "state", "settings", "createdMs", "updatedMs"];
        (properties, required)
    };
    let listed = json!({
        "agents": {"type": "array", "items": reference("Agent")}, "nextCursor": {"type": "string"},
    });
    let row = |name, title, summary, params, result| Own {
        name,
        tag: "workspaces",
        title,
        summary,
        params,
        result,
    };
    let deleted = json!({"deleted": {"const": true}});
    vec![
        row(
            "agents.list",
            "List agents",
            "Lists agents by id.",
            (object(page()), &[]),
            (listed, &["agents"]),
        ),
        row(
            "agents.get",
            "Look at an agent",
            "Tells what is set up for an agent.",
            (id(), &["agentId"]),
            agent(),
        ),
        row(
            "agents.create",
            "Make an agent",
            "Makes an agent and its workspace.",
            (set(), &["agentId"]),
            agent(),
        ),
        row(
            "agents.update",
            "Change what is set up",
            "Changes the settings that are named; null takes one back.",
            (set(), &["agentId"]),
            agent(),
        ),
        row(
            "agents.stop",
            "Stop an agent",
            "Ends what runs for an agent and refuses its calls; its files are left.",
            (id(), &["agentId"]),
            agent(),
        ),
        row(
            "agents.start",
            "Start an agent",
            "Lets an agent that was stopped go on.",
            (id(), &["agentId"]),
            agent(),
        ),
        row(
            "agents.delete",
            "Forget an agent",
            "Forgets an agent; its files are left.",
            (id(), &["agentId"]),
            (deleted, &["deleted"]),
        ),
    ]
}

fn tokens() -> Vec<Own> {
    let role = json!({"type": "string", "enum": ["operator", "agent", "user"]});
    let create = json!({
        "role": role,
        "agentId": reference("AgentId"),
        "label": {"type": "string"},
        "ttlMs": {
            "type": "integer", "minimum": 1, "maximum": MOST_TTL_MS,
            "description": "For how long it is good; for ever if absent.",
        },
    });
    let listed = json!({
        "tokens": {"type": "array", "items": reference("Token")}, "nextCursor": {"type": "string"},
    });
    let mut created = super::settings::token();
    if let Some(created) = created.as_object_mut() {
        let token = json!({"type": "string", "description": "Shown here and never again."});
        created.insert("token".to_owned(), token);
    }
    let revoked = json!({"id": {"type": "string"}, "revoked": {"const": true}});
    let row = |name, title, summary, params, result| Own {
        name,
        tag: "tokens",
        title,
        summary,
        params,
        result,
    };
    vec![
        row(
            "tokens.create",
            "Give out a token",
            "Gives out a token; that of an agent names its agentId, others name none.",
            (create, &["role"]),
            (created, &["token", "id", "role", "label", "createdMs"]),
        ),
        row(
            "tokens.list",
            "List tokens",
            "Lists tokens by id, without their secrets.",
            (object(page()), &[]),
            (listed, &["tokens"]),
        ),
        row(
            "tokens.revoke",
            "Take a token back",
            "Takes a token back; connections that use it end within a second.",
            (json!({"id": {"type": "string"}}), &["id"]),
            (revoked, &["id", "revoked"]),
        ),
    ]
}

fn others() -> Vec<Own> {
    let text = json!({"type": "string"});
    let whole = json!({"type": "integer", "minimum": i64::MIN, "maximum": i64::MAX});
    let filter = json!({
        "workspace": text, "caller": text, "session": text, "operation": text, "outcome": text,
        "sinceMs": whole, "untilMs": whole,
        "before": {
            "type": "integer", "minimum": i64::MIN, "maximum": i64::MAX,
            "description": "What an earlier answer gave as next.",
        },
        "limit": {"type": "integer", "minimum": 0, "maximum": u32::MAX},
    });
    let records = json!({
        "records": {"type": "array", "items": reference("AuditRecord")},
        "next": {"type": ["integer", "null"]},
    });
    let decision = json!({"type": "string", "enum": ["allow", "deny"]});
    let decided = json!({"id": text, "decision": decision});
    let size = json!({"type": "integer", "minimum": 0, "maximum": u64::MAX});
    let chunk = json!({
        "agentId": reference("AgentId"), "path": text, "offset": size,
        "length": {
            "type": "integer", "minimum": 0, "maximum": u64::MAX,
            "description": "4 MiB if absent, 16 MiB at most.",
        },
        "redact": {"type": "boolean", "description": "false shows secrets, to operators only."},
        "state": {
            "type": "string",
            "description": "What an earlier chunk gave; CONFLICT when the file is another by now.",
        },
    });
    let given = json!({
        "path": text, "content": {"type": "string", "description": "The bytes in base64."},
        "sizeBytes": {"type": "integer"}, "state": text,
        "nextOffset": {"type": "integer", "description": "Where to go on; absent at the end."},
    });
    let approvals = json!({"approvals": {"type": "array", "items": reference("Approval")}});
    vec![
        Own {
            name: "audit.list",
            tag: "audit",
            title: "Look at the audit",
            summary: "Records, newest first; those that all named parameters fit.",
            params: (filter, &[]),
            result: (records, &["records", "next"]),
        },
        Own {
            name: "approvals.list",
            tag: "approvals",
            title: "List what waits for approval",
            summary: "Calls that wait until somebody allows or denies them.",
            params: (json!({}), &[]),
            result: (approvals, &["approvals"]),
        },
        Own {
            name: "approvals.answer",
            tag: "approvals",
            title: "Allow or deny",
            summary: "Answers a call that waits for approval.",
            params: (decided.clone(), &["id", "decision"]),
            result: (decided, &["id", "decision"]),
        },
        Own {
            name: "worktree.download",
            tag: "worktree",
            title: "Read a large file in chunks",
            summary: "Bytes of a file, all chunks of one state of it.",
            params: (chunk, &["agentId", "path"]),
            result: (given, &["path", "content", "sizeBytes", "state"]),
        },
    ]
}
