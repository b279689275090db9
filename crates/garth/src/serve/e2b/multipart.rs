//! A body of several files, each behind a head that names it.
//!
//! The body was read whole before, bounded, so this only says where each file lies.

use axum::http::{HeaderMap, header};
use bytes::Bytes;

use super::refuse::{Result, Wrong};

/// The most files of one body.
const MOST_FILES: usize = 1_000;
/// The longest head of a file.
const MOST_HEAD: usize = 16 << 10;

/// One file of a body.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// What the head calls it, if it does.
    pub(super) filename: Option<String>,
    pub(super) content: Bytes,
}

/// The boundary that a request says, where its body is of this kind.
pub(super) fn boundary(headers: &HeaderMap) -> Option<String> {
    let said = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let (kind, parameters) = said.split_once(';')?;
    if !kind.trim().eq_ignore_ascii_case("multipart/form-data") {
        return None;
    }
    parameter(parameters, "boundary").filter(|text| (1..=200).contains(&text.len()))
}

/// The files of a body: what is called `file` in it.
///
/// # Errors
/// `invalid_argument` for what is not of this kind.
pub(super) fn parts(body: &Bytes, boundary: &str) -> Result<Vec<Part>> {
    let cut = || Wrong::invalid("the body is cut off or not what its head says");
    let mark = format!("--{boundary}");
    // The first mark stands at the beginning, each other behind a line.
    let mut at = find(body, mark.as_bytes(), 0).ok_or_else(cut)? + mark.len();
    let between = format!("\r\n--{boundary}");
    let mut found = Vec::new();
    loop {
        match body.get(at..at + 2) {
            Some(b"--") => return Ok(found),
            Some(b"\r\n") => at += 2,
            Some(_) | None => return Err(cut()),
        }
        let head_end = find(body, b"\r\n\r\n", at).ok_or_else(cut)?;
        if head_end - at > MOST_HEAD {
            return Err(Wrong::invalid("the head of a file is too long"));
        }
        let head = String::from_utf8_lossy(body.get(at..head_end).unwrap_or_default());
        let content = head_end + 4;
        let end = find(body, between.as_bytes(), content).ok_or_else(cut)?;
        let (name, filename) = named(&head);
        if name.as_deref() == Some("file") {
            if found.len() >= MOST_FILES {
                return Err(Wrong::invalid(format!("a body has at most {MOST_FILES} files")));
            }
            found.push(Part { filename, content: body.slice(content..end) });
        }
        at = end + between.len();
    }
}

/// What a head calls its part, and the file in it.
fn named(head: &str) -> (Option<String>, Option<String>) {
    let line = head.split("\r\n").find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.trim().eq_ignore_ascii_case("content-disposition").then_some(value)
    });
    let line = line.unwrap_or_default();
    let encoded = parameter(line, "filename*").and_then(|text| {
        let text = text.strip_prefix("UTF-8''").or_else(|| text.strip_prefix("utf-8''"))?;
        percent_encoding::percent_decode_str(text).decode_utf8().ok().map(Into::into)
    });
    let plain = || {
        // What a form escapes of a name, and nothing else.
        let unescape =
            |text: String| text.replace("%22", "\"").replace("%0D", "\r").replace("%0A", "\n");
        parameter(line, "filename").map(unescape)
    };
    (parameter(line, "name"), encoded.or_else(plain))
}

/// A parameter of a header, without its quotes.
fn parameter(text: &str, wanted: &str) -> Option<String> {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([';', ' ', '\t']);
        let end = rest.find(['=', ';'])?;
        let (name, after) = rest.split_at(end);
        let Some(value) = after.strip_prefix('=') else {
            rest = after;
            continue;
        };
        let (value, after) = match value.strip_prefix('"') {
            Some(quoted) => quoted_text(quoted)?,
            None => {
                let end = value.find(';').unwrap_or(value.len());
                let (value, after) = value.split_at(end);
                (value.trim().to_owned(), after)
            }
        };
        if name.trim().eq_ignore_ascii_case(wanted) {
            return Some(value);
        }
        rest = after;
    }
}

/// A text up to its closing quote, and what follows; a backslash frees a quote.
fn quoted_text(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some((value, text.get(at + 1..)?)),
            '\\' => match letters.next() {
                Some((_, '"')) => value.push('"'),
                Some((_, other)) => value.extend(['\\', other]),
                None => return None,
            },
            other => value.push(other),
        }
    }
    None
}

/// Where bytes stand next.
fn find(body: &[u8], wanted: &[u8], from: usize) -> Option<usize> {
    let rest = body.get(from..)?;
    let first = *wanted.first()?;
    let mut at = 0;
    loop {
        at += rest.get(at..)?.iter().position(|byte| *byte == first)?;
        if rest.get(at..)?.starts_with(wanted) {
            return Some(from + at);
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Vec<(Option<String>, String)>> {
        let found = parts(&Bytes::from(text.to_owned()), "X").ok()?;
        let told =
            |part: Part| (part.filename, String::from_utf8_lossy(&part.content).into_owned());
        Some(found.into_iter().map(told).collect())
    }

    #[test]
    fn files_are_found_with_their_names_and_other_fields_passed_over() {
        let body = "--X\r\nContent-Disposition: form-data; name=\"file\"; filename=\"/tmp/a%22b\"\r\n\
                    Content-Type: text/plain\r\n\r\none\r\n--X\r\n\
                    content-disposition: form-data; name=other\r\n\r\nno\r\n--X\r\n\
                    Content-Disposition: form-data; name=\"file\"\r\n\r\ntwo\r\n-\r\n--X--\r\n";
        let expected =
            vec![(Some("/tmp/a\"b".to_owned()), "one".to_owned()), (None, "two\r\n-".to_owned())];
        assert_eq!(read(body), Some(expected));
    }

    #[test]
    fn what_is_cut_off_is_refused() {
        let head = "Content-Disposition: form-data; name=\"file\"";
        for wrong in ["", "--X", "--X\r\n", &format!("--X\r\n{head}\r\n\r\nabc"), "--X\r\nno head"]
        {
            assert_eq!(read(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn the_boundary_is_read_with_and_without_quotes() {
        for said in ["multipart/form-data; boundary=a-b", "Multipart/Form-Data;boundary=\"a-b\""] {
            let mut headers = HeaderMap::new();
            headers.insert(header::CONTENT_TYPE, said.parse().unwrap());
            assert_eq!(boundary(&headers).as_deref(), Some("a-b"));
        }
        assert_eq!(boundary(&HeaderMap::new()), None);
    }
}
