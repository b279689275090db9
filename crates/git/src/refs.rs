//! Refs and where they point.

use crate::{Failed, Oid, RefName, Repository, Result, invocation::Invocation};

/// A ref and the object that it points to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tip {
    /// Its full name.
    pub name: RefName,
    /// The object.
    pub oid: Oid,
}

impl Repository<'_> {
    /// The refs whose names begin with these, by name; all of them where none is given.
    ///
    /// A name that git would not make is left out.
    ///
    /// # Errors
    /// Those of running git.
    pub async fn tips(&self, prefixes: &[&str]) -> Result<Vec<Tip>> {
        let patterns = prefixes.iter().map(|prefix| prefix.as_bytes().to_vec());
        let call = Invocation::new(&["for-each-ref", "--format=%(objectname) %(refname)"])
            .and_all(patterns);
        let printed = self.look(call).await?.whole()?;
        parse(&printed)
    }
}

fn parse(printed: &[u8]) -> Result<Vec<Tip>> {
    let mut tips = Vec::new();
    for line in printed.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let at = line.iter().position(|byte| *byte == b' ').ok_or_else(Failed::unread)?;
        let (oid, name) = line.split_at(at);
        let oid = Oid::of(oid).ok_or_else(Failed::unread)?;
        let name = str::from_utf8(name).ok().and_then(|name| RefName::parse(name.trim()).ok());
        tips.extend(name.map(|name| Tip { name, oid }));
    }
    Ok(tips)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_odd_name_is_left_out_and_an_odd_line_is_no_ref() {
        let oid = "0123456789abcdef0123456789abcdef01234567";
        let printed = format!("{oid} refs/heads/main\n{oid} refs/heads/--output=pwn\n");
        let tips = parse(printed.as_bytes()).unwrap();
        let names: Vec<_> = tips.iter().map(|tip| tip.name.as_str()).collect();
        assert_eq!(names, ["refs/heads/main"]);
        assert!(parse(b"what\n").is_err());
    }
}
