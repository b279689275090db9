//! The bytes that were read of a file, and what of them is given.

use std::ops::Range;

use garth_contract::{Code, Content, Error, Result, Span, Version};
use garth_redact::{Digested, Raw};
use garth_text::{
    encoding::{self, Encoding},
    sniff,
};
use garth_workspace::{Part, Secret, Workspace};

use super::{LONGEST_CHARACTER, Wanted};
use crate::{
    text_file::refused,
    worktree::wire::encoding::{Form, encoded, text_of, unmarked},
};

/// A stretch of a file around what is wanted of it.
pub(super) struct Region<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) wanted: &'a Wanted<'a>,
    pub(super) content: &'a Content,
}

/// What is given of a file.
pub(super) struct Given {
    /// As the reply writes it.
    pub(super) content: String,
    /// Where it begins and ends, in bytes of the file.
    pub(super) start: u64,
    pub(super) end: u64,
    /// How many bytes may be missing at the end only because they cut a character.
    pub(super) spare: u64,
    pub(super) file_encoding: Option<&'static str>,
    pub(super) secrets: Vec<Secret>,
    /// The version of the file, where it was found out on the way.
    pub(super) version: Option<Version>,
}

impl Region<'_> {
    /// Makes what is wanted fit to be given.
    ///
    /// # Errors
    /// `UNSUPPORTED_ENCODING` for what is no text where text is wanted,
    /// `FILE_TOO_LARGE` for a text that cannot be cut, `PERMISSION_DENIED` where texts
    /// with secrets are held back.
    pub(super) async fn given(&self) -> Result<Given> {
        match self.wanted.form {
            Form::Text(named) => self.given_text(named),
            Form::Base64 if self.wanted.redacts(self.workspace) => self.guarded_bytes().await,
            Form::Base64 => Ok(self.bytes()),
        }
    }

    /// The same for text, which has no more to wait for.
    ///
    /// # Errors
    /// As for [`given`](Self::given).
    pub(super) fn given_text(&self, named: Option<Encoding>) -> Result<Given> {
        match self.encoding(named) {
            Encoding::Utf8 | Encoding::Utf8Bom => self.narrow(),
            other @ (Encoding::Utf16Le | Encoding::Utf16Be | Encoding::Named(_)) => {
                self.wide(other)
            }
        }
    }

    /// The encoding that the front of the file says, or that the caller named.
    fn encoding(&self, named: Option<Encoding>) -> Encoding {
        match self.content.offset {
            0 => Encoding::of_file(&self.content.bytes, named),
            _ => named.unwrap_or(Encoding::Utf8),
        }
    }

    /// Text in UTF-8, which can be cut anywhere between characters.
    fn narrow(&self) -> Result<Given> {
        let front = self.content.bytes.get(..sniff::HEAD).unwrap_or(&self.content.bytes);
        let (text, shift) = match self.utf8() {
            Some(text) if !front.contains(&0) => text,
            Some(_) | None => return Err(self.no_text()),
        };
        let window = between_characters(text, &self.window(), shift);
        if self.wanted.permit.is_some() || text.len() as u64 != self.content.size {
            let (content, secrets) = self.shown(text, window.clone())?;
            return Ok(self.text(content, (window, shift), secrets));
        }
        // The hash of a whole file is its version too.
        let digested = Digested::of(text);
        let path = &self.wanted.path;
        let Part { text, secrets } = self.workspace.part_again(path, &digested, window.clone())?;
        let version = Some(Version::from_parts(*digested.hash(), self.content.size));
        let given = self.text(text.into_string(), (window, shift), secrets);
        Ok(Given { version, ..given })
    }

    /// Text in another encoding, which is given whole.
    fn wide(&self, encoding: Encoding) -> Result<Given> {
        let Wanted { path, from, length, at_most, .. } = self.wanted;
        let size = self.content.size;
        if *from > 0 || length.is_some() {
            let hint = "Only UTF-8 can be read in parts; read it whole, or as base64.";
            return Err(Error::at(Code::UnsupportedEncoding, path).hint(hint));
        }
        if size > *at_most {
            return Err(self.wanted.too_large(size));
        }
        let text = encoding::decode(&self.content.bytes, unmarked(encoding));
        let text = text.map_err(|error| refused(path, &error))?;
        let (content, secrets) = self.shown(&text, 0..text.len())?;
        let file_encoding = Some(encoding.name());
        Ok(Given { content, start: 0, end: size, spare: 0, file_encoding, secrets, version: None })
    }

    /// Bytes as they are.
    fn bytes(&self) -> Given {
        let window = self.window();
        let bytes = self.content.bytes.get(window.clone()).unwrap_or_default();
        let (start, end) = (self.at(window.start), self.at(window.end));
        let (content, secrets) = (encoded(bytes), Vec::new());
        Given { content, start, end, spare: 0, file_encoding: None, secrets, version: None }
    }

    /// Bytes as they are, unless they are text with secrets in it.
    async fn guarded_bytes(&self) -> Result<Given> {
        if self.is_marked().await? {
            return self.guarded_units().await;
        }
        let Some((text, shift)) = self.utf8() else { return Ok(self.bytes()) };
        let window = between_characters(text, &self.window(), shift);
        let Part { text, secrets } = self.part(text, window.clone())?;
        if secrets.is_empty() {
            return Ok(self.bytes());
        }
        Ok(self.text(encoded(text.as_bytes()), (window, shift), secrets))
    }

    /// The same for bytes that are UTF-16 by their mark, which only the whole of them
    /// can tell.
    async fn guarded_units(&self) -> Result<Given> {
        let Wanted { path, .. } = self.wanted;
        let whole = self.content.offset == 0 && !self.content.more_follows();
        let bytes = if whole {
            self.content.bytes.clone()
        } else {
            let span = Span::Whole { at_most: self.workspace.limits().text_bytes };
            self.workspace.fs().read(path, span).await?.bytes
        };
        let Some((encoding, text)) = text_of(&bytes) else { return Ok(self.bytes()) };
        let Part { text, secrets } = self.part(&text, 0..text.len())?;
        if secrets.is_empty() {
            return Ok(self.bytes());
        }
        if !whole || self.window() != (0..self.content.bytes.len()) {
            let hint = "This text in UTF-16 has secrets; read it whole.";
            return Err(Error::at(Code::UnsupportedEncoding, path).hint(hint));
        }
        let bytes = encoding::encode(&text, encoding);
        let content = encoded(&bytes.map_err(|error| refused(path, &error))?);
        let end = self.content.size;
        let file_encoding = None;
        Ok(Given { content, start: 0, end, spare: 0, file_encoding, secrets, version: None })
    }

    /// Tells whether the file's mark says that it is UTF-16.
    async fn is_marked(&self) -> Result<bool> {
        const MARK: u64 = 4;
        let front = match self.content.offset {
            0 => self.content.bytes.clone(),
            _ => {
                let span = Span::Bytes { offset: 0, length: MARK };
                self.workspace.fs().read(&self.wanted.path, span).await?.bytes
            }
        };
        Ok(match Encoding::from_bom(&front) {
            Some(Encoding::Utf16Le | Encoding::Utf16Be) => true,
            Some(Encoding::Utf8 | Encoding::Utf8Bom | Encoding::Named(_)) | None => false,
        })
    }

    /// The bytes as text in UTF-8, and how many of them before it belong to a character
    /// that began earlier.
    fn utf8(&self) -> Option<(&str, usize)> {
        let bytes = &self.content.bytes[..];
        let continues = |byte: &&u8| (0x80..0xc0).contains(*byte);
        let shift = match self.content.offset {
            0 => 0,
            _ => bytes.iter().take(3).take_while(continues).count(),
        };
        let bytes = bytes.get(shift..)?;
        match str::from_utf8(bytes) {
            Ok(text) => Some((text, shift)),
            // The last character goes on behind what was read.
            Err(error) if error.error_len().is_none() && self.content.more_follows() => {
                let whole = bytes.get(..error.valid_up_to())?;
                str::from_utf8(whole).ok().map(|text| (text, shift))
            }
            Err(_) => None,
        }
    }

    /// The bytes of the region that are wanted.
    fn window(&self) -> Range<usize> {
        let Wanted { from, length, at_most, .. } = self.wanted;
        let most = self.content.bytes.len();
        let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(most);
        let start = place(from.saturating_sub(self.content.offset));
        let length = place(length.unwrap_or(u64::MAX).min(*at_most));
        start..start.saturating_add(length).min(most)
    }

    fn shown(&self, text: &str, window: Range<usize>) -> Result<(String, Vec<Secret>)> {
        if let Some(permit) = self.wanted.permit {
            let raw = Raw::from(text.get(window).unwrap_or_default());
            return Ok((raw.reveal(permit).into_string(), Vec::new()));
        }
        let Part { text, secrets } = self.part(text, window)?;
        Ok((text.into_string(), secrets))
    }

    fn part(&self, text: &str, window: Range<usize>) -> Result<Part> {
        self.workspace.part(&self.wanted.path, text, window)
    }

    fn text(
        &self,
        content: String,
        (window, shift): (Range<usize>, usize),
        secrets: Vec<Secret>,
    ) -> Given {
        let (start, end) = (self.at(window.start + shift), self.at(window.end + shift));
        let cut = self.wanted.length.is_some_and(|length| length <= self.wanted.at_most);
        let spare = if cut { LONGEST_CHARACTER - 1 } else { 0 };
        Given { content, start, end, spare, file_encoding: None, secrets, version: None }
    }

    /// Where in the file a place of the region stands.
    fn at(&self, place: usize) -> u64 {
        self.content.offset + place as u64
    }

    fn no_text(&self) -> Error {
        Error::at(Code::UnsupportedEncoding, &self.wanted.path)
    }
}

/// The nearest window of a text that cuts no character, and has one where it can.
fn between_characters(text: &str, window: &Range<usize>, shift: usize) -> Range<usize> {
    let place = |at: usize| at.saturating_sub(shift).min(text.len());
    let start = text.ceil_char_boundary(place(window.start));
    let end = text.floor_char_boundary(place(window.end));
    if end > start || window.is_empty() {
        return start..end.max(start);
    }
    // Who reads on from here must come further.
    let first = text.get(start..).and_then(|rest| rest.chars().next());
    start..start + first.map_or(0, char::len_utf8)
}
