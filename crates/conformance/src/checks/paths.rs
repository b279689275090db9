//! Names that are odd, long or no text at all, and paths that are deep.

use std::collections::BTreeMap;

use garth_contract::{Code, Depth, Kind, MAX_NAME, MAX_PATH, Query, WsPath};

use crate::{
    Subject, Verdict,
    arrange::{KEEP, Seen, at, everything, lines},
    check::{checks, open},
    stop::{holds, refused, same},
};

checks! { "paths"
    odd_names_round_trip [Write Rename] under open covers "entry.path";
    odd_names_are_directories_too [Write Rename] under open covers "entry.path";
    names_that_are_not_text_round_trip [Write Rename AnyNames] under open covers "entry.path" "abilities.truth";
    names_that_are_not_text_are_found [Write Find AnyNames] under open covers "entry.path";
    composed_and_decomposed_letters_are_two_names [Write] under open covers "entry.path";
    upper_and_lower_case_are_two_names [Write] under open covers "entry.path";
    the_longest_name_can_be_used [Write Rename] under open covers "entry.path" "write.after.bytes";
    the_longest_path_can_be_used [Write Rename Find] under open covers "entry.path" "write.after.bytes";
    the_deepest_path_can_be_used [Write Find] under open covers "entry.path" "depth.all";
}

const ODD: [&str; 26] = [
    "a\nb",
    "a\tb",
    "~",
    "~root",
    "-rf",
    "--help",
    "sp ",
    " sp",
    " ",
    "a:b",
    "a..b",
    "..a",
    "...",
    "*",
    "[x]",
    "{a,b}",
    r"back\slash",
    r"\x41",
    "%2e%2e",
    "$(id)",
    ";rm",
    "'\"",
    "CON",
    "naïve ✅",
    "\u{202e}txt",
    "\u{1}",
];
const NOT_TEXT: [&[u8]; 5] = [b"caf\xe9", b"\xff\xfe", b"\xc3(", b"a\x80b", b"\xed\xa0\x80"];

/// Writes, lists, reads, moves and removes a file of this name.
async fn round_trip(ws: &Subject, name: &[u8]) -> Verdict {
    let path = at(name)?;
    ws.write(name, name).await?;
    let listed: Vec<_> = ws.list("").await?.entries.into_iter().map(|entry| entry.path).collect();
    same("listed", listed, [path.clone()])?;
    same("bytes", ws.read(name).await?, name.to_vec())?;
    same("kind", ws.stat(name).await?.kind, Kind::File)?;
    ws.rename(name, "plain", KEEP).await?;
    refused(ws.stat(name).await, Code::FileNotFound)?;
    ws.rename("plain", name, KEEP).await?;
    same("bytes", ws.read(name).await?, name.to_vec())?;
    ws.remove(name, Depth::One).await?;
    same("tree", ws.tree().await?, BTreeMap::new())
}

async fn odd_names_round_trip(ws: Subject) -> Verdict {
    for name in ODD {
        round_trip(&ws, name.as_bytes()).await?;
    }
    Ok(())
}

async fn odd_names_are_directories_too(ws: Subject) -> Verdict {
    for name in ODD {
        let inner = format!("{name}/{name}");
        ws.write(&inner, name).await?;
        same("bytes", ws.read(&inner).await?, name)?;
        ws.rename(name, "plain", KEEP).await?;
        same("bytes", ws.read(format!("plain/{name}")).await?, name)?;
        ws.remove("plain", Depth::All).await?;
    }
    same("tree", ws.tree().await?, BTreeMap::new())
}

async fn names_that_are_not_text_round_trip(ws: Subject) -> Verdict {
    for name in NOT_TEXT {
        round_trip(&ws, name).await?;
    }
    Ok(())
}

async fn names_that_are_not_text_are_found(ws: Subject) -> Verdict {
    for name in NOT_TEXT {
        ws.write(name, "needle").await?;
    }
    same("found", ws.find(&everything()).await?.0.len(), NOT_TEXT.len())?;
    let (found, _) = ws.find(&lines("needle")).await?;
    same("lines", found.len(), NOT_TEXT.len())?;
    holds("the name is exact", found.contains(&r"caf\xe9:1:needle".to_owned()))
}

async fn composed_and_decomposed_letters_are_two_names(ws: Subject) -> Verdict {
    two_names(&ws, "caf\u{e9}", "cafe\u{301}").await
}

async fn upper_and_lower_case_are_two_names(ws: Subject) -> Verdict {
    two_names(&ws, "Readme", "readme").await
}

async fn two_names(ws: &Subject, one: &str, two: &str) -> Verdict {
    ws.write(one, "one").await?;
    refused(ws.stat(two).await, Code::FileNotFound)?;
    ws.write(two, "two").await?;
    same("bytes", ws.read(one).await?, "one")?;
    same("bytes", ws.read(two).await?, "two")?;
    same("how many", ws.list("").await?.total, 2)
}

async fn the_longest_name_can_be_used(ws: Subject) -> Verdict {
    for name in ["x".repeat(MAX_NAME), "é".repeat(MAX_NAME / 2)] {
        round_trip(&ws, name.as_bytes()).await?;
        let inner = format!("{name}/{name}");
        ws.write(&inner, "old").await?;
        ws.write(&inner, "new").await?;
        same("bytes", ws.read(&inner).await?, "new")?;
        ws.remove(&name, Depth::All).await?;
    }
    Ok(())
}

/// A path of exactly so many bytes, in components of nearly the longest kind.
fn long(length: usize) -> garth_contract::Result<WsPath> {
    let mut path = "x".repeat(length).into_bytes();
    for slash in path.iter_mut().skip(MAX_NAME - 1).step_by(MAX_NAME) {
        *slash = b'/';
    }
    WsPath::from_bytes(&path)
}

async fn the_longest_path_can_be_used(ws: Subject) -> Verdict {
    for length in [MAX_PATH - 200, MAX_PATH - 1, MAX_PATH] {
        let path = long(length)?;
        ws.write(path.as_bytes(), "needle").await?;
        ws.write(path.as_bytes(), "needles").await?;
        same("bytes", ws.read(path.as_bytes()).await?, "needles")?;
        same("size", ws.stat(path.as_bytes()).await?.size, 7)?;
        let files = Query { kinds: garth_contract::Kinds::Files, ..everything() };
        same("found", ws.find(&files).await?.0, [path.to_string()])?;
        let parent = path.parent().unwrap_or_else(WsPath::root);
        same("how many", ws.list(parent.as_bytes()).await?.total, 1)?;
        ws.rename(path.as_bytes(), "short", KEEP).await?;
        ws.rename("short", path.as_bytes(), KEEP).await?;
        let top = path.components().next().unwrap_or_default().to_vec();
        ws.remove(top, Depth::All).await?;
    }
    same("tree", ws.tree().await?, BTreeMap::new())
}

async fn the_deepest_path_can_be_used(ws: Subject) -> Verdict {
    let depth = MAX_PATH / 2;
    let path = vec!["d"; depth].join("/");
    ws.write(&path, "needle").await?;
    same("bytes", ws.read(&path).await?, "needle")?;
    let (found, _) = ws.find(&lines("needle")).await?;
    same("found", found, [format!("{path}:1:needle")])?;
    let removed = ws.remove("d", Depth::All).await?;
    same("how many are gone", removed.count, depth as u64)?;
    let tree: BTreeMap<WsPath, Seen> = ws.tree().await?;
    same("tree", tree, BTreeMap::new())
}
