//! Ghosts of a head that moved while it was measured: the head repeated along the phase direction, in front of itself.

use crate::registration::view::View;
use crate::voxels::conform::{Conformed, SIDE};
use volume::{Error, Grid};

/// Every second voxel along each axis is looked at.
const STEP: usize = 2;
const COARSE: usize = SIDE / STEP;
/// Part of the brightness of the head, see `brightness`, above which a voxel belongs to it.
const HEAD_LEVEL: f64 = 0.25;
/// Lines with fewer bright voxels do not count as crossing the head; the scalp's blur lies within so many voxels of it.
const MIN_ON_LINE: usize = 12;
const MARGIN: usize = 4;
const MIN_AIR_VOXELS: u64 = 1000;
/// So far inside the field of view, mm: half of a usual voxel, beyond the centre of whose outermost the conformed volume is 0.
const INSIDE_MM: f64 = 0.5;

/// How much brighter the air beside the head is than air that no line through the head reaches, part of the head's
/// brightness: the largest of the three axes. Noise is the same everywhere in the scan; what lies outside of its field of
/// view is 0 without being air, and is not looked at.
///
/// Good images gave 0 to .015, mild motion .003 to .024, motion that cost a quarter of the Dice or more .023 to .042
/// (docs/accuracy.md). 0 where the air was zeroed, as around an extracted brain, or none is left.
///
/// # Errors
/// `volume.affine_singular`.
pub fn ghosting(conformed: &Conformed, source: &Grid) -> Result<f64, Error> {
    let image = Coarse::new(conformed, source)?;
    let head = brightness(&image.voxels);
    if head == 0.0 {
        return Ok(0.0);
    }
    let found = (0..3).map(|axis| image.along(axis, HEAD_LEVEL * head));
    Ok(found.fold(0.0, f64::max) / head)
}

/// Mean and count of voxels.
#[derive(Default)]
struct Air {
    sum: u64,
    count: u64,
}

impl Air {
    fn add(&mut self, value: u8) {
        self.sum += u64::from(value);
        self.count += 1;
    }

    fn mean(&self) -> f64 {
        self.sum as f64 / self.count as f64
    }
}

/// Every second voxel of the conformed volume, i fastest.
struct Coarse {
    voxels: Vec<u8>,
    /// inside the scan's field of view
    is_seen: Vec<bool>,
}

impl Coarse {
    fn new(conformed: &Conformed, source: &Grid) -> Result<Self, Error> {
        let (view, ras_from_ijk) = (View::new(source)?, conformed.grid.ras_from_ijk);
        let at = |v: usize| [v % COARSE, v / COARSE % COARSE, v / (COARSE * COARSE)].map(|c| STEP * c);
        let places = || (0..COARSE.pow(3)).map(at);
        let is_seen = |ijk: [usize; 3]| view.holds(ras_from_ijk.apply(ijk.map(|c| c as f64)), INSIDE_MM);
        Ok(Self {
            voxels: places().map(|[i, j, k]| conformed.voxels[i + SIDE * (j + SIDE * k)]).collect(),
            is_seen: places().map(is_seen).collect(),
        })
    }

    /// Mean of the air on lines through the head less that on lines that miss it, along one axis.
    fn along(&self, axis: usize, level: f64) -> f64 {
        let steps = [1, COARSE, COARSE * COARSE];
        let (step, [u, v]) = (steps[axis], [steps[(axis + 1) % 3], steps[(axis + 2) % 3]]);
        let (mut beside, mut apart) = (Air::default(), Air::default());
        for line in 0..COARSE * COARSE {
            let from = line % COARSE * u + line / COARSE * v;
            let value = |n: usize| self.voxels[from + n * step];
            let is_bright = |n: &usize| f64::from(value(*n)) > level;
            let seen = (0..COARSE).filter(|&n| self.is_seen[from + n * step]);
            let bright = (0..COARSE).filter(is_bright).count();
            let Some(first) = (0..COARSE).find(is_bright) else {
                seen.for_each(|n| apart.add(value(n)));
                continue;
            };
            let last = (0..COARSE).rev().find(is_bright).unwrap_or(first);
            if bright < MIN_ON_LINE {
                continue;
            }
            seen.filter(|n| n + MARGIN < first || *n > last + MARGIN).for_each(|n| beside.add(value(n)));
        }
        if beside.count < MIN_AIR_VOXELS || apart.count < MIN_AIR_VOXELS {
            return 0.0;
        }
        beside.mean() - apart.mean()
    }
}

/// Upper quartile of what is brighter than the mean of the voxels that are not 0: about that of white matter.
fn brightness(voxels: &[u8]) -> f64 {
    let mut counts = [0u64; 256];
    voxels.iter().for_each(|&value| counts[usize::from(value)] += 1);
    let total: u64 = counts.iter().zip(0..).map(|(count, value)| count * value).sum();
    let mean = total as f64 / (voxels.len() as u64 - counts[0]).max(1) as f64;
    let is_bright = |value: usize| value as f64 > mean;
    let bright: u64 = (0..256).filter(|&value| is_bright(value)).map(|value| counts[value]).sum();
    let wanted = 0.75 * bright as f64;
    let mut seen = 0;
    let quartile = (0..256).filter(|&value| is_bright(value)).find(|&value| {
        seen += counts[value];
        seen as f64 >= wanted
    });
    if bright == 0 {
        0.0
    } else {
        quartile.unwrap_or(0) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::random::Random;
    use crate::voxels::conform::conformed_around;

    /// A ball of brightness 100 in air of brightness 4 to 7, repeated along one axis with a part of its brightness.
    fn ball(axis: usize, part: f64) -> Vec<u8> {
        let mut random = Random::new(5);
        (0..SIDE.pow(3))
            .map(|v| {
                let p = [v % SIDE, v / SIDE % SIDE, v / (SIDE * SIDE)].map(|c| c as i64 - 128);
                let aside = p.iter().map(|c| c * c).sum::<i64>() - p[axis] * p[axis];
                let is_in = |shift: i64| aside + (p[axis] - shift).pow(2) < 70 * 70;
                let air = 4.0 + random.below(4) as f64;
                let ghost = if is_in(100) || is_in(-100) { 100.0 * part } else { 0.0 };
                if is_in(0) {
                    100
                } else {
                    (air + ghost) as u8
                }
            })
            .collect()
    }

    /// By definition: every voxel of air asks its line.
    fn naive(conformed: &[u8], level: f64, axis: usize) -> f64 {
        let value = |p: [usize; 3]| conformed[2 * p[0] + SIDE * (2 * p[1] + SIDE * 2 * p[2])];
        let (mut beside, mut apart) = (Vec::new(), Vec::new());
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for a in 0..128 {
            for b in 0..128 {
                let place = |n: usize| {
                    let mut p = [0; 3];
                    (p[axis], p[u], p[v]) = (n, a, b);
                    value(p)
                };
                let bright: Vec<usize> = (0..128).filter(|&n| f64::from(place(n)) > level).collect();
                let far = |n: usize| bright.iter().all(|&m| n.abs_diff(m) > 4);
                let inside = |n: usize| bright.iter().any(|&m| m < n) && bright.iter().any(|&m| m > n);
                if bright.is_empty() {
                    apart.extend((0..128).map(place));
                } else if bright.len() >= 12 {
                    beside.extend((0..128).filter(|&n| far(n) && !inside(n)).map(place));
                }
            }
        }
        let mean = |air: &[u8]| air.iter().map(|&v| f64::from(v)).sum::<f64>() / air.len() as f64;
        mean(&beside) - mean(&apart)
    }

    /// A conformed volume and the scan that it was, which fills it.
    fn whole(voxels: Vec<u8>) -> (Conformed, Grid) {
        let grid = conformed_around([0.0; 3]);
        (Conformed { voxels, grid }, grid)
    }

    fn found(voxels: Vec<u8>) -> f64 {
        let (conformed, source) = whole(voxels);
        ghosting(&conformed, &source).unwrap()
    }

    #[test]
    fn ghosting_sees_a_head_repeated_along_any_axis_and_none_in_noise_alone() {
        assert!(found(ball(0, 0.0)) < 0.002);
        for axis in 0..3 {
            let image = ball(axis, 0.1);
            let want = (0..3).map(|axis| naive(&image, 25.0, axis)).fold(0.0, f64::max) / 100.0;
            let found = found(image);
            assert!(found > 0.02 && found < 0.1, "axis {axis}: {found}");
            assert!((found - want).abs() < 1e-12, "axis {axis}: {found}, {want}");
        }
    }

    #[test]
    fn ghosting_is_none_where_a_scan_of_noise_ends_before_the_conformed_volume_does() {
        let (mut conformed, mut source) = whole(ball(0, 0.0));
        // 176 sagittal slices in the middle
        let low = 40;
        source.shape[0] = 176;
        let origin = source.ras_from_ijk.apply([low as f64, 0.0, 0.0]);
        source.ras_from_ijk.0[12..15].copy_from_slice(&origin);
        for (v, value) in conformed.voxels.iter_mut().enumerate() {
            if !(low..low + 176).contains(&(v % SIDE)) {
                *value = 0;
            }
        }
        let found = ghosting(&conformed, &source).unwrap();
        assert!(found < 0.002, "{found}");
    }

    #[test]
    fn ghosting_is_0_where_no_air_is_left_to_look_at() {
        assert_eq!(found(vec![0; SIDE.pow(3)]), 0.0);
        assert_eq!(found(vec![90; SIDE.pow(3)]), 0.0);
    }
}
