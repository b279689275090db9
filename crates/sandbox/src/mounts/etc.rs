//! The `/etc` inside: written, not taken from this machine, but for what `system` shows.

use super::layout::Layout;

const PASSWD: &str = "\
root:x:0:0:root:/root:/usr/sbin/nologin
garth:x:1000:1000:garth:/home/garth:/bin/bash
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
";

const GROUP: &str = "root:x:0:\ngarth:x:1000:\nnogroup:x:65534:\n";

const HOSTS: &str = "127.0.0.1 localhost\n::1 localhost ip6-localhost\n127.0.1.1 garth\n";

/// Names are looked up in `hosts` alone: there is no server to ask.
const NSSWITCH: &str = "passwd: files\ngroup: files\nhosts: files\nservices: files\n";

const RESOLV: &str = "# No name server: this network is loopback alone.\n";

/// Adds the files.
pub(crate) fn write(layout: &mut Layout) {
    for (at, text) in [
        ("etc/group", GROUP),
        ("etc/hostname", "garth\n"),
        ("etc/hosts", HOSTS),
        ("etc/nsswitch.conf", NSSWITCH),
        ("etc/passwd", PASSWD),
        ("etc/resolv.conf", RESOLV),
    ] {
        layout.file(at, text);
    }
}
