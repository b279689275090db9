//! `read_file`: the old name of `read_text_file`.

use super::read_text_file;
use crate::Tool;

pub(super) const TOOL: Tool = Tool {
    name: "read_file",
    title: "Read File (Deprecated)",
    summary: "The old name of read_text_file, which is to be used instead.",
    ..read_text_file::TOOL
};
