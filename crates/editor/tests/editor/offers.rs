//! A client is asked for what it offered and for nothing else.

use garth_contract::{Clobber, Code, DynFilesystem, Guard, Move, Parents, Version};
use garth_editor::Offers;

use crate::{
    client::{Holds, Saves},
    fixture::{ANY, Scene, at, code, guarded},
};

#[tokio::test]
async fn a_client_that_offers_nothing_is_asked_for_nothing() {
    let scene = Scene::offering(Saves::AtOnce, Holds::Exactly, Offers::Nothing);
    scene.plant("a", "saved\n");
    scene.client.type_into("a", "typed\n");
    assert_eq!(scene.read("a").await.unwrap(), "saved\n");
    scene.write("a", "new\n", ANY).await.unwrap();
    assert_eq!(scene.disk("a"), "new\n");
    assert_eq!(scene.grep("new").await.unwrap(), ["a:1:new"]);
    assert_eq!(scene.client.asked(), [""; 0]);
}

#[tokio::test]
async fn one_that_only_gives_texts_has_them_written_beneath() {
    let scene = Scene::offering(Saves::AtOnce, Holds::Exactly, Offers::Reading);
    scene.plant("a", "saved\n");
    assert_eq!(scene.read("a").await.unwrap(), "saved\n");
    scene.write("a", "new\n", ANY).await.unwrap();
    assert_eq!(scene.disk("a"), "new\n");
    assert_eq!(scene.read("a").await.unwrap(), "new\n");
    assert!(scene.client.asked().iter().all(|asked| asked.starts_with("read")));
}

#[tokio::test]
async fn what_a_person_has_not_saved_is_not_written_over_behind_the_editor() {
    let scene = Scene::offering(Saves::AtOnce, Holds::Exactly, Offers::Reading);
    scene.plant("a", "saved\n");
    scene.client.type_into("a", "typed\n");
    assert_eq!(scene.read("a").await.unwrap(), "typed\n");
    for guard in [Guard::Any, Guard::Unchanged(Version::of(b"typed\n"))] {
        assert_eq!(code(scene.write("a", "new\n", guarded(guard)).await), Code::Conflict);
    }
    let files: &dyn DynFilesystem = &scene.files;
    let how = Move { clobber: Clobber::Refuse, parents: Parents::Require };
    assert_eq!(code(files.rename(&at("a"), &at("b"), how).await), Code::Conflict);
    assert_eq!(scene.disk("a"), "saved\n");
}

#[tokio::test]
async fn one_that_only_takes_texts_is_believed_until_the_file_changes() {
    let scene = Scene::offering(Saves::Never, Holds::Exactly, Offers::Writing);
    scene.plant("a", "saved\n");
    let version = scene.write("a", "written\n", ANY).await.unwrap().version;
    assert_eq!(scene.disk("a"), "saved\n");
    assert_eq!(scene.read("a").await.unwrap(), "written\n");
    assert_eq!(scene.stat_size("a").await.unwrap(), 8);
    assert_eq!(scene.grep("written").await.unwrap(), ["a:1:written"]);
    scene.write("a", "again\n", guarded(Guard::Unchanged(version))).await.unwrap();
    scene.plant("a", "another program's\n");
    assert_eq!(scene.read("a").await.unwrap(), "another program's\n");
    assert!(scene.client.asked().iter().all(|asked| asked.starts_with("write")));
}

#[tokio::test]
async fn one_that_only_takes_texts_and_saves_them_is_read_on_the_disk() {
    let scene = Scene::offering(Saves::AtOnce, Holds::Exactly, Offers::Writing);
    scene.write("d/a", "written\n", ANY).await.unwrap();
    assert_eq!(scene.disk("d/a"), "written\n");
    assert_eq!(scene.read("d/a").await.unwrap(), "written\n");
    assert_eq!(code(scene.write("d/a", "x", guarded(Guard::Absent)).await), Code::FileExists);
}
