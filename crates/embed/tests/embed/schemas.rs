//! Descriptions in the shapes that model APIs take.

use garth_embed::{Bounds, DIALECTS, Registry, Shape, json};

use crate::fixture::{nothing, says, with, workspace_tools};

#[test]
fn a_tool_is_described_in_each_shape() {
    let registry = with(Bounds::standard(), says("hello", "").title("Say hello"));
    let (name, description) = ("hello", "Says something.");
    for (shape, expected) in [
        (
            Shape::InputSchema,
            json!({ "name": name, "description": description, "input_schema": nothing() }),
        ),
        (
            Shape::Parameters,
            json!({ "name": name, "description": description, "parameters": nothing() }),
        ),
        (
            Shape::FlatFunction,
            json!({
                "type": "function", "name": name, "description": description,
                "parameters": nothing(),
            }),
        ),
        (
            Shape::Function,
            json!({
                "type": "function",
                "function": { "name": name, "description": description, "parameters": nothing() },
            }),
        ),
        (
            Shape::Mcp,
            json!({
                "name": name, "title": "Say hello", "description": description,
                "inputSchema": nothing(),
                "annotations": {
                    "readOnlyHint": true, "destructiveHint": false, "openWorldHint": false,
                },
            }),
        ),
    ] {
        assert_eq!(registry.schemas(shape), [expected], "{shape:?}");
    }
}

#[test]
fn a_tool_that_says_nothing_of_its_needs_counts_as_one_that_destroys() {
    let tool = garth_embed::Function::new("odd", "Odd.", nothing(), |_, _| async {
        Ok(garth_embed::Answer::text(""))
    });
    let listed = with(Bounds::standard(), tool).schemas(Shape::Mcp);
    assert_eq!(listed[0]["annotations"]["readOnlyHint"], false);
    assert_eq!(listed[0]["annotations"]["destructiveHint"], true);
}

#[test]
fn every_tool_of_every_dialect_has_a_description_and_two_schemas() {
    for dialect in DIALECTS {
        let mut registry = Registry::new(Bounds::standard());
        registry.register(dialect).unwrap();
        for (listed, tool) in registry.schemas(Shape::Mcp).iter().zip(dialect.tools) {
            assert_eq!(listed["name"], tool.name);
            assert_eq!(listed["description"], tool.summary);
            assert_eq!(listed["inputSchema"]["type"], "object", "{}", tool.name);
            assert_eq!(listed["outputSchema"]["type"], "object", "{}", tool.name);
            assert_eq!(listed["annotations"]["readOnlyHint"], tool.needs.changes_nothing());
        }
    }
    assert_eq!(workspace_tools().described().count(), workspace_tools().names().count());
}
