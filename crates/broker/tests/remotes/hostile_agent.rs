//! Agents that mean harm: whatever they do to their repository and to what comes out of
//! their sandbox, only checked objects go where the operator said.

use std::{
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use garth_contract::Code;
use garth_git::{Fetch, Oid, Push, Remotes};

use crate::{
    scene::{NAME, Place, Scene, Wanted, branch, limits, until},
    server::{Server, git},
};

#[tokio::test(flavor = "multi_thread")]
async fn the_repository_s_own_words_about_its_remote_are_not_read() {
    let (scene, other) = (Scene::new().await, Server::start().await);
    scene.clone_here().await;
    let marker = scene.place.path.join("ran");
    let run = format!("touch {}", marker.display());
    let at = &scene.place.path;
    for (key, value) in [
        ("remote.origin.url", other.url.as_str()),
        ("remote.origin.pushurl", &other.url),
        (&format!("url.{}.insteadOf", other.url), &scene.server.url),
        (&format!("url.{}.pushInsteadOf", other.url), &scene.server.url),
        ("credential.helper", &format!("!{run}")),
        ("http.proxy", &format!("http://{}", other.host)),
        ("core.askPass", &run),
        ("core.sshCommand", &run),
        ("http.followRedirects", "true"),
    ] {
        git(at, &["config", key, value]);
    }
    for hook in ["pre-push", "reference-transaction", "post-update", "update"] {
        let path = at.join(".git/hooks").join(hook);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, format!("#!/bin/sh\n{run}\n")).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    }
    let file = at.join("a.txt");
    std::fs::write(file, "one\n").unwrap();
    git(at, &["add", "a.txt"]);
    git(at, &["-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "a change"]);
    let now = scene.place.tip("HEAD");
    scene.push("main").await.unwrap();
    scene.mirror().fetch(scene.place.repository(), Fetch::default()).await.unwrap();
    assert_eq!(scene.server.tip("refs/heads/main").as_deref(), Some(now.as_str()));
    assert_eq!(other.requests(), 0);
    assert!(!marker.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_git_directory_elsewhere_in_the_workspace_works_and_alternates_stay_inside() {
    let scene = Scene::new().await;
    scene.clone_here().await;
    let at = &scene.place.path;
    std::fs::rename(at.join(".git"), at.join("moved")).unwrap();
    symlink("moved", at.join(".git")).unwrap();
    // Objects of another directory are the agent's own affair: the quarantine has none.
    let foreign = tempfile::tempdir().unwrap();
    git(foreign.path(), &["init", "-q", "."]);
    let objects = foreign.path().join(".git/objects");
    std::fs::write(at.join("moved/objects/info/alternates"), objects.to_str().unwrap()).unwrap();
    let now = scene.place.commit("a.txt", "one\n");
    scene.push("main").await.unwrap();
    assert_eq!(scene.server.tip("refs/heads/main").as_deref(), Some(now.as_str()));
    assert!(!scene.data.join(NAME).join("repo.git/objects/info/alternates").exists());
    // Outside of it nothing is read or written: it is refused.
    let outside = tempfile::tempdir().unwrap();
    std::fs::rename(at.join("moved"), outside.path().join("git")).unwrap();
    std::fs::remove_file(at.join(".git")).unwrap();
    symlink(outside.path().join("git"), at.join(".git")).unwrap();
    git(at, &["commit", "-q", "--allow-empty", "-m", "another"]);
    let error = scene.push("main").await.unwrap_err();
    assert_eq!(error.code(), Code::PathOutsideWorkspace, "{error:?}");
    assert_eq!(scene.server.tip("refs/heads/main").as_deref(), Some(now.as_str()));
}

/// A workspace whose git gives what it is told to in place of every bundle.
struct Forger {
    place: Place,
    evil: std::path::PathBuf,
    _programs: tempfile::TempDir,
}

impl Forger {
    fn new() -> Self {
        let programs = tempfile::tempdir().unwrap();
        let evil = programs.path().join("evil");
        let found = std::process::Command::new("sh").args(["-c", "command -v git"]).output();
        let real = String::from_utf8(found.unwrap().stdout).unwrap();
        let script = format!(
            "#!/bin/sh\nreal={real}\ncase \" $* \" in *\" bundle create \"*)\n\
             for word; do case $word in */garth-*.bundle) to=$word;; esac; done\n\
             cp -P '{evil}' \"$to\"; exit 0;; esac\nexec $real \"$@\"\n",
            real = real.trim(),
            evil = evil.display()
        );
        let program = programs.path().join("git");
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
        let place = Place::with_path(programs.path().to_str().unwrap());
        Self { place, evil, _programs: programs }
    }
}

/// A bundle with a head that names a commit, and a pack of these objects alone.
fn bundle(at: &Path, tip: &Oid, needs: Option<&Oid>, objects: &[String]) -> Vec<u8> {
    let list = objects.join("\n");
    let listed = at.join("list");
    std::fs::write(&listed, list + "\n").unwrap();
    let pack = std::process::Command::new("git")
        .args(["pack-objects", "--stdout", "-q"])
        .current_dir(at)
        .stdin(std::fs::File::open(&listed).unwrap())
        .output()
        .unwrap();
    std::fs::remove_file(listed).unwrap();
    let mut all = b"# v2 git bundle\n".to_vec();
    if let Some(needs) = needs {
        all.extend(format!("-{needs} x\n").into_bytes());
    }
    all.extend(format!("{tip} refs/heads/main\n\n").into_bytes());
    all.extend(pack.stdout);
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn forged_bundles_are_refused_and_a_good_one_passes_after_them() {
    let scene = Scene::with(|_| Wanted {
        limits: garth_broker::Limits { bytes: 4 << 20, objects: 1_000, ..limits() },
        ..Wanted::default()
    })
    .await;
    let forger = Forger::new();
    let at = &forger.place.path;
    forger.place.init();
    git(at, &["checkout", "-q", "-b", "other"]);
    let first = forger.place.commit("a.txt", "one\n");
    let second = forger.place.commit("a.txt", "two\n");
    let id = |name: &str| git(at, &["rev-parse", name]);
    let (tree, blob) = (id("HEAD^{tree}"), id("HEAD:a.txt"));
    let commit = second.to_string();
    let whole = bundle(at, &second, Some(&first), &[commit.clone(), tree.clone(), blob.clone()]);
    let without_blob = bundle(at, &first, None, &[first.to_string(), id("HEAD~1^{tree}")]);
    let mut cut = whole.clone();
    cut.truncate(whole.len() - 30);
    let mut turned = whole.clone();
    let middle = whole.len() - 40;
    turned[middle] ^= 0x55;
    let mut many = whole.clone();
    let count = many.windows(4).position(|four| four == b"PACK").unwrap() + 8;
    many[count..count + 4].copy_from_slice(&u32::MAX.to_be_bytes());
    let mut large = whole.clone();
    large.resize(8 << 20, 0);
    let push = |tip: &Oid| Push { branch: branch("other"), tip: tip.clone() };
    let mirror = scene.mirror();
    for (what, bytes, code) in [
        ("empty", Vec::new(), Code::GitFailed),
        ("junk", b"junk".to_vec(), Code::GitFailed),
        ("its parent is nowhere", whole, Code::GitFailed),
        ("its blob is nowhere", without_blob, Code::GitFailed),
        ("cut", cut, Code::GitFailed),
        ("a bit turned", turned, Code::GitFailed),
        ("too many objects", many, Code::QuotaExceeded),
        ("too large", large, Code::QuotaExceeded),
    ] {
        std::fs::write(&forger.evil, bytes).unwrap();
        let error = mirror.push(forger.place.repository(), push(&second)).await.unwrap_err();
        assert_eq!(error.code(), code, "{what}: {error:?}");
        assert_eq!(scene.server.tip("refs/heads/other"), None, "{what}");
        std::fs::remove_file(&forger.evil).unwrap();
    }
    let secret = tempfile::NamedTempFile::new().unwrap();
    symlink(secret.path(), &forger.evil).unwrap();
    let error = mirror.push(forger.place.repository(), push(&second)).await.unwrap_err();
    assert_eq!(error.code(), Code::PathOutsideWorkspace, "{error:?}");
    std::fs::remove_file(&forger.evil).unwrap();
    let list = git(at, &["rev-list", "--objects", "--no-object-names", "HEAD"]);
    let objects: Vec<_> = list.lines().map(ToOwned::to_owned).collect();
    std::fs::write(&forger.evil, bundle(at, &second, None, &objects)).unwrap();
    mirror.push(forger.place.repository(), push(&second)).await.unwrap();
    assert_eq!(scene.server.tip("refs/heads/other").as_deref(), Some(second.as_str()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_malformed_object_of_the_agent_does_not_leave() {
    let scene = Scene::new().await;
    scene.clone_here().await;
    let at = &scene.place.path;
    let blob = git(at, &["hash-object", "-w", "README"]);
    let list = at.join("list");
    let raw: Vec<u8> =
        (0..20).map(|at| u8::from_str_radix(&blob[at * 2..at * 2 + 2], 16).unwrap()).collect();
    let mut tree = b"100644 .git\0".to_vec();
    tree.extend(raw);
    std::fs::write(&list, tree).unwrap();
    let tree = git(at, &["hash-object", "-w", "--literally", "-t", "tree", "list"]);
    let commit = git(at, &["commit-tree", "-p", "HEAD", "-m", "evil", &tree]);
    git(at, &["update-ref", "refs/heads/evil", &commit]);
    let error = scene.push("evil").await.unwrap_err();
    assert_eq!(error.code(), Code::GitFailed, "{error:?}");
    assert_eq!(scene.server.tip("refs/heads/evil"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bundle_that_is_swapped_while_it_is_read_never_sends_anything_else() {
    let scene = Scene::new().await;
    scene.clone_here().await;
    let git_directory = scene.place.path.join(".git");
    let stop = Arc::new(AtomicBool::new(false));
    let swapping = std::thread::spawn({
        let (stop, git_directory) = (Arc::clone(&stop), git_directory.clone());
        move || {
            let (mut last, mut swaps) = (Vec::new(), 0_u32);
            while !stop.load(Ordering::SeqCst) {
                let entries = std::fs::read_dir(&git_directory).unwrap().flatten();
                for path in entries.map(|entry| entry.path()) {
                    if path.extension().is_none_or(|ending| ending != "bundle") {
                        continue;
                    }
                    let Ok(bytes) = std::fs::read(&path) else { continue };
                    if bytes != last && !bytes.is_empty() {
                        let beside = git_directory.join("beside");
                        std::fs::write(&beside, &last).unwrap();
                        std::fs::rename(&beside, &path).ok();
                        last = bytes;
                        swaps += 1;
                    }
                }
                // Others need the processor too.
                std::thread::sleep(std::time::Duration::from_micros(200));
            }
            swaps
        }
    });
    let mut good = scene.server.tip("refs/heads/main");
    for round in 0..12 {
        let wanted = scene.place.commit("a.txt", &format!("{round}\n"));
        match scene.push("main").await {
            Ok(pushed) => {
                assert_eq!(pushed.now, wanted);
                good = Some(wanted.to_string());
            }
            Err(error) => {
                let codes = [Code::GitFailed, Code::Conflict, Code::FileNotFound, Code::NotAFile];
                assert!(codes.contains(&error.code()), "{error:?}");
            }
        }
        assert_eq!(scene.server.tip("refs/heads/main"), good);
    }
    stop.store(true, Ordering::SeqCst);
    println!("swapped {} times", swapping.join().unwrap());
    let wanted = scene.place.commit("a.txt", "last\n");
    scene.push("main").await.unwrap();
    assert_eq!(scene.server.tip("refs/heads/main").as_deref(), Some(wanted.as_str()));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_workspace_ends_a_push_that_is_under_way() {
    let scene = Scene::new().await;
    scene.clone_here().await;
    let before = scene.server.tip("refs/heads/main");
    let go = scene.hold_pushes();
    scene.place.commit("a.txt", "one\n");
    let mirror = scene.mirror();
    let forget = async {
        until("the push is at the remote", || {
            let requests = scene.server.seen.requests.lock().unwrap();
            requests.iter().any(|one| one.starts_with("POST") && one.contains("git-receive-pack"))
        })
        .await;
        scene.broker.forget(NAME).await.unwrap();
    };
    let (pushed, ()) = tokio::join!(scene.push_by(&mirror, "main"), forget);
    assert_eq!(pushed.unwrap_err().code(), Code::WorkspaceNotFound);
    assert!(!scene.data.join(NAME).exists());
    until("what ran is gone", || scene.outside().is_empty()).await;
    assert_eq!(scene.server.tip("refs/heads/main"), before);
    std::fs::write(go, "").unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_that_is_cancelled_ends_its_processes_and_changes_nothing() {
    let scene = Scene::new().await;
    scene.clone_here().await;
    let before = scene.server.tip("refs/heads/main");
    let go = scene.hold_pushes();
    let now = scene.place.commit("a.txt", "one\n");
    let mirror = scene.mirror();
    {
        let push = scene.push_by(&mirror, "main");
        tokio::pin!(push);
        let waiting = until("the push is at the remote", || {
            let requests = scene.server.seen.requests.lock().unwrap();
            requests.iter().any(|one| one.starts_with("POST") && one.contains("git-receive-pack"))
        });
        tokio::select! {
            ended = &mut push => panic!("it waits: {ended:?}"),
            () = waiting => {}
        }
        assert!(!scene.outside().is_empty());
    }
    until("what ran is gone", || scene.outside().is_empty()).await;
    assert_eq!(scene.server.tip("refs/heads/main"), before);
    assert_eq!(std::fs::read_dir(scene.data.join(NAME).join("run")).unwrap().count(), 0);
    std::fs::write(go, "").unwrap();
    // The remote may finish what it had received whole; either way it is the same commit.
    scene.push("main").await.unwrap();
    assert_eq!(scene.server.tip("refs/heads/main").as_deref(), Some(now.as_str()));
}
