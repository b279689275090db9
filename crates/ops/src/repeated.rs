//! Names that an object gives twice, which JSON allows and nobody means.
//!
//! Of two values readers take the first or the last, so what one of them checked
//! may not be what the next one does.

use std::{borrow::Cow, collections::HashSet, fmt};

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

/// Finds a name that an object anywhere in a JSON text gives twice.
///
/// A text that is no JSON, or nested deeper than any parameter, gives none: whoever
/// reads it says what is wrong with it.
#[must_use]
pub fn repeated(json: &[u8]) -> Option<String> {
    let mut found = None;
    let mut text = serde_json::Deserializer::from_slice(json);
    // An error that is not ours is one of the text.
    let _ = Look(&mut found).deserialize(&mut text);
    found
}

struct Look<'a>(&'a mut Option<String>);

impl<'de> DeserializeSeed<'de> for Look<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        value.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Look<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Look(self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        let mut names = Names::default();
        while let Some(name) = fields.next_key_seed(Name)? {
            if let Some(again) = names.take(name) {
                *self.0 = Some(again.into_owned());
                return Err(A::Error::custom("a name is given twice"));
            }
            fields.next_value_seed(Look(self.0))?;
        }
        Ok(())
    }
}

/// So many names are compared one by one: most objects have fewer.
const FEW: usize = 12;

/// The names of an object.
#[derive(Default)]
struct Names<'a> {
    few: Vec<Cow<'a, str>>,
    more: HashSet<Cow<'a, str>>,
}

impl<'a> Names<'a> {
    /// Takes a name; gives it back if it was there.
    fn take(&mut self, name: Cow<'a, str>) -> Option<Cow<'a, str>> {
        if self.few.contains(&name) || self.more.contains(&name) {
            return Some(name);
        }
        if self.few.len() < FEW {
            self.few.push(name);
        } else {
            self.more.insert(name);
        }
        None
    }
}

/// A name, where it stands in the text as it is.
struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, name: D) -> Result<Self::Value, D::Error> {
        name.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Name {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(name))
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_given_twice_only_in_one_object() {
        for (json, name) in [
            (r#"{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}"#, None),
            (r#"[null,true,-1,1.5,"{\"a\":1,\"a\":2}"]"#, None),
            (r#"{"a":1,"a":1}"#, Some("a")),
            (r#"{"a":1,"\u0061":2}"#, Some("a")),
            (r#"[[{"b":{"a":1,"c":0,"a":{}}}]]"#, Some("a")),
            (r#"{"a":1,"a""#, Some("a")),
            ("no JSON", None),
        ] {
            assert_eq!(repeated(json.as_bytes()).as_deref(), name, "{json}");
        }
    }

    #[test]
    fn of_many_names_each_is_known() {
        let all: String = (0..3 * FEW).map(|number| format!(r#""n{number}":0,"#)).collect();
        assert_eq!(repeated(format!(r#"{{{all}"last":0}}"#).as_bytes()), None);
        for number in 0..3 * FEW {
            let name = format!("n{number}");
            let json = format!(r#"{{{all}"{name}":1}}"#);
            assert_eq!(repeated(json.as_bytes()), Some(name));
        }
    }
}
