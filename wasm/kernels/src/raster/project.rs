use super::lanes::{Lanes, MOST_SNAPPED};
use super::mesh::Mesh;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::floats::Single;

/// Parts of a pixel that vertices are rounded to, as a shift: 64. Integers make shared edges watertight.
pub const SUBPIXEL_BITS: u32 = 6;
pub(super) const SUBPIXELS: f32 = (1 << SUBPIXEL_BITS) as f32;
/// A perspective camera and its light. Camera space: x right, y up, z into the screen, in scene units.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// Rows of the affine that takes RAS mm into camera space; its 3×3 part is a rotation times a positive number.
    pub camera_from_ras: [[f32; 4]; 3],
    /// Pixels per unit at depth 1.
    pub focal: f32,
    /// Depths between which is drawn, 0 < near < far.
    pub near: f32,
    pub far: f32,
    /// Unit vector towards the light, in RAS.
    pub light: [f32; 3],
    /// Unit vector half way between the light and the eye, in RAS.
    pub half: [f32; 3],
    /// Parts of the surface's colour without and by the light, and of white at the highlight.
    pub ambient: f32,
    pub diffuse: f32,
    pub specular: f32,
    /// Back faces are left out.
    pub is_culling: bool,
}

impl View {
    /// Camera space of a position.
    pub(super) fn place(&self, p: [f32; 3]) -> [f32; 3] {
        self.camera_from_ras.map(|row| row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3])
    }

    /// Screen place of a point in front of the near plane, in parts of a pixel, and 1/depth.
    pub(super) fn screen([x, y, z]: [f32; 3], focal: f32, width: usize, height: usize) -> (i32, i32, f32) {
        let inverse = 1.0 / z;
        let along = |offset: f32, pixels: usize| {
            let middle = pixels as f32 * 0.5 * SUBPIXELS;
            let place = (offset * focal * SUBPIXELS * inverse + middle).round_ties_even() as i32;
            place.clamp(-MOST_SNAPPED, MOST_SNAPPED)
        };
        (along(x, width), along(-y, height), inverse)
    }
}

fn dot(row: [Lanes; 3], v: [Lanes; 3]) -> Lanes {
    row[0].times(v[0]).plus(row[1].times(v[1])).plus(row[2].times(v[2]))
}

/// Projects and shades the vertices of the runs that are shown, four at a time. A vertex nearer than the near plane gets 1/depth 0;
/// gives whether there is one, and between which places all of them lie: least x, y, greatest x, y.
pub(super) fn project(mesh: &mut Mesh, view: &View, width: usize, height: usize) -> (bool, [i32; 4]) {
    let all = |value: f32| Lanes::floats([value; 4]);
    let rows = view.camera_from_ras.map(|row| row.map(all));
    let (light, half) = (view.light.map(all), view.half.map(all));
    let scale = all(view.focal * SUBPIXELS);
    let flipped = all(-view.focal * SUBPIXELS);
    let (middle_x, middle_y) = (all(width as f32 * 0.5 * SUBPIXELS), all(height as f32 * 0.5 * SUBPIXELS));
    let (zero, one, near, most) = (all(0.0), all(1.0), all(view.near), all(255.0));
    let (ambient, diffuse, specular) = (all(view.ambient), all(view.diffuse), all(view.specular * 255.0));
    let byte = Lanes::ints([255; 4]);
    let sided = |cosine: Lanes| if view.is_culling { cosine.larger(zero) } else { cosine.magnitude() };
    let (mut low, mut high) = ([Lanes::ints([i32::MAX; 4]); 2], [Lanes::ints([i32::MIN; 4]); 2]);
    let mut in_front = Lanes::ints([-1; 4]);
    let no_fraction = all(8_388_608.0);
    let outs = mesh.corners.as_chunks_mut::<4>().0;
    let blocks = mesh.blocks.iter().zip(mesh.colours.chunks_exact(4)).zip(outs);
    for (at, ((block, colours), corners)) in blocks.enumerate() {
        if !mesh.clusters.take_needed(at) {
            continue;
        }
        let camera = rows.map(|[x, y, z, t]| dot([x, y, z], block.position).plus(t));
        let inverse = one.over(camera[2]);
        let along = |offset: Lanes, scale: Lanes, middle: Lanes| {
            offset.times(scale).times(inverse).plus(middle).snapped()
        };
        let x = along(camera[0], scale, middle_x);
        let y = along(camera[1], flipped, middle_y);
        (low, high) = ([low[0].least(x), low[1].least(y)], [high[0].greatest(x), high[1].greatest(y)]);
        let bright = ambient.plus(sided(dot(light, block.normal)).times(diffuse));
        let mut gleam = sided(dot(half, block.normal));
        for _ in 0..4 {
            gleam = gleam.times(gleam);
        }
        let gleam = gleam.times(specular);
        let words = Lanes::ints([0, 1, 2, 3].map(|n| colours[n] as i32));
        let channel = |shift: u32| {
            let value = words.down(shift).and(byte).to_floats();
            value.times(bright).plus(gleam).smaller(most).plus(no_fraction)
        };
        // the last byte of each is the integer, the others are one number
        let colour = channel(8).and(byte).or(channel(0).up(8)).or(channel(16).up(24));
        let depth = inverse.where_at_least(camera[2], near);
        in_front = in_front.and(zero.less(depth));
        *corners = Lanes::transposed([&x, &y, &colour, &depth]);
    }
    let [x0, y0] = low.map(|lanes| lanes.to_ints().into_iter().fold(i32::MAX, i32::min));
    let [x1, y1] = high.map(|lanes| lanes.to_ints().into_iter().fold(i32::MIN, i32::max));
    (in_front.negatives() != 15, [x0, y0, x1, y1])
}
