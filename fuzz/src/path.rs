//! Paths: what resolves is in normal form and inside, and shown names lead back.

use garth_contract::{Aliases, Code, MAX_NAME, MAX_PATH, RawPath, WsPath, escape};

/// The alias that absolute paths may begin with here.
const ALIAS: &str = "/workspace";

/// Checks that any text is refused or becomes a path that stays inside, and that
/// any name survives being shown.
pub fn check(data: &[u8]) {
    if let Ok(text) = str::from_utf8(data) {
        text_resolves_inside(text);
    }
    name_survives(data);
    bytes_are_refused_or_kept(data);
}

fn text_resolves_inside(text: &str) {
    let aliases = Aliases::none().with(ALIAS.as_bytes());
    let resolved = RawPath::new(text).resolve(&aliases);
    match resolved {
        Ok(path) => {
            is_normal(&path);
            let again = RawPath::new(path.to_string()).resolve(&aliases);
            assert!(again.as_ref() == Ok(&path) || path.to_string().len() > MAX_PATH);
            assert_eq!(naive(text), Some(path.as_bytes().to_vec()), "{text:?}");
        }
        Err(error) if error.code() == Code::PathOutsideWorkspace => {
            assert_eq!(naive(text), None, "{text:?}");
        }
        Err(error) => assert_eq!(error.code(), Code::InvalidPath, "{text:?}"),
    }
}

/// Resolves as a person would by hand, on components; `None` is outside.
///
/// It knows nothing of limits and of escapes other than those of `escape` itself.
fn naive(text: &str) -> Option<Vec<u8>> {
    let bytes = unescape(text);
    let alias = ALIAS.trim_start_matches('/').as_bytes();
    let mut names: Vec<&[u8]> = Vec::new();
    // An absolute path is outside until it has passed through the alias.
    let mut inside = !bytes.starts_with(b"/");
    let mut empty = true;
    for name in bytes.split(|byte| *byte == b'/') {
        match name {
            b"" | b"." => {}
            b".." => {
                names.pop()?;
            }
            name => {
                names.push(name);
                if !inside && names == [alias] {
                    inside = true;
                    names.clear();
                }
            }
        }
        empty = names.is_empty();
    }
    (inside || empty).then(|| names.join(&b'/'))
}

/// Undoes `escape` by trying every place: a sequence counts when it is what
/// `escape` writes for that byte.
fn unescape(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text.as_bytes();
    while let Some(first) = rest.first() {
        let written = |byte: &u8| format!("\\x{byte:02x}");
        let hidden = |byte: &u8| !(0x20..0x7f).contains(byte) || *byte == b'\\';
        let byte = (0..=255).find(|b| hidden(b) && rest.starts_with(written(b).as_bytes()));
        out.push(byte.unwrap_or(*first));
        rest = &rest[if byte.is_some() { 4 } else { 1 }..];
    }
    out
}

fn is_normal(path: &WsPath) {
    assert!(path.as_bytes().len() <= MAX_PATH);
    for name in path.components() {
        assert!(!name.is_empty() && name != b"." && name != b"..");
        assert!(name.len() <= MAX_NAME && !name.contains(&0) && !name.contains(&b'/'));
    }
    assert_eq!(WsPath::from_bytes(path.as_bytes()).as_ref(), Ok(path));
    if let Some((parent, name)) = path.split() {
        assert_eq!(parent.join(name).as_ref(), Ok(path));
        assert_eq!(path.below(&parent), Some(name));
        assert!(parent < *path);
    }
}

/// Any one name is shown on one line, and what is shown leads back to it.
fn name_survives(data: &[u8]) {
    let Ok(path) = WsPath::root().join(data) else { return };
    let shown = path.to_string();
    assert_eq!(shown, escape(data));
    assert!(!shown.chars().any(char::is_control), "{shown:?}");
    if shown.len() <= MAX_PATH {
        assert_eq!(RawPath::new(shown).resolve(&Aliases::none()), Ok(path));
    }
}

fn bytes_are_refused_or_kept(data: &[u8]) {
    match WsPath::from_bytes(data) {
        Ok(path) => {
            assert_eq!(path.as_bytes(), data);
            is_normal(&path);
        }
        Err(error) => assert_eq!(error.code(), Code::InvalidPath),
    }
}
