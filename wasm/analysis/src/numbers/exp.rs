//! Exponential and logarithm of our own, so that native and WebAssembly builds give the same bits.

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

/// Natural logarithm of a normal f32 above zero, without the platform's libm.
///
/// # Exactness
/// Within 2e-7 of the value or of 1, whichever is larger. Zero, subnormal and negative numbers not handled.
///
/// # Source
/// Moshier, Cephes `logf`: mantissa in sqrt(1/2)..sqrt(2), degree 9 polynomial.
#[inline(always)]
pub fn ln(x: f32) -> f32 {
    let bits = x.to_bits();
    let half = f32::from_bits(bits & 0x7f_ffff | 0x3f00_0000);
    let is_low = half < std::f32::consts::FRAC_1_SQRT_2;
    let e = ((bits >> 23) as i32 - if is_low { 127 } else { 126 }) as f32;
    let m = if is_low { half + half - 1.0 } else { half - 1.0 };
    let z = m * m;
    let p = (((7.037_683_6e-2 * m - 1.151_461e-1) * m + 1.167_699_9e-1) * m - 1.242_014_1e-1) * m;
    let p = (((p + 1.424_932_3e-1) * m - 1.666_805_7e-1) * m + 2.000_071_5e-1) * m - 2.499_999_4e-1;
    let y = (p * m + 3.333_333e-1) * m * z - 2.121_944_4e-4 * e - 0.5 * z;
    m + y + 0.693_359_4 * e
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

    #[test]
    fn ln_agrees_with_f64_over_its_range() {
        for step in 1..200_000 {
            let x = exp(step as f32 * 8.7e-4 - 87.0);
            let want = f64::from(x).ln();
            assert!((f64::from(ln(x)) - want).abs() < 2e-7 * want.abs().max(1.0), "x = {x}");
        }
        assert_eq!(ln(1.0), 0.0);
    }
}
