//! What a model is told before its first call: the dialect's own words, and what
//! the rules of this place mean for it.

use std::fmt;

use garth_contract::{Abilities, Policy, escape};
use garth_ops::{Allows, Dialect, Needs};
use garth_workspace::{Commands, Limits, Workspace};

/// How many globs of a rule are named.
const MOST_GLOBS: usize = 20;

/// What is known of the place that a model works in.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// What can be done with its files.
    pub abilities: Abilities,
    /// Its rules, where they are known.
    pub policy: Option<&'a Policy>,
    /// How much one call may take or give.
    pub limits: &'a Limits,
    /// Where its commands run.
    pub commands: &'a Commands,
    /// Whether git runs where no commands do.
    pub git: bool,
}

impl<'a> Place<'a> {
    /// What is known of a workspace.
    #[must_use]
    pub fn of(workspace: &'a Workspace, policy: Option<&'a Policy>) -> Self {
        let (abilities, limits) = (workspace.fs().abilities(), workspace.limits());
        let (commands, git) = (workspace.commands(), workspace.runs_git());
        Self { abilities, policy, limits, commands, git }
    }

    /// What it lets tools do.
    pub(crate) fn allows(&self) -> Allows {
        let run = match self.commands {
            Commands::None => false,
            Commands::In(_) => self.abilities.write,
            Commands::Held(_) => true,
        };
        Allows { write: self.abilities.write, run, git: run || self.git }
    }
}

/// What a model is told about working with a dialect's tools in a place.
///
/// A server of the tools gives the same words as its instructions.
#[must_use]
pub fn instructions(dialect: &Dialect, place: Place<'_>) -> String {
    let Place { abilities, policy, limits, .. } = place;
    let mut page = dialect.instructions.trim_end().to_owned();
    if Needs::Run.met(place.allows()) && !dialect.commands.is_empty() {
        page.push('\n');
        page.push_str(dialect.commands.trim_end());
    }
    let mut sentences = of_abilities(abilities);
    sentences.extend(policy.map(|policy| of_policy(policy, abilities)).unwrap_or_default());
    sentences.push(format!(
        "A reply shows at most {} lines of a file and {} results of a search; texts of more than \
         {} are neither edited nor compared.",
        Grouped(limits.lines),
        Grouped(limits.most_results),
        Size(limits.text_bytes)
    ));
    page.push_str("\n\nIn this place:\n");
    for sentence in sentences {
        page.push_str("\n- ");
        page.push_str(&sentence);
    }
    page
}

fn of_abilities(abilities: Abilities) -> Vec<String> {
    let rows = [
        (
            abilities.write,
            "It is read-only: nothing can be changed, and tools that change files are refused.",
        ),
        (abilities.find, "It cannot be searched: tools that look through a tree are refused."),
        (
            abilities.rename || !abilities.write,
            "Nothing can be moved; write the file anew and remove the old one.",
        ),
        (abilities.empty_dirs || !abilities.write, "A directory that holds nothing is not kept."),
        (
            abilities.durable || !abilities.write,
            "What is written may be lost when the machine or the program stops.",
        ),
    ];
    let lacking = rows.into_iter().filter(|(able, _)| !able);
    lacking.map(|(_, sentence)| sentence.to_owned()).collect()
}

fn of_policy(policy: &Policy, abilities: Abilities) -> Vec<String> {
    let mut sentences = Vec::new();
    if !policy.allow.is_empty() {
        let globs = Globs(&policy.allow);
        sentences.push(format!("Only these paths can be seen and touched: {globs}."));
    }
    if !policy.deny.is_empty() {
        let globs = Globs(&policy.deny);
        sentences.push(format!("These paths can be neither seen nor touched: {globs}."));
    }
    if !abilities.write {
        return sentences;
    }
    if !policy.protect.is_empty() {
        let globs = Globs(&policy.protect);
        sentences.push(format!("These paths can be read but not changed: {globs}."));
    }
    let most = Size(policy.max_file);
    sentences.push(match policy.quota {
        Some(quota) => format!(
            "A file can have at most {most}, and all files together at most {}.",
            Size(quota)
        ),
        None => format!("A file can have at most {most}."),
    });
    sentences
}

/// Globs as code, the first of them when there are many.
struct Globs<'a>(&'a [String]);

impl fmt::Display for Globs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, glob) in self.0.iter().take(MOST_GLOBS).enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            code(&escape(glob.as_bytes()), f)?;
        }
        match self.0.len().saturating_sub(MOST_GLOBS) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// Writes a code span, between more backticks than the text has in a row.
fn code(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let runs = text.split(|c| c != '`').map(str::len);
    match runs.max().unwrap_or(0) {
        0 => write!(f, "`{text}`"),
        longest => {
            let fence = "`".repeat(longest + 1);
            write!(f, "{fence} {text} {fence}")
        }
    }
}

/// A number of bytes in the unit in which it is short.
struct Size(u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [
            (1 << 30, "GiB"),
            (1_000_000_000, "GB"),
            (1 << 20, "MiB"),
            (1_000_000, "MB"),
            (1 << 10, "KiB"),
            (1_000, "KB"),
        ];
        let whole = units.into_iter().find(|(unit, _)| self.0 > 0 && self.0.is_multiple_of(*unit));
        match whole {
            Some((unit, name)) => write!(f, "{} {name}", Grouped(self.0 / unit)),
            None => write!(f, "{} bytes", Grouped(self.0)),
        }
    }
}

/// A number with commas between its thousands.
struct Grouped(u64);

impl fmt::Display for Grouped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            small @ ..1000 => write!(f, "{small}"),
            large => write!(f, "{},{:03}", Self(large / 1000), large % 1000),
        }
    }
}
