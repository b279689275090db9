//! Reads Rust as far as the rules need it: code apart from comments and strings,
//! production apart from tests, and where functions begin and end.
//!
//! A whole parser would know more, and would be a dependency; braces and quotes
//! are enough for what is asked here.

/// The code of a file with comments, strings and characters blanked out.
///
/// Every line keeps its place, so that a finding can name its line.
pub(crate) fn code(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let end = at + blank_length(&bytes[at..], out.last().copied());
        if end == at {
            out.push(bytes[at]);
            at += 1;
        } else {
            out.extend(bytes[at..end].iter().map(|byte| if *byte == b'\n' { b'\n' } else { b' ' }));
            at = end;
        }
    }
    String::from_utf8(out).expect("blanking replaces whole tokens")
}

/// The code of a file without what `#[cfg(test)]` stands before.
pub(crate) fn production(text: &str) -> String {
    let mut code = code(text);
    while let Some(start) = code.find("#[cfg(test)]") {
        let end = item_end(&code, start);
        let blank: String =
            code[start..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
        code.replace_range(start..end, &blank);
    }
    code
}

/// The modules that a file declares in files of their own, for tests only.
pub(crate) fn test_modules(text: &str) -> Vec<String> {
    let code = code(text);
    let items = code.split("#[cfg(test)]").skip(1);
    items
        .filter_map(|item| {
            let (name, _) = item.trim_start().strip_prefix("mod ")?.split_once(';')?;
            name.chars().all(|c| c.is_alphanumeric() || c == '_').then(|| name.to_owned())
        })
        .collect()
}

/// The names and line counts of the functions in code without comments.
pub(crate) fn functions(code: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for (start, _) in code.match_indices("fn ") {
        let after_word = code[..start].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let name: String =
            code[start + 3..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        if after_word || name.is_empty() {
            continue;
        }
        let end = item_end(code, start);
        if code[..end].ends_with('}') {
            found.push((name, code[start..end].lines().count()));
        }
    }
    found
}

/// The line, from 1, that a byte of the text stands on.
pub(crate) fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// Where the item that begins at `start` ends: at its `;` or its closing brace.
fn item_end(code: &str, start: usize) -> usize {
    let mut depth = 0_usize;
    for (offset, byte) in code.bytes().enumerate().skip(start) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            b'}' if depth <= 1 => return offset + 1,
            b'}' => depth -= 1,
            b';' if depth == 0 => return offset + 1,
            _ => {}
        }
    }
    code.len()
}

/// How many bytes from here are a comment, a string or a character; 0 for code.
fn blank_length(rest: &[u8], before: Option<u8>) -> usize {
    let in_word = before.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    match rest {
        [b'/', b'/', ..] => position(rest, b"\n").unwrap_or(rest.len()),
        [b'/', b'*', ..] => block_comment(rest),
        [b'"', ..] => quoted(rest),
        [b'b' | b'c', b'"', ..] if !in_word => 1 + quoted(&rest[1..]),
        [b'r', b'"' | b'#', ..] if !in_word => raw_string(rest, 1),
        [b'b' | b'c', b'r', b'"' | b'#', ..] if !in_word => raw_string(rest, 2),
        [b'\'', ..] => character(rest),
        _ => 0,
    }
}

fn block_comment(rest: &[u8]) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < rest.len() {
        if rest[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

fn quoted(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

fn raw_string(rest: &[u8], prefix: usize) -> usize {
    let hashes = rest[prefix..].iter().take_while(|byte| **byte == b'#').count();
    let open = prefix + hashes + 1;
    // `r#name` is a raw identifier, which is code.
    if rest.get(open - 1) != Some(&b'"') {
        return 0;
    }
    let close = [b"\"".as_slice(), &b"#".repeat(hashes)].concat();
    position(&rest[open..], &close).map_or(rest.len(), |end| open + end + close.len())
}

/// A character ends with a quote after one character or an escape; a lifetime has none.
fn character(rest: &[u8]) -> usize {
    if rest.get(1) == Some(&b'\\') {
        return position(&rest[3..], b"'").map_or(rest.len(), |end| 3 + end + 1);
    }
    let Some(first) = rest.get(1) else { return 0 };
    let width = match first {
        0xf0.. => 4,
        0xe0.. => 3,
        0xc0.. => 2,
        _ => 1,
    };
    if rest.get(1 + width) == Some(&b'\'') { width + 2 } else { 0 }
}

fn position(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

#[test]
fn comments_strings_and_characters_are_blanked_and_code_is_not() {
    let text = "let a = \"unsafe // \\\" x\"; // unsafe\nlet b = 'x'; let c: &'a str = r#\"un\"safe\"#;\n\
                /* unsafe /* nested */ unsafe */ fn f<'a>() {} b\"unsafe\"; '\\''; '✓'; r#type";
    let code = code(text);
    assert!(!code.contains("unsafe"), "{code}");
    assert!(!code.contains("un\"safe"), "{code}");
    assert!(code.contains("let c: &'a str"), "{code}");
    assert!(code.contains("fn f<'a>() {}"), "{code}");
    assert!(code.contains("r#type"), "{code}");
    assert_eq!(code.lines().count(), text.lines().count());
}

#[test]
fn what_is_for_tests_only_is_not_production() {
    let text = "fn a() { one() }\n#[cfg(test)]\nmod tests {\n  fn b() { two() }\n}\n\
                #[cfg(test)]\nuse x::y;\nfn c() { three() }\n#[cfg(test)]\nmod other;\n";
    let code = production(text);
    assert!(code.contains("one") && code.contains("three"), "{code}");
    assert!(!code.contains("two") && !code.contains("use x"), "{code}");
    assert_eq!(test_modules(text), ["other"]);
}

#[test]
fn a_function_is_as_long_as_its_lines() {
    let text =
        "trait T { fn g(&self); }\nfn a() {\n  if x { y }\n}\nfn b(x: [u8; 4]) -> u8 { 1 }\n";
    let found = functions(&code(text));
    assert_eq!(found, [("a".to_owned(), 3), ("b".to_owned(), 1)]);
}
