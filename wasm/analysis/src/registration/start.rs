//! Where the head is: the start of the registration and the check of the field of view.

use crate::numbers::percentile::percentile;
use crate::voxels::filter::subsample;
use crate::voxels::morphology::open;
use crate::voxels::sample::trilinear_zero;
use volume::{Affine, Error, Grid};

/// Part of the 98th percentile above which a voxel belongs to the head.
const HEAD_LEVEL: f32 = 0.2;
/// In a noisy image, so many times the level of the air; at most `MAX_LEVEL`, which scalp and brain exceed.
const OVER_AIR: f32 = 2.4;
const MAX_LEVEL: f32 = 0.3;
/// Part of the grid that an image with air around the head fills.
const WITH_AIR: f64 = 0.4;
/// The neck begins about this far below the highest point, mm.
const HEAD_HEIGHT_MM: f64 = 120.0;
/// Cut surface of the head, mm², that counts as outside the field of view: a plane 5 mm below the scalp of a head of
/// 75 mm radius has 2400 mm². Ears alone stay below it.
const CUT_AREA_MM2: f64 = 2500.0;

/// Lines that look for the skull, their length, and how deep below the surface it lies at most.
const LINES: usize = 400;
const MAX_MM: usize = 140;
const SKULL_WITHIN_MM: usize = 23;
/// Fall and rise of the intensity that is taken for the skull, part of the 98th percentile.
const SKULL_DIP: f32 = 0.15;
/// Part of the lines without a skull above which the brain was extracted.
const BARE: f64 = 0.35;

/// Head points and what the registration starts from, RAS mm.
pub struct Head {
    /// Voxel centres of the opened head mask.
    pub points: Vec<[f64; 3]>,
    /// Highest coordinate.
    pub top: f64,
    /// Mean of the points less than 120 mm below the top.
    pub centre: [f64; 3],
}

/// Finds the head in a 2 mm image divided by its 98th percentile; works at 4 mm.
///
/// # Errors
/// `engine.unsupported_input` (`empty`) when no voxel is bright enough.
pub fn find_head(image: &[f32], grid: &Grid) -> Result<Head, Error> {
    let (coarse, shape) = subsample(image, grid.shape, 2);
    let level = (OVER_AIR * air(&coarse)).clamp(HEAD_LEVEL, MAX_LEVEL);
    let mask: Vec<bool> = coarse.iter().map(|&v| v > level).collect();
    let mut points = Vec::new();
    for (at, _) in open(&mask, shape).iter().enumerate().filter(|(_, &m)| m) {
        let ijk = [at % shape[0], at / shape[0] % shape[1], at / (shape[0] * shape[1])];
        points.push(grid.ras_from_ijk.apply(ijk.map(|v| 2.0 * v as f64)));
    }
    let top = points.iter().map(|p| p[2]).fold(f64::NEG_INFINITY, f64::max);
    let upper: Vec<_> = points.iter().filter(|p| p[2] > top - HEAD_HEIGHT_MM).collect();
    if upper.is_empty() {
        return Err(Error::unsupported("empty", "Cannot find the head: no bright voxels"));
    }
    let centre = [0, 1, 2].map(|a| upper.iter().map(|p| p[a]).sum::<f64>() / upper.len() as f64);
    Ok(Head { points, top, centre })
}

/// Level of the air: the 10th percentile of what is not exactly 0 (padding), for at least a tenth of a volume that holds
/// a whole head is air. 0 when little else than a head is left: an extracted brain has no air.
fn air(image: &[f32]) -> f32 {
    let mut values: Vec<f32> = image.iter().copied().filter(|&v| v > 0.0).collect();
    if (values.len() as f64) < WITH_AIR * image.len() as f64 {
        return 0.0;
    }
    percentile(&mut values, 10.0).map_or(0.0, |level| level as f32)
}

/// Whether the brain was cut out of the head before: on lines from the upper half of the head's surface towards its
/// centre, a whole head shows scalp, then the dark skull, then brain; an extracted brain begins at once.
///
/// # Exactness
/// Lines without a skull: whole heads of two adults and a child 0.00, 0.00 and 0.18; brains extracted by three
/// methods 0.50 to 0.70.
pub fn is_extracted(image: &[f32], grid: &Grid, head: &Head) -> Result<bool, Error> {
    let ijk_from_ras = grid.ras_from_ijk.invert()?;
    let (mut lines, mut bare) = (0, 0);
    for n in 0..LINES {
        // Equal areas of the upper half sphere: heights evenly spaced, the golden angle apart.
        let height = (n as f64 + 0.5) / LINES as f64;
        let (sin, cos) = (std::f64::consts::PI * (1.0 + 5f64.sqrt()) * n as f64).sin_cos();
        let level = (1.0 - height * height).sqrt();
        let direction = [level * cos, level * sin, height];
        let at = |mm: usize| {
            let p = [0, 1, 2].map(|a| head.centre[a] + direction[a] * mm as f64);
            trilinear_zero(image, grid.shape, ijk_from_ras.apply(p)) as f32
        };
        let Some(surface) = (0..MAX_MM).rev().find(|&mm| at(mm) > HEAD_LEVEL) else { continue };
        let depth: Vec<f32> = (surface.saturating_sub(SKULL_WITHIN_MM)..=surface).rev().map(at).collect();
        lines += 1;
        bare += usize::from(deepest_dip(&depth) < SKULL_DIP);
    }
    Ok(f64::from(bare as u32) > BARE * f64::from(lines as u32))
}

/// How far a profile falls below the highest value before and the highest value after, at most.
fn deepest_dip(profile: &[f32]) -> f32 {
    let mut after = profile.to_vec();
    for at in (1..after.len()).rev() {
        after[at - 1] = after[at - 1].max(after[at]);
    }
    let (mut before, mut dip) = (f32::NEG_INFINITY, 0f32);
    for (&v, &after) in profile.iter().zip(&after) {
        dip = dip.max(before.min(after) - v);
        before = before.max(v);
    }
    dip
}

/// Side at which the source's field of view cuts the head (`left`, `right` or `superior`), and the area of the cut, mm².
/// An area that no section of a head has is bright background and no cut.
///
/// # Errors
/// `volume.affine_singular`.
pub fn cut_side(head: &Head, source: &Grid) -> Result<Option<(&'static str, f64)>, Error> {
    let ijk_from_ras: Affine = source.ras_from_ijk.invert()?;
    let spacing = source.ras_from_ijk.spacing_mm();
    for axis in 0..3 {
        let column = [0, 1, 2].map(|r| source.ras_from_ijk.at(r, axis) / spacing[axis]);
        let along = (0..3).max_by(|&a, &b| column[a].abs().total_cmp(&column[b].abs())).unwrap_or(0);
        // Anterior and posterior cuts (nose, headrest) and the neck below do not touch the brain.
        for far in [false, true] {
            let towards_plus = far == (column[along] > 0.0);
            let side = match (along, towards_plus) {
                (0, true) => "right",
                (0, false) => "left",
                (2, true) => "superior",
                _ => continue,
            };
            let last = (source.shape[axis] - 1) as f64;
            let band = 4.0 / spacing[axis];
            let near = head.points.iter().filter(|p| {
                let at = ijk_from_ras.apply(**p)[axis];
                let depth = if far { last - at } else { at };
                (-0.5..band).contains(&depth) && p[2] > head.top - HEAD_HEIGHT_MM
            });
            // Points are 4 mm apart in every direction, and a band may hold one layer of them or two: what is counted is
            // the columns that reach into it, 16 mm² each.
            let across = [(along + 1) % 3, (along + 2) % 3];
            let mut columns: Vec<[i64; 2]> =
                near.map(|p| across.map(|a| ((p[a] - head.points[0][a]) / 4.0).round() as i64)).collect();
            columns.sort_unstable();
            columns.dedup();
            let area = columns.len() as f64 * 16.0;
            if area > CUT_AREA_MM2 && area < NO_HEAD_AREA_MM2 {
                return Ok(Some((side, area)));
            }
        }
    }
    Ok(None)
}

/// Refuses a head of which the field of view cuts any.
///
/// # Errors
/// `engine.unsupported_input` (`field of view`).
pub fn check_field_of_view(head: &Head, source: &Grid) -> Result<(), Error> {
    cut_side(head, source)?.map_or(Ok(()), |(side, _)| Err(cut_error(side)))
}

/// Area of a cut beyond which no registration is tried, mm². What lacks is asked of the affine map; the area alone does not tell
/// it: phantoms that lack .65 and 2.8 % of the brain are cut over 155 and 160 cm², a real head of 3 mm slices that lacks a sliver
/// over 107 cm². A whole section of a head is 220 cm².
const MAX_CUT_AREA_MM2: f64 = 17_500.0;
/// No section of a head is as large: bright background was taken for head, as in extracted brains with values below 0.
const NO_HEAD_AREA_MM2: f64 = 35_000.0;

/// Whether a cut of this area takes more than a sliver of the brain.
pub fn is_deep_cut(area_mm2: f64) -> bool {
    area_mm2 > MAX_CUT_AREA_MM2
}

/// The refusal of a head cut at a side.
pub fn cut_error(side: &str) -> Error {
    Error::unsupported("field of view", format!("Cannot analyse volume: head cut at the {side} side"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::random::Random;

    /// A ball of 75 mm radius in a 1 mm field of view that starts `gap` mm from its left surface.
    fn ball(gap: f64) -> (Head, Grid) {
        let source = Grid::new(
            [200, 200, 200],
            Affine::from_parts([[1., 0., 0.], [0., 1., 0.], [0., 0., 1.]], [-75.0 - gap, -100.0, -100.0]),
        )
        .unwrap();
        let coarse = Grid::new(
            [110, 110, 110],
            Affine::from_parts([[2., 0., 0.], [0., 2., 0.], [0., 0., 2.]], [-110.0, -110.0, -110.0]),
        )
        .unwrap();
        let inside = source.ras_from_ijk.invert().unwrap();
        let image: Vec<f32> = (0..coarse.count())
            .map(|at| {
                let ijk = [at % 110, at / 110 % 110, at / 12100].map(|v| v as f64);
                let p = coarse.ras_from_ijk.apply(ijk);
                let r = p.iter().map(|v| v * v).sum::<f64>().sqrt();
                let in_view = inside.apply(p).iter().all(|&v| (0.0..200.0).contains(&v));
                if r < 75.0 && in_view {
                    1.0
                } else {
                    0.0
                }
            })
            .collect();
        (find_head(&image, &coarse).unwrap(), source)
    }

    #[test]
    fn find_head_takes_no_noise_for_head() {
        let grid = Grid::new(
            [80, 80, 80],
            Affine::from_parts([[2., 0., 0.], [0., 2., 0.], [0., 0., 2.]], [-80.0, -80.0, -80.0]),
        )
        .unwrap();
        let mut random = Random::new(3);
        // air up to a quarter of the head's brightness, brighter towards one side as a coil makes it
        let image: Vec<f32> = (0..grid.count())
            .map(|at| {
                let p = grid.ras_from_ijk.apply([at % 80, at / 80 % 80, at / 6400].map(|v| v as f64));
                let noise = 0.14 + 0.03 * random.unit() as f32 + 0.0005 * p[0] as f32;
                if p.iter().map(|v| v * v).sum::<f64>() < 55.0 * 55.0 {
                    0.8
                } else {
                    noise
                }
            })
            .collect();
        let head = find_head(&image, &grid).unwrap();
        let far = head.points.iter().filter(|p| p.iter().map(|v| v * v).sum::<f64>().sqrt() > 57.0).count();
        assert!(
            image.iter().filter(|&&v| v > HEAD_LEVEL && v < 0.5).count() > 1000,
            "the noise must pass 0.2"
        );
        assert_eq!(far, 0);
    }

    #[test]
    fn find_head_gives_top_and_centre() {
        let (head, _) = ball(10.0);
        assert!((head.top - 74.0).abs() <= 4.0);
        assert!(head.centre[0].abs() < 1.0 && head.centre[1].abs() < 1.0);
        assert!(find_head(&[0.0; 512], &Grid::new([8; 3], Affine::IDENTITY).unwrap()).is_err());
    }

    #[test]
    fn check_field_of_view_refuses_a_cut_head_only() {
        let (head, source) = ball(10.0);
        assert!(check_field_of_view(&head, &source).is_ok());
        let (head, source) = ball(-12.0);
        assert_eq!(check_field_of_view(&head, &source).unwrap_err().reason(), "field of view");
    }

    #[test]
    fn cut_side_takes_a_bright_background_for_no_cut() {
        let axes = [[1., 0., 0.], [0., 1., 0.], [0., 0., 1.]];
        let source = Grid::new([220, 220, 160], Affine::from_parts(axes, [0.0; 3])).unwrap();
        let filled = |side: usize| {
            let at = |n: usize| [4.0 * (n % side) as f64, 4.0 * (n / side % side) as f64, 156.0];
            Head { points: (0..side * side).map(at).collect(), top: 159.0, centre: [0.0; 3] }
        };
        assert_eq!(cut_side(&filled(30), &source).unwrap(), Some(("superior", 14_400.0)));
        assert_eq!(cut_side(&filled(55), &source).unwrap(), None);
    }

    #[test]
    fn cut_side_measures_the_same_cut_in_thin_and_thick_slices_and_wherever_the_points_lie() {
        for start in [100.0, 101.3, 102.6, 103.9] {
            // a body of 100 mm by 120 mm up to the last slice of 1 or 3 mm, points 4 mm apart
            let at = |n: usize| [[n % 25, n / 25 % 30, n / 750], [20, 20, 0]];
            let points: Vec<[f64; 3]> = (0..25 * 30 * 15)
                .map(at)
                .map(|[p, o]| {
                    [0, 1, 2].map(|a| 4.0 * p[a] as f64 + o[a] as f64 + if a == 2 { start } else { 0.0 })
                })
                .filter(|p| p[2] < 160.0)
                .collect();
            let top = points.iter().map(|p| p[2]).fold(0.0, f64::max);
            let head = Head { points, top, centre: [0.0; 3] };
            for (slices, thickness) in [(160, 1.0), (53, 3.0)] {
                let axes = [[1., 0., 0.], [0., 1., 0.], [0., 0., thickness]];
                let first = 160.0 - thickness * (slices as f64 - 0.5);
                let source =
                    Grid::new([220, 220, slices], Affine::from_parts(axes, [0.0, 0.0, first])).unwrap();
                assert_eq!(cut_side(&head, &source).unwrap(), Some(("superior", 12_000.0)), "{start}");
            }
        }
    }

    #[test]
    fn is_deep_cut_leaves_a_sliver_to_the_affine_map_and_refuses_a_section_of_the_head() {
        // phantoms that lack .65 and 2.8 % of the brain: their areas do not tell them apart, the affine map does
        assert!(!is_deep_cut(15_520.0) && !is_deep_cut(16_016.0));
        assert!(is_deep_cut(22_000.0));
    }

    /// Shells of a brain (to 65 mm), fluid and skull (to 75 mm) and scalp (to 82 mm) at 2 mm.
    fn shells(is_whole: bool) -> (Vec<f32>, Grid) {
        let axes = [[2., 0., 0.], [0., 2., 0.], [0., 0., 2.]];
        let grid = Grid::new([100; 3], Affine::from_parts(axes, [-100.0; 3])).unwrap();
        let mut random = Random::new(81);
        let image = (0..grid.count()).map(|at| {
            let p = [at % 100, at / 100 % 100, at / 10_000].map(|v| 2.0 * v as f64 - 100.0);
            let r = p.iter().map(|v| v * v).sum::<f64>().sqrt();
            let value = match r {
                r if r < 65.0 => 0.8,
                r if r < 75.0 && is_whole => 0.15,
                r if r < 82.0 && is_whole => 1.0,
                _ => 0.02,
            };
            value + 0.05 * random.unit() as f32
        });
        (image.collect(), grid)
    }

    #[test]
    fn is_extracted_tells_a_bare_brain_from_a_head() {
        for is_whole in [true, false] {
            let (image, grid) = shells(is_whole);
            let head = find_head(&image, &grid).unwrap();
            assert_eq!(is_extracted(&image, &grid, &head).unwrap(), !is_whole);
        }
    }

    #[test]
    fn deepest_dip_agrees_with_all_triples() {
        let mut random = Random::new(82);
        for n in [1, 2, 3, 24] {
            let profile: Vec<f32> = (0..n).map(|_| random.unit() as f32).collect();
            let mut want = 0f32;
            for at in 0..n {
                for (before, after) in (0..at).flat_map(|b| (at..n).map(move |a| (b, a))) {
                    want = want.max(profile[before].min(profile[after]) - profile[at]);
                }
            }
            assert_eq!(deepest_dip(&profile), want);
        }
    }
}
