//! Every tool of the dialect `vfs`, on files in RAM and on files on disk.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "everything here is a test, also what no #[test] stands before"
)]

mod change;
mod fence;
mod find;
mod ls;
mod read_file;
#[path = "../tools/stage.rs"]
mod stage;
#[path = "../tools/ways_out.rs"]
mod ways_out;

use stage::{Stage, everywhere_speaking};

/// Plays a scene with the tools of this dialect on every ground.
fn everywhere(files: &[(&str, &str)], scene: impl Fn(&Stage)) {
    everywhere_speaking(garth_ops::vfs::TOOLS, files, scene);
}
