//! Output that is read in small windows: nothing twice, nothing lost, no half secret.

use serde_json::json;

use crate::place::{PATIENCE, Place, place, text};

const SECRET: &str = "ghp_1234567890abcdefghijklmnopqrstuvwxyz";

/// Reads everything that a process printed, so many bytes at a time.
fn page_through(place: &Place, id: &str, limit: u64) -> String {
    let mut all = String::new();
    let mut position = 0;
    loop {
        let ask = json!({"id": id, "position": position, "limit": limit, "wait_ms": 30_000});
        let payload = place.ok("output", ask).payload;
        all.push_str(payload["output"].as_str().unwrap());
        let next = payload["next"].as_u64().unwrap();
        assert!(next > position || payload["running"] == false, "no way on from {position}");
        position = next;
        if payload["running"] == false && payload["total_bytes"] == position {
            return all;
        }
    }
}

#[test]
fn characters_across_windows_come_whole() {
    let place = place();
    let printed = "aé世😀\n世界 😀😀é\n";
    let id = place.start(&format!("printf '{}'", printed.replace('\n', "\\n")));
    place.until_ended(&id);
    for limit in 1..=9 {
        assert_eq!(page_through(&place, &id, limit), printed, "{limit}");
    }
}

#[test]
fn secrets_across_windows_are_not_shown_in_parts() {
    let place = place();
    let id = place.start(&format!("for i in 1 2 3; do echo \"token $i {SECRET} end $i\"; done"));
    place.until_ended(&id);
    for limit in [1, 5, 16, 33, 64, 1_000] {
        let all = page_through(&place, &id, limit);
        assert!(all.contains("[REDACTED: ") && all.contains(" end 3\n"), "{limit}: {all}");
        for part in [&SECRET[4..12], &SECRET[20..28], &SECRET[32..]] {
            assert!(!all.contains(part), "{limit}: {all}");
        }
    }
}

#[test]
fn a_line_that_is_not_finished_waits_for_its_end() {
    let place = place();
    let (front, back) = SECRET.split_at(12);
    let id = place.start(&format!("printf 'token {front}'; read -r go; echo {back}"));
    place.runtime.block_on(async {
        // The half is there before anybody asks for it.
        let shell = place.workspace.shell().unwrap();
        let number = garth_contract::ProcessId::parse(&id).unwrap();
        let wait = garth_contract::Ask::LONGEST;
        let half = garth_contract::Ask { from: "token ghp_123".len() as u64, most: 1, wait };
        let printed = async {
            while shell.output(number, half).await.is_err() {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(PATIENCE, printed).await.expect("it must print");
        let ask = json!({"id": id, "wait_ms": 30_000});
        let reading = place.calling("output", ask.into());
        let writing = place.calling("input", json!({"id": id, "text": "\n"}).into());
        let (read, written) = tokio::join!(reading, writing);
        written.unwrap();
        let read = read.unwrap();
        let shown = text(&read, "output");
        assert!(shown.starts_with("token [REDACTED: "), "{shown}");
        assert!(!shown.contains("ghp_"), "{shown}");
    });
}

#[test]
fn the_last_line_is_told_while_a_process_runs() {
    let place = place();
    let id = place.start(&format!("seq 1 20000; echo 'token {SECRET}'; printf 'half a li'; cat"));
    place.until_printed(&id, "token");
    let number = garth_contract::ProcessId::parse(&id).unwrap();
    let last = place.runtime.block_on(place.workspace.last_line(number)).unwrap();
    assert!(last.starts_with("token [REDACTED: "), "{last}");
}
