//! Links that lead out, and entries that would go through a link.

use garth_archive::{Format, Restore, Unfit};
use garth_contract::{Clobber, Code};

use crate::{
    craft::{Tar, zst},
    fixture::{Yard, memory, names, plainly, read, restored, tree, write},
    hostile_tar::refused_as,
};

async fn refused(tar: Tar, code: Code, why: &str) {
    let archive = tar.end();
    refused_as(&archive, &plainly(Format::Tar), code, why).await;
    refused_as(&zst(&archive), &plainly(Format::TarZst), code, why).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_out_is_refused_or_left_out() {
    for target in [
        "/etc/passwd",
        "/",
        "..",
        "../../..",
        "../../../beyond/secret",
        "d/../../../beyond",
        "x/../../..",
        "/proc/self/root",
    ] {
        let tar = Tar::default().dir("d").link("out", target);
        // Two levels below the root of the workspace, one below it, and in it.
        let code = if target == ".." { None } else { Some(Code::PathOutsideWorkspace) };
        let archive = tar.end();
        let yard = Yard::new();
        let told = restored(&yard.host(), "a", archive.clone(), &plainly(Format::Tar)).await;
        assert_eq!(told.err().map(|error| error.code()), code, "{target}");
        let told = restored(&yard.host(), "", archive.clone(), &plainly(Format::Tar)).await;
        assert_eq!(told.unwrap_err().code(), Code::PathOutsideWorkspace, "{target}");
        let how = Restore { unfit: Unfit::LeaveOut, ..plainly(Format::Tar) };
        for files in [yard.host(), memory()] {
            let told = restored(&files, "left", archive.clone(), &how).await.unwrap();
            let out = u64::from(target != "..");
            assert_eq!((told.left_out, told.links), (out, 1 - out), "{target}");
            assert_eq!(tree(&files, "left").await.len() as u64, 2 - out);
        }
    }
    let long = Tar::default().link("l", "x").end();
    let told = restored(&memory(), "", long, &plainly(Format::Tar)).await.unwrap();
    assert_eq!(told.links, 1);
    let nul = Tar::default().pax(&[("linkpath", b"a\0b")]).link("l", "x");
    refused(nul, Code::InvalidPath, "NUL in a target").await;
    let empty = Tar::default().link("l", "");
    refused(empty, Code::InvalidPath, "a link to nothing").await;
    let huge = Tar::default().pax(&[("linkpath", &[b'x'; 5000])]).link("l", "x");
    refused(huge, Code::InvalidPath, "a target that is too long").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entry_below_a_link_of_the_archive_is_refused() {
    for target in ["/etc", "../../../beyond", "real", "."] {
        let outside = target.starts_with(['/']) || target.starts_with("..");
        let tar = Tar::default().dir("real").link("l", target).file("l/evil", "x");
        let code = if outside { Code::PathOutsideWorkspace } else { Code::NotADirectory };
        refused(tar, code, &format!("below a link to {target}")).await;
        let tar = Tar::default().dir("real").link("l", target).dir("l/evil");
        refused(tar, code, &format!("a directory below a link to {target}")).await;
        let tar = Tar::default().dir("real").link("l", target).dir("l");
        let code = if outside { Code::PathOutsideWorkspace } else { Code::FileExists };
        refused(tar, code, &format!("a directory in place of a link to {target}")).await;
    }
    let chain = Tar::default().link("a", "b").link("b", "c").file("c/f", "x").file("a/g", "x");
    refused(chain, Code::NotADirectory, "a chain of links").await;
    // A link that was left out is no way either.
    let how = Restore { unfit: Unfit::LeaveOut, ..plainly(Format::Tar) };
    let tar = Tar::default().link("l", "/etc").file("l/evil", "x").end();
    let yard = Yard::new();
    restored(&yard.host(), "to", tar, &how).await.unwrap();
    assert_eq!(names(&yard.host()).await, ["to", "to/l", "to/l/evil"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entry_below_a_link_of_the_tree_is_refused() {
    let yard = Yard::new();
    let host = yard.host();
    write(&host, "real/f", "x").await;
    std::os::unix::fs::symlink("real", yard.root().join("inside")).unwrap();
    std::os::unix::fs::symlink("../beyond", yard.root().join("outside")).unwrap();
    std::os::unix::fs::symlink("../beyond/new", yard.root().join("dangling")).unwrap();
    let before = yard.really();
    for name in ["inside/evil", "outside/evil", "outside/secret", "dangling/evil"] {
        let archive = Tar::default().file("first", "x").file(name, "evil").end();
        for (clobber, code) in
            [(Clobber::Refuse, Code::DestinationExists), (Clobber::Replace, Code::NotADirectory)]
        {
            let how = Restore { clobber, ..plainly(Format::Tar) };
            let error = restored(&host, "", archive.clone(), &how).await.unwrap_err();
            assert_eq!(error.code(), code, "{name}");
            assert_eq!(yard.really(), before, "{name}");
        }
    }
    let archive = Tar::default().file("evil", "evil").end();
    for to in ["outside", "outside/deeper", "dangling", "dangling/deeper"] {
        let error = restored(&host, to, archive.clone(), &plainly(Format::Tar)).await.unwrap_err();
        let codes = [Code::PathOutsideWorkspace, Code::DestinationExists];
        assert!(codes.contains(&error.code()), "{to}: {error:?}");
        assert_eq!(yard.really(), before, "{to}");
    }
    // Replacing a file by a link, or a link by a file, does not touch what it leads to.
    let how = Restore { clobber: Clobber::Replace, ..plainly(Format::Tar) };
    let archive = Tar::default().file("outside", "now a file").end();
    restored(&host, "", archive, &how).await.unwrap();
    assert_eq!(std::fs::read(yard.dir.path().join("beyond/secret")).unwrap(), b"secret");
    assert_eq!(read(&host, "outside").await, "now a file");
}

#[tokio::test(flavor = "multi_thread")]
async fn hard_links_are_copies_of_what_the_archive_holds() {
    let yard = Yard::new();
    for files in [yard.host(), memory()] {
        let content = crate::fixture::noise(2_500_000, 8);
        let tar = Tar::default().file("d/f", &content).file("d/empty", "");
        let tar = tar.hard_link("g", "d/f").hard_link("e", "./d/empty").hard_link("h", "g");
        let told = restored(&files, "to", tar.end(), &plainly(Format::Tar)).await.unwrap();
        assert_eq!((told.files, told.bytes), (5, 3 * 2_500_000));
        for name in ["to/d/f", "to/g", "to/h"] {
            assert_eq!(read(&files, name).await, content, "{name}");
        }
        write(&files, "to/g", "changed").await;
        assert_eq!(read(&files, "to/d/f").await, content);
    }
    let metadata = std::fs::metadata(yard.root().join("to/h")).unwrap();
    assert_eq!(std::os::unix::fs::MetadataExt::nlink(&metadata), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hard_link_to_anything_else_is_refused() {
    let tar = || Tar::default().dir("d").link("l", "d").file("f", "x");
    for (of, code) in [
        ("/etc/passwd", Code::PathOutsideWorkspace),
        ("../../beyond/secret", Code::PathOutsideWorkspace),
        ("there", Code::InvalidParams),
        ("f/below", Code::InvalidParams),
        ("d", Code::InvalidParams),
        ("l", Code::InvalidParams),
        ("l/f", Code::InvalidParams),
        ("h", Code::InvalidParams),
        ("", Code::InvalidParams),
    ] {
        refused(tar().hard_link("h", of), code, &format!("unfit: hard link to {of}")).await;
    }
    // What stands in the tree already is not the archive's to link to.
    let yard = Yard::new();
    write(&yard.host(), "there", "mine").await;
    let archive = Tar::default().hard_link("stolen", "there").end();
    let error = restored(&yard.host(), "", archive, &plainly(Format::Tar)).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidParams);
}
