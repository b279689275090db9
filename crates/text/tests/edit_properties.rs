//! What holds for every edit, on texts made to be nasty.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use garth_text::edit::{Edit, Edited, Level, Mode, Replace, Why, apply};
use garth_text::endings;
use proptest::prelude::*;

/// Pieces that make white space, endings and typography collide.
fn text(most: usize) -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a", "b", "ab", "foo()", "}", "if x {", " ", "  ", "    ", "\t", "\n", "\n", "\r\n", "\r",
        "“", "\"", "’", "'", "–", "-", "\u{a0}", "…", "...", ".", "é", "🌍", "\u{200b}",
        "\u{feff}", "\u{3000}", "\u{b}",
    ]);
    prop::collection::vec(piece, 0..most).prop_map(|pieces| pieces.concat())
}

/// An old text that stands in the content, then bent a little.
fn bent(content: &str, from: usize, len: usize, how: u8) -> String {
    let borders: Vec<usize> =
        content.char_indices().map(|(at, _)| at).chain([content.len()]).collect();
    let start = borders[from % borders.len()];
    let end = borders[(from % borders.len() + len).min(borders.len() - 1)];
    let cut = &content[start..end];
    match how % 7 {
        0 => cut.to_owned(),
        1 => cut.replace("\r\n", "\n"),
        2 => cut.replace(['“', '”'], "\"").replace('–', "-"),
        3 => cut.lines().map(str::trim_end).collect::<Vec<_>>().join("\n"),
        4 => cut.lines().map(str::trim).collect::<Vec<_>>().join("\n"),
        5 => cut.replace('\t', "    "),
        _ => cut.replace('\n', "\r\n"),
    }
}

fn attempt(
    content: &str,
    old: &str,
    new: &str,
    replace: Replace,
    mode: Mode,
) -> Result<Edited, Why> {
    apply(content.as_bytes(), &[Edit { old, new, replace }], mode).map_err(|failure| failure.why)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_outside_the_reported_places_changes(
        content in text(40), from in 0..200_usize, len in 0..20_usize, how in any::<u8>(),
        new in text(8), all in any::<bool>(),
    ) {
        let old = bent(&content, from, len, how);
        let replace = if all { Replace::All } else { Replace::One };
        let Ok(edited) = attempt(&content, &old, &new, replace, Mode::Forgiving) else {
            return Ok(());
        };
        let report = &edited.reports[0];
        prop_assert_eq!(report.count, report.places.len());
        let (mut before, mut after) = (0, 0);
        for place in &report.places {
            prop_assert_eq!(
                &content.as_bytes()[before..place.before.start],
                &edited.bytes[after..place.after.start]
            );
            let newlines = content[..place.before.start].matches('\n').count();
            prop_assert_eq!(place.line, newlines + 1);
            (before, after) = (place.before.end, place.after.end);
        }
        prop_assert_eq!(&content.as_bytes()[before..], &edited.bytes[after..]);
        prop_assert!(std::str::from_utf8(&edited.bytes).is_ok());
    }

    #[test]
    fn an_exact_place_is_always_taken_before_a_forgiven_one(
        content in text(40), from in 0..200_usize, len in 1..20_usize, new in text(8),
    ) {
        let old = bent(&content, from, len, 0);
        let exact = content.matches(&old).count();
        prop_assume!(!old.is_empty() && old != new);
        match attempt(&content, &old, &new, Replace::One, Mode::Forgiving) {
            Ok(edited) => {
                prop_assert_eq!(edited.reports[0].level, Level::Exact);
                prop_assert_eq!(exact, 1);
            }
            Err(Why::Ambiguous { level, total, .. }) => {
                prop_assert_eq!(level, Level::Exact);
                prop_assert_eq!(total, exact);
            }
            Err(why) => prop_assert_eq!(why, Why::Same),
        }
    }

    #[test]
    fn the_strict_mode_and_the_forgiving_one_agree_where_both_answer(
        content in text(30), from in 0..200_usize, len in 1..12_usize, how in any::<u8>(), new in text(6),
    ) {
        let old = bent(&content, from, len, how);
        let strict = attempt(&content, &old, &new, Replace::One, Mode::Exact);
        let forgiving = attempt(&content, &old, &new, Replace::One, Mode::Forgiving);
        match strict {
            Err(Why::NotFound { .. }) => {}
            decided => prop_assert_eq!(decided, forgiving),
        }
    }

    #[test]
    fn a_uniform_file_stays_uniform(
        content in text(40), from in 0..200_usize, len in 1..20_usize, how in any::<u8>(), new in text(8),
    ) {
        let content = content.replace('\r', "");
        let new = new.replace("\r\n", "\n").replace('\r', "").replace('\n', "\r\n");
        let old = bent(&content, from, len, how);
        for ending in [endings::Ending::Lf, endings::Ending::CrLf] {
            let converted = endings::convert(content.as_bytes(), ending);
            let file = std::str::from_utf8(&converted).unwrap();
            if endings::detect(file.as_bytes()).dominant().is_none() {
                continue;
            }
            let Ok(edited) = attempt(file, &old, &new, Replace::All, Mode::Forgiving) else {
                continue;
            };
            let again = endings::convert(&edited.bytes, ending);
            // An old text may itself end between the two bytes of an ending.
            prop_assume!(!old.ends_with('\r'));
            prop_assert_eq!(&edited.bytes, again.as_ref());
        }
    }

    #[test]
    fn no_input_makes_it_panic(
        content in prop::collection::vec(any::<u8>(), 0..200), old in ".{0,20}", new in "\\PC{0,20}",
        nasty in text(20),
    ) {
        for old in [&old, &nasty] {
            for mode in [Mode::Exact, Mode::Forgiving] {
                for replace in [Replace::One, Replace::All] {
                    let _ = apply(&content, &[Edit { old, new: &new, replace }], mode);
                    let _ = apply(nasty.as_bytes(), &[Edit { old, new: &new, replace }], mode);
                }
            }
        }
    }

    /// Whole lines that were moved to another depth are found again, and the
    /// new line between them lands at the depth of the file.
    #[test]
    fn a_block_keeps_its_shape_at_any_depth(
        depths in prop::collection::vec(0..4_usize, 2..8), base in 0..4_usize, tabs in any::<bool>(),
        at in any::<prop::sample::Index>(),
    ) {
        let unit = if tabs { "\t" } else { "  " };
        let least = depths.iter().min().copied().unwrap_or(0);
        let block = |unit: &str, base: usize, changed: Option<usize>| -> String {
            depths.iter().enumerate().map(|(index, depth)| {
                let mark = if changed == Some(index) { "changed" } else { "line" };
                format!("{}{mark}_{index}\n", unit.repeat(depth - least + base))
            }).collect()
        };
        let changed = at.index(depths.len());
        let content = format!("head\n{}tail\n", block(unit, base, None));
        let old = block("    ", 0, None);
        let new = block("    ", 0, Some(changed));
        let edited = attempt(&content, &old, &new, Replace::One, Mode::Forgiving).unwrap();
        let expected = format!("head\n{}tail\n", block(unit, base, Some(changed)));
        prop_assert_eq!(String::from_utf8(edited.bytes).unwrap(), expected);
    }
}
