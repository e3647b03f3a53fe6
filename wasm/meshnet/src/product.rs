//! Products of rows of factors with a matrix of weights, in blocks that stay in registers.

use crate::winograd::{Row, LANES};

/// Rows of factors in a block. Five rows of two vectors leave registers for the operands.
pub const ROWS: usize = 5;
/// Outputs in a block.
pub const COLUMNS: usize = 8;

/// Inputs in one turn of the inner loop.
const UNROLLED: usize = 6;

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
        // Several inputs at a time: WebAssembly engines check for interruption at the head of every loop.
        let steps = weights.chunks_exact(UNROLLED);
        let rest = steps.remainder();
        for (step, weights) in steps.enumerate() {
            let first = step * UNROLLED % LANES;
            for k in 0..UNROLLED {
                add(&mut sums, factors, tap, first + k, &weights[k]);
            }
        }
        let first = inputs - rest.len();
        for (k, weights) in rest.iter().enumerate() {
            add(&mut sums, factors, tap, first + k, weights);
        }
    }
    sums
}

#[inline(always)]
fn add<const TAPS: usize>(
    sums: &mut [Columns; ROWS],
    factors: &[[Row; TAPS]; ROWS],
    tap: usize,
    input: usize,
    weights: &Columns,
) {
    for r in 0..ROWS {
        let factor = factors[r][tap][input % LANES];
        for l in 0..COLUMNS {
            sums[r][l] += factor * weights[l];
        }
    }
}
