//! The table: every check of a shell, grouped by what it is about.

use super::Check;

mod bounds;
mod cancel;
mod concurrency;
mod end;
mod environment;
mod input;
mod kept;
mod list;
mod output;
mod place;
mod run;
mod signal;
mod start;
mod terminal;
mod timeout;
mod tree;
mod waits;
mod workdir;

static GROUPS: &[&[Check]] = &[
    run::CHECKS,
    kept::CHECKS,
    workdir::CHECKS,
    environment::CHECKS,
    start::CHECKS,
    output::CHECKS,
    waits::CHECKS,
    input::CHECKS,
    signal::CHECKS,
    end::CHECKS,
    list::CHECKS,
    terminal::CHECKS,
    timeout::CHECKS,
    tree::CHECKS,
    cancel::CHECKS,
    bounds::CHECKS,
    concurrency::CHECKS,
    place::CHECKS,
];

/// Every check of a shell there is.
pub fn checks() -> impl Iterator<Item = &'static Check> {
    GROUPS.iter().copied().flatten()
}
