//! What a call would change, read off its parameters for whoever approves it.

use garth_gateway::Part;
use serde_json::{Map, Value};

/// The parts of a change: texts that replace others, a whole content, a patch.
pub(super) fn of(params: &Value) -> Vec<Part> {
    let Some(params) = params.as_object() else { return Vec::new() };
    let mut parts = replaced(params);
    for edit in params.get("edits").and_then(Value::as_array).into_iter().flatten() {
        parts.extend(edit.as_object().map(replaced).unwrap_or_default());
    }
    // What is not text says nothing to a reader.
    let is_text = params.get("encoding").is_none_or(|encoding| encoding != "base64");
    parts.extend(text(params, &["content"]).filter(|_| is_text).map(Part::Adds));
    parts.extend(text(params, &["patch"]).map(Part::Says));
    parts
}

fn replaced(edit: &Map<String, Value>) -> Vec<Part> {
    let old = text(edit, &["old_string", "oldText"]).filter(|old| !old.is_empty());
    let new = text(edit, &["new_string", "newText"]).filter(|new| !new.is_empty());
    old.map(Part::Removes).into_iter().chain(new.map(Part::Adds)).collect()
}

fn text(of: &Map<String, Value>, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| of.get(*name)?.as_str()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn edits_writes_and_patches_are_told() {
        let [removes, adds] = ["old", "new"].map(str::to_owned);
        let both = vec![Part::Removes(removes), Part::Adds(adds.clone())];
        assert_eq!(of(&json!({"path": "a", "old_string": "old", "new_string": "new"})), both);
        assert_eq!(of(&json!({"edits": [{"oldText": "old", "newText": "new"}]})), both);
        assert_eq!(of(&json!({"old_string": "", "new_string": "new"})), [Part::Adds(adds)]);
        assert_eq!(of(&json!({"content": "c"})), [Part::Adds("c".to_owned())]);
        assert_eq!(of(&json!({"patch": "p"})), [Part::Says("p".to_owned())]);
        for nothing in
            [json!({"path": "a"}), json!({"content": "aGk=", "encoding": "base64"}), json!(3)]
        {
            assert_eq!(of(&nothing), []);
        }
    }
}
