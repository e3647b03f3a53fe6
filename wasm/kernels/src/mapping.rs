//! Which voxel a pixel of a pane shows.

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::floats::Double;

/// Where the pixels of a pane lie, in voxel indices: pixel (x, y) has its centre at `origin + x·du + y·dv`.
#[derive(Clone, Copy, Debug)]
pub struct Mapping {
    pub origin: [f64; 3],
    pub du: [f64; 3],
    pub dv: [f64; 3],
}

/// Index of the voxel nearest to a place in a pane, as the compositor chooses the overlay's; `None` outside.
///
/// `x`, `y` are device pixels from the pane's corner; the first pixel's centre is (0.5, 0.5).
pub fn pick_voxel(mapping: &Mapping, shape: [usize; 3], x: f64, y: f64) -> Option<usize> {
    let mut ijk = [0usize; 3];
    for axis in 0..3 {
        let place = mapping.origin[axis] + (x - 0.5) * mapping.du[axis] + (y - 0.5) * mapping.dv[axis];
        let nearest = (place + 0.5).floor();
        if !(nearest >= 0.0 && nearest < shape[axis] as f64) {
            return None;
        }
        ijk[axis] = nearest as usize;
    }
    Some(ijk[0] + shape[0] * (ijk[1] + shape[1] * ijk[2]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colours::{LABELS, OUTSIDE};
    use crate::compose::{compose_slice, Scratch, Volumes};
    use crate::random::Random;
    use crate::window::Window;

    #[test]
    fn pick_voxel_names_the_label_whose_colour_is_drawn() {
        let mut random = Random(21);
        for round in 0..40 {
            let shape = [0; 3].map(|_: usize| 1 + random.below(12));
            let voxels: usize = shape.iter().product();
            let base = vec![0u8; voxels];
            let labels: Vec<u8> = (0..voxels).map(|_| 1 + random.below(255) as u8).collect();
            let mut part = || random.below(2000) as f64 / 1000.0 - 0.9;
            let mut mapping =
                Mapping { origin: [part() * 5.0, part() * 5.0, 0.0], du: [0.0; 3], dv: [0.0; 3] };
            (mapping.du[0], mapping.dv[1]) = (part(), part());
            if round % 3 == 0 {
                (mapping.du[2], mapping.dv[0]) = (part(), part());
            }
            let colours: [u32; LABELS] = core::array::from_fn(|label| 0xff00_0000 | label as u32);
            let (mut scratch, mut out) = (Scratch::default(), vec![0; 40 * 30]);
            scratch.reserve(40).unwrap();
            let window = Window { width: 256.0, level: 128.0 };
            let volumes = Volumes { base: &base, labels: &labels, shape };
            compose_slice(volumes, &mapping, window, &colours, 40, &mut scratch, &mut out);
            for (at, &pixel) in out.iter().enumerate() {
                let place = pick_voxel(&mapping, shape, (at % 40) as f64 + 0.5, (at / 40) as f64 + 0.5);
                let label = place.map_or(0, |voxel| labels[voxel]);
                assert_eq!(pixel, OUTSIDE | u32::from(label));
            }
        }
    }
}
