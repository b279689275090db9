//! What cannot be recorded is not told, and soon not done either.

use std::{os::unix::fs::PermissionsExt, sync::atomic::Ordering};

use garth_contract::Code;
use garth_gateway::{Clock, Store, audit};
use serde_json::json;

use crate::stage::Stage;

#[tokio::test]
async fn while_the_audit_cannot_be_written_nothing_is_run() {
    let stage = Stage::new().await;
    let caller = stage.agent("own").await;
    let write = async || {
        let params = json!({"path": "a", "content": "x"});
        stage.call(&caller, "worktree.write", params).await.map(drop)
    };
    write().await.unwrap();
    let intruder = stage.intruder();
    let full = "CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'full'); END";
    intruder.execute_batch(full).unwrap();
    // This one was run before anybody knew; its answer is not told.
    assert_eq!(write().await.unwrap_err().code(), Code::Internal);
    let runs = stage.runs.load(Ordering::SeqCst);
    for _ in 0..3 {
        assert_eq!(write().await.unwrap_err().code(), Code::Internal);
    }
    assert_eq!(stage.runs.load(Ordering::SeqCst), runs, "nothing more was run");
    // That other tables can be written is no sign.
    stage.agent("own").await;
    assert!(!stage.gateway.health().writable);
    intruder.execute_batch("DROP TRIGGER full").unwrap();
    // The refusal that can be recorded again is the sign that it works.
    assert_eq!(write().await.unwrap_err().code(), Code::Internal);
    write().await.unwrap();
    assert!(stage.gateway.health().writable);
    let audit = stage.gateway.audit();
    let report = audit.verify(&audit.public_key()).await.unwrap();
    assert!(report.is_sound(), "{report:?}");
    assert_eq!(report.records, 3);
}

#[tokio::test]
async fn a_key_that_others_can_read_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(&dir.path().join("garth.db"), Clock::system()).unwrap();
    let config = audit::Config::in_directory(dir.path());
    let first = audit::Audit::new(store.clone(), config.clone()).unwrap().public_key();
    let mode = std::fs::metadata(&config.key).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let second = audit::Audit::new(store.clone(), config.clone()).unwrap().public_key();
    assert_eq!(first, second, "a key is made once");
    std::fs::set_permissions(&config.key, std::fs::Permissions::from_mode(0o640)).unwrap();
    let error = audit::Audit::new(store.clone(), config.clone()).map(drop).unwrap_err();
    assert_eq!(error.code(), Code::Internal);
    std::fs::set_permissions(&config.key, std::fs::Permissions::from_mode(0o600)).unwrap();
    std::fs::write(&config.key, "not a key\n").unwrap();
    assert!(audit::Audit::new(store.clone(), config).is_err());
    store.close().await;
}
