//! What is taken, what is refused, and in which words.

use serde::Deserialize;
use serde_json::json;

use super::*;

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Sample {
    path: String,
    offset: Option<u64>,
    dry_run: bool,
    edits: Option<Vec<Edit>>,
    mode: Option<Mode>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Edit {
    old_string: String,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Mode {
    Exact,
    Forgiving,
}

fn sample(params: Value) -> std::result::Result<Sample, String> {
    parse(params).map_err(|error| {
        assert_eq!(error.code(), Code::InvalidParams);
        error.message().to_owned()
    })
}

#[test]
fn what_can_mean_one_thing_only_is_taken_as_that() {
    let whole = Sample { path: "a".into(), offset: Some(5), ..Sample::default() };
    for params in [
        json!({"path": "a", "offset": 5}),
        json!({"file_path": "a", "offset": "5"}),
        json!({"filePath": "a", "offset": 5.0}),
        json!({"path": "a", "offset": 5, "edits": null, "mode": null}),
    ] {
        assert_eq!(sample(params.clone()).as_ref(), Ok(&whole), "{params}");
    }
    let edits = Some(vec![Edit { old_string: "x".into() }]);
    let edited = Sample { edits, dry_run: true, ..Sample::default() };
    for params in [
        json!({"edits": [{"old_string": "x"}], "dry_run": true}),
        json!({"edits": "[{\"oldString\": \"x\"}]", "dryRun": "true"}),
        json!({"edits": ["{\"old_string\": \"x\"}"], "dry_run": true}),
        json!({"edits": {"old_string": "x"}, "dry_run": true}),
        json!({"edits": "{\"old_str\": \"x\"}", "dry_run": true}),
    ] {
        assert_eq!(sample(params.clone()).as_ref(), Ok(&edited), "{params}");
    }
    assert_eq!(sample(Value::Null), Ok(Sample::default()));
}

#[test]
fn every_wrong_parameter_is_named_with_what_it_should_be() {
    let takes = "it takes path, offset, dry_run, edits, mode";
    for (params, message) in [
        (json!([]), "must be an object, not a list".to_owned()),
        (json!("x"), "must be an object, not \"x\"".to_owned()),
        (json!({"line": 1}), format!("there is no parameter \"line\"; {takes}")),
        (json!({"pth": 1}), format!("there is no parameter \"pth\", but path; {takes}")),
        (json!({"dryRuns": 1}), format!("there is no parameter \"dryRuns\", but dry_run; {takes}")),
        (json!({"path": 5}), "path must be text, not 5".to_owned()),
        (json!({"path": ["a"]}), "path must be text, not a list".to_owned()),
        (json!({"offset": -1}), "offset must be a whole number, 0 or more, not -1".to_owned()),
        (json!({"offset": "-1"}), "offset must be a whole number, 0 or more, not -1".to_owned()),
        (json!({"offset": 1.5}), "offset must be a whole number, 0 or more, not 1.5".to_owned()),
        (
            json!({"offset": "ten"}),
            "offset must be a whole number, 0 or more, not \"ten\"".to_owned(),
        ),
        (
            json!({"offset": {}}),
            "offset must be a whole number, 0 or more, not an object".to_owned(),
        ),
        (json!({"dry_run": 1}), "dry_run must be true or false, not 1".to_owned()),
        (json!({"dry_run": "maybe"}), "dry_run must be true or false, not \"maybe\"".to_owned()),
        (json!({"edits": 1}), "edits must be a list, not 1".to_owned()),
        (json!({"edits": {}}), "edits must be a list, not an object".to_owned()),
        (json!({"edits": {"old_string": 7}}), "edits[0].old_string must be text, not 7".to_owned()),
        (json!({"edits": [{}]}), "edits[0]: the parameter old_string is missing".to_owned()),
        (
            json!({"edits": [{"old_string": "a"}, {"old_string": 7}]}),
            "edits[1].old_string must be text, not 7".to_owned(),
        ),
        (
            json!({"edits": [{"old_string": "a", "at": 1}]}),
            "edits[0]: there is no parameter \"at\"; it takes old_string".to_owned(),
        ),
        (
            json!({"mode": "fuzzy"}),
            "mode must be one of exact, forgiving, not \"fuzzy\"".to_owned(),
        ),
        (json!({"path": "a", "file_path": "b"}), "the parameter path is given twice".to_owned()),
        (json!({"filename": "a", "file": "a"}), "the parameter path is given twice".to_owned()),
        (
            json!({"edits": [{"old_str": "a", "oldText": "b"}]}),
            "edits[0]: the parameter old_string is given twice".to_owned(),
        ),
    ] {
        assert_eq!(sample(params.clone()), Err(format!("wrong parameters: {message}")), "{params}");
    }
}

#[test]
fn a_number_too_large_for_anything_is_refused() {
    for text in ["18446744073709551616", "1e300", "1e19"] {
        let params = serde_json::from_str(&format!("{{\"offset\": {text}}}")).unwrap();
        assert!(sample(params).unwrap_err().contains("offset must be a whole number"), "{text}");
    }
}

#[test]
fn a_long_text_is_not_repeated_whole() {
    let message = sample(json!({"offset": "x".repeat(10_000)})).unwrap_err();
    assert!(message.len() < 200, "{message}");
}
