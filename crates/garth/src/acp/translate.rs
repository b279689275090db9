//! Paths in messages, as the other side knows them: only in the fields that the protocol
//! gives to paths.

use super::{
    json::{Edit, Object, Unclear, elements, quoted},
    places::{Places, Side},
};

/// Translates the paths of one message.
pub(super) struct Translation<'a> {
    whole: &'a str,
    places: &'a Places,
    from: Side,
    edits: Vec<Edit>,
}

type Done = Result<(), Unclear>;

impl<'a> Translation<'a> {
    pub(super) fn of(whole: &'a str, places: &'a Places, from: Side) -> Self {
        Self { whole, places, from, edits: Vec::new() }
    }

    /// The edits that were found to be needed.
    pub(super) fn edits(self) -> Vec<Edit> {
        self.edits
    }

    /// A field that is a path or an address.
    pub(super) fn path(&mut self, object: &Object<'a>, name: &str) -> Done {
        let Some(value) = object.get(name)? else { return Ok(()) };
        self.value(value);
        Ok(())
    }

    /// A field that is a list of paths.
    pub(super) fn paths(&mut self, object: &Object<'a>, name: &str) -> Done {
        object.array(name)?.into_iter().for_each(|value| self.value(value));
        Ok(())
    }

    /// What a session tells: of a tool, or a block of content.
    pub(super) fn update(&mut self, update: &Object<'a>) -> Done {
        self.tool_call(update)?;
        match update.get("content")? {
            Some(content) if content.starts_with('{') => self.block(&Object::of(content)?),
            Some(_) | None => Ok(()),
        }
    }

    /// A call of a tool: where it works, and the files of its differences.
    pub(super) fn tool_call(&mut self, call: &Object<'a>) -> Done {
        for location in call.array("locations")? {
            self.path(&Object::of(location)?, "path")?;
        }
        let Some(content) = call.get("content")?.filter(|content| content.starts_with('[')) else {
            return Ok(());
        };
        for part in elements(content)? {
            let part = Object::of(part)?;
            self.path(&part, "path")?;
            if let Some(block) = part.object("content")? {
                self.block(&block)?;
            }
        }
        Ok(())
    }

    /// The blocks of a prompt.
    pub(super) fn blocks(&mut self, object: &Object<'a>, name: &str) -> Done {
        object.array(name)?.into_iter().try_for_each(|block| self.block(&Object::of(block)?))
    }

    /// A block of content: a link to a file, or a file within.
    fn block(&mut self, block: &Object<'a>) -> Done {
        self.path(block, "uri")?;
        match block.object("resource")? {
            Some(resource) => self.path(&resource, "uri"),
            None => Ok(()),
        }
    }

    fn value(&mut self, value: &'a str) {
        let Ok(text) = serde_json::from_str::<String>(value) else { return };
        if let Some(told) = self.places.translated(self.from, &text) {
            self.edits.push(Edit::replace(self.whole, value, &quoted(&told)));
        }
    }
}
