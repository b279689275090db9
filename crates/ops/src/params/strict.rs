//! A deserializer of JSON values that takes nothing but what is asked for, and knows
//! where it is.
//!
//! Programs send what they were written to send. A near miss is a defect of theirs,
//! and to take it as something else would hide it.

use serde::{
    de::{
        DeserializeSeed, Deserializer, Error as _, IntoDeserializer, MapAccess, SeqAccess,
        Unexpected, Visitor, value::StrDeserializer,
    },
    forward_to_deserialize_any,
};
use serde_json::{Map, Value};

use super::wrong::Wrong;

/// One value on its way into a typed parameter.
pub(super) struct Strict(Value);

impl Strict {
    pub(super) fn new(value: Value) -> Self {
        Self(value)
    }
}

impl<'de> Deserializer<'de> for Strict {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(value),
            Value::String(text) => visitor.visit_string(text),
            Value::Array(items) => visitor.visit_seq(Items { items: items.into_iter(), index: 0 }),
            Value::Object(map) => visitor.visit_map(Fields::new(map, None)),
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(whole), _) => visitor.visit_u64(whole),
                (None, Some(whole)) => visitor.visit_i64(whole),
                (None, None) => visitor.visit_f64(number.as_f64().unwrap_or(f64::INFINITY)),
            },
        }
    }

    /// An optional parameter may be left out as `null` too, which is how some
    /// languages write it.
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        match self.0 {
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
            | Value::Object(_) => self.deserialize_any(visitor),
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
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct seq map tuple tuple_struct identifier ignored_any
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
        let index = self.index;
        self.index += 1;
        let place = |wrong: Wrong| wrong.within(format!("[{index}]"));
        seed.deserialize(Strict(item)).map(Some).map_err(place)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

/// The fields of an object.
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
        if let Some(fields) = self.known.filter(|fields| !fields.contains(&name.as_str())) {
            return Err(Wrong::unknown(&name, fields));
        }
        let key: StrDeserializer<'_, Wrong> = name.as_str().into_deserializer();
        let key = seed.deserialize(key)?;
        self.value = Some((name, value));
        Ok(Some(key))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Wrong> {
        let Some((name, value)) = self.value.take() else {
            return Err(Wrong::custom("a value was asked for before its name"));
        };
        seed.deserialize(Strict(value)).map_err(|wrong| wrong.within(name))
    }
}
