//! What names a commit: checked once, so that nothing of it can be read as an option.

use std::fmt;

use garth_contract::{Code, Error, Result};

/// The longest name or expression, in bytes: what a file system allows for a name, and some
/// directories before it.
const MOST: usize = 1_000;

/// The id of an object: 40 or 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Oid(String);

impl Oid {
    /// Reads an id as git prints it.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for anything else.
    pub fn parse(text: &str) -> Result<Self> {
        let digits = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if digits && matches!(text.len(), 40 | 64) {
            return Ok(Self(text.to_owned()));
        }
        Err(Error::new(Code::InvalidParams, "not the id of an object"))
    }

    /// Reads an id out of bytes that git printed.
    pub(crate) fn of(bytes: &[u8]) -> Option<Self> {
        str::from_utf8(bytes).ok().and_then(|text| Self::parse(text).ok())
    }

    /// The same, and `None` for the id of nothing, which is all zeros.
    pub(crate) fn of_something(bytes: &[u8]) -> Option<Self> {
        Self::of(bytes).filter(|oid| oid.0.bytes().any(|byte| byte != b'0'))
    }

    /// The tree that has nothing in it, in a repository whose ids are like this one.
    pub(crate) fn empty_tree(&self) -> Self {
        let id = match self.0.len() {
            40 => "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
            _ => "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
        };
        Self(id.to_owned())
    }

    /// Its digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The name of a branch, without `refs/heads/`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Branch(String);

impl Branch {
    /// Takes the name of a branch.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for what git would not take, or would take for something else.
    pub fn parse(text: &str) -> Result<Self> {
        match wrong_name(text) {
            None if text != "HEAD" => Ok(Self(text.to_owned())),
            None => Err(refused("a branch", text, "it means the commit that is checked out")),
            Some(why) => Err(refused("a branch", text, why)),
        }
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its full name.
    #[must_use]
    pub fn full(&self) -> RefName {
        RefName(format!("refs/heads/{}", self.0))
    }

    /// The full name of what is known of it on the remote.
    #[must_use]
    pub fn tracking(&self) -> RefName {
        RefName(format!("refs/remotes/origin/{}", self.0))
    }
}

impl fmt::Display for Branch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The full name of a ref: it begins with `refs/`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RefName(String);

impl RefName {
    /// Takes the full name of a ref.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for what is none.
    pub fn parse(text: &str) -> Result<Self> {
        match wrong_name(text) {
            None if text.starts_with("refs/") => Ok(Self(text.to_owned())),
            None => Err(refused("a ref", text, "it does not begin with refs/")),
            Some(why) => Err(refused("a ref", text, why)),
        }
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The branch that it is, where it is one.
    #[must_use]
    pub fn branch(&self) -> Option<Branch> {
        self.0.strip_prefix("refs/heads/").and_then(|name| Branch::parse(name).ok())
    }
}

impl fmt::Display for RefName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An expression for one commit, as a caller sends it: `main`, `HEAD~2`, `v1.0`, an id.
///
/// Git makes an [`Oid`] of it once, and only that goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision(String);

impl Revision {
    /// What is checked out.
    #[must_use]
    pub fn head() -> Self {
        Self("HEAD".to_owned())
    }

    /// A name that is git's own.
    pub(crate) fn own(name: &'static str) -> Self {
        Self(name.to_owned())
    }

    /// Takes an expression.
    ///
    /// # Errors
    /// `INVALID_PARAMS` for one that begins with `-`, a range, a path within a commit, and
    /// whatever holds space or control characters.
    pub fn parse(text: &str) -> Result<Self> {
        let why = if text.is_empty() {
            Some("it is empty")
        } else if text.len() > MOST {
            Some("it is too long")
        } else if text.starts_with('-') {
            Some("it begins with a dash")
        } else if text.contains("..") {
            Some("it is a range")
        } else if text.contains(':') || text.starts_with('^') {
            Some("it does not name one commit")
        } else if text.chars().any(|letter| letter.is_whitespace() || letter.is_control()) {
            Some("it holds space or control characters")
        } else {
            None
        };
        why.map_or_else(|| Ok(Self(text.to_owned())), |why| Err(refused("a commit", text, why)))
    }

    /// The expression.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&Branch> for Revision {
    fn from(branch: &Branch) -> Self {
        Self(branch.full().0)
    }
}

impl From<&RefName> for Revision {
    fn from(name: &RefName) -> Self {
        Self(name.0.clone())
    }
}

impl From<&Oid> for Revision {
    fn from(oid: &Oid) -> Self {
        Self(oid.0.clone())
    }
}

fn refused(what: &str, text: &str, why: &str) -> Error {
    let shown: String = text.chars().take(80).collect();
    Error::new(Code::InvalidParams, format!("not the name of {what}: {shown:?}: {why}"))
        .hint("List the branches with action branch, the commits with action log.")
}

/// What keeps a text from being the name of a ref: the rules of `git check-ref-format`, and
/// none of its short forms.
fn wrong_name(text: &str) -> Option<&'static str> {
    let odd = |letter: char| letter.is_control() || " ~^:?*[\\".contains(letter);
    let whole = [
        (text.is_empty(), "it is empty"),
        (text.len() > MOST, "it is too long"),
        (text.starts_with('-'), "it begins with a dash"),
        (text == "@" || text.contains("@{"), "@ means something else"),
        (text.contains(odd), "it holds a character that no name has"),
        (text.contains(".."), "it holds two dots"),
        (text.ends_with('.'), "it ends with a dot"),
    ];
    if let Some((_, why)) = whole.into_iter().find(|(wrong, _)| *wrong) {
        return Some(why);
    }
    text.split('/').find_map(|part| match part {
        "" => Some("a part of it is empty"),
        part if part.starts_with('.') => Some("a part of it begins with a dot"),
        part if part.ends_with(".lock") => Some("a part of it ends with .lock"),
        // An option could hide in the last part where a program cuts names short.
        part if part.starts_with('-') => Some("a part of it begins with a dash"),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_is_what_git_takes_for_one() {
        for name in ["main", "feature/new-thing", "é", "a.b", "a@b", "x#1", "a%b", "1"] {
            assert_eq!(Branch::parse(name).unwrap().as_str(), name);
        }
        for name in [
            "",
            "-x",
            "--output=pwn",
            "a/-b",
            "a..b",
            "a b",
            "a\nb",
            "a\0",
            "@",
            "a@{1}",
            "HEAD",
            "a/",
            "/a",
            "a//b",
            ".a",
            "a/.b",
            "a.lock",
            "a.lock/b",
            "a.",
            "a~1",
            "a^",
            "a:b",
            "a?",
            "a*",
            "a[",
            "a\\b",
            "ext::sh -c id",
        ] {
            assert_eq!(Branch::parse(name).unwrap_err().code(), Code::InvalidParams, "{name:?}");
        }
        assert!(Branch::parse(&"x".repeat(MOST + 1)).is_err());
    }

    #[test]
    fn a_revision_is_no_option_no_range_and_no_path() {
        for text in ["HEAD", "HEAD~2", "v1.0^{commit}", "main@{1}", "@", "a/b", "deadbeef", "@{u}"]
        {
            assert_eq!(Revision::parse(text).unwrap().as_str(), text);
        }
        for text in
            ["", "-p", "--output=x", "a..b", "a...b", "HEAD:x", ":/fix", "^HEAD", "a b", "a\n"]
        {
            assert_eq!(Revision::parse(text).unwrap_err().code(), Code::InvalidParams, "{text:?}");
        }
    }

    #[test]
    fn an_id_is_hexadecimal_and_whole() {
        let sha1 = "0123456789abcdef0123456789abcdef01234567";
        assert_eq!(Oid::parse(sha1).unwrap().to_string(), sha1);
        assert_eq!(Oid::of_something(&[b'0'; 40]), None);
        for text in ["", "0123", "g123456789abcdef0123456789abcdef01234567", &sha1.to_uppercase()] {
            assert!(Oid::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_ref_has_its_full_name() {
        let name = RefName::parse("refs/heads/a/b").unwrap();
        assert_eq!(name.branch(), Some(Branch::parse("a/b").unwrap()));
        assert_eq!(RefName::parse("refs/tags/v1").unwrap().branch(), None);
        assert!(RefName::parse("heads/a").is_err());
        assert!(RefName::parse("refs/heads/--upload-pack=x").is_err());
    }
}
