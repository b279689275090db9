//! Environment variables as a caller sends them.

use std::{borrow::Cow, fmt};

use garth_contract::{Result, Variables};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer,
    de::{self, MapAccess, Visitor},
};

/// Variables by their names. A number or a boolean stands for its text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Env(Vec<(String, String)>);

impl Env {
    /// The variables, checked.
    ///
    /// # Errors
    /// `INVALID_PARAMS`, as [`Variables::new`] has it.
    pub(crate) fn variables(self) -> Result<Variables> {
        Variables::new(self.0)
    }
}

impl<'de> Deserialize<'de> for Env {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;

        impl<'de> Visitor<'de> for Pairs {
            type Value = Env;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of names and their texts")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Env, A::Error> {
                let mut pairs = Vec::new();
                while let Some((name, Text(text))) = map.next_entry()? {
                    pairs.push((name, text));
                }
                Ok(Env(pairs))
            }
        }

        deserializer.deserialize_map(Pairs)
    }
}

impl JsonSchema for Env {
    fn schema_name() -> Cow<'static, str> {
        "Env".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "additionalProperties": { "type": "string" } })
    }

    fn inline_schema() -> bool {
        true
    }
}

/// A text, which may come as a number or a boolean.
struct Text(String);

/// Reads a text that may come as a number or a boolean.
pub(crate) fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Text::deserialize(deserializer).map(|Text(text)| text)
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;

        impl Visitor<'_> for Any {
            type Value = Text;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("text")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Text, E> {
                Ok(Text(text.to_owned()))
            }

            fn visit_string<E: de::Error>(self, text: String) -> Result<Text, E> {
                Ok(Text(text))
            }

            fn visit_bool<E: de::Error>(self, value: bool) -> Result<Text, E> {
                Ok(Text(value.to_string()))
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Text, E> {
                Ok(Text(number.to_string()))
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Text, E> {
                Ok(Text(number.to_string()))
            }
        }

        deserializer.deserialize_any(Any)
    }
}

#[cfg(test)]
mod tests {
    use garth_contract::Code;
    use serde_json::json;

    use super::*;
    use crate::params::parse;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Params {
        env: Option<Env>,
    }

    fn env(value: &serde_json::Value) -> Result<Vec<(String, String)>> {
        let params: Params = parse(json!({ "env": value }))?;
        Ok(params.env.map(|env| env.0).unwrap_or_default())
    }

    #[test]
    fn numbers_and_booleans_stand_for_their_text() {
        let pairs = env(&json!({"A": "x", "PORT": 3000, "LEVEL": -1, "CI": true})).unwrap();
        let pair = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        let wanted =
            [pair("A", "x"), pair("PORT", "3000"), pair("LEVEL", "-1"), pair("CI", "true")];
        assert_eq!(pairs, wanted);
        assert_eq!(env(&json!("{\"A\": \"x\"}")).unwrap(), [pair("A", "x")]);
        assert!(env(&json!(null)).unwrap().is_empty());
    }

    #[test]
    fn anything_else_is_refused_by_its_name() {
        for (value, words) in [
            (json!({"A": ["x"]}), "env.A must be text, not a list"),
            (json!({"A": null}), "env.A must be text, not null"),
            (json!({"A": 1.5}), "env.A must be text, not 1.5"),
            (json!(["A=x"]), "env must be an object of names and their texts, not a list"),
            (json!("A=x"), "env must be an object of names and their texts, not \"A=x\""),
        ] {
            let error = env(&value).unwrap_err();
            assert_eq!(error.code(), Code::InvalidParams);
            assert!(error.message().contains(words), "{error}");
        }
    }
}
