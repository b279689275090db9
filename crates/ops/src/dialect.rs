//! A dialect: the tools of one table, and what a model is told about them.

use crate::{Tool, dispatch, reference, vfs, workspace};

/// A set of tools that belong together.
#[derive(Clone, Copy)]
pub struct Dialect {
    /// What it is called.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub summary: &'static str,
    /// How a model works with it, in Markdown.
    pub instructions: &'static str,
    /// What is added to them where commands run; empty where it has no tools for them.
    pub commands: &'static str,
    /// How a refusal is worded.
    pub refusals: Refusals,
    /// Its tools, in the order in which they are shown.
    pub tools: &'static [Tool],
}

/// How the text of a refusal is worded; its facts are the same everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusals {
    /// The code, the sentence, and below it what to do.
    Coded,
    /// The sentence alone, for clients that look for its first words.
    Plain,
}

/// All dialects; the first is what a model gets unless it is asked otherwise.
pub static DIALECTS: &[Dialect] =
    &[workspace::DIALECT, dispatch::DIALECT, vfs::DIALECT, reference::DIALECT];

/// Finds a dialect by its name.
#[must_use]
pub fn dialect(name: &str) -> Option<&'static Dialect> {
    DIALECTS.iter().find(|dialect| dialect.name == name)
}
