//! What stands behind the question mark of an address.

use garth_contract::{Code, Error, Result};
use serde_json::{Map, Value};

/// A parameter that an address may have.
#[derive(Clone, Copy)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
}

/// What a parameter is.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Text,
    Number,
    Switch,
}

/// Reads the parameters of an address as JSON.
///
/// # Errors
/// `INVALID_PARAMS` for one that there is not, that stands there twice, or that is not
/// what it must be.
pub(super) fn read(query: Option<&str>, fields: &[Field]) -> Result<Map<String, Value>> {
    let mut found = Map::new();
    for (name, text) in form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
        let Some(field) = fields.iter().find(|field| field.name == name) else {
            return Err(wrong(format!("there is no parameter {name:?}")));
        };
        let value = match field.kind {
            Kind::Text => Value::from(text.as_ref()),
            Kind::Number => match text.parse::<u64>() {
                Ok(number) => Value::from(number),
                Err(_) => return Err(wrong(format!("{name} is not a whole number"))),
            },
            Kind::Switch => match text.as_ref() {
                "true" => Value::Bool(true),
                "false" => Value::Bool(false),
                _ => return Err(wrong(format!("{name} is neither true nor false"))),
            },
        };
        if found.insert(field.name.to_owned(), value).is_some() {
            return Err(wrong(format!("{name} is given twice")));
        }
    }
    Ok(found)
}

fn wrong(message: String) -> Error {
    Error::new(Code::InvalidParams, message)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const FIELDS: &[Field] = &[
        Field { name: "cursor", kind: Kind::Text },
        Field { name: "limit", kind: Kind::Number },
        Field { name: "redact", kind: Kind::Switch },
    ];

    #[test]
    fn escapes_are_undone() {
        let read = read(Some("cursor=a%20b%2Fc+d&limit=5&redact=false"), FIELDS).unwrap();
        assert_eq!(Value::from(read), json!({"cursor": "a b/c d", "limit": 5, "redact": false}));
    }

    #[test]
    fn what_is_not_known_or_no_number_or_twice_is_refused() {
        for query in ["other=1", "limit=x", "limit=-1", "redact=no", "limit=1&limit=2", "%ff=1"] {
            assert_eq!(read(Some(query), FIELDS).unwrap_err().code(), Code::InvalidParams);
        }
        assert_eq!(read(None, FIELDS).unwrap(), Map::new());
    }
}
