//! What stands in no table: agents, files, sessions, health, and what all of them share.

use serde_json::{Map, Value, json};

use super::{answers, codes, parameter, settings};

/// The schemas that have names of their own.
pub(super) fn schemas() -> Map<String, Value> {
    let text = json!({"type": "string"});
    let number = json!({"type": "integer"});
    let settings = settings::properties();
    let mut sent = settings.clone();
    if let Some(sent) = sent.as_object_mut() {
        sent.insert("id".to_owned(), json!({"$ref": "#/components/schemas/AgentId"}));
    }
    let error = json!({
        "type": "object",
        "required": ["code", "message", "details"],
        "properties": {
            "code": {"type": "string", "enum": codes()},
            "message": text,
            "details": {
                "type": "object",
                "required": ["hint"],
                "properties": {"hint": text, "path": text, "retryAfterMs": number},
            },
            "retryAfterMs": number,
        },
    });
    let agent = json!({
        "type": "object",
        "required": ["id", "state", "settings", "epoch", "seq", "createdMs", "updatedMs"],
        "properties": {
            "id": {"$ref": "#/components/schemas/AgentId"},
            "state": {"type": "string", "enum": ["active", "stopped"]},
            "settings": {"$ref": "#/components/schemas/Settings"},
            "epoch": number, "seq": number, "createdMs": number, "updatedMs": number,
        },
    });
    let all = json!({
        "Error": {"type": "object", "required": ["error"], "properties": {"error": error}},
        "AgentId": {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"},
        "Settings": {
            "type": "object", "additionalProperties": false, "properties": settings,
        },
        "NewAgent": {
            "type": "object", "additionalProperties": false, "required": ["id"], "properties": sent,
        },
        "Agent": agent,
        "Agents": {
            "type": "object",
            "required": ["agents"],
            "properties": {
                "agents": {"type": "array", "items": {"$ref": "#/components/schemas/Agent"}},
                "nextCursor": text,
            },
        },
        "Deleted": {
            "type": "object",
            "required": ["deleted"],
            "properties": {"deleted": {"const": true}, "path": text},
        },
        "Uploaded": {
            "type": "object",
            "required": ["path", "sizeBytes", "created", "version"],
            "properties": {
                "path": text, "sizeBytes": number, "created": {"type": "boolean"},
                "version": text, "modifiedAt": text,
            },
        },
        "Token": {
            "type": "object",
            "required": ["id", "role", "label", "createdMs"],
            "properties": settings::token(),
        },
        "Approval": {
            "type": "object",
            "required": ["id", "agentId", "caller", "operation", "summary", "askedMs", "deadlineMs"],
            "properties": {
                "id": text, "agentId": {"$ref": "#/components/schemas/AgentId"}, "caller": text,
                "session": text, "operation": text, "summary": text, "change": text, "askedMs": number,
                "deadlineMs": number,
            },
        },
        "AuditRecord": {
            "type": "object",
            "required": ["sequence", "timeMs", "caller", "role", "operation", "outcome", "hash"],
            "properties": {
                "sequence": number, "timeMs": number, "caller": text, "role": text,
                "session": text, "workspace": text, "operation": text, "summary": text,
                "outcome": text, "durationUs": number, "bytesIn": number, "bytesOut": number,
                "hash": text,
            },
        },
        "Restored": {
            "type": "object",
            "required": ["entries", "files", "dirs", "links", "sizeBytes", "leftOut", "replaced"],
            "properties": {
                "entries": number, "files": number, "dirs": number, "links": number,
                "sizeBytes": number, "leftOut": number, "replaced": number,
            },
        },
        "Session": {
            "type": "object",
            "required": ["id", "role", "label"],
            "properties": {
                "id": text, "role": {"type": "string", "enum": ["operator", "agent", "user"]},
                "agent": text, "label": text, "expiresMs": number,
            },
        },
        "Ticket": {
            "type": "object", "additionalProperties": false, "required": ["ticket"],
            "properties": {"ticket": text},
        },
        "Ended": {
            "type": "object", "required": ["ended"], "properties": {"ended": {"const": true}},
        },
        "Health": {
            "type": "object",
            "required": ["writable", "leased", "workspaces", "approvals", "faults"],
            "properties": {
                "writable": {"type": "boolean"}, "leased": {"type": "boolean"},
                "workspaces": number, "approvals": number, "faults": number,
            },
        },
    });
    match all {
        Value::Object(all) => all,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Map::new()
        }
    }
}

/// The parameters that several operations have.
pub(super) fn parameters() -> Value {
    let text = json!({"type": "string"});
    json!({
        "id": {
            "name": "id", "in": "path", "required": true, "example": "default",
            "description": "The agent whose workspace is meant.",
            "schema": {"$ref": "#/components/schemas/AgentId"},
        },
        "key": {
            "name": "Idempotency-Key", "in": "header", "required": false,
            "description": "A name for the call, so that it happens at most once.",
            "schema": {"type": "string", "pattern": "^[!-~]{1,256}$"},
        },
        "path": {
            "name": "path", "in": "path", "required": true, "example": "src/main.rs",
            "description": "The file, from the root; its slashes are not escaped.",
            "schema": {"type": "string", "minLength": 1},
        },
        "ifMatch": {
            "name": "If-Match", "in": "header", "required": false, "schema": text,
            "description": "Versions that the file must have, or * for any.",
        },
        "ifNoneMatch": {
            "name": "If-None-Match", "in": "header", "required": false, "schema": text,
            "description": "Versions that the file must not have, or * for none at all.",
        },
    })
}

/// The addresses.
pub(super) fn paths() -> Map<String, Value> {
    let mut paths = Map::new();
    health(&mut paths);
    session(&mut paths);
    workspaces(&mut paths);
    files(&mut paths);
    archives(&mut paths);
    paths
}

fn reply(schema: &str, said: &str) -> Value {
    let schema = json!({"$ref": format!("#/components/schemas/{schema}")});
    json!({"description": said, "content": {"application/json": {"schema": schema}}})
}

fn sent(schema: &str, example: &Value) -> Value {
    let schema = json!({"$ref": format!("#/components/schemas/{schema}")});
    let content = json!({"schema": schema, "example": example});
    json!({"required": true, "content": {"application/json": content}})
}

fn health(paths: &mut Map<String, Value>) {
    let alive = json!({"description": "It lives.", "content": {"text/plain": {}}});
    paths.insert(
        "/healthz".to_owned(),
        json!({"get": {
            "operationId": "Alive", "tags": ["health"], "summary": "Whether it lives",
            "security": [], "responses": {"200": alive},
        }}),
    );
    paths.insert(
        "/readyz".to_owned(),
        json!({"get": {
            "operationId": "Ready", "tags": ["health"], "summary": "Whether it can work",
            "security": [],
            "responses": {
                "200": reply("Health", "It can."), "503": reply("Health", "It cannot."),
            },
        }}),
    );
}

fn session(paths: &mut Map<String, Value>) {
    paths.insert(
        "/v1/session".to_owned(),
        json!({
            "get": {
                "operationId": "WhoAmI", "tags": ["session"], "summary": "Say who asks",
                "responses": answers("200", reply("Session", "Who asks.")),
            },
            "post": {
                "operationId": "BeginSession", "tags": ["session"],
                "summary": "Exchange a ticket for a session",
                "description": "The session comes as a cookie that no script can read.",
                "security": [],
                "requestBody": sent("Ticket", &json!({"ticket": "garth_…"})),
                "responses": answers("200", reply("Session", "Who asks from now on.")),
            },
            "delete": {
                "operationId": "EndSession", "tags": ["session"], "summary": "End the session",
                "responses": answers("200", reply("Ended", "It has ended.")),
            },
        }),
    );
}

fn workspaces(paths: &mut Map<String, Value>) {
    let page = json!([
        {
            "name": "cursor", "in": "query", "required": false, "schema": {"type": "string"},
            "description": "What an earlier answer named as nextCursor.",
        },
        {
            "name": "limit", "in": "query", "required": false,
            "schema": {"type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32},
        },
    ]);
    paths.insert(
        "/v1/workspaces".to_owned(),
        json!({
            "get": {
                "operationId": "ListWorkspaces", "tags": ["workspaces"], "summary": "List agents",
                "parameters": page,
                "responses": answers("200", reply("Agents", "Some of them, by id.")),
            },
            "post": {
                "operationId": "CreateWorkspace", "tags": ["workspaces"],
                "summary": "Make an agent and its workspace",
                "parameters": [parameter("key")],
                "requestBody": sent("NewAgent", &json!({"id": "coder"})),
                "responses": answers("200", reply("Agent", "What was made.")),
            },
        }),
    );
    paths.insert("/v1/workspaces/{id}".to_owned(), json!({
        "parameters": [parameter("id")],
        "get": {
            "operationId": "GetWorkspace", "tags": ["workspaces"], "summary": "Look at an agent",
            "responses": answers("200", reply("Agent", "The agent.")),
        },
        "patch": {
            "operationId": "UpdateWorkspace", "tags": ["workspaces"],
            "summary": "Change what is set up",
            "parameters": [parameter("key")],
            "requestBody": sent("Settings", &json!({"readOnly": true})),
            "responses": answers("200", reply("Agent", "The agent as it is now.")),
        },
        "delete": {
            "operationId": "DeleteWorkspace", "tags": ["workspaces"], "summary": "Forget an agent",
            "description": "Its files are left.",
            "responses": answers("200", reply("Deleted", "It is forgotten.")),
        },
    }));
}

fn files(paths: &mut Map<String, Value>) {
    let bytes = json!({"*/*": {"schema": {"type": "string", "format": "binary"}}});
    let tag = json!({"schema": {"type": "string"}, "description": "The file's version, quoted."});
    let headers = json!({"ETag": tag});
    let got = json!({
        "description": "The file; a text has placeholders in place of secrets.",
        "headers": headers, "content": bytes,
    });
    let failed = ("412", reply("Error", "The file is not what a condition says."));
    let part = json!({"description": "A part of it.", "content": bytes});
    let same = json!({"description": "It is what If-None-Match says."});
    let outside = reply("Error", "There is no such part.");
    let got =
        also(answers("200", got), [("206", part), ("304", same), failed.clone(), ("416", outside)]);
    let put = answers("200", reply("Uploaded", "It was replaced."));
    let put = also(put, [("201", reply("Uploaded", "It is new.")), failed.clone()]);
    let deleted = also(answers("200", reply("Deleted", "It is gone.")), [failed]);
    let conditions = [parameter("ifMatch"), parameter("ifNoneMatch")];
    let [matches, no_match] = &conditions;
    let redact = json!({
        "name": "redact", "in": "query", "required": false, "schema": {"type": "boolean"},
        "description": "false shows secrets, to operators only.",
    });
    let range = json!({
        "name": "Range", "in": "header", "required": false, "schema": {"type": "string"},
        "description": "A part, in bytes; not of a text that has placeholders.",
    });
    let body =
        json!({"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}});
    paths.insert(
        "/v1/workspaces/{id}/files/{path}".to_owned(),
        json!({
            "parameters": [parameter("id"), parameter("path")],
            "get": {
                "operationId": "GetFile", "tags": ["files"], "summary": "Read a file as bytes",
                "parameters": [redact, range, matches, no_match],
                "responses": got,
            },
            "put": {
                "operationId": "PutFile", "tags": ["files"], "summary": "Write a file as bytes",
                "description": "It lands whole or not at all; missing directories are made.",
                "parameters": [matches, no_match, parameter("key")],
                "requestBody": {"required": false, "content": body},
                "responses": put,
            },
            "delete": {
                "operationId": "DeleteFile", "tags": ["files"], "summary": "Remove a file",
                "parameters": [matches, no_match, parameter("key")],
                "responses": deleted,
            },
        }),
    );
}

fn archives(paths: &mut Map<String, Value>) {
    let binary = json!({"schema": {"type": "string", "format": "binary"}});
    let forms = json!({
        "application/x-tar": binary, "application/zstd": binary, "application/zip": binary,
    });
    let asked = |name: &str, schema: Value, said: &str| {
        json!({
            "name": name, "in": "query", "required": false, "schema": schema, "description": said,
        })
    };
    let form = json!({"type": "string", "enum": ["tar", "tar.zst", "zip"]});
    let path = asked("path", json!({"type": "string"}), "The directory; the root if absent.");
    let got = json!({
        "description": "The tree; texts have placeholders in place of secrets. It breaks off where \
                        it cannot go on.",
        "content": forms,
    });
    paths.insert(
        "/v1/workspaces/{id}/archive".to_owned(),
        json!({
            "parameters": [parameter("id")],
            "get": {
                "operationId": "GetArchive", "tags": ["files"], "summary": "Read a tree as an archive",
                "parameters": [
                    path,
                    asked("format", form.clone(), "tar if absent."),
                    asked("redact", json!({"type": "boolean"}), "false shows secrets, to operators only."),
                ],
                "responses": answers("200", got),
            },
        }),
    );
    paths.insert(
        "/v1/workspaces/{id}/restore".to_owned(),
        json!({
            "parameters": [parameter("id")],
            "post": {
                "operationId": "RestoreArchive", "tags": ["files"],
                "summary": "Restore a tree from an archive",
                "description": "All of it lands, or nothing.",
                "parameters": [
                    path,
                    asked("format", form, "Recognised if absent."),
                    asked("overwrite", json!({"type": "boolean"}), "Whether files that are there are replaced."),
                    asked(
                        "strip",
                        json!({"type": "integer", "minimum": 0, "maximum": 255}),
                        "How many names at the front of each path are left off.",
                    ),
                    asked("skipUnfit", json!({"type": "boolean"}), "Leaves out what cannot be restored here."),
                    parameter("key"),
                ],
                "requestBody": {"required": true, "content": {"application/octet-stream": binary}},
                "responses": answers("200", reply("Restored", "What was restored.")),
            },
        }),
    );
}

/// Answers, and some more of them.
fn also<const N: usize>(mut answers: Value, more: [(&str, Value); N]) -> Value {
    if let Some(answers) = answers.as_object_mut() {
        answers.extend(more.map(|(status, answer)| (status.to_owned(), answer)));
    }
    answers
}
