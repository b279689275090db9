//! The token is nowhere that anybody could look: no argument, no variable, no file, no
//! log, no error.

use std::{
    io::Write,
    process::{Command, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::JoinHandle,
};

use base64::{Engine, engine::general_purpose::STANDARD};
use garth_git::{Fetch, Remotes};

use crate::{
    scene::{Scene, files, until},
    server::{CANARY, Manner},
};

/// Every form of the token that could be somewhere.
fn forms() -> Vec<Vec<u8>> {
    let login = format!("x-access-token:{CANARY}");
    // Base64 of it at each of the three positions that it can begin at.
    let mut all = vec![CANARY.as_bytes().to_vec(), STANDARD.encode(login).into_bytes()];
    for skip in 0..3 {
        let encoded = STANDARD.encode(&CANARY[skip..]);
        all.push(encoded.as_bytes()[..40].to_vec());
    }
    all
}

fn holds(bytes: &[u8], forms: &[Vec<u8>]) -> bool {
    forms.iter().any(|form| bytes.windows(form.len()).any(|window| window == form))
}

/// Looks at the arguments and variables of every process, again and again.
struct Sampler {
    stop: Arc<AtomicBool>,
    rounds: Arc<AtomicU64>,
    thread: JoinHandle<Sampled>,
}

#[derive(Default)]
struct Sampled {
    /// The programs that were seen.
    seen: Vec<String>,
    found: Vec<String>,
}

impl Sampler {
    fn start(forms: Vec<Vec<u8>>) -> Self {
        let (stop, rounds) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let thread = std::thread::spawn({
            let (stop, rounds) = (Arc::clone(&stop), Arc::clone(&rounds));
            move || {
                let mut sampled = Sampled::default();
                while !stop.load(Ordering::SeqCst) {
                    sample(&forms, &mut sampled);
                    rounds.fetch_add(1, Ordering::SeqCst);
                    // Others need the processor too.
                    std::thread::sleep(std::time::Duration::from_millis(2));
                }
                sampled
            }
        });
        Self { stop, rounds, thread }
    }

    fn rounds(&self) -> u64 {
        self.rounds.load(Ordering::SeqCst)
    }

    fn end(self) -> Sampled {
        self.stop.store(true, Ordering::SeqCst);
        self.thread.join().unwrap()
    }
}

fn sample(forms: &[Vec<u8>], sampled: &mut Sampled) {
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let pid = entry.file_name();
        if !pid.to_string_lossy().bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        for file in ["cmdline", "environ"] {
            let Ok(bytes) = std::fs::read(entry.path().join(file)) else { continue };
            let text = String::from_utf8_lossy(&bytes).replace('\0', " ");
            if holds(&bytes, forms) {
                sampled.found.push(format!("{file}: {text}"));
            }
            if file == "cmdline" && text.contains("git") && !sampled.seen.contains(&text) {
                sampled.seen.push(text);
            }
        }
    }
}

/// Everything that is logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn who_looks_would_find_it() {
    let marker = b"ghs_CONTROL0123456789abcdefghij".to_vec();
    let text = String::from_utf8(marker.clone()).unwrap();
    for (arguments, variable) in [(vec!["60", &*text], ""), (vec!["60"], &*text)] {
        let mut child = Command::new("sh")
            .args(["-c", "read line", "sh"])
            .args(arguments)
            .env("CONTROL", variable)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let begun = std::time::Instant::now();
        let mut sampled = Sampled::default();
        // It is there once the child has become the program that it runs.
        while sampled.found.is_empty() && begun.elapsed().as_secs() < 60 {
            sample(std::slice::from_ref(&marker), &mut sampled);
        }
        drop(child.stdin.take());
        child.wait().unwrap();
        assert!(!sampled.found.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_token_is_in_no_argument_no_variable_no_file_no_log_and_no_error() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
        .with_writer(Mutex::new(writer))
        .finish();
    tracing::subscriber::set_global_default(subscriber).unwrap();
    let scene = Scene::new().await;
    let forms = forms();
    let sampler = Sampler::start(forms.clone());
    scene.clone_here().await;
    let go = scene.hold_pushes();
    scene.place.commit("a.txt", "one\n");
    let mirror = scene.mirror();
    let pushing = scene.push_by(&mirror, "main");
    tokio::pin!(pushing);
    // While the remote holds the push, everything that takes part in it is looked at.
    let held = async {
        until("the push is at the remote", || {
            let requests = scene.server.seen.requests.lock().unwrap();
            requests.iter().any(|one| one.starts_with("POST") && one.contains("git-receive-pack"))
        })
        .await;
        let rounds = sampler.rounds();
        until("everything was looked at", || sampler.rounds() > rounds + 5).await;
        for at in [&scene.data, &scene.place.path] {
            for file in files(at) {
                let bytes = std::fs::read(&file).unwrap_or_default();
                assert!(!holds(&bytes, &forms), "{}", file.display());
            }
        }
    };
    tokio::select! {
        ended = &mut pushing => panic!("it waits: {ended:?}"),
        () = held => {}
    }
    std::fs::write(go, "").unwrap();
    let pushed = pushing.await.unwrap();
    let mut told = format!("{pushed:?}");
    mirror.fetch(scene.place.repository(), Fetch::default()).await.unwrap();
    // Failures tell as little.
    for manner in [Manner::Status(403), Manner::Status(500), Manner::Says("junk".into())] {
        scene.server.treat(manner);
        scene.place.commit("a.txt", &told.len().to_string());
        told.push_str(&format!("{:?}", scene.push("main").await.unwrap_err()));
    }
    scene.server.treat(Manner::Usual);
    scene.server.seen.tokens.lock().unwrap().clear();
    told.push_str(&format!("{:?}", scene.push("main").await.unwrap_err()));
    let sampled = sampler.end();
    assert_eq!(sampled.found, [""; 0]);
    for program in [" push --porcelain", "git-remote-http "] {
        let looked_at = sampled.seen.iter().any(|seen| seen.contains(program));
        assert!(looked_at, "{program} was not looked at: {:?}", sampled.seen);
    }
    assert!(!holds(told.as_bytes(), &forms), "{told}");
    assert!(!holds(&log.0.lock().unwrap(), &forms));
    for at in [&scene.data, &scene.place.path] {
        for file in files(at) {
            assert!(
                !holds(&std::fs::read(&file).unwrap_or_default(), &forms),
                "{}",
                file.display()
            );
        }
    }
    // It was used all the same.
    let logins = scene.server.seen.logins.lock().unwrap();
    assert!(logins.iter().any(|(login, _)| login.ends_with(CANARY)));
}
