//! Numbers for tests: xorshift64, the same in every run.

/// Its state, not 0.
pub struct Random(pub u64);

impl Random {
    /// Less than `n`, of every value about as often.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }
}
