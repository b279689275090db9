//! Disks that are full or cannot be written, directories that are gone, a damaged
//! database: a clear error, nothing lost, and the rest goes on.

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    path::Path,
    process::Command,
};

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    client::Client,
    server::{PATIENCE, Server, audit, launch_told, until},
};

/// A small disk in memory, mounted until it is dropped.
struct Disk(TempDir);

impl Disk {
    /// One of so many megabytes, where a test may mount.
    fn new(megabytes: u32) -> Option<Self> {
        let disk = Self(tempfile::tempdir().unwrap());
        let size = format!("size={megabytes}m,mode=0700");
        let mut mount = Command::new("mount");
        let mounted = mount.args(["-t", "tmpfs", "-o", &size, "none"]).arg(disk.path()).output();
        if mounted.is_ok_and(|done| done.status.success()) {
            return Some(disk);
        }
        println!("skipped: only root can mount");
        None
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Takes all the room that is left.
    fn fill(&self) {
        let mut filler = fs::File::create(self.path().join("filler")).unwrap();
        while filler.write_all(&[b'x'; 4 << 10]).is_ok() {}
    }

    /// Gives it back.
    fn free(&self) {
        fs::remove_file(self.path().join("filler")).unwrap();
    }

    /// Mounts it anew, `ro` or `rw`.
    fn again(&self, how: &str) {
        let option = format!("remount,{how}");
        let done = Command::new("mount").args(["-o", &option]).arg(self.path()).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.path()).status();
    }
}

/// A gateway whose agent `small` has its files on a disk.
fn with_files_on(disk: &Disk) -> (Server, Client) {
    let server = Server::start();
    let mut operator = server.operator();
    let settings = json!({"directory": disk.path(), "limits": {"requestsPerMinute": 100_000}});
    operator.ok("agents.create", json!({"agentId": "small", "settings": settings}));
    (server, operator)
}

fn write(path: &str, content: &str) -> Value {
    json!({"agentId": "small", "path": path, "content": content})
}

fn names(client: &mut Client, agent: &str) -> Vec<String> {
    let params = json!({"agentId": agent, "recursive": true, "includeHidden": true});
    let listed = client.ok("worktree.list", params);
    let entries = listed["entries"].as_array().unwrap().iter();
    entries.map(|entry| entry["path"].as_str().unwrap().to_owned()).collect()
}

fn status(server: &Server, path: &str) -> u16 {
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let head = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).unwrap();
    said.split(' ').nth(1).unwrap().parse().unwrap()
}

#[test]
fn a_full_disk_of_a_workspace_is_said_and_harms_no_file() {
    let Some(disk) = Disk::new(2) else { return };
    let (_server, mut client) = with_files_on(&disk);
    client.ok("worktree.write", write("a", "old\n"));
    let large = "x".repeat(3 << 20);
    assert_eq!(client.refused("worktree.write", write("a", &large)), "DISK_FULL");
    assert_eq!(client.refused("worktree.write", write("new/b", &large)), "DISK_FULL");
    disk.fill();
    assert_eq!(client.refused("worktree.write", write("a", "new\n")), "DISK_FULL");
    let edits = json!([{"oldText": "old", "newText": "new"}]);
    let edit = json!({"agentId": "small", "path": "a", "edits": edits});
    assert_eq!(client.refused("worktree.edit", edit.clone()), "DISK_FULL");
    let begun = client.ok("worktree.upload.begin", json!({"agentId": "small", "path": "up"}));
    let upload = begun["uploadId"].clone();
    let content = STANDARD.encode("bytes");
    let chunk = json!({"uploadId": upload, "offset": 0, "content": content});
    assert_eq!(client.refused("worktree.upload.chunk", chunk), "DISK_FULL");
    // What lacks a piece cannot land.
    let commit = json!({"uploadId": upload});
    assert_eq!(client.refused("worktree.upload.commit", commit), "CONFLICT");
    // Everything is as it was, and can be read.
    let read = client.ok("worktree.read", json!({"agentId": "small", "path": "a"}));
    assert_eq!(read["content"], "old\n");
    let mut listed = names(&mut client, "small");
    // A directory that was made on the way may stay.
    listed.retain(|name| name != "new");
    assert_eq!(listed, ["a", "filler"]);
    // Others are not concerned.
    let other = json!({"agentId": "default", "path": "a", "content": "fine"});
    client.ok("worktree.write", other);
    disk.free();
    client.ok("worktree.edit", edit);
    assert_eq!(fs::read_to_string(disk.path().join("a")).unwrap(), "new\n");
}

#[test]
fn a_workspace_on_a_disk_that_cannot_be_written_is_read_only() {
    let Some(disk) = Disk::new(2) else { return };
    let (_server, mut client) = with_files_on(&disk);
    client.ok("worktree.write", write("a", "old\n"));
    disk.again("ro");
    let edits = json!([{"oldText": "old", "newText": "new"}]);
    for (method, params) in [
        ("worktree.write", write("a", "new\n")),
        ("worktree.write", write("b", "new\n")),
        ("worktree.edit", json!({"agentId": "small", "path": "a", "edits": edits})),
        ("worktree.delete", json!({"agentId": "small", "path": "a"})),
        ("worktree.move", json!({"agentId": "small", "fromPath": "a", "toPath": "b"})),
        ("worktree.mkdir", json!({"agentId": "small", "path": "d"})),
    ] {
        assert_eq!(client.refused(method, params), "READ_ONLY", "{method}");
    }
    let read = client.ok("worktree.read", json!({"agentId": "small", "path": "a"}));
    assert_eq!(read["content"], "old\n");
    assert_eq!(names(&mut client, "small"), ["a"]);
    client.ok("worktree.write", json!({"agentId": "default", "path": "a", "content": "fine"}));
    disk.again("rw");
    client.ok("worktree.write", write("a", "new\n"));
}

#[test]
fn a_full_disk_of_the_gateway_stops_changes_and_loses_none_that_was_told() {
    let Some(disk) = Disk::new(16) else { return };
    let mut server = Server::on(TempDir::new_in(disk.path()).unwrap());
    let mut client = server.operator();
    // The files lie elsewhere, where there is room.
    let files = tempfile::tempdir().unwrap();
    let settings = json!({"directory": files.path(), "limits": {"requestsPerMinute": 100_000}});
    client.ok("agents.create", json!({"agentId": "small", "settings": settings}));
    client.ok("worktree.write", write("before", "x"));
    disk.fill();
    let mut told = Vec::new();
    let refused = loop {
        assert!(told.len() < 50, "the disk is not full");
        let name = format!("f{}", told.len());
        let reply = client.call("worktree.write", write(&name, "x"));
        if reply["ok"] != true {
            break reply;
        }
        told.push(name);
    };
    assert_eq!(refused["error"]["code"], "INTERNAL", "{refused}");
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("the disk is full") || message.contains("recorded"), "{message}");
    assert_eq!((status(&server, "/healthz"), status(&server, "/readyz")), (200, 503));
    disk.free();
    until("changes are made again", || {
        client.call("worktree.write", write("after", "x"))["ok"] == true
    });
    assert_eq!(status(&server, "/readyz"), 200);
    for name in &told {
        assert_eq!(fs::read_to_string(files.path().join(name)).unwrap(), "x");
    }
    assert_eq!(server.ended(), Some(0));
    let verified: Value =
        serde_json::from_str(&audit(&["verify", "--json"], server.data())).unwrap();
    assert_eq!(verified["payload"]["sound"], true, "{verified}");
    let records = audit(&["export", "--operation", "worktree.write"], server.data());
    for name in told.iter().map(String::as_str).chain(["before", "after"]) {
        let summary = format!("\"summary\":\"{name}\"");
        assert!(records.contains(&summary), "{name} was told and is on no record");
    }
}

#[test]
fn a_data_directory_that_cannot_be_written_is_refused_with_a_sentence() {
    let Some(disk) = Disk::new(16) else { return };
    let data = disk.path().join("data");
    fs::create_dir(&data).unwrap();
    disk.again("ro");
    let (code, said) = launch_told(&data);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("cannot be used: read-only"), "{said}");
    disk.again("rw");
    // One that was used before, too.
    let mut server = Server::on(TempDir::new_in(disk.path()).unwrap());
    let data = server.data().to_owned();
    assert_eq!(server.ended(), Some(0));
    disk.again("ro");
    let (code, said) = launch_told(&data);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("error: ") && said.contains("read-only"), "{said}");
    disk.again("rw");
    server.start_again();
    server.operator().ok("worktree.list", json!({"agentId": "default"}));
}

#[test]
fn a_workspace_whose_directory_goes_while_it_is_used_is_missed_and_found_again() {
    let server = Server::start();
    let mut client = server.agent("bird");
    let about = |path: &str| json!({"agentId": "bird", "path": path});
    let mut kept = about("a");
    kept["content"] = "x".into();
    client.ok("worktree.write", kept.clone());
    fs::remove_dir_all(server.files("bird")).unwrap();
    for (method, params) in [
        ("worktree.list", about("")),
        ("worktree.read", about("a")),
        ("worktree.write", kept.clone()),
        ("worktree.search", json!({"agentId": "bird", "query": "x"})),
        ("worktree.watch", about("")),
    ] {
        assert_eq!(client.refused(method, params), "WORKSPACE_NOT_FOUND", "{method}");
    }
    server.operator().ok("worktree.list", json!({"agentId": "default"}));
    fs::create_dir(server.files("bird")).unwrap();
    assert_eq!(client.ok("worktree.list", about(""))["entries"], json!([]));
    client.ok("worktree.write", kept);
    assert_eq!(fs::read_to_string(server.files("bird").join("a")).unwrap(), "x");
    // One that was put in its place is the one that is meant.
    let aside = server.data().join("aside");
    fs::rename(server.files("bird"), &aside).unwrap();
    fs::create_dir(server.files("bird")).unwrap();
    assert_eq!(client.refused("worktree.read", about("a")), "FILE_NOT_FOUND");
    assert_eq!(fs::read_to_string(aside.join("a")).unwrap(), "x");
}

#[test]
fn a_database_that_is_damaged_under_a_gateway_ends_no_process_and_is_found_at_the_start() {
    let mut server = Server::start();
    let mut client = server.operator();
    for number in 0..20 {
        let params = json!({"agentId": "default", "path": format!("f{number}"), "content": "x"});
        client.ok("worktree.write", params);
    }
    let database = server.data().join("garth.db");
    let length = fs::metadata(&database).unwrap().len();
    let garbage = vec![b'Z'; usize::try_from(length).unwrap()];
    let mut file = fs::OpenOptions::new().write(true).open(&database).unwrap();
    file.write_all(&garbage).unwrap();
    drop(file);
    for number in 0..20 {
        let params = json!({"agentId": "default", "path": format!("f{number}")});
        let reply = client.call("worktree.read", params);
        // What it has in memory is good; what it reads anew is not, and is said so.
        assert!(reply["ok"] == true || reply["error"]["code"] == "INTERNAL", "{reply}");
    }
    assert_eq!(status(&server, "/healthz"), 200);
    server.kill();
    let (code, said) = launch_told(server.data());
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("damaged") && said.contains("hint: Restore it from a copy"), "{said}");
    assert_eq!(fs::read_to_string(server.files("default").join("f7")).unwrap(), "x");
}
