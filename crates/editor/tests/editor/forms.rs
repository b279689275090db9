//! Line endings, byte order marks and final newlines, with editors that are careless
//! about them.

use garth_contract::{Code, Detail, Guard, Version};

use crate::{
    client::{Holds, Saves},
    fixture::{ANY, Scene, guarded},
};

const TEXTS: [&str; 8] = [
    "a\nb\n",
    "a\nb",
    "a\r\nb\r\n",
    "a\r\nb",
    "a\r\nb\nc\r\n",
    "\u{feff}a\nb\n",
    "\u{feff}a\r\nb\r\n",
    "\n\n",
];

#[tokio::test]
async fn a_text_arrives_to_the_byte_in_an_editor_that_holds_it_so() {
    for saves in [Saves::AtOnce, Saves::Never] {
        let scene = Scene::new(saves, Holds::Exactly);
        scene.plant("old", "x\r\ny\r\n");
        for text in TEXTS {
            for path in ["old", "new"] {
                scene.write(path, text, ANY).await.unwrap();
                assert_eq!(scene.read(path).await.unwrap(), text);
                assert_eq!(scene.client.buffer(path).unwrap(), text);
            }
        }
    }
}

#[tokio::test]
async fn a_file_looks_as_it_is_in_an_editor_that_hides_its_form() {
    for saves in [Saves::AtOnce, Saves::Never] {
        let scene = Scene::new(saves, Holds::Plain);
        for text in TEXTS {
            scene.plant("a", text);
            assert_eq!(scene.read("a").await.unwrap(), text);
        }
    }
}

#[tokio::test]
async fn a_change_keeps_the_form_of_its_file_in_an_editor_that_hides_it() {
    for saves in [Saves::AtOnce, Saves::Never] {
        for (old, new) in [
            ("a\r\nb\r\n", "a\r\nc\r\nd\r\n"),
            ("\u{feff}a\n", "\u{feff}b\nc\n"),
            ("\u{feff}a\r\nb\r\n", "\u{feff}b\r\nc"),
            ("a\nb\n", "a\nc"),
        ] {
            let scene = Scene::new(saves, Holds::Plain);
            scene.plant("a", old);
            let version = Version::of(scene.read("a").await.unwrap().as_bytes());
            scene.write("a", new, guarded(Guard::Unchanged(version))).await.unwrap();
            assert_eq!(scene.read("a").await.unwrap(), new);
            if saves == Saves::AtOnce {
                assert_eq!(scene.disk("a"), new);
            }
        }
    }
}

#[tokio::test]
async fn an_editor_that_mends_line_endings_is_reported() {
    let scene = Scene::new(Saves::AtOnce, Holds::Mended);
    scene.plant("a", "a\r\nb\r\n");
    let error = scene.write("a", "a\r\nc\r\n", ANY).await.unwrap_err();
    assert_eq!(error.code(), Code::Unsupported);
    assert_eq!(error.message(), "the editor holds another text than it was given: a");
    assert_eq!(error.details(), [Detail::Current(Version::of(b"a\nc\n"))]);
    assert_eq!(scene.read("a").await.unwrap(), "a\nc\n", "what is there now is told");
}

#[tokio::test]
async fn an_editor_that_formats_is_reported_and_the_next_change_goes_on_from_there() {
    for saves in [Saves::AtOnce, Saves::Never] {
        let scene = Scene::new(saves, Holds::Formatted);
        scene.plant("a", "x\n");
        let error = scene.write("a", "one  \ntwo\n", ANY).await.unwrap_err();
        assert_eq!(error.code(), Code::Unsupported);
        assert_eq!(error.details(), [Detail::Current(Version::of(b"one\ntwo\n"))]);
        assert_eq!(scene.read("a").await.unwrap(), "one\ntwo\n");
        let guard = Guard::Unchanged(Version::of(b"one\ntwo\n"));
        scene.write("a", "one\nthree\n", guarded(guard)).await.unwrap();
        assert_eq!(scene.read("a").await.unwrap(), "one\nthree\n");
    }
}
