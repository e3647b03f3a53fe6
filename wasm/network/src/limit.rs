//! How fast this machine multiplies and adds in registers: what a convolution could reach at most, for the benchmark.

/// Chains of products and sums that do not wait for each other, and values of each.
const CHAINS: usize = 12;
const LANES: usize = 4;
/// Steps of every chain in one turn of the loop.
const UNROLLED: usize = 8;

/// Operations of one round.
pub const OPERATIONS: f64 = (2 * CHAINS * LANES * UNROLLED) as f64;

/// Multiplies and adds in all chains, `rounds` times; gives a number that depends on all of them.
pub fn multiply_and_add(rounds: u32, factor: f32) -> f32 {
    let mut chains = [[1f32; LANES]; CHAINS];
    for round in 0..rounds {
        let term = round as f32 * 1e-9;
        for _ in 0..UNROLLED {
            for chain in &mut chains {
                for value in chain {
                    *value = *value * factor + term;
                }
            }
        }
    }
    chains.as_flattened().iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiply_and_add_does_every_step() {
        let mut value = 1f32;
        for round in 0..5 {
            (0..UNROLLED).for_each(|_| value = value * 0.99 + round as f32 * 1e-9);
        }
        let want = value * (CHAINS * LANES) as f32;
        assert!((multiply_and_add(5, 0.99) - want).abs() < 1e-4 * want);
    }
}
