//! Commands that use all they can get; every one of them is bounded by itself, too.

use serde_json::json;

use crate::yard::Yard;

#[test]
fn a_flood_of_output_is_counted_cut_and_costs_little_memory() {
    let yard = Yard::new();
    let mut server = yard.server(&[]);
    let before = server.0.peak_megabytes();
    let ran = server.bash("head -c 300000000 /dev/zero | tr '\\0' 'x'");
    assert_eq!(ran.code(), 0);
    assert_eq!(ran.facts["stdout_bytes"], 300_000_000, "{:?}", ran.facts);
    assert_eq!(ran.facts["truncated"], true);
    assert!(ran.text.len() < 60_000, "{}", ran.text.len());
    let after = server.0.peak_megabytes();
    assert!(after < before + 64, "{before} MB grew to {after} MB");
}

#[test]
fn output_that_is_no_text_is_shown_and_breaks_nothing() {
    let yard = Yard::new();
    let mut server = yard.server(&[]);
    let ran = server.bash("printf '\\xff\\xfe\\0a\\033[31m'; head -c 200000 /dev/urandom");
    assert_eq!(ran.code(), 0);
    assert_eq!(ran.facts["stdout_bytes"], 200_000 + 9);
    assert_eq!(server.bash("echo on").text.trim(), "on");
}

#[test]
fn processes_without_end_meet_a_bound_and_the_next_command_works() {
    let yard = Yard::new();
    let mut server = yard.server(&[]);
    // Three thousand is over the bound of a sandbox and under what this machine can take.
    let bomb = "import os, time\nn = 0\ntry:\n while n < 3000:\n  if os.fork() == 0:\n   time.sleep(90)\n   \
                os._exit(0)\n  n += 1\n print('no bound')\nexcept OSError: print('bound')";
    let ran = server.bash_with(&json!({
        "command": format!("python3 -c \"{bomb}\""), "timeout_ms": 120_000,
    }));
    assert_eq!(ran.text.trim(), "bound", "{ran:?}");
    assert_eq!(server.bash("echo on").text.trim(), "on");
}

#[test]
fn memory_without_end_kills_the_command_and_not_the_server() {
    let yard = Yard::new();
    let mut server = yard.server(&[]);
    let hog = "x = []\nfor i in range(6000): x.append(bytearray(1 << 20))\nprint('had it all')";
    let ran = server.bash_with(&json!({
        "command": format!("python3 -c \"{hog}\""), "timeout_ms": 120_000,
    }));
    assert!(!ran.text.contains("had it all"), "{ran:?}");
    crate::yard::until("commands run again", || server.bash("echo on").text.trim() == "on");
}

#[test]
fn a_thousand_orphans_are_reaped() {
    let yard = Yard::new();
    let mut server = yard.server(&[]);
    let ran = server.bash("for i in $(seq 1000); do (true &) ; done; echo ended");
    assert_eq!(ran.text.trim(), "ended");
    let left = server.bash("grep -l 'State:.Z' /proc/[0-9]*/status 2>/dev/null | wc -l");
    assert_eq!(left.text.trim(), "0");
}

#[test]
fn the_private_directory_has_a_bound() {
    let yard = Yard::new();
    let mut server = yard.server(&[]);
    let ran = server.bash("df -B1 --output=size /tmp | tail -n 1");
    let size: u64 = ran.text.trim().parse().unwrap();
    assert!(size <= 4 << 30, "{size}");
}
