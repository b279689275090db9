//! `read_media_file`: bytes that are no text, and what they are called.

use base64::{Engine, engine::general_purpose::STANDARD};
use garth_contract::Code;
use garth_workspace::Limits;
use serde_json::{Value, json};

use crate::stage::{Ground, Setting, Stage, everywhere};

#[test]
fn an_image_or_sound_is_told_by_the_ending_of_its_name() {
    let bytes = [0x89, 0x50, 0x4e, 0x47, 0x00, 0xff];
    everywhere(&[], |stage| {
        for (name, media_type, kind) in [
            ("a.png", "image/png", "image"),
            ("a.jpg", "image/jpeg", "image"),
            ("a.JPEG", "image/jpeg", "image"),
            ("a.gif", "image/gif", "image"),
            ("a.webp", "image/webp", "image"),
            ("a.bmp", "image/bmp", "image"),
            ("a.svg", "image/svg+xml", "image"),
            ("a.mp3", "audio/mpeg", "audio"),
            ("a.wav", "audio/wav", "audio"),
            ("a.ogg", "audio/ogg", "audio"),
            ("a.flac", "audio/flac", "audio"),
        ] {
            stage.put(name, &bytes);
            let reply = stage.ok("read_media_file", json!({"path": stage.at(name)}));
            let data = STANDARD.encode(bytes);
            let block = json!({"type": kind, "data": data, "mimeType": media_type});
            assert_eq!(Value::Object(reply.payload), json!({"content": [block]}), "{name}");
            let attachment = reply.attachment.unwrap();
            assert_eq!((attachment.media_type, &attachment.bytes[..]), (media_type, &bytes[..]));
            assert!(reply.text.is_empty(), "the bytes are the reply");
        }
    });
}

#[test]
fn anything_else_is_a_resource_with_the_address_of_the_file() {
    everywhere(&[("my café.bin", "\0\u{1}")], |stage| {
        let reply = stage.ok("read_media_file", json!({"path": stage.at("my café.bin")}));
        let uri = format!("file://{}/my%20caf%C3%A9.bin", stage.root);
        let resource = json!({"uri": uri, "mimeType": "application/octet-stream", "blob": "AAE="});
        let block = json!({"type": "resource", "resource": resource});
        assert_eq!(Value::Object(reply.payload), json!({"content": [block]}));
        assert_eq!(reply.attachment.unwrap().uri, Some(uri));
    });
}

#[test]
fn an_ending_that_says_nothing_leaves_it_to_the_bytes() {
    everywhere(&[], |stage| {
        stage.put("picture", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
        stage.put("png", b"\0\x01");
        let kind = |name: &str| {
            let reply = stage.ok("read_media_file", json!({"path": name}));
            reply.payload["content"][0]["type"].as_str().unwrap().to_owned()
        };
        assert_eq!(kind("picture"), "image");
        assert_eq!(kind("png"), "resource", "a name without a dot has no ending");
    });
}

#[test]
fn what_cannot_be_given_is_refused() {
    for ground in [Ground::Memory, Ground::Host] {
        let limits = Limits { image_bytes: 10, ..Limits::standard() };
        let files = [("folder.png/", ""), ("large.png", "12345678901")];
        let stage = Stage::new(ground, &files, Setting { limits, ..Setting::usual() });
        let read = |name: &str| json!({"path": stage.at(name)});
        let error = stage.refused(Code::NotAFile, "read_media_file", read("folder.png"));
        assert!(error.message().starts_with("EISDIR"), "{error:?}");
        stage.refused(Code::FileTooLarge, "read_media_file", read("large.png"));
        stage.refused(Code::FileNotFound, "read_media_file", read("missing.png"));
    }
}
