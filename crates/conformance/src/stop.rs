//! Why a check ends early, and the claims that checks are made of.
//!
//! A claim that does not hold becomes a sentence with the line of the check it
//! stands on, so a failure reads without a debugger.

use std::{fmt::Debug, panic::Location};

use garth_contract::{Code, Error};

/// Why a check ended before its last line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A claim does not hold; the sentence says which and where.
    Failed(String),
    /// What the check needs cannot be arranged around this backend.
    Cannot(&'static str),
}

/// What a check comes to.
pub type Verdict<T = ()> = Result<T, Stop>;

/// What the surroundings of a backend cannot arrange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cannot(pub &'static str);

/// The most bytes of a failure's sentence; contents of megabytes help nobody.
const MAX_SENTENCE: usize = 900;

impl From<Cannot> for Stop {
    fn from(cannot: Cannot) -> Self {
        Self::Cannot(cannot.0)
    }
}

impl From<Error> for Stop {
    #[track_caller]
    fn from(error: Error) -> Self {
        failed(format!("refused, where it should have worked: {error:?}"))
    }
}

/// A failure at the caller's line.
#[track_caller]
pub(crate) fn failed(sentence: impl Into<String>) -> Stop {
    let line = Location::caller();
    let mut sentence = format!("{}:{}: {}", line.file(), line.line(), sentence.into());
    if sentence.len() > MAX_SENTENCE {
        sentence.truncate(sentence.floor_char_boundary(MAX_SENTENCE));
        sentence.push('…');
    }
    Stop::Failed(sentence)
}

/// Claims that something holds.
#[track_caller]
pub(crate) fn holds(what: &str, truth: bool) -> Verdict {
    if truth { Ok(()) } else { Err(failed(format!("it does not hold that {what}"))) }
}

/// Claims that two values are the same.
#[track_caller]
#[allow(clippy::needless_pass_by_value, reason = "a claim reads better without ampersands")]
pub(crate) fn same<G, W>(what: &str, got: G, want: W) -> Verdict
where
    G: PartialEq<W> + Debug,
    W: Debug,
{
    if got == want {
        return Ok(());
    }
    Err(failed(format!("{what}: got {}, want {}", cut(&got), cut(&want))))
}

/// Claims that a call was refused with this code.
#[track_caller]
pub(crate) fn refused<T: Debug>(got: Result<T, Error>, code: Code) -> Verdict {
    refused_as(got, &[code])
}

/// Claims that a call was refused with one of these codes.
///
/// Used where the contract leaves the choice; one code is the rule.
#[track_caller]
pub(crate) fn refused_as<T: Debug>(got: Result<T, Error>, codes: &[Code]) -> Verdict {
    let names: Vec<_> = codes.iter().map(|code| code.row().name).collect();
    match got {
        Ok(value) => Err(failed(format!("worked: {}, want {}", cut(&value), names.join(" or ")))),
        Err(error) if !codes.contains(&error.code()) => {
            Err(failed(format!("got {error:?}, want {}", names.join(" or "))))
        }
        Err(error) if error.message().is_empty() || error.message().contains('\n') => {
            Err(failed(format!("the message is not one line: {error:?}")))
        }
        Err(_) => Ok(()),
    }
}

fn cut(value: &impl Debug) -> String {
    let mut text = format!("{value:?}");
    if text.len() > MAX_SENTENCE / 3 {
        let length = text.len();
        text.truncate(text.floor_char_boundary(MAX_SENTENCE / 3));
        text.push_str(&format!("… ({length} characters)"));
    }
    text
}
