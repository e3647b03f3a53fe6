//! The brain as a smooth field on a box of its own, with a border of zeros.

use crate::voxels::filter::gaussian;
use volume::Shape;

/// Labels up to here are brain.
const LAST_BRAIN_LABEL: u8 = 104;

/// Fraction of brain around each voxel, 0..1.
pub struct Field {
    /// `shape`, i fastest.
    pub values: Vec<f32>,
    pub shape: Shape,
    /// Index in the label map's grid of the first voxel; negative where the border reaches out of that grid.
    pub low: [isize; 3],
}

/// Marks the brain and blurs it; sigma in voxels. The box leaves the kernel's radius and one voxel around the brain, so
/// that the field is 0 on its faces, also where the grid cuts the brain. `None` without a brain voxel.
pub fn brain_field(labels: &[u8], shape: Shape, sigma: [f64; 3]) -> Option<Field> {
    let [nx, ny, _] = shape;
    let is_brain = |&label: &u8| (1..=LAST_BRAIN_LABEL).contains(&label);
    let (mut low, mut high) = ([usize::MAX; 3], [0; 3]);
    for (at, row) in labels.chunks_exact(nx.max(1)).enumerate() {
        let Some(first) = row.iter().position(is_brain) else { continue };
        let last = row.iter().rposition(is_brain).unwrap_or(first);
        let place = [at % ny, at / ny];
        low = [low[0].min(first), low[1].min(place[0]), low[2].min(place[1])];
        high = [high[0].max(last), high[1].max(place[0]), high[2].max(place[1])];
    }
    if low[0] == usize::MAX {
        return None;
    }
    let margin = sigma.map(|s| (4.0 * s).ceil() as usize + 2);
    let box_shape = [0, 1, 2].map(|a| high[a] + 1 - low[a] + 2 * margin[a]);
    let mut values = vec![0f32; box_shape.iter().product()];
    for k in low[2]..=high[2] {
        for j in low[1]..=high[1] {
            let row = (k - low[2] + margin[2]) * box_shape[1] + j - low[1] + margin[1];
            let out = &mut values[row * box_shape[0] + margin[0]..];
            let from = nx * (j + ny * k);
            for (value, label) in out.iter_mut().zip(&labels[from + low[0]..=from + high[0]]) {
                *value = f32::from(u8::from(is_brain(label)));
            }
        }
    }
    gaussian(&mut values, box_shape, sigma, 1);
    let low = [0, 1, 2].map(|a| low[a] as isize - margin[a] as isize);
    Some(Field { values, shape: box_shape, low })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::random::Random;

    #[test]
    fn brain_field_is_the_blurred_mask_of_labels_1_to_104() {
        let mut random = Random::new(301);
        let shape = [6, 5, 7];
        let labels: Vec<u8> = (0..210).map(|_| [0, 0, 1, 104, 105, 255][random.below(6)]).collect();
        let field = brain_field(&labels, shape, [0.7; 3]).unwrap();
        let wide = [30, 30, 30];
        let mut naive = vec![0f32; 27000];
        for (v, &label) in labels.iter().enumerate() {
            let place = [v % 6 + 12, v / 6 % 5 + 12, v / 30 + 12];
            naive[place[0] + 30 * (place[1] + 30 * place[2])] =
                if label == 1 || label == 104 { 1.0 } else { 0.0 };
        }
        gaussian(&mut naive, wide, [0.7; 3], 1);
        let [mx, my, mz] = field.shape;
        for (v, &value) in field.values.iter().enumerate() {
            let index = [v % mx, v / mx % my, v / mx / my];
            let place = [0, 1, 2].map(|a| (index[a] as isize + field.low[a] + 12) as usize);
            let expected = naive[place[0] + 30 * (place[1] + 30 * place[2])];
            assert!((value - expected).abs() < 1e-6, "{place:?}: {value} {expected}");
            let is_border = index[0] == 0 || index[1] == 0 || index[2] == 0;
            let is_last = index[0] == mx - 1 || index[1] == my - 1 || index[2] == mz - 1;
            assert!(value == 0.0 || !(is_border || is_last));
        }
        let total: f32 = naive.iter().sum();
        assert!((field.values.iter().sum::<f32>() / total - 1.0).abs() < 1e-4);
    }

    #[test]
    fn brain_field_of_no_brain_is_none() {
        assert!(brain_field(&[0, 105, 255, 0], [2, 2, 1], [0.7; 3]).is_none());
    }
}
