//! Lists of sandboxes, page by page.

use std::{cmp::Reverse, collections::BTreeMap, sync::Arc};

use axum::{
    Json,
    extract::{RawQuery, State},
    http::{HeaderName, HeaderValue, request::Parts},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::{Known, answered};
use crate::serve::e2b::{
    describe,
    door::operator,
    line::{self, Asked, about},
    refuse::{Result, Wrong},
    sandbox::Sandbox,
};

/// The most sandboxes of a page.
const MOST_PAGE: usize = 100;
/// Says where the next page begins.
const NEXT: HeaderName = HeaderName::from_static("x-next-token");
/// How many run.
const RUNNING: HeaderName = HeaderName::from_static("x-total-running");

/// What of all sandboxes is wanted.
#[derive(Debug, Default)]
struct Filter {
    /// Names and values; SDKs encode them twice, and others once.
    metadata: Vec<Pair>,
    states: Vec<String>,
    template: Option<String>,
    oldest_first: bool,
    limit: Option<usize>,
    after: Option<(i64, String)>,
}

/// One page of sandboxes.
pub(in crate::serve::e2b) async fn list(
    State((app, e2b)): Known,
    RawQuery(query): RawQuery,
    parts: Parts,
) -> Response {
    let listed = async {
        let caller = operator(&app, &parts).await?;
        let filter = Filter::read(query.as_deref().unwrap_or_default())?;
        let asked = Asked { caller, operation: line::SANDBOX_LIST, params: json!({}), bytes: 0 };
        let all = e2b.clone();
        let found = about(&app, asked, async move { Ok(all.all()) }).await?;
        Ok(filter.page(found))
    };
    answered(listed.await)
}

/// All sandboxes that run, as older SDKs ask for them.
pub(in crate::serve::e2b) async fn list_all(
    State((app, e2b)): Known,
    RawQuery(query): RawQuery,
    parts: Parts,
) -> Response {
    let listed = async {
        let caller = operator(&app, &parts).await?;
        let mut filter = Filter::read(query.as_deref().unwrap_or_default())?;
        if filter.states.is_empty() {
            filter.states = vec!["running".to_owned()];
        }
        let asked = Asked { caller, operation: line::SANDBOX_LIST, params: json!({}), bytes: 0 };
        let all = e2b.clone();
        let found = about(&app, asked, async move { Ok(all.all()) }).await?;
        let told: Vec<Value> =
            filter.sorted(found).iter().map(|one| describe::listed(one)).collect();
        Ok(Json(told).into_response())
    };
    answered(listed.await)
}

/// One name and value that a sandbox must have.
#[derive(Debug)]
struct Pair([(String, String); 2]);

impl Pair {
    fn read(name: &str, value: &str) -> Self {
        let decoded = |text: &str| {
            percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
        };
        Self([(name.to_owned(), value.to_owned()), (decoded(name), decoded(value))])
    }

    fn is_in(&self, metadata: &BTreeMap<String, String>) -> bool {
        self.0.iter().any(|(name, value)| metadata.get(name) == Some(value))
    }
}

impl Filter {
    fn read(query: &str) -> Result<Self> {
        let mut filter = Self::default();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match &*name {
                "metadata" => {
                    let pairs = form_urlencoded::parse(value.as_bytes());
                    filter.metadata.extend(pairs.map(|(name, value)| Pair::read(&name, &value)));
                }
                "state" => filter.states.extend(value.split(',').map(ToOwned::to_owned)),
                "template" => filter.template = Some(value.into_owned()),
                "order" => filter.oldest_first = value == "asc",
                "limit" => {
                    let limit = value.parse().ok().filter(|limit| *limit > 0);
                    let limit: usize = limit.ok_or_else(|| Wrong::invalid("limit is a number"))?;
                    filter.limit = Some(limit.min(MOST_PAGE));
                }
                "nextToken" => {
                    let token = value
                        .split_once('.')
                        .and_then(|(when, id)| Some((when.parse().ok()?, id.to_owned())));
                    let token = token.ok_or_else(|| Wrong::invalid("nextToken is not known"))?;
                    filter.after = Some(token);
                }
                _ => {}
            }
        }
        let known = |state: &String| ["running", "paused"].contains(&state.as_str());
        if !filter.states.iter().all(known) {
            return Err(Wrong::invalid("a state is running or paused"));
        }
        Ok(filter)
    }

    fn sorted(&self, all: Vec<Arc<Sandbox>>) -> Vec<Arc<Sandbox>> {
        let wanted = |sandbox: &Arc<Sandbox>| {
            let record = sandbox.record();
            let state = record.state.name();
            (self.states.is_empty() || self.states.iter().any(|wanted| wanted == state))
                && self.template.as_ref().is_none_or(|template| *template == record.template)
                && self.metadata.iter().all(|pair| pair.is_in(&record.metadata))
        };
        let mut all: Vec<_> = all.into_iter().filter(wanted).collect();
        if self.oldest_first {
            all.sort_by_key(|sandbox| key(sandbox));
        } else {
            all.sort_by_key(|sandbox| Reverse(key(sandbox)));
        }
        all
    }

    fn page(&self, all: Vec<Arc<Sandbox>>) -> Response {
        let running = all.iter().filter(|one| one.record().state.name() == "running").count();
        let behind = |sandbox: &Arc<Sandbox>| match &self.after {
            None => true,
            Some(after) if self.oldest_first => key(sandbox) > *after,
            Some(after) => key(sandbox) < *after,
        };
        let mut page: Vec<_> = self.sorted(all).into_iter().filter(behind).collect();
        let limit = self.limit.unwrap_or(MOST_PAGE);
        let more = page.len() > limit;
        page.truncate(limit);
        let told: Vec<Value> = page.iter().map(|sandbox| describe::listed(sandbox)).collect();
        let mut response = Json(told).into_response();
        response.headers_mut().insert(RUNNING, HeaderValue::from(running));
        let next = page.last().filter(|_| more).map(|last| {
            let (when, id) = key(last);
            format!("{when}.{id}")
        });
        let next = next.and_then(|next| HeaderValue::from_str(&next).ok());
        response.headers_mut().extend(next.map(|next| (NEXT, next)));
        response
    }
}

/// What orders sandboxes.
fn key(sandbox: &Sandbox) -> (i64, String) {
    (sandbox.record().started_ms, sandbox.id.to_string())
}
