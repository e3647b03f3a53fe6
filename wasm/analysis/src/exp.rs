/// e^x for f32 without the platform's libm, so that native and WebAssembly builds give the same bits.
///
/// # Exactness
/// Relative error below 3e-7 for -87 <= x <= 88; the argument is clamped to that range. NaN not handled.
///
/// # Source
/// Moshier, Cephes `expf`: reduction by ln 2 in two parts, degree 5 polynomial.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    // Comparisons instead of `clamp`: one vector instruction each.
    let x = if x > -87.0 { x } else { -87.0 };
    let x = if x < 88.0 { x } else { 88.0 };
    // Adding 1.5 * 2^23 rounds to a whole number and leaves it in the low bits of the mantissa.
    const ROUND: f32 = 12_582_912.0;
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = x - n * 0.693_359_4 + n * 2.121_944_4e-4;
    let p = ((((1.987_569_1e-4 * r + 1.398_199_9e-3) * r + 8.333_452e-3) * r + 4.166_579_6e-2) * r
        + 1.666_666_6e-1)
        * r
        + 0.500_000_1;
    let y = p * r * r + r + 1.0;
    y * f32::from_bits((shifted.to_bits() << 23).wrapping_add(127 << 23))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_agrees_with_f64_over_its_range() {
        for step in -8700..8800 {
            let x = step as f32 * 0.01;
            let want = f64::from(x).exp();
            assert!((f64::from(exp(x)) / want - 1.0).abs() < 3e-7, "x = {x}");
        }
        assert_eq!((exp(-1e4), exp(1e4)), (exp(-87.0), exp(88.0)));
    }
}
