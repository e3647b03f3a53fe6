//! What of a head its field of view shows.

use volume::{Affine, Error, Grid};

/// The field of view of a series.
pub struct View {
    ijk_from_ras: Affine,
    shape: [f64; 3],
    spacing_mm: [f64; 3],
    middle_mm: [f64; 3],
}

impl View {
    /// # Errors
    /// `volume.affine_singular`.
    pub fn new(source: &Grid) -> Result<Self, Error> {
        Ok(Self {
            ijk_from_ras: source.ras_from_ijk.invert()?,
            shape: source.shape.map(|n| n as f64),
            spacing_mm: source.ras_from_ijk.spacing_mm(),
            middle_mm: source.ras_from_ijk.apply(source.shape.map(|n| (n as f64 - 1.0) / 2.0)),
        })
    }

    /// Whether a point, RAS mm, lies at least so far inside; the outermost voxels are inside as a whole.
    pub fn holds(&self, mm: [f64; 3], margin_mm: f64) -> bool {
        let at = self.ijk_from_ras.apply(mm);
        (0..3).all(|a| {
            let margin = margin_mm / self.spacing_mm[a] - 0.5;
            at[a] >= margin && at[a] <= self.shape[a] - 1.0 - margin
        })
    }

    /// Whether a point, RAS mm, lies outside, on this side of the middle: `left`, `right` or `superior`.
    pub fn is_beyond(&self, mm: [f64; 3], side: &str) -> bool {
        let away = match side {
            "left" => self.middle_mm[0] - mm[0],
            "right" => mm[0] - self.middle_mm[0],
            _ => mm[2] - self.middle_mm[2],
        };
        away > 0.0 && !self.holds(mm, 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn view_holds_whole_voxels_and_counts_its_margin_in_mm() {
        let axes = [[0.0, 0.0, -3.0], [2.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let source = Grid::new([10, 20, 4], Affine::from_parts(axes, [5.0, -7.0, 1.0])).unwrap();
        let view = View::new(&source).unwrap();
        // x from the last slice's far side, -5.5, to 6.5; y from -8 to 12; z from 0.5 to 20.5
        let inside = [-5.4, 11.9, 20.4];
        assert!(view.holds(inside, 0.0) && !view.holds(inside, 0.2));
        for outside in
            [[-5.6, 0.0, 5.0], [6.6, 0.0, 5.0], [0.0, 12.1, 5.0], [0.0, -8.1, 5.0], [0.0, 0.0, 0.4]]
        {
            assert!(!view.holds(outside, 0.0), "{outside:?}");
        }
        assert!(view.holds([0.5, 2.0, 10.5], 5.9) && !view.holds([0.5, 2.0, 10.5], 6.1));
    }

    #[test]
    fn view_tells_the_side_at_which_a_point_lies_outside() {
        let axes = [[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 3.0]];
        let source = Grid::new([100, 120, 40], Affine::from_parts(axes, [50.0, -60.0, -40.0])).unwrap();
        let view = View::new(&source).unwrap();
        let sides = |mm| ["left", "right", "superior"].map(|side| view.is_beyond(mm, side));
        assert_eq!(sides([0.0, 0.0, 79.0]), [true, false, true]);
        assert_eq!(sides([10.0, 0.0, -45.0]), [false, true, false]);
        assert_eq!(sides([0.0, 0.0, 78.0]), [false; 3]);
        assert_eq!(sides([-51.0, 0.0, -20.0]), [true, false, false]);
    }
}
