//! Who keeps the sandboxes: another gateway that speaks E2B's wire, which can be killed
//! and started again at the same address.

use std::{
    fs,
    io::{BufRead, BufReader},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    gateway::{Data, LIMITS},
    http::{Reply, Request},
};

/// Limits that nobody reaches.
const PLENTY: &str = "\
    [limits.programs.caller]\nadmin_per_minute = 1_000_000\nsandbox_per_minute = 10_000_000\n\
    bytes_per_minute = 1_000_000_000_000\nwatches = 100\nprocesses = 1_000\n\
    [limits.programs.workspace]\nsandbox_per_minute = 10_000_000\n\
    bytes_per_minute = 1_000_000_000_000\nwatches = 100\nprocesses = 1_000\n";

/// The guest's static program: as it is named, or where `make guest` puts it.
pub(crate) fn guest() -> Option<PathBuf> {
    let named = std::env::var_os("GARTH_GUEST").map(PathBuf::from);
    let program = std::env::current_exe().unwrap();
    let built = program.ancestors().nth(3).map(|target| target.join("guest/garth-guest"));
    let usual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/guest/garth-guest");
    let found = [named, built, Some(usual)].into_iter().flatten().find(|path| path.exists());
    if found.is_none() {
        println!("skipped: no static guest");
    }
    found
}

/// A gateway that answers on E2B's wire, and ends with the test.
pub(crate) struct Keeper {
    child: Child,
    pub(crate) address: String,
    data: TempDir,
    /// The key of its account.
    pub(crate) key: String,
    guest: PathBuf,
}

impl Keeper {
    /// Starts one, where there is a guest to put into its sandboxes.
    pub(crate) fn start() -> Option<Self> {
        let guest = guest()?;
        let data = tempfile::tempdir().unwrap();
        fs::write(data.path().join("garth.toml"), PLENTY).unwrap();
        let (child, address) = launched(data.path(), "127.0.0.1:0");
        let key = fs::read_to_string(data.path().join("operator.token")).unwrap();
        let key = key.trim().to_owned();
        fs::write(data.path().join("account.key"), &key).unwrap();
        Some(Self { child, address, data, key, guest })
    }

    /// The file with the key.
    pub(crate) fn key_file(&self) -> PathBuf {
        self.data.path().join("account.key")
    }

    /// The configuration of a gateway whose sandboxes are here.
    pub(crate) fn configuration(&self) -> String {
        self.configuration_by(&self.address, &self.key_file())
    }

    /// The same where the control interface is reached by another address, with a key.
    pub(crate) fn configuration_by(&self, control: &str, key: &Path) -> String {
        format!(
            "[log]\nlevel = \"debug\"\n[containers]\nguest = {guest:?}\n[e2b_provider]\n\
             url = \"http://{control}\"\nsandbox_url = \"http://{address}\"\nkey_file = {key:?}\n\
             timeout = \"30s\"\n{LIMITS}",
            guest = self.guest,
            address = self.address,
        )
    }

    /// A data directory for such a gateway.
    pub(crate) fn data(&self) -> Data {
        Data::new(&self.configuration())
    }

    /// Kills it, as it cannot notice.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Starts it again on the same data, at the same address.
    pub(crate) fn start_again(&mut self) {
        crate::gateway::eventually("its address is free", || {
            TcpListener::bind(&self.address).is_ok()
        });
        let (child, _) = launched(self.data.path(), &self.address);
        self.child = child;
    }

    /// Asks about sandboxes, as whoever has the key.
    pub(crate) fn control(&self, method: &'static str, path: &str, body: &Value) -> Reply {
        let request = Request::new(&self.address, method, path).header("X-API-Key", &self.key);
        request.json(body).send()
    }

    /// Every sandbox that there is.
    pub(crate) fn sandboxes(&self) -> Vec<Value> {
        let listed = self.control("GET", "/v2/sandboxes", &json!({}));
        assert_eq!(listed.status, 200, "{}", listed.text());
        listed.value().as_array().unwrap().clone()
    }

    /// The id of the only one.
    pub(crate) fn only_sandbox(&self) -> String {
        let all = self.sandboxes();
        assert_eq!(all.len(), 1, "{all:?}");
        all[0]["sandboxID"].as_str().unwrap().to_owned()
    }

    /// Where the home directory of a sandbox is on this machine.
    pub(crate) fn home(&self, id: &str) -> PathBuf {
        self.data.path().join("agents").join(id).join("workspace")
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn launched(data: &Path, listen: &str) -> (Child, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_garth"));
    command.args(["serve", "--e2b", "--listen", listen, "--data"]).arg(data);
    command.env_remove("GARTH_CONFIG").env_remove("GARTH_PROVIDER");
    let log = fs::File::options().create(true).append(true).open(data.join("log")).unwrap();
    let mut child = command.stdout(Stdio::piped()).stderr(log).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    // Nobody may wait because nobody reads.
    thread::spawn(move || lines.for_each(drop));
    let address = first.rsplit("http://").next().unwrap().trim().to_owned();
    (child, address)
}
