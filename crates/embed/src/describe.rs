//! A tool as it is described to a model, in the shapes that model APIs take.

use garth_ops::Needs;
use serde_json::{Value, json};

use crate::Tool;

/// What a model is told about a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Described {
    /// What it is called.
    pub name: String,
    /// The same for people.
    pub title: String,
    /// What it does.
    pub description: String,
    /// The JSON Schema of its parameters.
    pub params: Value,
    /// The JSON Schema of its facts, where there is one.
    pub payload: Option<Value>,
    /// What it needs of a workspace.
    pub needs: Needs,
}

/// How an API wants a tool described.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `{name, description, input_schema}`.
    InputSchema,
    /// `{name, description, parameters}`.
    Parameters,
    /// `{type: "function", name, description, parameters}`.
    FlatFunction,
    /// `{type: "function", function: {name, description, parameters}}`.
    Function,
    /// `{name, title, description, inputSchema, outputSchema?, annotations}`, as MCP
    /// lists it.
    Mcp,
}

impl Described {
    pub(crate) fn of(tool: &dyn Tool) -> Self {
        Self {
            name: tool.name().to_owned(),
            title: tool.title().to_owned(),
            description: tool.summary().to_owned(),
            params: tool.params(),
            payload: tool.payload(),
            needs: tool.needs(),
        }
    }

    /// The description in a shape.
    #[must_use]
    pub fn shaped(&self, shape: Shape) -> Value {
        let Self { name, description, params, .. } = self;
        match shape {
            Shape::InputSchema => {
                json!({ "name": name, "description": description, "input_schema": params })
            }
            Shape::Parameters => {
                json!({ "name": name, "description": description, "parameters": params })
            }
            Shape::FlatFunction => json!({
                "type": "function", "name": name, "description": description, "parameters": params,
            }),
            Shape::Function => {
                json!({ "type": "function", "function": self.shaped(Shape::Parameters) })
            }
            Shape::Mcp => self.listed(),
        }
    }

    fn listed(&self) -> Value {
        let mut listed = json!({
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.params,
        });
        if let (Some(object), Some(payload)) = (listed.as_object_mut(), &self.payload) {
            object.insert("outputSchema".into(), payload.clone());
        }
        if let Some(object) = listed.as_object_mut() {
            let annotations = json!({
                "readOnlyHint": self.needs.changes_nothing(),
                "destructiveHint": self.needs.destroys(),
                "openWorldHint": matches!(self.needs, Needs::Run | Needs::Git),
            });
            object.insert("annotations".into(), annotations);
        }
        listed
    }
}
