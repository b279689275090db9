//! What a request says must hold of a file: its tags, which are versions.

use axum::{
    http::{HeaderMap, StatusCode, header},
    response::Response,
};
use garth_contract::{Code, Error, Result, Version};
use garth_ops::worktree::transfer::Held;

use super::super::{asked::Asked, refused};

/// What a header lists.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Tags {
    /// Whatever there is.
    Any,
    /// These, as far as they are versions; others match nothing.
    These(Vec<Version>),
}

/// What must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Conditions {
    /// `If-Match`.
    matches: Option<Tags>,
    /// `If-None-Match`.
    no_match: Option<Tags>,
    /// `If-Range`; one that is no tag allows no part.
    range: Option<Tags>,
}

impl Conditions {
    pub(super) fn read(asked: &Asked) -> Self {
        let listed = |name, strength| tags(&asked.headers, name, strength);
        Self {
            matches: listed(header::IF_MATCH, Strength::Strong),
            no_match: listed(header::IF_NONE_MATCH, Strength::Any),
            range: listed(header::IF_RANGE, Strength::Strong),
        }
    }

    /// What a change is held to.
    ///
    /// # Errors
    /// `INVALID_REQUEST` for two conditions at once.
    pub(super) fn held(&self) -> Result<Held> {
        Ok(match (&self.matches, &self.no_match) {
            (None, None) => Held::Any,
            (Some(Tags::Any), None) => Held::Present,
            (Some(Tags::These(versions)), None) => Held::OneOf(versions.clone()),
            (None, Some(Tags::Any)) => Held::Absent,
            (None, Some(Tags::These(versions))) => Held::NoneOf(versions.clone()),
            (Some(_), Some(_)) => {
                let message = "If-Match and If-None-Match make no sense together";
                return Err(Error::new(Code::InvalidRequest, message));
            }
        })
    }

    /// How a read is answered whose conditions do not hold.
    pub(super) fn judge(&self, version: Option<Version>) -> Option<StatusCode> {
        let has = |tags: &Tags| match tags {
            Tags::Any => true,
            Tags::These(versions) => version.is_some_and(|version| versions.contains(&version)),
        };
        if self.matches.as_ref().is_some_and(|tags| !has(tags)) {
            return Some(StatusCode::PRECONDITION_FAILED);
        }
        self.no_match.as_ref().is_some_and(has).then_some(StatusCode::NOT_MODIFIED)
    }

    /// Tells whether a part may be sent rather than the whole.
    pub(super) fn allows_part(&self, version: Option<Version>) -> bool {
        match &self.range {
            None => true,
            Some(Tags::Any) => false,
            Some(Tags::These(versions)) => {
                version.is_some_and(|version| versions.contains(&version))
            }
        }
    }

    /// A change that was refused; by its own conditions, with the status for that.
    pub(super) fn refused(&self, error: &Error) -> Response {
        let conditional = self.matches.is_some() || self.no_match.is_some();
        let mut response = refused(error);
        if conditional && [Code::Conflict, Code::FileExists].contains(&error.code()) {
            *response.status_mut() = StatusCode::PRECONDITION_FAILED;
        }
        response
    }
}

/// Whether a weak tag counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Strength {
    Strong,
    Any,
}

fn tags(headers: &HeaderMap, name: header::HeaderName, strength: Strength) -> Option<Tags> {
    let mut values = headers.get_all(name).iter().peekable();
    values.peek()?;
    let mut versions = Vec::new();
    for text in values.filter_map(|value| value.to_str().ok()).flat_map(|text| text.split(',')) {
        let text = text.trim();
        if text == "*" {
            return Some(Tags::Any);
        }
        let text = match (text.strip_prefix("W/"), strength) {
            (None, _) => text,
            (Some(weak), Strength::Any) => weak,
            (Some(_), Strength::Strong) => continue,
        };
        let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        versions.extend(inner.and_then(|text| text.parse::<Version>().ok()));
    }
    Some(Tags::These(versions))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conditions(headers: &[(&'static str, String)]) -> Conditions {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().unwrap());
        }
        let (method, connected) = (axum::http::Method::PUT, Default::default());
        Conditions::read(&Asked { method, headers: map, connected })
    }

    #[test]
    fn tags_are_versions_and_others_match_nothing() {
        let (one, two) = (Version::of(b"one"), Version::of(b"two"));
        let both = conditions(&[("if-match", format!("\"{one}\", \"x\", \"{two}\""))]);
        assert_eq!(both.held(), Ok(Held::OneOf(vec![one, two])));
        assert_eq!(both.judge(Some(two)), None);
        let other = Some(Version::of(b"other"));
        assert_eq!(both.judge(other), Some(StatusCode::PRECONDITION_FAILED));
        let weak = conditions(&[("if-match", format!("W/\"{one}\""))]);
        assert_eq!(weak.held(), Ok(Held::OneOf(Vec::new())));
        let weak = conditions(&[("if-none-match", format!("W/\"{one}\""))]);
        assert_eq!(weak.judge(Some(one)), Some(StatusCode::NOT_MODIFIED));
        assert_eq!(weak.held(), Ok(Held::NoneOf(vec![one])));
    }

    #[test]
    fn a_star_is_whatever_there_is() {
        assert_eq!(conditions(&[]).held(), Ok(Held::Any));
        let star = |name| conditions(&[(name, "*".to_owned())]);
        assert_eq!(star("if-match").held(), Ok(Held::Present));
        assert_eq!(star("if-none-match").held(), Ok(Held::Absent));
        let both = [("if-match", "*".to_owned()), ("if-none-match", "*".to_owned())];
        assert_eq!(conditions(&both).held().unwrap_err().code(), Code::InvalidRequest);
    }
}
