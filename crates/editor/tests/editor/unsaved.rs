//! What a person typed and did not save is what an agent sees, and what an agent
//! writes is in the editor.

use garth_contract::{Clobber, Code, Depth, DynFilesystem, Move, Output, Page, Parents, Total};

use crate::{
    client::{Holds, Saves},
    fixture::{ANY, Scene, at, code, lines_with},
};

const KEEP: Move = Move { clobber: Clobber::Refuse, parents: Parents::Require };
const REPLACE: Move = Move { clobber: Clobber::Replace, parents: Parents::Require };

#[tokio::test]
async fn an_unsaved_text_is_read() {
    let scene = Scene::new(Saves::Never, Holds::Exactly);
    scene.plant("a.txt", "saved\n");
    assert_eq!(scene.read("a.txt").await.unwrap(), "saved\n");
    scene.client.type_into("a.txt", "typed\nand more\n");
    assert_eq!(scene.read("a.txt").await.unwrap(), "typed\nand more\n");
    assert_eq!(scene.stat_size("a.txt").await.unwrap(), 15);
    let files: &dyn DynFilesystem = &scene.files;
    let listing = files.list(&at(""), Page { skip: 0, take: 9 }).await.unwrap();
    assert_eq!(listing.entries[0].size, 15);
    assert_eq!(scene.disk("a.txt"), "saved\n");
}

#[tokio::test]
async fn a_write_lands_in_the_editor_and_not_on_the_disk_behind_it() {
    let scene = Scene::new(Saves::Never, Holds::Exactly);
    scene.plant("a.txt", "saved\n");
    let written = scene.write("a.txt", "written\n", ANY).await.unwrap();
    assert!(!written.created);
    assert_eq!(scene.client.buffer("a.txt").unwrap(), "written\n");
    assert_eq!(scene.disk("a.txt"), "saved\n");
    assert_eq!(scene.read("a.txt").await.unwrap(), "written\n");
}

#[tokio::test]
async fn a_search_finds_unsaved_text_and_not_what_it_replaced() {
    let scene = Scene::new(Saves::Never, Holds::Exactly);
    for (path, text) in
        [("a", "needle 1\n"), ("b", "needle 2\n"), ("c", "hay\n"), ("d", "needle 4\n")]
    {
        scene.plant(path, text);
        scene.read(path).await.unwrap();
    }
    assert_eq!(
        scene.grep("needle").await.unwrap(),
        ["a:1:needle 1", "b:1:needle 2", "d:1:needle 4"]
    );
    scene.client.type_into("b", "gone\n");
    scene.client.type_into("c", "x\nneedle 3\n");
    assert_eq!(
        scene.grep("needle").await.unwrap(),
        ["a:1:needle 1", "c:2:needle 3", "d:1:needle 4"]
    );
}

#[tokio::test]
async fn a_search_over_unsaved_text_pages_and_counts_like_any_other() {
    let scene = Scene::new(Saves::Never, Holds::Exactly);
    for path in ["a", "b", "c"] {
        scene.plant(path, "needle\nneedle\n");
        scene.read(path).await.unwrap();
    }
    scene.plant("ignored", "needle\n");
    scene.plant(".gitignore", "ignored\n");
    scene.read("ignored").await.unwrap();
    scene.client.type_into("ignored", "needle\nneedle\n");
    scene.client.type_into("b", "needle\nhay\nneedle\nneedle\n");
    let all = lines_with("needle");
    let (found, summary) = scene.search(&all).await.unwrap();
    let want = ["a:1", "a:2", "b:1", "b:3", "b:4", "c:1", "c:2"].map(|at| format!("{at}:needle"));
    assert_eq!(found, want);
    assert_eq!(summary.total, Total::Exact(7));
    let mut page = all.clone();
    (page.skip, page.take) = (3, 2);
    let (found, summary) = scene.search(&page).await.unwrap();
    assert_eq!(found, want[3..5]);
    assert_eq!((summary.given, summary.total), (2, Total::AtLeast(5)));
    let mut counts = all;
    counts.grep.as_mut().unwrap().output = Output::Count;
    assert_eq!(scene.search(&counts).await.unwrap().0, ["a 2", "b 3", "c 2"]);
}

#[tokio::test]
async fn a_new_file_is_there_after_a_write() {
    let scene = Scene::new(Saves::Never, Holds::Exactly);
    let written = scene.write("new/dir/a.txt", "text\n", ANY).await.unwrap();
    assert!(written.created);
    assert_eq!(scene.client.buffer("new/dir/a.txt").unwrap(), "text\n");
    assert_eq!(scene.read("new/dir/a.txt").await.unwrap(), "text\n");
}

#[tokio::test]
async fn a_file_is_moved_with_its_unsaved_text() {
    let scene = Scene::new(Saves::Never, Holds::Exactly);
    scene.plant("a", "saved\n");
    scene.client.type_into("a", "typed\n");
    let files: &dyn DynFilesystem = &scene.files;
    files.rename(&at("a"), &at("b"), KEEP).await.unwrap();
    assert_eq!(scene.read("b").await.unwrap(), "typed\n");
    assert_eq!(scene.client.buffer("b").unwrap(), "typed\n");
    assert_eq!(code(scene.read("a").await), Code::FileNotFound);
}

#[tokio::test]
async fn a_directory_is_moved_with_the_unsaved_texts_that_are_known() {
    let scene = Scene::new(Saves::Never, Holds::Exactly);
    scene.write("d/one", "1\n", ANY).await.unwrap();
    scene.write("d/two", "2\n", ANY).await.unwrap();
    scene.client.type_into("d/two", "typed\n");
    let files: &dyn DynFilesystem = &scene.files;
    files.rename(&at("d"), &at("e"), KEEP).await.unwrap();
    assert_eq!(scene.read("e/one").await.unwrap(), "1\n");
    assert_eq!(scene.read("e/two").await.unwrap(), "typed\n");
    assert_eq!(code(scene.read("d/two").await), Code::FileNotFound);
}

#[tokio::test]
async fn what_is_moved_over_a_file_shows_in_place_of_its_unsaved_text() {
    let scene = Scene::new(Saves::Never, Holds::Exactly);
    scene.plant("a", "moved\n");
    scene.plant("b", "saved\n");
    scene.client.type_into("b", "typed\n");
    assert_eq!(scene.read("b").await.unwrap(), "typed\n");
    let files: &dyn DynFilesystem = &scene.files;
    files.rename(&at("a"), &at("b"), REPLACE).await.unwrap();
    assert_eq!(scene.read("b").await.unwrap(), "moved\n");
}

#[tokio::test]
async fn a_removed_file_is_gone_whatever_the_editor_still_shows() {
    let scene = Scene::new(Saves::Never, Holds::Exactly);
    scene.plant("a", "saved\n");
    scene.client.type_into("a", "typed\n");
    let files: &dyn DynFilesystem = &scene.files;
    files.remove(&at("a"), Depth::One).await.unwrap();
    assert_eq!(code(scene.read("a").await), Code::FileNotFound);
    assert_eq!(code(scene.stat_size("a").await), Code::FileNotFound);
    assert_eq!(scene.grep("typed").await.unwrap(), [""; 0]);
    assert!(scene.write("a", "new\n", ANY).await.unwrap().created);
    assert_eq!(scene.read("a").await.unwrap(), "new\n");
}

#[tokio::test]
async fn a_file_that_another_program_removed_is_gone_though_a_buffer_is_open() {
    let scene = Scene::new(Saves::AtOnce, Holds::Exactly);
    scene.write("a", "text\n", ANY).await.unwrap();
    std::fs::remove_file(scene.dir.path().join("a")).unwrap();
    assert_eq!(code(scene.read("a").await), Code::FileNotFound);
}

#[tokio::test]
async fn bytes_that_are_no_text_never_go_to_the_editor() {
    let scene = Scene::new(Saves::AtOnce, Holds::Exactly);
    let files: &dyn DynFilesystem = &scene.files;
    for (path, bytes) in
        [("nul", &b"a\0b"[..]), ("latin1", b"caf\xe9\n"), ("png", b"\x89PNG\r\n\x1a\n\0")]
    {
        files.write(&at(path), bytes.into(), ANY).await.unwrap();
        let span = garth_contract::Span::Whole { at_most: 100 };
        assert_eq!(files.read(&at(path), span).await.unwrap().bytes, bytes);
        assert_eq!(std::fs::read(scene.dir.path().join(path)).unwrap(), bytes);
    }
    let asked = scene.client.asked();
    assert!(asked.iter().all(|asked| asked.starts_with("read")), "{asked:?}");
    let before = asked.len();
    files.read(&at("nul"), garth_contract::Span::Whole { at_most: 100 }).await.unwrap();
    assert_eq!(scene.client.asked().len(), before, "a binary is not asked for");
}

#[tokio::test]
async fn bytes_do_not_replace_what_a_person_has_not_saved() {
    let scene = Scene::new(Saves::Never, Holds::Exactly);
    scene.plant("a", "saved\n");
    scene.client.type_into("a", "typed\n");
    let error = scene.write("a", "a\0b", ANY).await.unwrap_err();
    assert_eq!(error.code(), Code::Conflict);
    assert_eq!(error.message(), "the file has unsaved changes in the editor: a");
    assert_eq!(scene.disk("a"), "saved\n");
    assert_eq!(scene.client.buffer("a").unwrap(), "typed\n");
}

#[tokio::test]
async fn bytes_replace_a_text_that_was_written_through_here() {
    let scene = Scene::new(Saves::Never, Holds::Exactly);
    scene.plant("a", "saved\n");
    scene.write("a", "ours\n", ANY).await.unwrap();
    assert!(!scene.write("a", "a\0b", ANY).await.unwrap().created);
    assert_eq!(scene.read("a").await.unwrap(), "a\0b");
}

#[tokio::test]
async fn a_link_inside_leads_the_editor_to_its_target() {
    let scene = Scene::new(Saves::Never, Holds::Exactly);
    std::fs::create_dir(scene.dir.path().join("d")).unwrap();
    scene.plant("d/a", "saved\n");
    std::os::unix::fs::symlink("d/a", scene.dir.path().join("link")).unwrap();
    scene.client.type_into("d/a", "typed\n");
    assert_eq!(scene.read("link").await.unwrap(), "typed\n");
    scene.write("link", "written\n", ANY).await.unwrap();
    assert_eq!(scene.client.buffer("d/a").unwrap(), "written\n");
    assert!(scene.client.asked().iter().all(|asked| asked.ends_with(" d/a")));
}

#[tokio::test]
async fn the_editor_is_never_asked_for_what_is_outside() {
    let beyond = tempfile::tempdir().unwrap();
    std::fs::write(beyond.path().join("secret"), "secret\n").unwrap();
    let scene = Scene::new(Saves::AtOnce, Holds::Exactly);
    std::os::unix::fs::symlink(beyond.path(), scene.dir.path().join("out")).unwrap();
    std::os::unix::fs::symlink(beyond.path().join("secret"), scene.dir.path().join("file"))
        .unwrap();
    for path in ["out/secret", "out/new", "file"] {
        assert_eq!(code(scene.read(path).await), Code::PathOutsideWorkspace);
        assert_eq!(code(scene.write(path, "x", ANY).await), Code::PathOutsideWorkspace);
    }
    assert_eq!(scene.client.asked(), [""; 0]);
    assert_eq!(std::fs::read_to_string(beyond.path().join("secret")).unwrap(), "secret\n");
}
