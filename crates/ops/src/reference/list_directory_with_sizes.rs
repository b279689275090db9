//! `list_directory_with_sizes`: the names in a directory with sizes, and their sum.

use std::cmp::Reverse;

use garth_contract::{Entry, Kind, Links, Page, Result, escape};
use garth_redact::CleanWriter;
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::Deserialize;

use super::speech::{
    answer::{Payload, answer},
    names::{cut, mark, most},
    paths::resolve,
    refusal::told,
};
use crate::{
    Needs, Reply, Tool,
    names::{Names, Naming, names_of},
    params::parse,
    schema::schema_of,
    words::Ours,
};

pub(super) const TOOL: Tool = Tool {
    name: "list_directory_with_sizes",
    title: "List Directory with Sizes",
    summary: "Lists a directory with the size of each file, by name or with the largest first, and \
              their sum.",
    needs: Needs::Read,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    repeats: &[],
    names: names_of::<Params>,
    run: |workspace, call| {
        Box::pin(
            async move { Ok(told(workspace, run(workspace, parse(call.params)?).await).await?) },
        )
    },
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(non_snake_case, reason = "the name is part of the dialect")]
struct Params {
    /// The directory, inside an allowed one.
    path: String,
    /// The order of the entries; by name if absent.
    sortBy: Option<SortBy>,
}

impl Naming for Params {
    fn names(self) -> Names {
        Names::this(self.path)
    }
}

#[derive(Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum SortBy {
    /// By name.
    Name,
    /// The largest first.
    Size,
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let path = resolve(workspace, &params.path)?;
    let most = most(workspace);
    let listing = workspace.fs().list(&path, Page { skip: 0, take: most }).await?;
    let more = listing.total > listing.entries.len() as u64;
    let mut entries = listing.entries;
    for entry in &mut entries {
        if entry.kind == Kind::Symlink {
            entry.size = behind(workspace, entry).await;
        }
    }
    if params.sortBy == Some(SortBy::Size) {
        entries.sort_by_key(|entry| Reverse(entry.size));
    }
    let mut text = CleanWriter::new();
    for entry in &entries {
        let name = escape(entry.path.name().unwrap_or_default());
        let size = if is_dir(entry) { String::new() } else { format!("{:>10}", size(entry.size)) };
        text.put(mark(entry.kind)).put(Ours(format!("{name:<30} {size}\n")));
    }
    let dirs = entries.iter().filter(|entry| is_dir(entry)).count();
    let files = entries.len() - dirs;
    let sum = entries.iter().filter(|entry| !is_dir(entry)).map(|entry| entry.size).sum();
    text.put("\nTotal: ").put(files).put(" files, ").put(dirs).put(" directories");
    text.put("\nCombined size: ").put(Ours(size(sum)));
    if more {
        text.put(cut(most, "entry"));
    }
    answer(text.finish())
}

fn is_dir(entry: &Entry) -> bool {
    entry.kind == Kind::Dir
}

/// The size of what a link leads to; nothing for one that leads nowhere inside.
async fn behind(workspace: &Workspace, link: &Entry) -> u64 {
    let target = workspace.fs().stat(&link.path, Links::Follow).await;
    target.map_or(0, |target| target.size)
}

/// A size in the largest unit that it fills: `512 B`, `1.50 KB`.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KB", "MB", "GB", "TB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut scale: u128 = 1024;
    let mut unit = "KB";
    for next in UNITS.into_iter().skip(1) {
        if u128::from(bytes) < scale * 1024 {
            break;
        }
        scale *= 1024;
        unit = next;
    }
    // In whole hundredths, since a float would lose digits of large sizes.
    let hundredths = (u128::from(bytes) * 100 + scale / 2) / scale;
    format!("{}.{:02} {unit}", hundredths / 100, hundredths % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_told_in_the_largest_unit_they_fill() {
        for (bytes, text) in [
            (0, "0 B"),
            (1, "1 B"),
            (1023, "1023 B"),
            (1024, "1.00 KB"),
            (1025, "1.00 KB"),
            (1536, "1.50 KB"),
            (1_048_575, "1024.00 KB"),
            (1 << 20, "1.00 MB"),
            (1 << 30, "1.00 GB"),
            (1 << 40, "1.00 TB"),
            (1 << 50, "1024.00 TB"),
            (u64::MAX, "16777216.00 TB"),
        ] {
            assert_eq!(size(bytes), text);
        }
    }
}
