//! The rules of one workspace, judged on what a call names.
//!
//! The strictest rule that matches counts, whatever the order; where none matches,
//! the default does. Of several paths each is judged for itself, and the strictest
//! verdict counts, so a harmless path beside another opens nothing.
//!
//! A path is judged as it was named, in normal form, and a command as it was written: a
//! link to a place, or a script that runs another, has a name of its own. What must
//! never be touched is the business of `deny` and `protect`, which are judged on what
//! a path resolves to, and hold for processes too.

use garth_contract::{Code, Detail, Error, Policy, Result, WsPath};
use garth_search::{Fold, Stands};
use globset::{GlobBuilder, GlobMatcher};
use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

/// The most rules of one workspace.
const MOST_RULES: usize = 200;

/// The longest pattern for an operation's name, and for a command.
const MOST_PATTERN: usize = 1_024;

/// The size of a compiled command pattern, which bounds memory and time.
const MOST_COMPILED: usize = 1 << 20;

/// The longest time that somebody is waited for.
const MOST_WAIT_MS: u64 = 3_600_000;

/// What is allowed, asked about or denied in one workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Config {
    /// What holds where no rule matches.
    pub otherwise: Verdict,
    /// The rules; their order does not matter.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<Rule>,
    /// How long an answer is waited for, in milliseconds; then it is refused.
    pub wait_ms: u64,
    /// Whose answer counts.
    pub answered_by: AnsweredBy,
}

/// Whose answer counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum AnsweredBy {
    /// An operator's, and that of the person before the client that makes the call,
    /// where a client can ask one.
    #[default]
    Anybody,
    /// An operator's alone, for agents that hold their own token.
    Operators,
}

impl Default for Config {
    /// Everything is allowed; who is asked has five minutes.
    fn default() -> Self {
        Self {
            otherwise: Verdict::Allow,
            rules: Vec::new(),
            wait_ms: 300_000,
            answered_by: AnsweredBy::default(),
        }
    }
}

/// One rule: it matches where everything in it does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Rule {
    /// A glob of operations' names, for example `worktree.*` or `bash`.
    pub operation: String,
    /// A glob of paths, as in `deny`: what is below a matching directory matches too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A regular expression for the command line. It is searched for; in a rule that
    /// allows, it must match the whole line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// What follows.
    pub then: Verdict,
}

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Verdict {
    /// It is run.
    Allow,
    /// Somebody is asked.
    Ask,
    /// It is refused.
    Deny,
}

/// How far a call goes from a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The one entry.
    This,
    /// Everything below it too: a search, a removal of a tree, a move.
    Tree,
}

/// A path that a call names, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touched {
    /// The path.
    pub path: WsPath,
    /// How far the call goes from it.
    pub reach: Reach,
}

/// The rules, compiled.
#[derive(Clone, Debug)]
pub struct Rules {
    otherwise: Verdict,
    rules: Vec<Compiled>,
}

#[derive(Clone, Debug)]
struct Compiled {
    operation: GlobMatcher,
    path: Option<garth_search::Rules>,
    command: Option<Regex>,
    then: Verdict,
}

impl Rules {
    /// Compiles the rules.
    ///
    /// # Errors
    /// `INVALID_PATTERN` for a pattern that cannot be used, `INVALID_PARAMS` for too
    /// many rules or a wait of no time or more than an hour.
    pub fn compile(config: &Config) -> Result<Self> {
        if config.rules.len() > MOST_RULES {
            let message = format!("there are more than {MOST_RULES} rules for approvals");
            return Err(Error::new(Code::InvalidParams, message));
        }
        if config.wait_ms == 0 || config.wait_ms > MOST_WAIT_MS {
            let message = format!("an approval waits for 1 to {MOST_WAIT_MS} milliseconds");
            return Err(Error::new(Code::InvalidParams, message));
        }
        let rules = config.rules.iter().map(Compiled::new).collect::<Result<_>>()?;
        Ok(Self { otherwise: config.otherwise, rules })
    }

    /// Tells whether every call is allowed, whatever it names.
    pub(crate) fn allow_everything(&self) -> bool {
        self.rules.is_empty() && self.otherwise == Verdict::Allow
    }

    /// What becomes of a call.
    #[must_use]
    pub fn judge(&self, operation: &str, touched: &[Touched], command: Option<&str>) -> Verdict {
        if self.rules.is_empty() {
            return self.otherwise;
        }
        let about: Vec<_> =
            self.rules.iter().filter(|rule| rule.is_about(operation, command)).collect();
        let strictest = |touched: Option<&Touched>| {
            let matching = about.iter().filter(|rule| rule.covers(touched));
            matching.map(|rule| rule.then).max().unwrap_or(self.otherwise)
        };
        match touched {
            [] => strictest(None),
            touched => {
                let each = touched.iter().map(|touched| strictest(Some(touched)));
                each.max().unwrap_or(self.otherwise)
            }
        }
    }
}

impl Compiled {
    fn new(rule: &Rule) -> Result<Self> {
        let operation = name_glob(&rule.operation)?;
        let path = rule.path.as_ref().map(|glob| {
            garth_search::Rules::compile(&Policy { deny: vec![glob.clone()], ..Policy::open() })
        });
        let command = rule.command.as_ref().map(|text| command_pattern(text, rule.then));
        Ok(Self {
            operation,
            path: path.transpose()?,
            command: command.transpose()?,
            then: rule.then,
        })
    }

    fn is_about(&self, operation: &str, command: Option<&str>) -> bool {
        let commanded = match (&self.command, command) {
            (None, _) => true,
            (Some(pattern), Some(command)) => pattern.is_match(command),
            (Some(_), None) => false,
        };
        commanded && self.operation.is_match(operation)
    }

    fn covers(&self, touched: Option<&Touched>) -> bool {
        match (&self.path, touched) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(globs), Some(Touched { path, reach })) => {
                let below = match (reach, self.then) {
                    // What is allowed must be allowed whole; what is not need only be met.
                    (Reach::Tree, Verdict::Ask | Verdict::Deny) => {
                        globs.covers_below(path.as_bytes())
                    }
                    (Reach::Tree, Verdict::Allow) | (Reach::This, _) => false,
                };
                below || globs.denies(path.as_bytes(), Fold::Exact, Stands::Other)
            }
        }
    }
}

fn name_glob(text: &str) -> Result<GlobMatcher> {
    let wrong = |what: String| Err(Error::new(Code::InvalidPattern, what));
    if text.is_empty() || text.len() > MOST_PATTERN {
        return wrong("the pattern of an operation is empty or too long".to_owned());
    }
    match GlobBuilder::new(text).build() {
        Ok(glob) => Ok(glob.compile_matcher()),
        Err(error) => wrong(format!("the pattern of an operation is wrong: {}", error.kind())),
    }
}

fn command_pattern(text: &str, then: Verdict) -> Result<Regex> {
    let wrong = |what: &str, position: usize| {
        let message = format!("the pattern of a command is wrong: {what}");
        Error::new(Code::InvalidPattern, message).with(Detail::Position(position as u64))
    };
    if text.is_empty() || text.len() > MOST_PATTERN {
        return Err(wrong("it is empty or too long", 0));
    }
    let whole = match then {
        Verdict::Allow => format!(r"\A(?:{text})\z"),
        Verdict::Ask | Verdict::Deny => text.to_owned(),
    };
    let built = RegexBuilder::new(&whole).size_limit(MOST_COMPILED).build();
    // The pattern by itself must be one, so that it cannot close the group around it.
    let alone = RegexBuilder::new(text).size_limit(MOST_COMPILED).build();
    match (built, alone) {
        (Ok(regex), Ok(_)) => Ok(regex),
        (_, Err(error)) | (Err(error), _) => {
            let text = error.to_string();
            Err(wrong(text.lines().last().unwrap_or_default().trim_start_matches("error: "), 0))
        }
    }
}

#[cfg(test)]
mod tests;
