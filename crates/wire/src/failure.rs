//! An error on its way: by name, so that the table can grow, and within bounds.

use garth_contract::{Code, Detail, Error, WsPath};

use crate::{
    Fault,
    codec::{In, Out, UNKNOWN, Wire},
};

/// The longest message or hint that is taken over, in bytes: a sentence and a path.
const MOST_TEXT: usize = 8 << 10;
/// The most details that are taken over; no error has more than a few.
const MOST_DETAILS: usize = 16;
/// The most lines that a detail names.
const MOST_LINES: usize = 1_000;

/// What comes is not trusted: a code that is not known is `INTERNAL`, text is cut
/// and cleared of control characters, details beyond the bound are left out.
impl Wire for Error {
    fn put(&self, out: &mut Out) {
        let row = self.code().row();
        out.bytes(row.name.as_bytes());
        out.bytes(self.message().as_bytes());
        let hint = Some(self.advice()).filter(|advice| *advice != row.hint);
        hint.map(str::to_owned).put(out);
        self.path().cloned().put(out);
        self.details().iter().filter_map(known).collect::<Vec<_>>().put(out);
    }

    fn take(from: &mut In) -> Result<Self, Fault> {
        let name = from.bytes()?;
        let code = std::str::from_utf8(&name).ok().and_then(Code::from_name);
        let message = text(&from.bytes()?);
        let hint = if bool::take(from)? { Some(text(&from.bytes()?)) } else { None };
        let path: Option<WsPath> = Wire::take(from)?;
        let details: Vec<Known> = Wire::take(from)?;
        let code = code.unwrap_or(Code::Internal);
        let error = match path {
            Some(path) => Self::at(code, &path).reword(message),
            None => Self::new(code, message),
        };
        let error = match hint {
            Some(hint) => error.hint(hint),
            None => error,
        };
        let details = details.into_iter().take(MOST_DETAILS);
        Ok(details.fold(error, |error, detail| error.with(detail.0)))
    }
}

/// Text within its bound, on one line.
fn text(bytes: &[u8]) -> String {
    let bytes = bytes.get(..MOST_TEXT).unwrap_or(bytes);
    let text = String::from_utf8_lossy(bytes);
    text.chars()
        .map(|one| if one.is_control() { char::REPLACEMENT_CHARACTER } else { one })
        .collect()
}

/// A detail that has a place in this generation.
struct Known(Detail);

/// The details that this generation knows; the list of them may grow.
fn known(detail: &Detail) -> Option<Known> {
    #[allow(clippy::wildcard_enum_match_arm, reason = "the enum may grow, this list is frozen")]
    match detail {
        Detail::Lines(_)
        | Detail::Places(_)
        | Detail::Nearest(_)
        | Detail::Position(_)
        | Detail::Edit(_)
        | Detail::Limit { .. }
        | Detail::Current(_)
        | Detail::RetryAfter(_) => Some(Known(detail.clone())),
        _ => None,
    }
}

impl Wire for Known {
    fn put(&self, out: &mut Out) {
        let mut one = |number: u8, value: u64| {
            out.byte(number);
            out.number(value);
        };
        #[allow(clippy::wildcard_enum_match_arm, reason = "others are never made Known")]
        match &self.0 {
            Detail::Lines(lines) => {
                out.byte(0);
                lines.put(out);
            }
            Detail::Places(count) => one(1, *count),
            Detail::Nearest(line) => one(2, *line),
            Detail::Position(at) => one(3, *at),
            Detail::Edit(number) => one(4, *number),
            Detail::Limit { limit, actual } => {
                one(5, *limit);
                out.number(*actual);
            }
            Detail::Current(version) => {
                out.byte(6);
                version.put(out);
            }
            Detail::RetryAfter(time) => {
                out.byte(7);
                time.put(out);
            }
            _ => {}
        }
    }

    fn take(from: &mut In) -> Result<Self, Fault> {
        Ok(Self(match from.byte()? {
            0 => {
                let mut lines: Vec<u64> = Wire::take(from)?;
                lines.truncate(MOST_LINES);
                Detail::Lines(lines)
            }
            1 => Detail::Places(from.number()?),
            2 => Detail::Nearest(from.number()?),
            3 => Detail::Position(from.number()?),
            4 => Detail::Edit(from.number()?),
            5 => Detail::Limit { limit: from.number()?, actual: from.number()? },
            6 => Detail::Current(Wire::take(from)?),
            7 => Detail::RetryAfter(Wire::take(from)?),
            _ => return Err(UNKNOWN),
        }))
    }
}
