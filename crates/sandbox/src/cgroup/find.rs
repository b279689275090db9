//! Finds the cgroups that this process is in.

use std::{fs, path::PathBuf};

use rustix::fs::getxattr;

/// Which of the two designs of cgroups a tree has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Generation {
    /// One tree for each kind of limit.
    First,
    /// One tree for all.
    Second,
}

/// A directory in which a cgroup can perhaps be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Home {
    /// Which design it has.
    pub(crate) generation: Generation,
    /// Where it is.
    pub(crate) directory: PathBuf,
    controllers: Vec<String>,
}

impl Home {
    /// Whether it has limits of this kind.
    pub(crate) fn has(&self, controller: &str) -> bool {
        self.controllers.iter().any(|known| known == controller)
    }

    /// Asks that cgroups below it have limits of this kind. Where that is refused, the limit
    /// cannot be set later, which is told then.
    pub(crate) fn pass_on(&self, controller: &str) {
        let _ = fs::write(self.directory.join("cgroup.subtree_control"), format!("+{controller}"));
    }
}

/// All of them, with what they can limit.
pub(crate) fn homes() -> Vec<Home> {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let mut homes = parse(&read("/proc/self/cgroup"), &read("/proc/self/mountinfo"));
    let above: Vec<_> = homes.iter().filter_map(handed_over_above).collect();
    homes.extend(above);
    for home in &mut homes {
        if home.generation == Generation::Second {
            let text = fs::read_to_string(home.directory.join("cgroup.controllers"));
            let text = text.unwrap_or_default();
            home.controllers = text.split_whitespace().map(str::to_owned).collect();
        }
    }
    homes
}

/// The one above, where it was handed over and this process stands in a part of it:
/// in the second generation a cgroup has processes or parts, not both.
fn handed_over_above(home: &Home) -> Option<Home> {
    let directory = home.directory.parent()?.to_owned();
    let handed_over = ["user.delegate", "trusted.delegate"].iter().any(|name| {
        let mut value = [0; 1];
        matches!(getxattr(&directory, *name, &mut value), Ok(1)) && value == *b"1"
    });
    (home.generation == Generation::Second && handed_over)
        .then(|| Home { directory, ..home.clone() })
}

/// Puts together where this process is in each tree, and where each tree is mounted.
fn parse(memberships: &str, mounts: &str) -> Vec<Home> {
    let mut homes = Vec::new();
    for line in memberships.lines() {
        let mut parts = line.splitn(3, ':');
        let (_, Some(controllers), Some(path)) = (parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        let controllers: Vec<_> =
            controllers.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        let generation =
            if controllers.is_empty() { Generation::Second } else { Generation::First };
        let mount = mounts.lines().find_map(|mount| mount_of(mount, &controllers));
        let directory = mount.and_then(|(root, point)| {
            let below = path.strip_prefix(root.trim_end_matches('/'))?;
            (!path.contains("/..")).then(|| PathBuf::from(format!("{point}{below}")))
        });
        homes.extend(directory.map(|directory| Home { generation, directory, controllers }));
    }
    homes
}

/// The root and the place of a mount, if it is that of a tree with these controllers.
fn mount_of<'a>(mount: &'a str, controllers: &[String]) -> Option<(&'a str, &'a str)> {
    let (front, back) = mount.split_once(" - ")?;
    let mut front = front.split(' ').skip(3);
    let (root, point) = (front.next()?, front.next()?);
    let mut back = back.split(' ');
    let (kind, options) = (back.next()?, back.nth(1)?);
    let fits = match controllers.first() {
        None => kind == "cgroup2",
        Some(first) => kind == "cgroup" && options.split(',').any(|option| option == first),
    };
    fits.then_some((root, point))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
41 31 0:38 /box /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
";

    fn found(memberships: &str) -> Vec<(Generation, String)> {
        let homes = parse(memberships, MOUNTS).into_iter();
        homes.map(|home| (home.generation, home.directory.display().to_string())).collect()
    }

    #[test]
    fn each_tree_is_found_where_it_is_mounted() {
        let homes = found("4:memory:/a/b\n1:cpu,cpuacct:/\n0::/box/part\n9:name=systemd:/x\n");
        let first = |path: &str| (Generation::First, path.to_owned());
        assert_eq!(
            homes,
            [
                first("/sys/fs/cgroup/memory/a/b"),
                first("/sys/fs/cgroup/cpu,cpuacct/"),
                (Generation::Second, "/sys/fs/cgroup/unified/part".to_owned()),
            ]
        );
    }

    #[test]
    fn a_place_that_cannot_be_seen_is_none() {
        assert_eq!(found("0::/elsewhere\n4:memory:/../up\n"), []);
    }
}
