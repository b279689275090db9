//! The suite's table: every check, grouped by what it is about.

use crate::Check;

mod abilities;
mod allow;
mod cancel;
mod concurrency;
mod deny;
mod find;
mod glob;
mod grep;
mod guard;
mod ignored;
mod landing;
mod limits;
mod lines;
mod links;
mod list;
mod make_dir;
mod paths;
mod protect;
mod read;
mod read_link;
mod receive;
mod remove;
mod rename;
mod stage;
mod stat;
mod watch;
mod write;

static GROUPS: &[&[Check]] = &[
    abilities::CHECKS,
    stat::CHECKS,
    list::CHECKS,
    read::CHECKS,
    lines::CHECKS,
    write::CHECKS,
    guard::CHECKS,
    make_dir::CHECKS,
    remove::CHECKS,
    rename::CHECKS,
    find::CHECKS,
    glob::CHECKS,
    ignored::CHECKS,
    grep::CHECKS,
    watch::CHECKS,
    read_link::CHECKS,
    stage::CHECKS,
    landing::CHECKS,
    receive::CHECKS,
    links::CHECKS,
    paths::CHECKS,
    limits::CHECKS,
    allow::CHECKS,
    deny::CHECKS,
    protect::CHECKS,
    cancel::CHECKS,
    concurrency::CHECKS,
];

/// Every check there is.
pub fn checks() -> impl Iterator<Item = &'static Check> {
    GROUPS.iter().copied().flatten()
}
