//! A search for a sequence of numbers, by the failure table of Knuth, Morris
//! and Pratt: one pass, however repetitive the stream is.

/// A search for one sequence of numbers in a stream of them.
pub(crate) struct Search {
    pattern: Vec<usize>,
    /// For each length of a matched front: the longest shorter front that also
    /// ends there.
    shorter: Vec<usize>,
    matched: usize,
}

impl Search {
    /// Looks for `pattern`, which is not empty.
    pub(crate) fn new(pattern: Vec<usize>) -> Self {
        let mut shorter = vec![0; pattern.len() + 1];
        let mut length = 0;
        for (index, number) in pattern.iter().enumerate().skip(1) {
            while length > 0 && pattern.get(length) != Some(number) {
                length = shorter.get(length).copied().unwrap_or(0);
            }
            if pattern.get(length) == Some(number) {
                length += 1;
            }
            if let Some(slot) = shorter.get_mut(index + 1) {
                *slot = length;
            }
        }
        Self { pattern, shorter, matched: 0 }
    }

    /// How long the sequence is.
    pub(crate) fn len(&self) -> usize {
        self.pattern.len()
    }

    /// Whether nothing of the sequence has matched so far.
    pub(crate) fn is_idle(&self) -> bool {
        self.matched == 0
    }

    /// The number that would continue the match.
    pub(crate) fn next(&self) -> Option<usize> {
        self.pattern.get(self.matched).copied()
    }

    /// Takes the next number; true when the pattern ends with it. The next
    /// match begins behind it.
    pub(crate) fn step(&mut self, number: Option<usize>) -> bool {
        let Some(number) = number else {
            self.matched = 0;
            return false;
        };
        while self.matched > 0 && self.pattern.get(self.matched) != Some(&number) {
            self.matched = self.shorter.get(self.matched).copied().unwrap_or(0);
        }
        if self.pattern.get(self.matched) == Some(&number) {
            self.matched += 1;
        }
        if self.matched < self.pattern.len() {
            return false;
        }
        self.matched = 0;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sequence_is_found_where_a_naive_search_finds_it() {
        // All streams and patterns of two numbers, up to a length.
        for stream_bits in 0..1_usize << 9 {
            let stream: Vec<usize> = (0..9).map(|bit| stream_bits >> bit & 1).collect();
            for (length, bits) in
                (1..=4).flat_map(|len| (0..1_usize << len).map(move |bits| (len, bits)))
            {
                let pattern: Vec<usize> = (0..length).map(|bit| bits >> bit & 1).collect();
                let mut search = Search::new(pattern.clone());
                let ends: Vec<usize> =
                    (0..stream.len()).filter(|at| search.step(Some(stream[*at]))).collect();
                let mut naive = Vec::new();
                let mut at = 0;
                while at + length <= stream.len() {
                    if stream[at..at + length] == pattern[..] {
                        naive.push(at + length - 1);
                        at += length;
                    } else {
                        at += 1;
                    }
                }
                assert_eq!(ends, naive, "{pattern:?} in {stream:?}");
            }
        }
    }

    #[test]
    fn a_gap_ends_every_match_that_had_begun() {
        let mut search = Search::new(vec![1, 1]);
        assert!(!search.step(Some(1)));
        assert!(!search.step(None));
        assert!(!search.step(Some(1)));
        assert!(search.step(Some(1)));
    }
}
