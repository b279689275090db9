//! What the rows of several families have in common.

use std::sync::Arc;

use garth_contract::{BoxFuture, Code, Error, Result};
use garth_gateway::{Access, Caller, Family, Operation, Run, Summary, Takes};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use crate::serve::{answer::Answer, ws::Link};

/// An operation on the gateway itself, which is the operator's; of its parameters the
/// record has those that are named here.
pub(super) fn on_gateway<F>(
    name: &'static str,
    recorded: &'static [&'static str],
    run: impl Fn(Caller, Value) -> F + Send + Sync + 'static,
) -> Operation<Answer>
where
    F: Future<Output = Result<Answer>> + Send + 'static,
{
    let run = Run::on_gateway(move |caller, params, _| {
        let doing = run(caller, params);
        let doing: BoxFuture<'static, Result<Answer>> = Box::pin(doing);
        doing
    });
    Operation {
        name,
        access: Access::Admin,
        family: Family::Admin,
        takes: Takes::Nothing,
        describe: Arc::new(move |params| recorded_of(params, recorded)),
        run,
    }
}

/// The parameters of these names, as the record has them.
pub(super) fn recorded_of(params: &Value, names: &'static [&'static str]) -> Summary {
    let named = names.iter().filter_map(|name| Some((*name, params.get(*name)?.as_str()?)));
    named.fold(Summary::default(), |summary, (name, value)| summary.fact(name, value))
}

/// Reads parameters; none at all are empty ones.
///
/// # Errors
/// `INVALID_PARAMS`.
pub(super) fn read<T: DeserializeOwned>(params: Value) -> Result<T> {
    let params = if params.is_null() { Value::Object(Map::new()) } else { params };
    if !params.is_object() {
        // A list would be taken as the fields in their order.
        return Err(Error::new(Code::InvalidParams, "parameters are an object"));
    }
    serde_json::from_value(params)
        .map_err(|error| Error::new(Code::InvalidParams, error.to_string()))
}

/// Writes an answer.
///
/// # Errors
/// `INTERNAL` for what is no object.
pub(super) fn facts(value: &impl Serialize) -> Result<Map<String, Value>> {
    match serde_json::to_value(value) {
        Ok(Value::Object(facts)) => Ok(facts),
        Ok(_) | Err(_) => {
            Err(Error::new(Code::Internal, "the answer could not be written as JSON"))
        }
    }
}

/// The connection that something is to stay open on.
///
/// # Errors
/// `UNSUPPORTED` where the call came by none.
pub(super) fn linked(link: Option<Arc<Link>>) -> Result<Arc<Link>> {
    link.ok_or_else(|| {
        Error::new(Code::Unsupported, "this stays open on a connection, and there is none")
            .hint("Ask over the WebSocket at /v1/ws.")
    })
}
