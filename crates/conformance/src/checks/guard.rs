//! What must hold of a file at the instant it is replaced.

use bytes::Bytes;
use garth_contract::{Code, Depth, Detail, Error, Guard, Kind, Put, Version};

use crate::{
    Subject, Verdict,
    arrange::{ABSENT, ANY, at, unchanged},
    check::{checks, open},
    stop::{holds, refused, refused_as, same},
};

checks! { "guard"
    any_creates_and_replaces [Write] under open covers "guard.any";
    absent_creates [Write] under open covers "guard.absent";
    absent_refuses_a_file_that_is_there [Write] under open covers "guard.absent" "write.errors.exists";
    absent_refuses_an_empty_file_that_is_there [Write] under open covers "guard.absent" "write.errors.exists";
    absent_refuses_a_directory [Write] under open covers "guard.absent" "write.errors.not_a_file";
    absent_never_replaces_a_link [Write Symlinks] under open covers "guard.absent";
    absent_works_again_after_a_removal [Write] under open covers "guard.absent";
    unchanged_replaces_the_version_read [Write] under open covers "guard.unchanged";
    unchanged_refuses_another_version [Write] under open covers "guard.unchanged" "write.errors.conflict";
    unchanged_refuses_a_missing_file [Write] under open covers "guard.unchanged" "write.errors.conflict";
    unchanged_refuses_a_directory [Write] under open covers "guard.unchanged" "write.errors.not_a_file";
    unchanged_goes_by_content_alone [Write] under open covers "guard.unchanged";
    unchanged_sees_what_others_wrote [Write] under open covers "guard.unchanged" "write.errors.conflict";
    unchanged_sees_the_same_length [Write] under open covers "guard.unchanged";
    holding_replaces_the_bytes_read [Write] under open covers "guard.holding";
    holding_refuses_other_bytes [Write] under open covers "guard.holding" "write.errors.conflict";
    holding_sees_the_same_length_and_front [Write] under open covers "guard.holding";
    a_version_of_an_empty_file_is_not_a_missing_one [Write] under open covers "guard.unchanged" "guard.absent";
}

async fn any_creates_and_replaces(ws: Subject) -> Verdict {
    same("created", ws.write("f", "one").await?.created, true)?;
    same("created", ws.write("f", "two").await?.created, false)?;
    same("created", ws.write("f", "two").await?.created, false)
}

async fn absent_creates(ws: Subject) -> Verdict {
    same("created", ws.put("d/f", "x", ABSENT).await?.created, true)?;
    same("bytes", ws.read("d/f").await?, "x")
}

async fn absent_refuses_a_file_that_is_there(ws: Subject) -> Verdict {
    ws.write("f", "old").await?;
    refused(ws.put("f", "new", ABSENT).await, Code::FileExists)?;
    refused(ws.put("f", "old", ABSENT).await, Code::FileExists)?;
    same("bytes", ws.read("f").await?, "old")
}

async fn absent_refuses_an_empty_file_that_is_there(ws: Subject) -> Verdict {
    ws.write("f", "").await?;
    refused(ws.put("f", "new", ABSENT).await, Code::FileExists)?;
    same("size", ws.stat("f").await?.size, 0)
}

async fn absent_refuses_a_directory(ws: Subject) -> Verdict {
    ws.write("d/f", "x").await?;
    refused_as(ws.put("d", "new", ABSENT).await, &[Code::FileExists, Code::NotAFile])?;
    same("kind", ws.stat("d").await?.kind, Kind::Dir)
}

async fn absent_never_replaces_a_link(ws: Subject) -> Verdict {
    ws.write("f", "old").await?;
    ws.symlink("l", "f")?;
    refused(ws.put("l", "new", ABSENT).await, Code::FileExists)?;
    same("kind", ws.stat("l").await?.kind, Kind::Symlink)?;
    same("bytes", ws.read("f").await?, "old")?;
    ws.symlink("dangling", "nowhere")?;
    // Whether a link to nothing counts as something is left open; that it stays is not.
    if let Err(error) = ws.put("dangling", "new", ABSENT).await {
        same("code", error.code(), Code::FileExists)?;
    }
    same("kind", ws.stat("dangling").await?.kind, Kind::Symlink)
}

async fn absent_works_again_after_a_removal(ws: Subject) -> Verdict {
    ws.put("f", "one", ABSENT).await?;
    ws.remove("f", Depth::One).await?;
    ws.put("f", "two", ABSENT).await?;
    same("bytes", ws.read("f").await?, "two")
}

async fn unchanged_replaces_the_version_read(ws: Subject) -> Verdict {
    let first = ws.write("f", "one").await?.version;
    let second = ws.put("f", "two", unchanged(first)).await?;
    same("created", second.created, false)?;
    ws.put("f", "three", unchanged(second.version)).await?;
    same("bytes", ws.read("f").await?, "three")
}

async fn unchanged_refuses_another_version(ws: Subject) -> Verdict {
    let first = ws.write("f", "one").await?.version;
    ws.write("f", "two").await?;
    refused(ws.put("f", "three", unchanged(first)).await, Code::Conflict)?;
    same("bytes", ws.read("f").await?, "two")
}

fn holding(bytes: impl Into<Bytes>) -> Put {
    Put { guard: Guard::Holding(bytes.into()), ..ANY }
}

async fn holding_replaces_the_bytes_read(ws: Subject) -> Verdict {
    ws.write("f", "one").await?;
    let second = ws.put("f", "", holding("one")).await?;
    same("created", second.created, false)?;
    ws.put("f", "three", holding("")).await?;
    same("bytes", ws.read("f").await?, "three")?;
    // So large that a backend may compare and write at once.
    let large = Bytes::from(vec![b'x'; 3 << 20]);
    ws.put("f", large.clone(), holding("three")).await?;
    let written = ws.put("f", [&large[..], b"y"].concat(), holding(large.clone())).await?;
    same("version", written.version, Version::of(&[&large[..], b"y"].concat()))
}

async fn holding_refuses_other_bytes(ws: Subject) -> Verdict {
    let version = ws.write("f", "two").await?.version;
    let large = Bytes::from(vec![b'x'; 3 << 20]);
    for content in [Bytes::from("three"), large] {
        let error = ws.put("f", content, holding("one")).await.err();
        same("code", error.as_ref().map(Error::code), Some(Code::Conflict))?;
        let wrong = |detail: &Detail| matches!(detail, Detail::Current(told) if *told != version);
        let told = error.as_ref().is_some_and(|error| error.details().iter().any(wrong));
        holds("its version is right or not given", !told)?;
    }
    same("bytes", ws.read("f").await?, "two")?;
    same("names", ws.names("").await?, ["f"])?;
    refused(ws.put("g", "x", holding("")).await, Code::Conflict)?;
    refused(ws.stat("g").await, Code::FileNotFound)
}

async fn holding_sees_the_same_length_and_front(ws: Subject) -> Verdict {
    ws.write("f", "abc").await?;
    for other in ["abd", "ab", "abcd", ""] {
        refused(ws.put("f", "new", holding(other)).await, Code::Conflict)?;
    }
    same("bytes", ws.read("f").await?, "abc")
}

async fn unchanged_refuses_a_missing_file(ws: Subject) -> Verdict {
    refused(ws.put("f", "x", unchanged(Version::of(b"x"))).await, Code::Conflict)?;
    refused(ws.stat("f").await, Code::FileNotFound)?;
    let version = ws.write("g", "x").await?.version;
    ws.remove("g", Depth::One).await?;
    refused(ws.put("g", "y", unchanged(version)).await, Code::Conflict)
}

async fn unchanged_refuses_a_directory(ws: Subject) -> Verdict {
    ws.write("d/f", "x").await?;
    let put = unchanged(Version::of(b""));
    refused_as(ws.put("d", "new", put).await, &[Code::Conflict, Code::NotAFile])?;
    same("bytes", ws.read("d/f").await?, "x")
}

async fn unchanged_goes_by_content_alone(ws: Subject) -> Verdict {
    let version = ws.write("f", "one").await?.version;
    ws.write("f", "two").await?;
    ws.write("f", "one").await?;
    ws.put("f", "three", unchanged(version)).await?;
    same("bytes", ws.read("f").await?, "three")
}

async fn unchanged_sees_what_others_wrote(ws: Subject) -> Verdict {
    let version = ws.write("f", "one").await?.version;
    ws.plant("f", "someone else's").await?;
    refused(ws.put("f", "two", unchanged(version)).await, Code::Conflict)?;
    same("bytes", ws.read("f").await?, "someone else's")
}

async fn unchanged_sees_the_same_length(ws: Subject) -> Verdict {
    let version = ws.write("f", "one").await?.version;
    ws.outside.set_modified(&at("f")?, 1_000_000_000)?;
    ws.plant("f", "eno").await?;
    ws.outside.set_modified(&at("f")?, 1_000_000_000)?;
    refused(ws.put("f", "two", unchanged(version)).await, Code::Conflict)?;
    same("bytes", ws.read("f").await?, "eno")
}

async fn a_version_of_an_empty_file_is_not_a_missing_one(ws: Subject) -> Verdict {
    refused(ws.put("f", "x", unchanged(Version::of(b""))).await, Code::Conflict)?;
    ws.write("f", "").await?;
    ws.put("f", "x", unchanged(Version::of(b""))).await?;
    same("bytes", ws.read("f").await?, "x")
}
