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
        accumulate(&mut sums, factors.each_ref().map(|row| &row[tap][..inputs]), weights);
    }
    sums
}

/// Adds the sum over the inputs of `factors[row][input] * weights[input]` to the sums of one block of outputs; as many
/// factors in each row as there are weights.
#[inline(always)]
pub fn accumulate(sums: &mut [Columns; ROWS], factors: [&[f32]; ROWS], weights: &[Columns]) {
    let factors = factors.map(|row| &row[..weights.len()]);
    // Several inputs at a time: WebAssembly engines check for interruption at the head of every loop.
    let steps = weights.chunks_exact(UNROLLED);
    let rest = steps.remainder();
    for (step, weights) in steps.enumerate() {
        let factors = factors.map(|row| &row[step * UNROLLED..][..UNROLLED]);
        for k in 0..UNROLLED {
            add(sums, factors.map(|row| row[k]), &weights[k]);
        }
    }
    let first = weights.len() - rest.len();
    for (k, weights) in rest.iter().enumerate() {
        add(sums, factors.map(|row| row[first + k]), weights);
    }
}

#[inline(always)]
fn add(sums: &mut [Columns; ROWS], factors: [f32; ROWS], weights: &Columns) {
    for r in 0..ROWS {
        for l in 0..COLUMNS {
            sums[r][l] += factors[r] * weights[l];
        }
    }
}
