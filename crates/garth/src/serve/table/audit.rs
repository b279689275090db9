//! The audit, by page, newest first.

use garth_contract::{Code, Error, Result};
use garth_gateway::{
    Gateway, Operation,
    audit::{Audit, Filter},
};
use serde_json::Value;

use super::row::{facts, on_gateway, read};
use crate::serve::answer::Answer;

/// How many records come when nothing is said.
const USUAL: u32 = 100;

/// The rows.
pub(super) fn rows(gateway: &Gateway) -> Vec<Operation<Answer>> {
    let audit = gateway.audit().clone();
    let recorded = &["workspace", "caller", "session", "operation", "outcome"];
    vec![on_gateway("audit.list", recorded, move |_, params| list(audit.clone(), params))]
}

/// The parameters are those of the filter, and where and how much: `before`, `limit`.
async fn list(audit: Audit, mut params: Value) -> Result<Answer> {
    let mut taken = |name: &str| params.as_object_mut().and_then(|all| all.shift_remove(name));
    let (before, limit) = (taken("before"), taken("limit"));
    let wrong = |_| Error::new(Code::InvalidParams, "before and limit are whole numbers");
    let before: Option<i64> =
        before.map(serde_json::from_value).transpose().map_err(wrong)?.flatten();
    let limit: Option<u32> =
        limit.map(serde_json::from_value).transpose().map_err(wrong)?.flatten();
    let filter: Filter = read(params)?;
    let page = audit.list(&filter, before, limit.unwrap_or(USUAL)).await?;
    facts(&page).map(Answer::Facts)
}
