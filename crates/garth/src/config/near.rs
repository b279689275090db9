//! What somebody meant who misspelled a word.

/// The most letters that may differ.
const MOST: usize = 3;

/// The nearest of several words, if one is near.
pub(crate) fn nearest<'a>(word: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase().replace('-', "_");
    let rated = words.map(|known| (distance(&word, known), known));
    let near = rated.filter(|(far, known)| *far <= MOST.min(known.len() / 2)).min();
    near.map(|(_, known)| known)
}

/// How many letters must be put in, taken out or changed.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (index, letter) in from.chars().enumerate() {
        let mut diagonal = index;
        let mut left = index + 1;
        let mut next = vec![left];
        for (above, other) in row.iter().skip(1).zip(&to) {
            let changed = diagonal + usize::from(letter != *other);
            diagonal = *above;
            left = changed.min(*above + 1).min(left + 1);
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_found_and_a_far_one_is_not() {
        let words = ["listen", "hosts", "data", "frame_bytes"];
        let found = |word| nearest(word, words.into_iter());
        assert_eq!(found("lisetn"), Some("listen"));
        assert_eq!(found("Frame-Bytes"), Some("frame_bytes"));
        assert_eq!(found("host"), Some("hosts"));
        assert_eq!(found("colour"), None);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
