//! Edges waiting to be collapsed, nearly in the order of their costs, in constant time.

/// Bits of a positive f32 that are kept: the exponent and five of the mantissa, steps of at most 1 part in 32.
const DROPPED_BITS: u32 = 18;
const BUCKETS: usize = 1 << (31 - DROPPED_BITS);

/// An edge that may be collapsed. `stamp` is the sum of its ends' stamps when it was put in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    pub ends: [u32; 2],
    pub stamp: u32,
}

/// A priority queue over costs rounded to about 3 %. Of candidates with the same rounded cost the last one put in comes
/// first, so the order depends on the calls alone.
pub struct Queue {
    buckets: Vec<Vec<Candidate>>,
    /// No bucket before this one holds anything.
    lowest: usize,
}

impl Queue {
    pub fn new() -> Self {
        Self { buckets: vec![Vec::new(); BUCKETS], lowest: BUCKETS }
    }

    /// `cost` must not be negative; infinity and NaN come last.
    pub fn push(&mut self, cost: f64, candidate: Candidate) {
        let bucket = ((cost as f32).to_bits() >> DROPPED_BITS) as usize % BUCKETS;
        self.buckets[bucket].push(candidate);
        self.lowest = self.lowest.min(bucket);
    }

    /// One of the cheapest.
    pub fn pop(&mut self) -> Option<Candidate> {
        while self.lowest < BUCKETS {
            if let Some(candidate) = self.buckets[self.lowest].pop() {
                return Some(candidate);
            }
            self.buckets[self.lowest] = Vec::new();
            self.lowest += 1;
        }
        None
    }
}

impl Default for Queue {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::random::Random;

    #[test]
    fn pop_gives_the_cheapest_to_3_percent() {
        let mut random = Random::new(371);
        let mut queue = Queue::new();
        let mut waiting: Vec<(f64, u32)> = Vec::new();
        let mut number = 0;
        for _ in 0..20_000 {
            if random.unit() < 0.55 {
                let cost = [0.0, random.unit(), 1e-9 * random.unit(), 1e6 * random.unit()][random.below(4)];
                queue.push(cost, Candidate { ends: [number, number + 1], stamp: 7 });
                waiting.push((cost, number));
                number += 1;
            } else if let Some(candidate) = queue.pop() {
                let at = waiting.iter().position(|&(_, n)| n == candidate.ends[0]).unwrap();
                let (cost, _) = waiting.swap_remove(at);
                let least = waiting.iter().fold(f64::INFINITY, |least, &(c, _)| least.min(c));
                assert!(cost <= least * (1.0 + 1.0 / 32.0) && candidate.stamp == 7);
            } else {
                assert!(waiting.is_empty());
            }
        }
        let mut rest = 0;
        while queue.pop().is_some() {
            rest += 1;
        }
        assert_eq!(rest, waiting.len());
    }

    #[test]
    fn pop_gives_the_last_of_equal_ones_first() {
        let mut queue = Queue::new();
        (0..3).for_each(|n| queue.push(2.0, Candidate { ends: [n, 9], stamp: 0 }));
        let order: Vec<u32> = std::iter::from_fn(|| queue.pop()).map(|c| c.ends[0]).collect();
        assert_eq!(order, [2, 1, 0]);
    }
}
