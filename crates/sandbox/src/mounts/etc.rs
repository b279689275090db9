//! The `/etc` inside: written, not taken from this machine, but for what `system` shows.

use garth_contract::Seat;

use super::layout::Layout;
use crate::Tenure;

const PASSWD: &str = "\
root:x:0:0:root:/root:SHELL
USER:x:1000:1000:USER:HOME:/bin/bash
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
";

const GROUP: &str = "root:x:0:\nUSER:x:1000:\nnogroup:x:65534:\n";

const HOSTS: &str = "127.0.0.1 localhost\n::1 localhost ip6-localhost\n127.0.1.1 garth\n";

/// Names are looked up in `hosts` alone: there is no server to ask.
const NSSWITCH: &str = "passwd: files\ngroup: files\nhosts: files\nservices: files\n";

const RESOLV: &str = "# No name server: this network is loopback alone.\n";

/// Adds the files.
pub(crate) fn write(layout: &mut Layout, seat: Seat, tenure: &Tenure) {
    let shell = match tenure {
        Tenure::Shown => "/usr/sbin/nologin",
        Tenure::Own { .. } => "/bin/bash",
    };
    let own = |text: &str| {
        text.replace("USER", seat.user()).replace("HOME", seat.home()).replace("SHELL", shell)
    };
    let (passwd, group) = (own(PASSWD), own(GROUP));
    for (at, text) in [
        ("etc/group", group.as_str()),
        ("etc/hostname", "garth\n"),
        ("etc/hosts", HOSTS),
        ("etc/nsswitch.conf", NSSWITCH),
        ("etc/passwd", passwd.as_str()),
        ("etc/resolv.conf", RESOLV),
    ] {
        layout.file(at, text);
    }
}
