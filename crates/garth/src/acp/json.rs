//! JSON as it was written: the fields of an object as slices of the message they stand in.
//!
//! A message that is passed on must be the bytes that came, and one that is changed must
//! be those bytes but for the place of the change. So nothing here makes a value of its
//! own: everything is a slice, and a change is a splice.

use std::{borrow::Cow, fmt, ops::Range};

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

/// The most fields or elements of one object or array that is looked into. What is only
/// passed on may have any number.
const MOST_PARTS: usize = 4_096;

/// Why an object cannot be relied on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unclear {
    /// It is no JSON, or not the kind of value that belongs there.
    Wrong,
    /// It has a name twice, and a reader may take either.
    Twice(String),
    /// It has more fields than are looked at.
    TooMany,
}

impl fmt::Display for Unclear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wrong => f.write_str("it is not the JSON that belongs there"),
            Self::Twice(name) => write!(f, "it gives {name:?} twice, or in two spellings"),
            Self::TooMany => write!(f, "it has more than {MOST_PARTS} parts in one place"),
        }
    }
}

/// The fields of an object, in order: names as they are meant, values as they stand.
#[derive(Debug)]
pub(super) struct Object<'a> {
    text: &'a str,
    fields: Vec<(Cow<'a, str>, &'a str)>,
}

impl<'a> Object<'a> {
    /// Looks into an object; all of it must be well-formed.
    ///
    /// # Errors
    /// Where it is no object, or has too many fields.
    pub(super) fn of(text: &'a str) -> Result<Self, Unclear> {
        let Fields { list, over } = serde_json::from_str(text).map_err(|_| Unclear::Wrong)?;
        if over {
            return Err(Unclear::TooMany);
        }
        // The bracket comes first, wherever that is.
        Ok(Self { text: text.trim_ascii_start(), fields: list })
    }

    /// A field's value.
    ///
    /// # Errors
    /// Where readers could differ on which is meant: it stands twice, or once more in
    /// other letters, which some readers take for the same.
    pub(super) fn get(&self, name: &str) -> Result<Option<&'a str>, Unclear> {
        let mut found = None;
        for (key, value) in &self.fields {
            if !key.eq_ignore_ascii_case(name) {
                continue;
            }
            if key != name || found.is_some() {
                return Err(Unclear::Twice(name.to_owned()));
            }
            found = Some(*value);
        }
        Ok(found)
    }

    /// A field's value where it is a text.
    ///
    /// # Errors
    /// As for [`get`](Self::get), and where it is something else; `null` is no text.
    pub(super) fn text(&self, name: &str) -> Result<Option<String>, Unclear> {
        match self.get(name)? {
            None | Some("null") => Ok(None),
            Some(value) => serde_json::from_str(value).map(Some).map_err(|_| Unclear::Wrong),
        }
    }

    /// A field's value where it is an object.
    ///
    /// # Errors
    /// As for [`get`](Self::get), and where it is something else; `null` is none.
    pub(super) fn object(&self, name: &str) -> Result<Option<Self>, Unclear> {
        match self.get(name)? {
            None | Some("null") => Ok(None),
            Some(value) => Object::of(value).map(Some),
        }
    }

    /// The elements of a field that is an array.
    ///
    /// # Errors
    /// As for [`get`](Self::get), and where it is something else; `null` has none.
    pub(super) fn array(&self, name: &str) -> Result<Vec<&'a str>, Unclear> {
        match self.get(name)? {
            None | Some("null") => Ok(Vec::new()),
            Some(value) => elements(value),
        }
    }

    /// The edit that sets a field, within the message `whole`.
    ///
    /// # Errors
    /// As for [`get`](Self::get).
    pub(super) fn set(&self, whole: &str, name: &str, value: &str) -> Result<Edit, Unclear> {
        if let Some(old) = self.get(name)? {
            return Ok(Edit::replace(whole, old, value));
        }
        // Right after the bracket, where there is always a place.
        let at = offset(whole, self.text) + 1;
        let comma = if self.fields.is_empty() { "" } else { "," };
        Ok(Edit { at: at..at, text: format!("\"{name}\":{value}{comma}") })
    }
}

/// The elements of an array, as they stand.
///
/// # Errors
/// Where it is no array, or has too many.
pub(super) fn elements(text: &str) -> Result<Vec<&str>, Unclear> {
    let Elements { list, over } = serde_json::from_str(text).map_err(|_| Unclear::Wrong)?;
    if over { Err(Unclear::TooMany) } else { Ok(list) }
}

/// The edit that adds an element to the end of an array within the message `whole`.
///
/// # Errors
/// As for [`elements`].
pub(super) fn push(whole: &str, array: &str, value: &str) -> Result<Edit, Unclear> {
    Ok(match elements(array)?.last() {
        Some(last) => {
            let at = offset(whole, last) + last.len();
            Edit { at: at..at, text: format!(",{value}") }
        }
        None => {
            let at = offset(whole, array) + 1;
            Edit { at: at..at, text: value.to_owned() }
        }
    })
}

/// A text as JSON.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// One change of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edit {
    at: Range<usize>,
    text: String,
}

impl Edit {
    /// Puts other text in the place of a part of the message.
    pub(super) fn replace(whole: &str, part: &str, text: &str) -> Self {
        let at = offset(whole, part);
        Self { at: at..at + part.len(), text: text.to_owned() }
    }
}

/// The message with its edits made, which do not overlap.
pub(super) fn spliced(whole: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| edit.at.start);
    let more: usize = edits.iter().map(|edit| edit.text.len()).sum();
    let mut made = String::with_capacity(whole.len() + more);
    let mut next = 0;
    for Edit { at, text } in edits {
        made.push_str(whole.get(next..at.start).unwrap_or_default());
        made.push_str(&text);
        next = at.end;
    }
    made.push_str(whole.get(next..).unwrap_or_default());
    made
}

/// Where a slice of a message stands in it.
fn offset(whole: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize)
}

#[derive(Default)]
struct Fields<'a> {
    list: Vec<(Cow<'a, str>, &'a str)>,
    over: bool,
}

/// A name, borrowed where it has no escapes.
#[derive(Deserialize)]
#[serde(transparent)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields<'de>, A::Error> {
                let mut fields = Fields::default();
                while let Some(Name(name)) = map.next_key()? {
                    if fields.list.len() == MOST_PARTS {
                        map.next_value::<IgnoredAny>()?;
                        fields.over = true;
                    } else {
                        fields.list.push((name, map.next_value::<&RawValue>()?.get()));
                    }
                }
                Ok(fields)
            }
        }
        from.deserialize_map(Reader)
    }
}

#[derive(Default)]
struct Elements<'a> {
    list: Vec<&'a str>,
    over: bool,
}

impl<'de: 'a, 'a> Deserialize<'de> for Elements<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Elements<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Elements<'de>, A::Error> {
                let mut elements = Elements::default();
                while let Some(element) = seq.next_element::<&RawValue>()? {
                    if elements.list.len() == MOST_PARTS {
                        elements.over = true;
                    } else {
                        elements.list.push(element.get());
                    }
                }
                Ok(elements)
            }
        }
        from.deserialize_seq(Reader)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_set_and_the_rest_stays_as_it_was() {
        let whole = r#"{ "a" : 1.0e0 , "b":{ } }"#;
        let object = Object::of(whole).unwrap();
        let one = object.set(whole, "a", "2").unwrap();
        let two = object.object("b").unwrap().unwrap().set(whole, "c", "true").unwrap();
        let three = object.set(whole, "d", "[]").unwrap();
        let made = spliced(whole, vec![two, one, three]);
        assert_eq!(made, r#"{"d":[], "a" : 2 , "b":{"c":true } }"#);
    }

    #[test]
    fn an_element_is_added_at_the_end() {
        for (before, after) in
            [("[ ]", "[9 ]"), ("[1 , [2]  ]", "[1 , [2],9  ]"), (r#"["]"]"#, r#"["]",9]"#)]
        {
            assert_eq!(spliced(before, vec![push(before, before, "9").unwrap()]), after);
        }
    }

    #[test]
    fn a_name_that_stands_twice_is_refused_however_it_is_spelt() {
        for text in [r#"{"id":1,"id":1}"#, r#"{"id":1,"\u0069d":2}"#, r#"{"id":1,"ID":2}"#] {
            let object = Object::of(text).unwrap();
            assert_eq!(object.get("id").unwrap_err(), Unclear::Twice("id".to_owned()), "{text}");
        }
        let once = Object::of(r#"{"\u0069d":1,"x":2,"x":3}"#).unwrap();
        assert_eq!(once.get("id").unwrap(), Some("1"));
    }

    #[test]
    fn what_some_reader_takes_for_json_and_others_do_not_is_none() {
        for text in ["", "[]", "{\"a\":NaN}", "{'a':1}", "{\"a\":1,}", "{\"a\":01}", "{\"a\":1} x"]
        {
            assert_eq!(Object::of(text).unwrap_err(), Unclear::Wrong, "{text}");
        }
    }

    #[test]
    fn depth_is_no_matter() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(Object::of(&deep).is_ok());
    }
}
