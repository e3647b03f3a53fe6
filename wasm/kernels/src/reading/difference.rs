//! What is brighter or darker now than then.

/// Bytes from here on are head, not air.
const HEAD_FROM: u8 = 25;
/// Of so many voxels one is looked at for the levels.
const STEP: usize = 7;

/// Sums over voxels that are head in both volumes.
#[derive(Clone, Copy, Default)]
pub struct Sums {
    voxels: u64,
    now: [u64; 2],
    then: [u64; 2],
}

impl Sums {
    /// Adds part of both volumes.
    pub fn add(&mut self, now: &[u8], then: &[u8]) {
        for (&now, &then) in now.iter().zip(then).step_by(STEP) {
            if now >= HEAD_FROM && then >= HEAD_FROM {
                let (now, then) = (u64::from(now), u64::from(then));
                self.voxels += 1;
                self.now = [self.now[0] + now, self.now[1] + now * now];
                self.then = [self.then[0] + then, self.then[1] + then * then];
            }
        }
    }

    /// Mean and variance, the variance of one byte at least.
    fn level(&self, [sum, squares]: [u64; 2]) -> [f64; 2] {
        if self.voxels == 0 {
            return [0.0, 1.0];
        }
        let n = self.voxels as f64;
        let mean = sum as f64 / n;
        [mean, (squares as f64 / n - mean * mean).max(1.0)]
    }

    /// `then` byte by byte as bright as `now`: both have one mean and spread.
    pub fn matched(&self) -> [f32; 256] {
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        use crate::floats::Single;
        let ([now, now_spread], [then, then_spread]) = (self.level(self.now), self.level(self.then));
        let gain = ((now_spread / then_spread) as f32).sqrt();
        core::array::from_fn(|byte| now as f32 + gain * (byte as f32 - then as f32))
    }
}

/// 128 where both are alike, up to 255 where `now` is brighter, down to 1 where it is darker, 0 outside of the head.
///
/// # Panics
/// When the three are not of one length.
///
/// # Exactness
/// Within 1 of `naive` (rounding of f32).
pub fn difference(now: &[u8], then: &[u8], matched: &[f32; 256], out: &mut [u8]) {
    assert!(now.len() == then.len() && now.len() == out.len());
    for ((&now, &then), out) in now.iter().zip(then).zip(out) {
        let is_air = now < HEAD_FROM && then < HEAD_FROM;
        let away = f32::from(now) - matched[usize::from(then)];
        *out = if is_air { 0 } else { ((128.5 + away) as u8).max(1) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// By the definition, in f64.
    fn naive(now: &[u8], then: &[u8]) -> Vec<u8> {
        let seen: Vec<(f64, f64)> = (0..now.len())
            .step_by(7)
            .filter(|&v| now[v] >= 25 && then[v] >= 25)
            .map(|v| (now[v].into(), then[v].into()))
            .collect();
        let n = seen.len().max(1) as f64;
        let level = |of: fn(&(f64, f64)) -> f64| {
            let mean = seen.iter().map(of).sum::<f64>() / n;
            (mean, (seen.iter().map(|pair| (of(pair) - mean).powi(2)).sum::<f64>() / n).max(1.0).sqrt())
        };
        let ((a, sa), (b, sb)) = (level(|pair| pair.0), level(|pair| pair.1));
        now.iter()
            .zip(then)
            .map(|(&x, &y)| {
                if x < 25 && y < 25 {
                    return 0;
                }
                let away = f64::from(x) - (a + sa / sb * (f64::from(y) - b));
                (128.0 + away).round().clamp(1.0, 255.0) as u8
            })
            .collect()
    }

    #[test]
    fn difference_equals_its_definition() {
        let mut random = Random(3);
        for _ in 0..20 {
            let then: Vec<u8> = (0..3000).map(|_| random.below(200) as u8).collect();
            let now: Vec<u8> =
                then.iter().map(|&v| (usize::from(v) * 6 / 5 + random.below(12)) as u8).collect();
            let mut sums = Sums::default();
            // parts that begin at a multiple of the step
            sums.add(&now[..1400], &then[..1400]);
            sums.add(&now[1400..], &then[1400..]);
            let mut out = vec![9; 3000];
            difference(&now, &then, &sums.matched(), &mut out);
            for (got, wanted) in out.iter().zip(naive(&now, &then)) {
                assert!(got.abs_diff(wanted) <= 1, "{got} {wanted}");
            }
        }
    }

    #[test]
    fn difference_sees_what_changed_and_not_that_one_image_is_brighter() {
        let mut now: Vec<u8> = (0..7000).map(|v| if v < 2000 { 0 } else { 60 + (v % 90) as u8 }).collect();
        let then: Vec<u8> =
            now.iter().map(|&v| if v == 0 { 0 } else { (f64::from(v) * 1.2 + 10.0).round() as u8 }).collect();
        let shown = |now: &[u8]| {
            let (mut sums, mut out) = (Sums::default(), vec![0; now.len()]);
            sums.add(now, &then);
            difference(now, &then, &sums.matched(), &mut out);
            out
        };
        assert!(shown(&now).iter().all(|&v| v == 0 || v.abs_diff(128) < 4));
        (now[3000], now[3001]) = (240, 0);
        let out = shown(&now);
        assert!(out[3000] > 200 && out[3001] < 80 && out[100] == 0);
        let mut nothing = [1];
        difference(&[0], &[0], &Sums::default().matched(), &mut nothing);
        assert_eq!(nothing, [0]);
    }
}
