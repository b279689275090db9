//! Names to tools: who is there, how they are described, and one way to call them.

use std::{collections::BTreeMap, fmt, sync::Arc, time::Duration};

use garth_contract::{Code, Error, Result};
use garth_ops::{Dialect, Failure, Reply};
use garth_workspace::Workspace;
use serde_json::{Map, Value};
use tokio::sync::Semaphore;

use crate::{
    Bounds, Described, Shape, Tool, ToolResult,
    contain::{self, Panic, Stopped, caught},
    nearest::nearest,
};

/// The longest name that every model API takes.
const LONGEST_NAME: usize = 64;
/// How many names a hint lists.
const MOST_NAMES: usize = 40;

/// Tools by their names.
///
/// They stay in the order in which they came, so what is made of them is the same
/// each time.
pub struct Registry {
    rows: Vec<Row>,
    places: BTreeMap<String, usize>,
    bounds: Bounds,
    turns: Semaphore,
}

struct Row {
    described: Described,
    deadline: Option<Duration>,
    tool: Box<dyn Tool>,
}

impl Registry {
    /// A registry without tools.
    #[must_use]
    pub fn new(bounds: Bounds) -> Self {
        // A registry in which nothing may run would let every call wait for ever.
        let turns = Semaphore::new(bounds.at_once.clamp(1, Semaphore::MAX_PERMITS));
        Self { rows: Vec::new(), places: BTreeMap::new(), bounds, turns }
    }

    /// Registers all tools of a dialect, or, after an error, none of them.
    ///
    /// A workspace refuses those that it cannot run; a [`Section`](crate::Section)
    /// leaves them out.
    ///
    /// # Errors
    /// `INVALID_PARAMS` when one of the names is taken.
    pub fn register(&mut self, dialect: &Dialect) -> Result<()> {
        self.add_rows(dialect.tools.iter())
    }

    /// Registers one tool: a row of a dialect or one of the author's own.
    ///
    /// # Errors
    /// `INVALID_PARAMS` when its name is taken or is none that a model can call, or
    /// its parameters are described as something else than an object; `INTERNAL`
    /// when it panics on being asked.
    pub fn add(&mut self, tool: impl Tool + 'static) -> Result<()> {
        self.add_all(std::iter::once(Box::new(tool) as Box<dyn Tool>))
    }

    /// Registers rows of a dialect, all or none.
    pub(crate) fn add_rows<'a>(
        &mut self,
        rows: impl Iterator<Item = &'a garth_ops::Tool>,
    ) -> Result<()> {
        self.add_all(rows.map(|row| Box::new(*row) as Box<dyn Tool>))
    }

    fn add_all(&mut self, tools: impl Iterator<Item = Box<dyn Tool>>) -> Result<()> {
        let first = self.rows.len();
        for tool in tools {
            if let Err(error) = self.add_one(tool) {
                self.rows.truncate(first);
                self.places.retain(|_, place| *place < first);
                return Err(error);
            }
        }
        Ok(())
    }

    fn add_one(&mut self, tool: Box<dyn Tool>) -> Result<()> {
        let asked = caught(|| (Described::of(&*tool), tool.deadline()));
        let (described, deadline) = asked.map_err(|Panic| {
            Error::new(Code::Internal, "the tool panicked when it was registered")
        })?;
        check(&described)?;
        let name = described.name.clone();
        if self.places.contains_key(&name) {
            return Err(Error::new(Code::InvalidParams, format!("there is a tool {name} already"))
                .hint("Give one of the two another name."));
        }
        self.places.insert(name, self.rows.len());
        self.rows.push(Row { described, deadline, tool });
        Ok(())
    }

    /// The names, in the order in which they came.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().map(|row| row.described.name.as_str())
    }

    /// What a model is told about each tool, in the order in which they came.
    pub fn described(&self) -> impl Iterator<Item = &Described> {
        self.rows.iter().map(|row| &row.described)
    }

    /// The same in the shape that a model API takes.
    #[must_use]
    pub fn schemas(&self, shape: Shape) -> Vec<Value> {
        self.described().map(|described| described.shaped(shape)).collect()
    }

    /// Calls a tool on a workspace.
    ///
    /// Whatever the tool does, this gives a result: a panic is `INTERNAL`, a
    /// deadline that passed `COMMAND_TIMEOUT`, a name that nobody has
    /// `UNKNOWN_METHOD`, parameters that are no object `INVALID_PARAMS`.
    ///
    /// Cancel: the tool is dropped where it waits.
    pub async fn call(&self, workspace: &Arc<Workspace>, name: &str, params: Value) -> ToolResult {
        self.run(workspace, name, object(params)).await.into()
    }

    /// Calls a tool with parameters as the text that a model wrote.
    ///
    /// What is no JSON is `INVALID_REQUEST`; no text at all means no parameters.
    ///
    /// Cancel: the tool is dropped where it waits.
    pub async fn call_text(
        &self,
        workspace: &Arc<Workspace>,
        name: &str,
        params: &str,
    ) -> ToolResult {
        self.run(workspace, name, parse(params)).await.into()
    }

    async fn run(
        &self,
        workspace: &Arc<Workspace>,
        name: &str,
        params: Result<Value>,
    ) -> Result<Reply, Failure> {
        let row = self.find(name)?;
        let params = params?;
        let turn = self.turns.acquire().await;
        let _turn = turn.map_err(|_| Error::of(Code::Internal))?;
        let deadline = row.deadline.or(self.bounds.deadline);
        let answer = contain::run(|| row.tool.run(workspace, params), deadline).await;
        let answer = answer.map_err(|stopped| failed(name, stopped))??;
        answer.finish(workspace, self.bounds.answer_bytes)
    }

    fn find(&self, name: &str) -> Result<&Row> {
        let row = self.places.get(name).and_then(|place| self.rows.get(*place));
        row.ok_or_else(|| self.unknown(name))
    }

    fn unknown(&self, name: &str) -> Error {
        let shown: String = name.chars().take(LONGEST_NAME).collect();
        let error = Error::new(Code::UnknownMethod, format!("there is no tool {shown:?}"));
        let names: Vec<_> = self.names().take(MOST_NAMES).collect();
        let all = match names.len() {
            0 => "There are no tools.".to_owned(),
            _ => format!("The tools are {}.", names.join(", ")),
        };
        match nearest(name, self.names()) {
            Some(near) => error.hint(format!("Did you mean {near}? {all}")),
            None => error.hint(all),
        }
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

/// Refuses what model APIs would refuse, before they do.
fn check(described: &Described) -> Result<()> {
    let name = &described.name;
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(fits) {
        let shown: String = name.chars().take(LONGEST_NAME).collect();
        return Err(Error::new(Code::InvalidParams, format!("not a tool's name: {shown:?}"))
            .hint("Use up to 64 letters, digits, _ and -."));
    }
    if described.params.get("type").is_none_or(|kind| kind != "object") {
        let message = format!("the parameters of {name} are not described as an object");
        return Err(Error::new(Code::InvalidParams, message)
            .hint("Give a JSON Schema with \"type\": \"object\"."));
    }
    Ok(())
}

/// The parameters as an object: nothing means none of them, and a text with an
/// object in it, which some models send, means that.
fn object(params: Value) -> Result<Value> {
    match params {
        Value::Object(_) => Ok(params),
        Value::Null => Ok(Value::Object(Map::new())),
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(Value::Object(params)) => Ok(Value::Object(params)),
            Ok(_) | Err(_) => Err(no_object("a string")),
        },
        Value::Bool(_) => Err(no_object("a boolean")),
        Value::Number(_) => Err(no_object("a number")),
        Value::Array(_) => Err(no_object("an array")),
    }
}

fn no_object(what: &str) -> Error {
    let phrase = Code::InvalidParams.row().phrase;
    Error::new(Code::InvalidParams, format!("{phrase}: they must be an object, not {what}"))
}

fn parse(params: &str) -> Result<Value> {
    if params.trim().is_empty() {
        return object(Value::Null);
    }
    let parsed = serde_json::from_str(params).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let message = format!("the parameters are no JSON at line {line}, column {column}");
        Error::new(Code::InvalidRequest, message).hint("Send one JSON object.")
    })?;
    object(parsed)
}

fn failed(name: &str, stopped: Stopped) -> Error {
    match stopped {
        // What a panic says can hold anything, also what stands in files.
        Stopped::Panicked => Error::new(Code::Internal, format!("the tool {name} panicked")),
        Stopped::Late(deadline) => {
            let message = format!("the tool {name} ran out of time after {deadline:?}");
            Error::new(Code::CommandTimeout, message).hint("Ask for less at once.")
        }
        Stopped::NoTimer => {
            Error::new(Code::Internal, "a deadline needs the timer of a tokio runtime")
                .hint("Build the runtime with its timer enabled, or set no deadline.")
        }
    }
}
