//! Random numbers from a seed: the same seed gives the same run for ever.

/// A sequence of numbers that looks random (SplitMix64).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// True once in so many times.
    pub(crate) fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// One of several values, of which there is at least one.
    pub(crate) fn one_of<T: Clone>(&mut self, values: &[T]) -> Option<T> {
        let index = self.below(values.len() as u64);
        values.get(usize::try_from(index).ok()?).cloned()
    }

    /// One of two values.
    pub(crate) fn either<T>(&mut self, one: T, other: T) -> T {
        if self.once_in(2) { one } else { other }
    }
}
