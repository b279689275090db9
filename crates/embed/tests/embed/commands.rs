//! Backends that run commands: which tools there are, what is said, what a call gives.

use std::{sync::Arc, time::Duration};

use garth_embed::{
    Access, Backend, Bounds, Code, Limits, Needs, Policy, Section, Session, Setup, dialect, json,
};
use garth_host::{Processes, Settings, Strays, Trees};
use tempfile::TempDir;

/// A directory in which commands run.
fn running(dir: &TempDir, policy: Policy) -> Setup {
    let root = dir.path().join("root");
    if !root.is_dir() {
        std::fs::create_dir(&root).unwrap();
    }
    let settings = Settings {
        environment: vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())],
        spool: dir.path().join("spool"),
        bounds: garth_host::Bounds::usual(),
        trees: Trees::Detect,
        strays: Strays::Leave,
        first: 1,
    };
    let shell = Processes::open(&root, settings).unwrap();
    let backend = Backend::host(&root, policy).unwrap().running(Arc::new(shell));
    let limits = Limits { command_time: Duration::from_secs(3_600), ..Limits::standard() };
    Setup { limits, ..Setup::standard(backend) }
}

fn session(dir: &TempDir) -> Session {
    let section = Section::workspace(running(dir, Policy::open())).unwrap();
    section.session(Bounds::standard()).unwrap()
}

#[tokio::test]
async fn a_command_runs_on_the_sessions_files() {
    let dir = tempfile::tempdir().unwrap();
    let session = session(&dir);
    session.call("write", json!({"path": "a.txt", "content": "hello\n"})).await;
    let result = session.call("bash", json!({"command": "cat a.txt; exit 3"})).await;
    assert!(result.is_success(), "{result:?}");
    assert_eq!(result.text(), "hello\n[exit code 3]");
    assert_eq!(result.payload().unwrap()["exit_code"], 3);
}

#[tokio::test]
async fn a_command_out_of_time_is_a_failure_with_what_it_printed() {
    let dir = tempfile::tempdir().unwrap();
    let session = session(&dir);
    // A loaded machine may need more than the first of these to start it at all.
    for timeout_ms in [500, 2_000, 8_000, 30_000] {
        let params = json!({"command": "echo begun; sleep 3600", "timeout_ms": timeout_ms});
        let result = session.call("bash", params).await;
        assert_eq!(result.code(), Some(Code::CommandTimeout));
        let partial = result.partial().unwrap();
        if partial.payload["stdout"] != "begun\n" {
            continue;
        }
        assert!(result.text().starts_with("error: the command ran out of time after "));
        assert!(result.text().ends_with("\n\nbegun\n[ended by SIGTERM, exit code 143]"));
        let body = serde_json::to_value(&result).unwrap();
        assert_eq!(
            (&body["ok"], &body["error"]["details"]["stdout"]),
            (&json!(false), &json!("begun\n"))
        );
        return;
    }
    panic!("nothing was printed in any time");
}

#[test]
fn tools_for_commands_are_there_and_spoken_of_only_where_they_run() {
    let dir = tempfile::tempdir().unwrap();
    let dialect = dialect("workspace").unwrap();
    let setup = running(&dir, Policy::open());
    let with = Section::of(dialect, setup.clone());
    assert_eq!(with.tools.len(), dialect.tools.len());
    assert!(with.instructions.contains("\n- `bash` runs commands in this workspace."));
    let without = Section::of(dialect, Setup::standard(Backend::memory(Policy::open()).unwrap()));
    assert!(
        without
            .tools
            .iter()
            .all(|tool| !matches!(tool.needs, Needs::Run | Needs::Follow | Needs::Git))
    );
    assert!(!without.instructions.contains("bash"));

    let read_only = Policy { access: Access::ReadOnly, ..Policy::open() };
    let section = Section::of(dialect, running(&dir, read_only));
    assert!(section.tools.iter().all(|tool| tool.needs == Needs::Read));
    assert!(!section.instructions.contains("bash"));
}

#[tokio::test]
async fn the_section_podman_has_the_files_tools_and_two_for_commands() {
    let dir = tempfile::tempdir().unwrap();
    let setup = running(&dir, Policy::open());
    let section = Section::podman(setup.clone()).unwrap();
    assert_eq!((section.title.as_str(), section.key.as_str()), ("Sandbox", "podman"));
    let names: Vec<_> = section.tools.iter().map(|tool| tool.name.as_str()).collect();
    let files = ["ls", "read_file", "write_file", "edit_file", "glob", "grep", "rm"];
    assert_eq!(names, [&files[..], &["shell", "eval"]].concat());
    assert!(section.instructions.contains("`shell` runs commands"));
    let session = section.session(Bounds::standard()).unwrap();
    assert_eq!(session.call("shell", json!({"command": "echo hi"})).await.text(), "hi");

    let files_only = Section::vfs(setup).unwrap();
    assert_eq!(files_only.tools.len(), 7);
    assert!(!files_only.instructions.contains("`shell`"));
    let bare = Setup::standard(Backend::memory(Policy::open()).unwrap());
    assert_eq!(Section::podman(bare).err().unwrap().code(), Code::Unsupported);
}

#[tokio::test]
async fn a_fork_runs_no_commands_since_it_has_files_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let shell = running(&dir, Policy::open()).backend.commands().clone();
    let garth_embed::Commands::In(shell) = shell else { panic!("it runs commands") };
    let backend = Backend::memory(Policy::open()).unwrap().running(shell);
    let setup = Setup::standard(backend.clone());
    assert!(setup.workspace().unwrap().runs_commands());
    let fork = Setup::standard(backend.fork().unwrap());
    assert!(!fork.workspace().unwrap().runs_commands());
}

#[tokio::test]
async fn a_command_may_take_longer_than_other_tools() {
    let dir = tempfile::tempdir().unwrap();
    let section = Section::workspace(running(&dir, Policy::open())).unwrap();
    let bounds = Bounds { deadline: Some(Duration::from_millis(1)), ..Bounds::standard() };
    let session = section.session(bounds).unwrap();
    let result = session.call("bash", json!({"command": "sleep 0.1; echo done"})).await;
    assert_eq!(result.text(), "done");
}
