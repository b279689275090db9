//! A deserializer of JSON values that forgives near misses and knows where it is.

use serde::{
    de::{
        DeserializeSeed, Deserializer, Error as _, IntoDeserializer, MapAccess, SeqAccess,
        Unexpected, Visitor, value::StrDeserializer,
    },
    forward_to_deserialize_any,
};
use serde_json::{Map, Value};

use super::{names::field_for, wrong::Wrong};
use crate::repeated;

/// One value on its way into a typed parameter.
pub(super) struct Lenient(Value);

impl Lenient {
    pub(super) fn new(value: Value) -> Self {
        Self(value)
    }

    /// The list or object that a text holds, where one is wanted and it holds one.
    fn unquoted(self, opening: char) -> Self {
        let Value::String(text) = &self.0 else { return self };
        if !text.trim_start().starts_with(opening) || repeated(text.as_bytes()).is_some() {
            return self;
        }
        serde_json::from_str(text).map_or(self, Self)
    }

    /// A list of the one object that stands where a list of objects is wanted.
    ///
    /// An object with nothing in it is no item that anybody forgot to put in a list.
    fn listed(self) -> Self {
        match self.unquoted('[').unquoted('{').0 {
            Value::Object(map) if !map.is_empty() => Self(Value::Array(vec![map.into()])),
            other @ (Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_)) => Self(other),
        }
    }

    /// The whole number that a text or a float such as `3.0` holds.
    fn whole(self) -> Self {
        match &self.0 {
            Value::String(text) => {
                let text = text.trim();
                let number = text.parse::<u64>().map(Value::from);
                number.or_else(|_| text.parse::<i64>().map(Value::from)).map_or(self, Self)
            }
            Value::Number(number) => {
                let float = number.as_f64().filter(|_| !number.is_u64() && !number.is_i64());
                float.and_then(exact).map_or(self, Self)
            }
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => self,
        }
    }
}

/// The whole number that a float is exactly, below 2⁵³ where every one has a float.
fn exact(float: f64) -> Option<Value> {
    const LARGEST: f64 = 9_007_199_254_740_992.0;
    if float.fract() != 0.0 || float.abs() > LARGEST {
        return None;
    }
    let digits = format!("{float:.0}");
    digits.parse::<u64>().map(Value::from).or_else(|_| digits.parse::<i64>().map(Value::from)).ok()
}

impl<'de> Deserializer<'de> for Lenient {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(value),
            Value::String(text) => visitor.visit_string(text),
            Value::Array(items) => visitor.visit_seq(Items { items: items.into_iter(), index: 0 }),
            Value::Object(map) => visitor.visit_map(Fields::new(map, None)),
            Value::Number(number) => {
                if let Some(whole) = number.as_u64() {
                    visitor.visit_u64(whole)
                } else if let Some(whole) = number.as_i64() {
                    visitor.visit_i64(whole)
                } else {
                    visitor.visit_f64(number.as_f64().unwrap_or(f64::INFINITY))
                }
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.whole().deserialize_any(visitor)
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.whole().deserialize_any(visitor)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match self.0.as_str().map(str::trim) {
            Some("true" | "True") => visitor.visit_bool(true),
            Some("false" | "False") => visitor.visit_bool(false),
            Some(_) | None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.listed().deserialize_any(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.unquoted('{').deserialize_any(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        match self.unquoted('{').0 {
            Value::Object(map) => visitor.visit_map(Fields::new(map, Some(fields))),
            // A list would be taken as the fields in their order.
            Value::Array(_) => Err(Wrong::invalid_type(Unexpected::Seq, &visitor)),
            other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => {
                Self(other).deserialize_any(visitor)
            }
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        match &self.0 {
            Value::String(text) => {
                let text: StrDeserializer<'_, Wrong> = text.as_str().into_deserializer();
                visitor.visit_enum(text)
            }
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Array(_)
            | Value::Object(_) => Self(self.0).deserialize_any(visitor),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i128 u8 u16 u32 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct tuple tuple_struct identifier ignored_any
    }
}

/// The items of a list, each of which knows its index.
struct Items {
    items: std::vec::IntoIter<Value>,
    index: usize,
}

impl<'de> SeqAccess<'de> for Items {
    type Error = Wrong;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Wrong> {
        let Some(item) = self.items.next() else { return Ok(None) };
        let step = format!("[{}]", self.index);
        self.index += 1;
        seed.deserialize(Lenient(item)).map(Some).map_err(|wrong| wrong.within(step))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

/// The fields of an object, each under the name that its struct has for it.
struct Fields {
    entries: serde_json::map::IntoIter,
    known: Option<&'static [&'static str]>,
    value: Option<(String, Value)>,
}

impl Fields {
    fn new(map: Map<String, Value>, known: Option<&'static [&'static str]>) -> Self {
        Self { entries: map.into_iter(), known, value: None }
    }
}

impl<'de> MapAccess<'de> for Fields {
    type Error = Wrong;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Wrong> {
        let Some((name, value)) = self.entries.next() else { return Ok(None) };
        let name = match self.known {
            None => name,
            Some(fields) => match field_for(&name, fields) {
                Some(field) => field.to_owned(),
                None => return Err(Wrong::unknown(&name, fields)),
            },
        };
        let key: StrDeserializer<'_, Wrong> = name.as_str().into_deserializer();
        let key = seed.deserialize(key)?;
        self.value = Some((name, value));
        Ok(Some(key))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Wrong> {
        let Some((name, value)) = self.value.take() else {
            return Err(Wrong::custom("a value was asked for before its name"));
        };
        seed.deserialize(Lenient(value)).map_err(|wrong| wrong.within(name))
    }
}
