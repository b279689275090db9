//! Answers of our own: what a request gets that does not reach the other side.

use garth_contract::{Code, Error};
use serde_json::{Map, Value, json};

use super::json::Unclear;

/// JSON-RPC's code for a line that is no message.
const PARSE: i64 = -32_700;
/// For a message that makes no sense.
const INVALID_REQUEST: i64 = -32_600;
/// For parameters that cannot be taken.
const INVALID_PARAMS: i64 = -32_602;
/// For what failed within.
const INTERNAL: i64 = -32_603;
/// ACP's own, for a file that is not there.
const NOT_FOUND: i64 = -32_002;

/// An answer with a result.
pub(super) fn done(raw_id: &str, result: &Value) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{raw_id},\"result\":{result}}}\n")
}

/// An answer that says what went wrong.
pub(super) fn failed(raw_id: &str, error: &Error) -> String {
    let code = error.code();
    let number = if code == Code::FileNotFound {
        NOT_FOUND
    } else if [Code::Internal, Code::Cancelled, Code::ProviderUnavailable].contains(&code) {
        INTERNAL
    } else if code == Code::InvalidRequest {
        INVALID_REQUEST
    } else {
        INVALID_PARAMS
    };
    let facts: Map<String, Value> = garth_ops::method_failure(error);
    let body = json!({ "code": number, "message": error.message(), "data": facts });
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{raw_id},\"error\":{body}}}\n")
}

/// An answer to a line that is no message; there is no id to answer to.
pub(super) fn no_message(unclear: &Unclear) -> String {
    let code = if *unclear == Unclear::Wrong { PARSE } else { INVALID_REQUEST };
    let body = json!({ "code": code, "message": format!("the line is no message: {unclear}") });
    format!("{{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{body}}}\n")
}

/// What is wrong with parameters that cannot be relied on.
pub(super) fn unclear(method: &str, unclear: &Unclear) -> Error {
    let message = format!("the parameters of {method} cannot be taken: {unclear}");
    Error::new(Code::InvalidParams, message)
}
