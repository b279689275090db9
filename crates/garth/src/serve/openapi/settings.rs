//! The schemas of what an operator sets up: an agent's settings, and tokens.

use serde_json::{Value, json};

/// The settings of an agent, by their names.
pub(super) fn properties() -> Value {
    let text = json!({"type": "string"});
    let count = json!({"type": "integer", "minimum": 1});
    let texts = json!({"type": "array", "items": text});
    let few = json!({"type": "integer", "minimum": 1, "maximum": u32::MAX});
    let limits = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "requestsPerMinute": few, "bytesPerMinute": count, "concurrentReads": few,
            "watches": few, "processes": few,
        },
    });
    json!({
        "provider": {"type": "string", "pattern": "^[a-z0-9-]{1,32}$"},
        "directory": {"type": "string", "description": "A directory that is adopted."},
        "home": {"type": "boolean", "description": "The workspace is the sandbox's home."},
        "system": {"type": "string", "minLength": 1, "description": "A root filesystem, or an image."},
        "readOnly": {"type": "boolean"},
        "quotaBytes": {"type": "integer", "minimum": 0},
        "maxFileBytes": count,
        "deny": texts,
        "protect": texts,
        "limits": limits,
        "redaction": redaction(),
        "approvals": approvals(),
        "git": {
            "type": "object", "additionalProperties": false, "required": ["url"],
            "properties": {
                "url": text, "branch": text, "credential": text, "branches": texts,
                "workflows": {"type": "string", "enum": ["allow", "refuse"]},
            },
        },
    })
}

/// How text is redacted.
fn redaction() -> Value {
    let (text, texts) =
        (json!({"type": "string"}), json!({"type": "array", "items": {"type": "string"}}));
    json!({
        "type": "object", "additionalProperties": false,
        "properties": {
            "enabled": {"type": "boolean"},
            "defaultBehavior": {"type": "string", "enum": ["redact", "allow", "block"]},
            "customPatterns": {"type": "array", "items": {
                "type": "object", "additionalProperties": false, "required": ["name", "regex"],
                "properties": {"name": text, "regex": text, "replacement": text},
            }},
            "excludePaths": texts, "excludePatterns": texts,
        },
    })
}

/// What is allowed, asked about or denied.
fn approvals() -> Value {
    let text = json!({"type": "string"});
    let verdict = json!({"type": "string", "enum": ["allow", "ask", "deny"]});
    json!({
        "type": "object", "additionalProperties": false,
        "properties": {
            "otherwise": verdict,
            "rules": {"type": "array", "items": {
                "type": "object", "additionalProperties": false, "required": ["operation", "then"],
                "properties": {"operation": text, "path": text, "command": text, "then": verdict},
            }},
            "waitMs": {"type": "integer", "minimum": 1, "maximum": 3_600_000},
            "answeredBy": {"type": "string", "enum": ["anybody", "operators"]},
        },
    })
}

/// What is told of a token.
pub(super) fn token() -> Value {
    let (text, number) = (json!({"type": "string"}), json!({"type": "integer"}));
    json!({
        "id": text, "role": {"type": "string", "enum": ["operator", "agent", "user"]},
        "agent": {"anyOf": [{"$ref": "#/components/schemas/AgentId"}, {"type": "null"}]},
        "kind": text, "label": text, "createdMs": number,
        "expiresMs": {"type": ["integer", "null"]}, "revokedMs": {"type": ["integer", "null"]},
    })
}
