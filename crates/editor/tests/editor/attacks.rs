//! Clients that are silent, gone, garbled, endless or lying: every call ends, with a
//! code that says what happened, and nothing leaves or enters the workspace by it.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use garth_contract::{Code, Detail, DynFilesystem, Error, Guard, Result, Span, Version};
use garth_editor::{Bounds, Editor, Offers, Pipe, Rest};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{
        UnixStream,
        unix::{OwnedReadHalf, OwnedWriteHalf},
    },
};

use crate::fixture::{ANY, PATIENT, at, code, guarded, over};

/// For clients that never answer, so that it always runs out.
const HASTY: Bounds = Bounds { deadline: Duration::from_millis(300), ..PATIENT };
/// For clients that answer too much.
const NARROW: Bounds = Bounds { most_text: 1 << 10, ..PATIENT };

/// A directory with a file `a`, and the backend over a client that is not written yet.
fn scene(bounds: Bounds) -> (TempDir, Editor, Rest, UnixStream) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a"), "saved\n").unwrap();
    let (ours, theirs) = UnixStream::pair().unwrap();
    let (reader, writer) = ours.into_split();
    let (pipe, rest) = Pipe::open(reader, writer, bounds);
    let files = over(pipe, dir.path(), Offers::Both, bounds);
    (dir, files, rest, theirs)
}

/// A client that sends for each request what it is told to, id and all.
fn answering(
    bounds: Bounds,
    mut answer: impl FnMut(&Value) -> Vec<u8> + Send + 'static,
) -> (TempDir, Editor) {
    let (dir, files, _, client) = scene(bounds);
    tokio::spawn(async move {
        let (reader, mut writer) = client.into_split();
        let mut lines = BufReader::new(reader).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let bytes = answer(&serde_json::from_str(&line).unwrap());
            if bytes.is_empty() || writer.write_all(&bytes).await.is_err() {
                return;
            }
        }
    });
    (dir, files)
}

fn line(message: &Value) -> Vec<u8> {
    format!("{message}\n").into_bytes()
}

fn text(request: &Value, text: &str) -> Vec<u8> {
    line(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": { "content": text } }))
}

async fn read(files: &Editor, path: &str) -> Result<String> {
    let files: &dyn DynFilesystem = files;
    let content = files.read(&at(path), Span::Whole { at_most: 1 << 30 }).await?;
    Ok(String::from_utf8(content.bytes.to_vec()).unwrap())
}

async fn write(files: &Editor, path: &str, text: impl Into<Bytes>) -> Result<Version> {
    let files: &dyn DynFilesystem = files;
    Ok(files.write(&at(path), text.into(), ANY).await?.version)
}

fn on_disk(dir: &TempDir, path: &str) -> String {
    std::fs::read_to_string(dir.path().join(path)).unwrap()
}

#[tokio::test]
async fn silence_ends_at_the_deadline() {
    let (dir, files, _rest, _client) = scene(HASTY);
    let error = read(&files, "a").await.unwrap_err();
    assert_eq!(error.code(), Code::ProviderUnavailable);
    assert_eq!(error.message(), "the editor did not answer in time: a");
    assert_eq!(code(write(&files, "a", "new").await), Code::ProviderUnavailable);
    assert_eq!(code(write(&files, "new/dir/b", "new").await), Code::ProviderUnavailable);
    assert_eq!(on_disk(&dir, "a"), "saved\n");
    // What the client has no part in goes on.
    let files: &dyn DynFilesystem = &files;
    assert!(files.stat(&at("a"), garth_contract::Links::Follow).await.is_ok());
}

#[tokio::test]
async fn a_client_that_reads_nothing_ends_at_the_deadline() {
    let (_dir, files, _rest, _client) = scene(HASTY);
    for _ in 0..8 {
        let answer = write(&files, "a", vec![b'x'; 4 << 20]).await;
        assert_eq!(code(answer), Code::ProviderUnavailable);
    }
}

#[tokio::test]
async fn a_client_that_is_gone_is_told_at_once() {
    let (dir, files, _rest, client) = scene(PATIENT);
    drop(client);
    let error = read(&files, "a").await.unwrap_err();
    assert_eq!(error.code(), Code::ProviderUnavailable);
    assert_eq!(error.message(), "the editor is gone: a");
    assert_eq!(code(write(&files, "a", "new").await), Code::ProviderUnavailable);
    assert_eq!(on_disk(&dir, "a"), "saved\n");
}

#[tokio::test]
async fn a_client_that_goes_in_the_middle_of_an_answer_is_gone() {
    let (_dir, files, _rest, client) = scene(PATIENT);
    let (mut reader, mut writer): (OwnedReadHalf, OwnedWriteHalf) = client.into_split();
    tokio::spawn(async move {
        reader.read_u8().await.unwrap();
        writer.write_all(br#"{"jsonrpc":"2.0","id":"garth-1","result":{"cont"#).await.unwrap();
    });
    assert_eq!(code(read(&files, "a").await), Code::ProviderUnavailable);
    assert_eq!(code(read(&files, "a").await), Code::ProviderUnavailable);
}

#[tokio::test]
async fn answers_under_wrong_ids_and_second_answers_change_nothing() {
    let mut number = 0;
    let (_dir, files) = answering(PATIENT, move |request| {
        number += 1;
        let mut sent = Vec::new();
        for id in [json!("garth-999"), json!(1), json!(null), json!("garth--1"), json!({})] {
            sent.extend(line(&json!({ "id": id, "result": { "content": "forged" } })));
        }
        sent.extend(text(request, &format!("answer {number}")));
        sent.extend(text(request, "second answer"));
        sent.extend(line(&json!({ "id": request["id"], "error": { "code": 1, "message": "" } })));
        sent
    });
    for number in 1..=20 {
        assert_eq!(read(&files, "a").await.unwrap(), format!("answer {number}"));
    }
}

#[tokio::test]
async fn a_request_under_one_of_our_ids_is_no_answer() {
    let (_dir, files, mut rest, client) = scene(PATIENT);
    tokio::spawn(async move {
        let (reader, mut writer) = client.into_split();
        let mut lines = BufReader::new(reader).lines();
        while let Ok(Some(request)) = lines.next_line().await {
            let request: Value = serde_json::from_str(&request).unwrap();
            let forged = json!({
                "id": request["id"], "method": "session/prompt", "result": { "content": "forged" },
            });
            writer.write_all(&line(&forged)).await.unwrap();
            writer.write_all(&text(&request, "answer")).await.unwrap();
        }
    });
    assert_eq!(read(&files, "a").await.unwrap(), "answer");
    assert_eq!(rest.next().await.unwrap()["method"], "session/prompt");
}

#[tokio::test]
async fn lines_that_are_no_messages_are_passed_over() {
    let (_dir, files) = answering(PATIENT, |request| {
        let mut sent =
            b"{\n\n\xff\xfe\0\n[1,2,\n\"x\"\n42\n[]\nnull\n{\"jsonrpc\":\"2.0\"}\n".to_vec();
        sent.extend(format!("{}\n", "[".repeat(100_000)).as_bytes());
        sent.extend(text(request, "answer"));
        sent
    });
    assert_eq!(read(&files, "a").await.unwrap(), "answer");
}

#[tokio::test]
async fn an_answer_that_makes_no_sense_fails_its_request_at_once() {
    let senseless: [fn(&Value) -> Vec<u8>; 7] = [
        |request| line(&json!({ "id": request["id"] })),
        |request| line(&json!({ "id": request["id"], "result": { "content": 5 } })),
        |request| line(&json!({ "id": request["id"], "result": {} })),
        |request| line(&json!({ "id": request["id"], "result": ["text"] })),
        |request| line(&json!({ "id": request["id"], "error": "no" })),
        |request| {
            format!(r#"{{"id":{},"result":{{"content":"\ud800"}}}}"#, request["id"]).into_bytes()
        },
        |request| format!(r#"{{"id":{},"result":{{"content":"x"}}"#, request["id"]).into_bytes(),
    ];
    for answer in senseless {
        let (dir, files) = answering(PATIENT, move |request| {
            let mut sent = answer(request);
            sent.push(b'\n');
            sent
        });
        let error = read(&files, "a").await.unwrap_err();
        assert_eq!(error.code(), Code::ProviderUnavailable, "{error}");
        assert_eq!(error.message(), "the editor's answer makes no sense: a");
        assert_eq!(on_disk(&dir, "a"), "saved\n");
    }
}

#[tokio::test]
async fn a_text_over_the_bound_is_refused_and_the_next_is_not() {
    let mut number = 0;
    let (_dir, files) = answering(NARROW, move |request| {
        number += 1;
        match number {
            1 => text(request, &"x".repeat(1025)),
            2 => text(request, &"x".repeat(20 << 20)),
            _ => text(request, "answer"),
        }
    });
    let error = read(&files, "a").await.unwrap_err();
    assert_eq!(error.code(), Code::FileTooLarge);
    assert_eq!(error.details(), [Detail::Limit { limit: 1024, actual: 1025 }]);
    assert_eq!(code(read(&files, "a").await), Code::FileTooLarge);
    assert_eq!(read(&files, "a").await.unwrap(), "answer");
}

#[tokio::test]
async fn an_endless_answer_is_refused_before_its_end() {
    let (_dir, files, _rest, client) = scene(NARROW);
    tokio::spawn(async move {
        let (mut reader, mut writer) = client.into_split();
        reader.read_u8().await.unwrap();
        writer.write_all(br#"{"id":"garth-1","result":{"content":""#).await.unwrap();
        while writer.write_all(&[b'x'; 1 << 16]).await.is_ok() {}
    });
    assert_eq!(code(read(&files, "a").await), Code::FileTooLarge);
}

#[tokio::test]
async fn a_refusal_is_told_without_the_clients_words() {
    for (number, expected) in [
        (-32000, Code::PermissionDenied),
        (-32602, Code::PermissionDenied),
        (-32603, Code::PermissionDenied),
        (7, Code::PermissionDenied),
        (-32601, Code::Unsupported),
        (-32800, Code::Cancelled),
    ] {
        let (dir, files) = answering(PATIENT, move |request| {
            line(&json!({ "id": request["id"], "error": {
                "code": number, "message": "/etc/shadow: root:x", "data": { "path": "/etc/shadow" },
            } }))
        });
        let told = |error: Error| {
            assert_eq!(error.code(), expected);
            assert!(!format!("{error:?}{}", error.advice()).contains("shadow"), "{error:?}");
        };
        told(read(&files, "a").await.unwrap_err());
        told(write(&files, "a", "new").await.unwrap_err());
        assert_eq!(code(read(&files, "missing").await), Code::FileNotFound);
        assert_eq!(on_disk(&dir, "a"), "saved\n");
    }
}

#[tokio::test]
async fn a_refused_new_file_leaves_nothing() {
    let (dir, files) = answering(PATIENT, |request| {
        line(&json!({ "id": request["id"], "error": { "code": -32603, "message": "no" } }))
    });
    assert_eq!(code(write(&files, "new/dir/b", "text").await), Code::PermissionDenied);
    assert!(!dir.path().join("new").exists());
}

#[tokio::test]
async fn a_client_without_a_file_that_is_there_leaves_it_to_the_disk() {
    let (_dir, files) = answering(PATIENT, |request| {
        line(&json!({ "id": request["id"], "error": { "code": -32002, "message": "no" } }))
    });
    assert_eq!(read(&files, "a").await.unwrap(), "saved\n");
}

#[tokio::test]
async fn a_client_that_says_it_wrote_and_did_not_is_found_out() {
    let (dir, files) = answering(PATIENT, |request| match request["method"].as_str() {
        Some("fs/write_text_file") => line(&json!({ "id": request["id"], "result": {} })),
        _ => text(request, "saved\n"),
    });
    let error = write(&files, "a", "new\n").await.unwrap_err();
    assert_eq!(error.code(), Code::Unsupported);
    assert_eq!(error.details(), [Detail::Current(Version::of(b"saved\n"))]);
    assert_eq!(on_disk(&dir, "a"), "saved\n");
}

#[tokio::test]
async fn a_client_that_has_an_empty_text_for_everything_has_no_files() {
    let (_dir, files) = answering(PATIENT, |request| text(request, ""));
    assert_eq!(code(read(&files, "missing").await), Code::FileNotFound);
    assert_eq!(read(&files, "a").await.unwrap(), "");
}

#[tokio::test]
async fn a_client_whose_text_is_another_each_time_never_holds_a_version() {
    let mut number = 0;
    let (_dir, files) = answering(PATIENT, move |request| {
        number += 1;
        text(request, &format!("{number}"))
    });
    for _ in 0..3 {
        let version = Version::of(read(&files, "a").await.unwrap().as_bytes());
        let files: &dyn DynFilesystem = &files;
        let put = guarded(Guard::Unchanged(version));
        assert_eq!(code(files.write(&at("a"), "new".into(), put).await), Code::Conflict);
    }
}

/// Puts a link out of the workspace in the place of a directory.
fn lead_out(root: &Path, beyond: &Path) {
    std::fs::rename(root.join("d"), root.join("aside")).unwrap();
    std::os::unix::fs::symlink(beyond, root.join("d")).unwrap();
}

#[tokio::test]
async fn what_a_client_read_through_a_link_that_was_put_on_the_way_is_not_told() {
    let beyond = tempfile::tempdir().unwrap();
    std::fs::write(beyond.path().join("f"), "secret\n").unwrap();
    let (dir, files, _rest, client) = scene(PATIENT);
    std::fs::create_dir(dir.path().join("d")).unwrap();
    std::fs::write(dir.path().join("d/f"), "inside\n").unwrap();
    let (root, outside) = (dir.path().to_owned(), beyond.path().to_owned());
    tokio::spawn(async move {
        let (reader, mut writer) = client.into_split();
        let mut lines = BufReader::new(reader).lines();
        while let Ok(Some(request)) = lines.next_line().await {
            let request: Value = serde_json::from_str(&request).unwrap();
            lead_out(&root, &outside);
            let path = request["params"]["path"].as_str().unwrap();
            let read = std::fs::read_to_string(path).unwrap();
            writer.write_all(&text(&request, &read)).await.unwrap();
        }
    });
    assert_eq!(code(read(&files, "d/f").await), Code::PathOutsideWorkspace);
    assert_eq!(code(write(&files, "d/f", "new\n").await), Code::PathOutsideWorkspace);
    assert_eq!(std::fs::read_to_string(beyond.path().join("f")).unwrap(), "secret\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_at_once_are_bounded_and_all_of_them_end() {
    // Long enough that a busy machine begins all of them within a few deadlines.
    let bounds = Bounds { in_flight: 4, deadline: Duration::from_secs(3), ..PATIENT };
    let (_dir, files, _rest, client) = scene(bounds);
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let counting = tokio::spawn(async move {
        let mut lines = BufReader::new(client).lines();
        while let Ok(Some(_)) = lines.next_line().await {
            counted.fetch_add(1, Ordering::SeqCst);
        }
    });
    let calls: Vec<_> = (0..100)
        .map(|_| {
            let files = files.clone();
            tokio::spawn(async move { code(read(&files, "a").await) })
        })
        .collect();
    for call in calls {
        assert_eq!(call.await.unwrap(), Code::ProviderUnavailable);
    }
    drop((files, _rest));
    counting.await.unwrap();
    // All began together; who waited in vain for a place was never sent.
    assert!(asked.load(Ordering::SeqCst) < 100, "{}", asked.load(Ordering::SeqCst));
}

#[tokio::test]
async fn a_call_that_is_dropped_leaves_the_next_ones_in_order() {
    let mut held = Vec::new();
    let (_dir, files) = answering(PATIENT, move |request| {
        // Every answer is late by one request.
        let sent = std::mem::replace(&mut held, text(request, "answer"));
        if sent.is_empty() { b"\n".to_vec() } else { [sent, text(request, "answer")].concat() }
    });
    for _ in 0..20 {
        let dropped = tokio::time::timeout(Duration::from_millis(1), read(&files, "a")).await;
        drop(dropped);
        assert_eq!(read(&files, "a").await.unwrap(), "answer");
    }
}

#[tokio::test]
async fn a_flood_that_nobody_takes_is_held_back_and_ends_at_the_deadline() {
    let (_dir, files, rest, client) = scene(HASTY);
    let (_reader, mut writer) = client.into_split();
    let sent = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&sent);
    let flood = tokio::spawn(async move {
        let note = line(&json!({ "method": "session/cancel", "params": "x".repeat(1 << 20) }));
        while writer.write_all(&note).await.is_ok() {
            counted.fetch_add(1, Ordering::SeqCst);
        }
    });
    assert_eq!(code(read(&files, "a").await), Code::ProviderUnavailable);
    // 64 MiB wait at most, and what is on its way.
    assert!(sent.load(Ordering::SeqCst) < 80, "{}", sent.load(Ordering::SeqCst));
    drop((rest, files));
    flood.await.unwrap();
}

#[tokio::test]
async fn a_flood_that_nobody_wants_does_not_stand_in_the_way() {
    let (_dir, files) = answering(PATIENT, |request| {
        let mut sent = line(&json!({ "method": "session/cancel" })).repeat(10_000);
        sent.extend(text(request, "answer"));
        sent
    });
    for _ in 0..5 {
        assert_eq!(read(&files, "a").await.unwrap(), "answer");
    }
}
