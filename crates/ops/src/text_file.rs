//! A file as text: which encoding it is in, and what is wrong when it is none.

use std::borrow::Cow;

use garth_contract::{Code, Error, Result, WsPath};
use garth_text::{
    encoding::{self, Encoding},
    sniff,
};

/// The text of a file, and how it is stored.
#[derive(Debug)]
pub(crate) struct TextFile<'a> {
    pub(crate) encoding: Encoding,
    pub(crate) text: Cow<'a, str>,
}

impl<'a> TextFile<'a> {
    /// Reads whole bytes as text; `named` is the encoding that the caller named.
    ///
    /// # Errors
    /// `UNSUPPORTED_ENCODING` for bytes that are no text.
    pub(crate) fn of(path: &WsPath, bytes: &'a [u8], named: Option<Encoding>) -> Result<Self> {
        let Some(_) = named else {
            let (encoding, text) = sniff::text(bytes).ok_or_else(|| {
                Error::at(Code::UnsupportedEncoding, path)
                    .hint("If it is text in another encoding, name that as encoding.")
            })?;
            return Ok(Self { encoding, text });
        };
        let encoding = Encoding::of_file(bytes, named);
        let text = encoding::decode(bytes, encoding).map_err(|error| refused(path, &error))?;
        Ok(Self { encoding, text })
    }
}

/// Looks up the encoding that a caller named.
///
/// # Errors
/// `INVALID_ENCODING` for an unknown name.
pub(crate) fn named(name: Option<&str>) -> Result<Option<Encoding>> {
    let Some(name) = name else { return Ok(None) };
    let found = Encoding::named(name).map_err(|_| {
        Error::new(Code::InvalidEncoding, format!("there is no encoding called {name:?}"))
    })?;
    Ok(Some(found))
}

/// The code of the table for what an encoding refused.
pub(crate) fn refused(path: &WsPath, error: &encoding::Error) -> Error {
    let code = match error {
        encoding::Error::UnknownLabel | encoding::Error::Unencodable(..) => Code::InvalidEncoding,
        encoding::Error::Undecodable(_) | encoding::Error::NotReversible(_) => {
            Code::UnsupportedEncoding
        }
    };
    Error::new(code, format!("{error}: {path}"))
}

/// What a place that has texts and no bytes says of an image, in words that help.
///
/// Such a place is `UNSUPPORTED` for a content that is no text. One that says more
/// than the table does is left its words.
pub(crate) fn without_bytes(path: &WsPath, error: Error) -> Error {
    let plain = error.message().starts_with(Code::Unsupported.row().phrase);
    if error.code() != Code::Unsupported || !plain {
        return error;
    }
    Error::at(Code::Unsupported, path)
        .reword(format!("only texts can be read here, no images or other bytes: {path}"))
        .hint("Read a text that describes it, or ask a person to; its bytes cannot be had here.")
}
