//! What Firecracker is asked for, in the words of its interface.

use std::path::Path;

use garth_contract::Result;
use serde_json::{Map, Value, json};

use super::{
    Machine, Monitors, RateLimit,
    jail::{self, Layout},
};
use crate::machine::{Api, DISK, FIRST};

/// What the kernel is told: no devices to look for but those it is given, and a restart
/// by the keyboard, which Firecracker takes for an end. What follows the two dashes is
/// for the first program.
const KERNEL: &str =
    "console=ttyS0 quiet reboot=k panic=-1 pci=off random.trust_cpu=on rdinit=/init -- --init";

/// The number of the machine among those that this one talks to; each has a socket of
/// its own, so all have the same.
const NUMBER: u32 = 3;

/// A second, in which a bound is counted anew.
const SECOND: u64 = 1_000;

/// Says what the machine is, one thing after the other.
///
/// # Errors
/// `PROVIDER_UNAVAILABLE` with what is refused.
pub(super) async fn set_up(
    api: &Api,
    (monitor, machine): (&Monitors, &Machine),
    layout: &Layout,
) -> Result<()> {
    for (path, body) in all((monitor, machine), layout) {
        api.put(&path, &body).await?;
    }
    Ok(())
}

fn all((monitor, machine): (&Monitors, &Machine), layout: &Layout) -> Vec<(String, Value)> {
    let mut asked = vec![
        (
            "/machine-config".to_owned(),
            json!({
                "vcpu_count": machine.processors,
                "mem_size_mib": machine.memory >> 20,
                "smt": false,
            }),
        ),
        (
            "/boot-source".to_owned(),
            json!({
                "kernel_image_path": layout.image(jail::KERNEL, &machine.image.kernel),
                "initrd_path": layout.inside(FIRST),
                "boot_args": KERNEL,
            }),
        ),
        drive(
            "root",
            &layout.image(jail::ROOT, &machine.image.root),
            Map::from_iter([("is_read_only".to_owned(), true.into())]),
        ),
        drive(
            "files",
            &layout.inside(DISK),
            with_rate(
                Map::from_iter([
                    ("is_read_only".to_owned(), false.into()),
                    // What the guest has seen written must be.
                    ("cache_type".to_owned(), "Writeback".into()),
                ]),
                "rate_limiter",
                monitor.disk_rate,
            ),
        ),
        ("/vsock".to_owned(), json!({"guest_cid": NUMBER, "uds_path": layout.inside(jail::VSOCK)})),
        ("/entropy".to_owned(), json!({})),
    ];
    if let Some(balloon) = monitor.balloon {
        let body = json!({"amount_mib": balloon.mebibytes, "deflate_on_oom": true});
        asked.push(("/balloon".to_owned(), body));
    }
    if let Some(interface) = &monitor.interface {
        let body = Map::from_iter([
            ("iface_id".to_owned(), "net".into()),
            ("host_dev_name".to_owned(), interface.clone().into()),
        ]);
        let body = with_rate(body, "rx_rate_limiter", monitor.network_rate);
        let body = with_rate(body, "tx_rate_limiter", monitor.network_rate);
        asked.push(("/network-interfaces/net".to_owned(), body.into()));
    }
    asked
}

fn drive(name: &str, path: &str, more: Map<String, Value>) -> (String, Value) {
    let mut body = Map::from_iter([
        ("drive_id".to_owned(), name.into()),
        ("path_on_host".to_owned(), path.into()),
        // The kernel is not to look for its system: the first program does.
        ("is_root_device".to_owned(), false.into()),
    ]);
    body.extend(more);
    (format!("/drives/{name}"), body.into())
}

fn with_rate(mut body: Map<String, Value>, name: &str, rate: RateLimit) -> Map<String, Value> {
    let bucket = |size: u64| json!({"size": size, "refill_time": SECOND});
    let mut limiter = Map::new();
    limiter.extend(rate.bytes.map(|bytes| ("bandwidth".to_owned(), bucket(bytes))));
    limiter.extend(rate.operations.map(|count| ("ops".to_owned(), bucket(count))));
    if !limiter.is_empty() {
        body.insert(name.to_owned(), limiter.into());
    }
    body
}

/// That the machine be written to the disk.
pub(super) fn sleep(state: &str, memory: &str) -> Value {
    json!({"snapshot_type": "Full", "snapshot_path": state, "mem_file_path": memory})
}

/// That it be read from there, and go on.
pub(super) fn wake(state: &str, memory: &str) -> Value {
    json!({
        "snapshot_path": state,
        "mem_backend": {"backend_type": "File", "backend_path": memory},
        "resume_vm": true,
    })
}

/// A path as JSON has it.
pub(super) fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
