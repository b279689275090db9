//! Autobahn's fuzzing client, on the layer that every frame of the gateway goes through.
//!
//! It judges by an echo, and the gateway echoes nothing. So here is one, in tests only,
//! behind the same handshake, gate, outbox and goodbye; what it finds wrong fails the
//! test. A sample is tried, or with `GARTH_AUTOBAHN=all` all that applies.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::Command,
};

use axum::{Router, extract::Request, routing::get};
use futures::StreamExt;
use serde::Deserialize;
use serde_json::json;

use super::{
    Door, Socket,
    connection::{Came, Spoken, came},
    socket, switch,
};

/// The largest frame, as the gateway has it where nothing else is set up.
const MOST_FRAME: usize = 26_214_400;

/// Some of every section, which take no long waits.
const SAMPLE: &[&str] = &[
    "1.1.*", "2.*", "3.*", "4.*", "5.*", "6.1.*", "6.2.*", "6.3.*", "6.5.*", "6.10.*", "6.22.1",
    "7.1.*", "7.3.*", "7.5.*", "7.7.1", "7.7.13", "7.9.1", "7.9.5", "9.1.2", "9.3.5", "10.*",
];

/// Cases that do not apply, and why.
const LEFT_OUT: &[(&str, &str)] = &[
    ("1.2.*", "frames are text, and one of bytes is refused with 1003"),
    ("9.2.*", "the same"),
    ("9.4.*", "the same"),
    ("9.6.*", "the same"),
    ("9.8.*", "the same"),
    ("12.*", "no compression is offered"),
    ("13.*", "no compression is offered"),
];

/// Starts the client from where it was installed; some of its packages are spread over
/// files that only a directory of packages is looked through for.
const START: &str = "import site, sys; site.addsitedir(sys.argv.pop(1)); \
                     from autobahntestsuite.wstest import run; run()";

/// Verdicts on an echo that is right.
const RIGHT: &[&str] = &["OK", "NON-STRICT", "INFORMATIONAL"];

/// What was found of one case.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Verdict {
    behavior: String,
    behavior_close: String,
}

#[test]
#[allow(clippy::disallowed_methods, reason = "files tell whether the client is there")]
fn autobahn_finds_nothing_wrong() {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache/py/autobahn");
    if !place.join("python").exists() {
        println!(
            "skipped: Autobahn is not installed; scripts/test installs it where Python 2.7 is"
        );
        return;
    }
    let all = std::env::var("GARTH_AUTOBAHN").is_ok_and(|wanted| wanted == "all");
    let (cases, seconds) = if all { (&["*"][..], "1800") } else { (SAMPLE, "300") };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let address = runtime.block_on(listen());
    let client = Client { place, seconds, address };
    let found = client.found(cases);
    assert!(found.len() >= 90, "{}", found.len());
    let mut wrong = wrong_of(&found);
    // It gives an answer one second, which a machine that has much else to do can miss; what
    // is wrong stays wrong.
    for _ in 0..2 {
        if !wrong.is_empty() {
            let cases: Vec<_> = wrong.iter().map(|(case, _)| case.as_str()).collect();
            wrong = wrong_of(&client.found(&cases));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    println!("{} cases of Autobahn, nothing wrong", found.len());
}

type Found = BTreeMap<String, Verdict>;

fn wrong_of(found: &Found) -> Vec<(String, Verdict)> {
    let wrong = found.iter().filter(|(_, verdict)| !verdict.is_right());
    wrong.map(|(case, verdict)| (case.clone(), verdict.clone())).collect()
}

/// The client, and the echo that it asks.
struct Client {
    place: PathBuf,
    seconds: &'static str,
    address: SocketAddr,
}

impl Client {
    /// Tries these cases, and gives what is found of each.
    #[allow(clippy::disallowed_methods, reason = "the client is started, and leaves files")]
    fn found(&self, cases: &[&str]) -> Found {
        let directory = tempfile::tempdir().unwrap();
        let left_out: Vec<_> = LEFT_OUT.iter().map(|(case, _)| case).collect();
        let spec = json!({
            "outdir": directory.path().join("reports"),
            "servers": [{"agent": "garth", "url": format!("ws://{}", self.address)}],
            "cases": cases,
            "exclude-cases": left_out,
            "exclude-agent-cases": {},
        });
        let file = directory.path().join("spec.json");
        std::fs::write(&file, spec.to_string()).unwrap();
        let run = Command::new("timeout")
            .args(["--kill-after=5", self.seconds])
            .arg(self.place.join("python"))
            .args(["-B", "-c", START])
            .arg(self.place.join("lib"))
            .args(["-m", "fuzzingclient", "-s"])
            .arg(&file)
            .current_dir(directory.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{}\n{said}", run.status);
        let index = std::fs::read_to_string(directory.path().join("reports/index.json")).unwrap();
        let mut index: BTreeMap<String, Found> = serde_json::from_str(&index).unwrap();
        index.remove("garth").unwrap()
    }
}

impl Verdict {
    fn is_right(&self) -> bool {
        RIGHT.contains(&&*self.behavior) && RIGHT.contains(&&*self.behavior_close)
    }
}

/// Listens on a free port of the loopback device, until the runtime ends.
async fn listen() -> SocketAddr {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let handshake = |request: Request| async {
        switch(request, MOST_FRAME, |loose, config| {
            tokio::spawn(async move {
                let (socket, door) = socket(loose, config).await.unwrap();
                echo(socket, door).await;
            });
        })
    };
    let routes = Router::new().route("/", get(handshake));
    tokio::spawn(async move { axum::serve(listener, routes).await });
    address
}

/// Sends back every text that comes.
async fn echo(socket: Socket, door: Door) {
    door.open();
    let (mut frames, mut spoken) = Spoken::begin(socket, door);
    let outbox = spoken.outbox.clone();
    let echoing = async {
        loop {
            match came(frames.next().await) {
                Came::Text(text) => {
                    if outbox.send(text.as_str().to_owned()).await.is_err() {
                        break None;
                    }
                }
                Came::Sign => {}
                Came::End(why) => break why,
            }
        }
    };
    let why = spoken.during(echoing).await;
    drop(outbox);
    spoken.end(frames, why).await;
}
