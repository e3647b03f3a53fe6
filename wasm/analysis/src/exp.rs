/// e^x for f32 without the platform's libm, so that native and WebAssembly builds give the same bits.
///
/// # Exactness
/// Relative error below 3e-7 for -87 <= x <= 88; below -87 the result is 0 and above 88 it is e^88. NaN not handled.
///
/// # Source
/// Moshier, Cephes `expf`: reduction by ln 2 in two parts, degree 5 polynomial.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    let clamped = x.clamp(-87.0, 88.0);
    let n = (clamped * std::f32::consts::LOG2_E + 0.5).floor();
    let r = clamped - n * 0.693_359_4 + n * 2.121_944_4e-4;
    let p = ((((1.987_569_1e-4 * r + 1.398_199_9e-3) * r + 8.333_452e-3) * r + 4.166_579_6e-2) * r
        + 1.666_666_6e-1)
        * r
        + 0.500_000_1;
    let y = p * r * r + r + 1.0;
    let scaled = y * f32::from_bits(((n as i32 + 127) as u32) << 23);
    if x < -87.0 {
        0.0
    } else {
        scaled
    }
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
        assert_eq!(exp(-1e4), 0.0);
    }
}
