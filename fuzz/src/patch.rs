//! Patches: what a patch does not name stays as it is, and a patch that replaces
//! every line gives the new text.

use garth_text::patch::{Applied, Change, Chunk, Level, Tag, apply, parse};

/// Checks a patch on a content, and the patch that turns that content into the
/// first text.
pub fn check(data: &[u8]) {
    let Some([patch, content]) = super::texts(data) else { return };
    match parse(patch) {
        Ok(changes) => changes.iter().for_each(|change| only_named_lines_change(change, content)),
        Err(error) => assert!((1..=patch.lines().count().max(1)).contains(&error.line)),
    }
    replacing_all_gives_the_new_text(content, patch);
}

fn only_named_lines_change(change: &Change<'_>, content: &str) {
    let Change::Update { chunks, .. } = change else { return };
    // A lone carriage return can end a line, which `str::lines` does not know.
    let lines = chunks.iter().flat_map(|chunk| &chunk.lines);
    let odd = content.contains('\r') || lines.clone().any(|line| line.text.contains('\r'));
    match apply(content.as_bytes(), chunks) {
        Ok(applied) if !odd => kept_lines_stay(content, chunks, &applied),
        Ok(applied) => assert!(str::from_utf8(&applied.bytes).is_ok(), "text stays text"),
        Err(error) => assert!(error.chunk < chunks.len() && error.line == chunks[error.chunk].line),
    }
}

/// Walks the new text beside the old: lines that a chunk adds are passed over,
/// lines that it removes are left out, and all others must be there unchanged.
fn kept_lines_stay(content: &str, chunks: &[Chunk<'_>], applied: &Applied) {
    let before: Vec<&str> = content.lines().collect();
    let mut removed = vec![false; before.len()];
    let mut added = vec![0; before.len() + 1];
    for (chunk, placed) in chunks.iter().zip(&applied.chunks) {
        let mut row = placed.line - 1;
        for line in &chunk.lines {
            match line.tag {
                Tag::Context => row += 1,
                Tag::Added => added[row] += 1,
                Tag::Removed => {
                    assert!(!removed[row], "a line goes once");
                    removed[row] = true;
                    row += 1;
                }
            }
        }
    }
    let after = str::from_utf8(&applied.bytes).expect("text stays text");
    let mut rest = after.lines();
    for (row, line) in before.iter().enumerate() {
        rest.by_ref().take(added[row]).for_each(drop);
        if !removed[row] {
            assert_eq!(rest.next(), Some(*line), "row {row} of the old text");
        }
    }
    assert_eq!(rest.count(), added[before.len()], "nothing else is added");
}

fn replacing_all_gives_the_new_text(old: &str, new: &str) {
    if old.is_empty() || new.is_empty() || old.contains('\r') || new.contains('\r') {
        return;
    }
    let whole = |text: &str| text.lines().map(|line| format!("{line}\n")).collect::<String>();
    let signed = |sign: &str, text: &str| -> String {
        text.lines().map(|line| format!("{sign}{line}\n")).collect()
    };
    let (old, new) = (whole(old), whole(new));
    let patch = format!(
        "*** Begin Patch\n*** Update File: f\n@@\n{}{}*** End Patch\n",
        signed("-", &old),
        signed("+", &new)
    );
    let changes = parse(&patch).expect("the patch follows the grammar");
    let [Change::Update { path: "f", to: None, chunks }] = changes.as_slice() else {
        panic!("one update: {changes:?}")
    };
    let applied = apply(old.as_bytes(), chunks).expect("every line of the file is named");
    assert_eq!(str::from_utf8(&applied.bytes), Ok(new.as_str()));
    assert!(applied.chunks.iter().all(|placed| placed.level == Level::Exact));
}
