//! The few files of `/etc` that are the same in every sandbox, whatever root
//! filesystem it has: who runs inside, and what the machine is called.

use std::{fs::File, io, io::Write as _};

use garth_contract::{Result, Seat};
use rustix::fs::{CWD, Mode, OFlags, fchmod, openat};

use super::{Container, Network, Place, User, refuse, wanted::HOST_NAME};

/// Those that every container has.
const PEOPLE: [&str; 2] = ["passwd", "group"];

/// Those that also a container without a network has; with one they are the engine's.
const ALONE: [&str; 5] = ["passwd", "group", "hostname", "hosts", "resolv.conf"];

/// The names of the files in `/etc` that a container gets from its place.
pub(super) fn files(container: &Container) -> &'static [&'static str] {
    match container.network {
        Network::None => &ALONE,
        Network::Named(_) => &PEOPLE,
    }
}

/// Writes them for whoever runs inside.
///
/// # Errors
/// `PROVIDER_UNAVAILABLE` where the place cannot be written.
pub(super) fn write(place: &Place, (user, seat): (User, Seat)) -> Result<()> {
    let write = || -> io::Result<()> {
        for name in ALONE {
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::CLOEXEC;
            let path = place.part(name);
            let mut file = File::from(openat(CWD, path, flags, Mode::RUSR | Mode::WUSR)?);
            file.write_all(content(name, user, seat).as_bytes())?;
            fchmod(&file, Mode::from_raw_mode(0o644))?;
        }
        Ok(())
    };
    write().map_err(|_| {
        refuse::unavailable(
            "the container's directory on this machine cannot be written",
            "See whether the disk is full.",
        )
    })
}

/// Those of a machine that is alone, by name.
pub(crate) fn etc_files(user: User) -> impl Iterator<Item = (&'static str, String)> {
    ALONE.into_iter().map(move |name| (name, content(name, user, Seat::Workspace)))
}

fn content(name: &str, User { uid, gid }: User, seat: Seat) -> String {
    let (person, own_home) = (seat.user(), seat.home());
    let own = |number: u32, line: String| if number == 0 { String::new() } else { line };
    let home = if uid == 0 { own_home } else { "/root" };
    match name {
        "passwd" => format!(
            "root:x:0:0:root:{home}:/bin/bash\n{}nobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n",
            own(uid, format!("{person}:x:{uid}:{gid}:{person}:{own_home}:/bin/bash\n"))
        ),
        "group" => {
            format!("root:x:0:\n{}nogroup:x:65534:\n", own(gid, format!("{person}:x:{gid}:\n")))
        }
        "hostname" => format!("{HOST_NAME}\n"),
        "hosts" => format!("127.0.0.1 localhost\n::1 localhost\n127.0.1.1 {HOST_NAME}\n"),
        _ => "# No name server: there is no network but loopback.\n".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_runs_inside_has_a_name_and_a_home() {
        let at = Seat::Workspace;
        let passwd = content("passwd", User { uid: 1234, gid: 99 }, at);
        assert!(passwd.contains("garth:x:1234:99:garth:/home/garth:/bin/bash\n"), "{passwd}");
        let root = content("passwd", User { uid: 0, gid: 0 }, at);
        assert!(root.starts_with("root:x:0:0:root:/home/garth:"), "{root}");
        assert!(!root.contains("garth:x:0"), "{root}");
        let other = content("passwd", User { uid: 1000, gid: 1000 }, Seat::Home);
        assert!(other.contains("user:x:1000:1000:user:/home/user:/bin/bash\n"), "{other}");
    }
}
