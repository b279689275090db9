//! `directory_tree`: everything below a directory, as JSON.

use garth_contract::{Code, Detail, Error, Glob, Kind, Reach, Result, WsPath, escape};
use garth_redact::clean;
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::Deserialize;

use super::speech::{
    answer::{Payload, answer},
    names::{Walk, globs, most},
    paths::resolve,
    refusal::told,
};
use crate::{
    Needs, Reply, Tool,
    names::{Names, Naming, names_of},
    params::{Patterns, parse},
    schema::schema_of,
    tree::directory,
    words::{Counted, Ours},
};

pub(super) const TOOL: Tool = Tool {
    name: "directory_tree",
    title: "Directory Tree",
    summary: "Gives everything below a directory as JSON: each entry has name and type (file or \
              directory), a directory also children, which may be empty.",
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
    /// What to leave out: a name at any depth, or, with a *, a glob of paths below path.
    #[schemars(with = "Option<Vec<String>>")]
    excludePatterns: Option<Patterns>,
}

impl Naming for Params {
    fn names(self) -> Names {
        Names::tree(self.path)
    }
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let base = resolve(workspace, &params.path)?;
    directory(workspace, &base).await?;
    let Patterns(patterns) = params.excludePatterns.unwrap_or(Patterns(Vec::new()));
    let exclude = globs(&patterns).into_iter().flat_map(anywhere).collect();
    let walk = Walk { base: base.clone(), reach: Reach::Tree, include: Vec::new(), exclude };
    let names = walk.names(workspace).await?;
    if names.more {
        let most = most(workspace);
        let message = format!("the tree has more than {}", Counted(most, "entry"));
        return Err(Error::new(Code::FileTooLarge, message)
            .with(Detail::Limit { limit: most, actual: most.saturating_add(1) })
            .hint("Leave some out with excludePatterns, or ask for a directory in it."));
    }
    answer(clean![Ours(Tree::of(&base, &names.found))])
}

/// A pattern without `*` also means what has that name further down.
fn anywhere(glob: Glob) -> Vec<Glob> {
    let (Glob::Path(pattern) | Glob::Filter(pattern)) = &glob;
    if pattern.contains('*') {
        return vec![glob];
    }
    let deeper = Glob::Path(format!("**/{pattern}"));
    vec![glob, deeper]
}

/// A JSON text of nested entries, written level by level: a recursion as deep as a
/// path can be would not fit a small stack.
struct Tree {
    text: String,
    /// For each list that is open, whether it has an entry.
    filled: Vec<bool>,
}

impl Tree {
    fn of(base: &WsPath, found: &[(WsPath, Kind)]) -> String {
        let mut tree = Self { text: "[".to_owned(), filled: vec![false] };
        for (path, kind) in found {
            let below = path.below(base).unwrap_or_default();
            let depth = below.split(|byte| *byte == b'/').count();
            while tree.filled.len() > depth {
                tree.close();
            }
            // What came up between the looks at its parent and at itself has no list.
            if tree.filled.len() == depth {
                tree.entry(path.name().unwrap_or_default(), *kind);
            }
        }
        while !tree.filled.is_empty() {
            tree.close();
        }
        tree.text
    }

    fn entry(&mut self, name: &[u8], kind: Kind) {
        let depth = self.filled.len();
        if let Some(filled) = self.filled.last_mut() {
            self.text.push_str(if *filled { "," } else { "" });
            *filled = true;
        }
        self.line(2 * depth - 1, "{");
        let name = serde_json::Value::from(escape(name));
        self.line(2 * depth, &format!("\"name\": {name},"));
        match kind {
            Kind::Dir => {
                self.line(2 * depth, "\"type\": \"directory\",");
                self.line(2 * depth, "\"children\": [");
                self.filled.push(false);
            }
            Kind::File | Kind::Symlink | Kind::Fifo | Kind::Socket | Kind::Device => {
                self.line(2 * depth, "\"type\": \"file\"");
                self.line(2 * depth - 1, "}");
            }
        }
    }

    /// Ends the innermost list and the directory that it belongs to.
    fn close(&mut self) {
        let Some(filled) = self.filled.pop() else { return };
        let depth = self.filled.len();
        if filled {
            self.line(2 * depth, "]");
        } else {
            self.text.push(']');
        }
        if depth > 0 {
            self.line(2 * depth - 1, "}");
        }
    }

    fn line(&mut self, level: usize, text: &str) {
        self.text.push('\n');
        self.text.extend(std::iter::repeat_n("  ", level));
        self.text.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn tree(entries: &[&str]) -> String {
        let found = entries.iter().map(|entry| {
            let name = entry.trim_end_matches('/');
            let kind = if name == *entry { Kind::File } else { Kind::Dir };
            (WsPath::from_bytes(name.as_bytes()).unwrap(), kind)
        });
        Tree::of(&WsPath::root(), &found.collect::<Vec<_>>())
    }

    #[test]
    fn the_text_is_what_a_json_printer_writes() {
        let text = tree(&["a/", "a/b/", "a/b/c", "a/d/", "e", "f/", "g\"h"]);
        let expected = json!([
            {"name": "a", "type": "directory", "children": [
                {"name": "b", "type": "directory", "children": [{"name": "c", "type": "file"}]},
                {"name": "d", "type": "directory", "children": []},
            ]},
            {"name": "e", "type": "file"},
            {"name": "f", "type": "directory", "children": []},
            {"name": "g\"h", "type": "file"},
        ]);
        let read: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read, expected);
        assert_eq!(
            tree(&["a/", "a/b", "c"]),
            "[\n  {\n    \"name\": \"a\",\n    \"type\": \"directory\",\n    \"children\": [\n      \
             {\n        \"name\": \"b\",\n        \"type\": \"file\"\n      }\n    ]\n  },\n  \
             {\n    \"name\": \"c\",\n    \"type\": \"file\"\n  }\n]"
        );
        assert_eq!(tree(&[]), "[]");
    }

    #[test]
    fn the_deepest_path_fits_any_stack() {
        let deep: Vec<WsPath> = (1..=2000)
            .map(|depth| WsPath::from_bytes(vec!["a"; depth].join("/").as_bytes()).unwrap())
            .collect();
        let found: Vec<_> = deep.into_iter().map(|path| (path, Kind::Dir)).collect();
        let text = Tree::of(&WsPath::root(), &found);
        assert_eq!(text.matches("\"children\"").count(), 2000);
        assert_eq!(text.matches(']').count(), 2001);
    }
}
