//! Who comes after whom.

/// Orders of so many, a new one each round and the same ones in every run.
pub(crate) struct Turns {
    order: Vec<usize>,
    state: u64,
}

impl Turns {
    pub(crate) fn of(count: usize) -> Self {
        Self { order: (0..count).collect(), state: 0x9e37_79b9_7f4a_7c15 }
    }

    /// The next round's order.
    pub(crate) fn next(&mut self) -> &[usize] {
        for at in (1..self.order.len()).rev() {
            let other = self.below(at + 1);
            self.order.swap(at, other);
        }
        &self.order
    }

    /// A number below a bound, by a shift register.
    fn below(&mut self, bound: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        usize::try_from(self.state >> 33).unwrap() % bound
    }
}
