//! Grey matter on the way from a voxel to what is outside the cortex.

use volume::Shape;

/// Content of a voxel that is all grey matter.
pub const FULL: u8 = 200;
/// Voxels² from white matter up to which a voxel is all grey matter: partial volume there is with white matter.
const SOLID: u16 = 4;
/// Slope of the distance below which there is no one way: outside lies on two sides.
const MIN_SLOPE: f32 = 0.5;

/// Arrays of `shape`, i fastest; distances squared, in voxels².
pub struct Column<'a> {
    pub shape: Shape,
    /// Grey matter, 0..FULL.
    pub content: &'a [u8],
    pub to_white: &'a [u16],
    pub to_outside: &'a [u16],
}

impl Column<'_> {
    /// Grey matter from a voxel's centre along the straight way to the nearest voxel outside, in voxels: less than the way
    /// where fluid fills part of it, as between the banks of a sulcus too narrow to be seen. `None` without a way.
    ///
    /// # Panics
    /// For a voxel on the border of the grid.
    pub fn beyond(&self, place: [usize; 3]) -> Option<f32> {
        let [nx, ny, _] = self.shape;
        let at = |[x, y, z]: [usize; 3]| x + nx * (y + ny * z);
        let distance = |v: usize| f32::from(self.to_outside[v]).sqrt();
        let here = at(place);
        let slope = [1, nx, nx * ny].map(|step| 0.5 * (distance(here - step) - distance(here + step)));
        let steepness = slope.iter().map(|s| s * s).sum::<f32>().sqrt();
        if steepness < MIN_SLOPE {
            return None;
        }
        let way = distance(here);
        let steps = (2.0 * way).ceil();
        let grey: f32 = (0..steps as usize)
            .map(|step| {
                let far = (step as f32 + 0.5) / steps * way / steepness;
                let on =
                    at([0, 1, 2].map(|a| (place[a] as isize + (slope[a] * far).round() as isize) as usize));
                if self.to_white[on] < SOLID {
                    1.0
                } else {
                    f32::from(self.content[on]) / f32::from(FULL)
                }
            })
            .sum();
        Some(grey * way / steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voxels::edt::squared_distance;

    /// White matter in the first layer, fluid from layer `end` on.
    fn beyond(content: impl Fn(usize) -> u8, from: usize, end: usize) -> Option<f32> {
        let shape = [16, 9, 9];
        let layer = |v: usize| v % 16;
        let marks: Vec<u8> =
            (0..16 * 81).map(|v| u8::from(layer(v) >= end) + 2 * u8::from(layer(v) == 0)).collect();
        let values: Vec<u8> = (0..16 * 81).map(|v| content(layer(v))).collect();
        let [to_white, to_outside] = [2, 1].map(|mark| squared_distance(&marks, shape, |m| m == mark));
        let column = Column { shape, content: &values, to_white: &to_white, to_outside: &to_outside };
        column.beyond([from, 4, 4])
    }

    #[test]
    fn beyond_is_the_way_through_grey_matter() {
        assert_eq!(beyond(|_| FULL, 3, 9), Some(6.0));
        assert_eq!(beyond(|layer| if layer < 2 { 0 } else { FULL }, 3, 9), Some(6.0));
    }

    #[test]
    fn beyond_leaves_out_the_fluid_on_the_way() {
        assert_eq!(beyond(|layer| if layer == 6 { FULL / 2 } else { FULL }, 3, 9), Some(5.5));
    }

    #[test]
    fn beyond_is_none_at_the_ridge() {
        let flat = vec![9u16; 125];
        let column = Column { shape: [5; 3], content: &[FULL; 125], to_white: &flat, to_outside: &flat };
        assert_eq!(column.beyond([2, 2, 2]), None);
    }
}
