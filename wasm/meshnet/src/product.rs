//! Products of rows of factors with a matrix of weights, in blocks that stay in registers.

use crate::winograd::{Row, LANES};

/// Rows of factors in a block. Five rows of two vectors leave registers for the operands.
pub const ROWS: usize = 5;
/// Outputs in a block.
pub const COLUMNS: usize = 8;

/// Weights by block of outputs, input and output: `[block][input][COLUMNS]`.
pub type Columns = [f32; COLUMNS];

/// Sums over the inputs of `factors[row][input] * weights[input]` for one block of outputs. `TAPS` groups of `inputs`
/// inputs; each group of factors begins on a row of its own.
#[inline(always)]
pub fn block<const TAPS: usize>(
    factors: &[[Row; TAPS]; ROWS],
    weights: &[Columns],
    inputs: usize,
) -> [Columns; ROWS] {
    let mut sums = [[0f32; COLUMNS]; ROWS];
    let inputs = inputs.min(LANES);
    for (tap, weights) in weights.chunks_exact(inputs).take(TAPS).enumerate() {
        for (k, w) in weights.iter().enumerate() {
            for r in 0..ROWS {
                let factor = factors[r][tap][k % LANES];
                for l in 0..COLUMNS {
                    sums[r][l] += factor * w[l];
                }
            }
        }
    }
    sums
}
