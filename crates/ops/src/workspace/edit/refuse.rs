//! Why an edit was refused, under a code of the table and in a dialect's words.

use garth_contract::{Code, Detail, Error};
use garth_text::edit::{Failure, FileError, Why};
use garth_workspace::Workspace;

use super::Call;
use crate::{placeholders, text_file::refused};

/// An error of the edit engine, under a code of the table.
pub(super) fn refusal(call: &Call, workspace: &Workspace, error: FileError) -> Error {
    let failure = match error {
        FileError::Edit(failure) => counted(call, failure),
        FileError::Encoding(error) => return refused(&call.path, &error),
    };
    let words = call.words;
    let sent = call.edits.get(failure.edit).map(|edit| edit.old_string.as_str());
    let redacted = workspace.redacts(&call.path) && sent.is_some_and(placeholders::has_any);
    let told = |code| Error::new(code, format!("{failure} ({})", call.path));
    let error = match &failure.why {
        Why::NotFound { .. } if redacted => return placeholders::refused(&call.path),
        Why::NotFound { nearest } => {
            let mut error = told(Code::TextNotFound);
            if sent.is_some_and(is_numbered) {
                let read = words.read;
                error = error
                    .hint(format!("Leave out the line numbers that {read} puts before lines."));
            }
            nearest.iter().fold(error, |e, line| e.with(Detail::Nearest(*line as u64)))
        }
        Why::Ambiguous { lines, total, .. } => told(Code::AmbiguousMatch)
            .with(Detail::Lines(lines.iter().map(|line| *line as u64).collect()))
            .with(Detail::Places(*total as u64))
            .hint(words.several),
        Why::EmptyOld => told(Code::FileExists).hint(format!(
            "Send the text to replace as {}, or use {} to replace the whole file.",
            words.old, words.write
        )),
        Why::Same => told(Code::InvalidParams)
            .hint(format!("Send a {} that differs from {}.", words.new, words.old)),
        Why::Omission { line } => told(Code::InvalidParams)
            .with(Detail::Lines(vec![*line as u64]))
            .hint("Send the whole new text; nothing is filled in for a placeholder."),
        Why::TooLarge { .. } => {
            told(Code::FileTooLarge).hint("Replace fewer places, or by less, in one call.")
        }
    };
    if failure.of > 1 { error.with(Detail::Edit(failure.edit as u64)) } else { error }
}

/// The same failure with lines of the file counted as the dialect counts them.
fn counted(call: &Call, mut failure: Failure) -> Failure {
    let from = |line: &mut usize| *line = (*line + call.words.first_line).saturating_sub(1);
    match &mut failure.why {
        Why::NotFound { nearest } => nearest.iter_mut().for_each(from),
        Why::Ambiguous { lines, .. } => lines.iter_mut().for_each(from),
        Why::Omission { line } => from(line),
        Why::Same | Why::EmptyOld | Why::TooLarge { .. } => {}
    }
    failure
}

/// Whether every line begins with a number, as `read` shows lines.
fn is_numbered(text: &str) -> bool {
    text.lines().all(|line| {
        line.split_once(": ").is_some_and(|(number, _)| {
            !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        })
    })
}
