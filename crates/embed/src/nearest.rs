//! The name that comes nearest to one that does not exist.

/// How many characters of a name are looked at; no tool's name is longer.
const LONGEST: usize = 64;

/// Finds the name nearest to `wanted`, unless none is near.
///
/// Case, `_` and `-` make no difference, since those are what models mix up.
pub(crate) fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = letters(wanted);
    let measured = names.map(|name| {
        let name_letters = letters(name);
        let longer = wanted.len().max(name_letters.len());
        (distance(&wanted, &name_letters), longer, name)
    });
    // At most four letters in ten may differ; beyond that it is another word.
    let near = measured.filter(|(steps, longer, _)| steps * 10 <= longer * 4);
    near.min_by_key(|(steps, _, _)| *steps).map(|(_, _, name)| name)
}

fn letters(name: &str) -> Vec<char> {
    let kept = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase);
    kept.take(LONGEST).collect()
}

/// How many letters must be put in, left out, changed or swapped.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let at =
                |row: &[usize], index: usize| row.get(index).copied().unwrap_or(usize::MAX / 2);
            let mut least = at(&last, j) + usize::from(x != y);
            least = least.min(at(&last, j + 1) + 1).min(at(&row, j) + 1);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x);
            if swapped {
                least = least.min(at(&before, j - 1) + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_in_any_spelling() {
        let names = ["read_file", "write_file", "grep", "edit", "ls"];
        for (wanted, found) in [
            ("readFile", Some("read_file")),
            ("read-file", Some("read_file")),
            ("raed_file", Some("read_file")),
            ("wirte_file", Some("write_file")),
            ("gerp", Some("grep")),
            ("edits", Some("edit")),
            ("sl", None),
            ("bash", None),
            ("", None),
        ] {
            assert_eq!(nearest(wanted, names.into_iter()), found, "{wanted}");
        }
    }

    #[test]
    fn steps_are_counted() {
        let count = |a: &str, b: &str| distance(&letters(a), &letters(b));
        assert_eq!(count("read", "read"), 0);
        assert_eq!(count("raed", "read"), 1);
        assert_eq!(count("red", "read"), 1);
        assert_eq!(count("reads", "read"), 1);
        assert_eq!(count("", "read"), 4);
        assert_eq!(count("grep", "read"), 3);
    }
}
