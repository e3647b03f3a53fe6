//! Where the head is: the start of the registration and the check of the field of view.

use crate::filter::every;
use crate::morphology::open;
use volume::{Affine, Error, Grid};

/// Part of the 98th percentile above which a voxel belongs to the head.
const HEAD_LEVEL: f32 = 0.2;
/// The neck begins about this far below the highest point, mm.
const HEAD_HEIGHT_MM: f64 = 120.0;
/// Cut surface of the head, mm², that counts as outside the field of view: a plane 5 mm below the scalp of a head of
/// 75 mm radius has 2400 mm². Ears alone stay below it.
const CUT_AREA_MM2: f64 = 2500.0;

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
    let (coarse, shape) = every(image, grid.shape, 2);
    let mask: Vec<bool> = coarse.iter().map(|&v| v > HEAD_LEVEL).collect();
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

/// Refuses a head that the source's field of view cuts at the left, right or superior side.
///
/// # Errors
/// `engine.unsupported_input` (`field of view`).
pub fn check_field_of_view(head: &Head, source: &Grid) -> Result<(), Error> {
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
            // Points are 4 mm apart and the band is 4 mm deep: each stands for 16 mm² of the cut.
            if near.count() as f64 * 16.0 > CUT_AREA_MM2 {
                let message = format!("Cannot analyse volume: head cut at the {side} side");
                return Err(Error::unsupported("field of view", message));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
