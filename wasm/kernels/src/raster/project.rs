use super::lanes::Lanes;
use super::mesh::Mesh;

/// Parts of a pixel that vertices are rounded to, as a shift: 64. Integers make shared edges watertight.
pub const SUBPIXEL_BITS: u32 = 6;
pub(super) const SUBPIXELS: f32 = (1 << SUBPIXEL_BITS) as f32;
/// Farthest a vertex may lie from the screen, parts of a pixel: differences stay inside an i32.
const GUARD: i32 = 1 << 28;

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
            ((offset * focal * SUBPIXELS * inverse + middle).round_ties_even() as i32).clamp(-GUARD, GUARD)
        };
        (along(x, width), along(-y, height), inverse)
    }
}

fn dot(row: [Lanes; 3], v: [Lanes; 3]) -> Lanes {
    row[0].times(v[0]).plus(row[1].times(v[1])).plus(row[2].times(v[2]))
}

/// Projects and shades every vertex, four at a time. A vertex nearer than the near plane gets 1/depth 0;
/// gives whether there is one.
pub(super) fn project(mesh: &mut Mesh, view: &View, width: usize, height: usize) -> bool {
    let all = |value: f32| Lanes::floats([value; 4]);
    let rows = view.camera_from_ras.map(|row| row.map(all));
    let (light, half) = (view.light.map(all), view.half.map(all));
    let scale = all(view.focal * SUBPIXELS);
    let flipped = all(-view.focal * SUBPIXELS);
    let (middle_x, middle_y) = (all(width as f32 * 0.5 * SUBPIXELS), all(height as f32 * 0.5 * SUBPIXELS));
    let (low, high) = (Lanes::ints([-GUARD; 4]), Lanes::ints([GUARD; 4]));
    let (zero, one, near, most) = (all(0.0), all(1.0), all(view.near), all(255.0));
    let (ambient, diffuse, specular) = (all(view.ambient), all(view.diffuse), all(view.specular * 255.0));
    let byte = Lanes::ints([255; 4]);
    let sided = |cosine: Lanes| if view.is_culling { cosine.larger(zero) } else { cosine.magnitude() };
    let mut in_front = Lanes::ints([-1; 4]);
    for ((block, colours), out) in
        mesh.blocks.iter().zip(mesh.colours.chunks_exact(4)).zip(mesh.projected.chunks_exact_mut(4))
    {
        let camera = rows.map(|[x, y, z, t]| dot([x, y, z], block.position).plus(t));
        let inverse = one.over(camera[2]);
        let along = |offset: Lanes, scale: Lanes, middle: Lanes| {
            offset.times(scale).times(inverse).plus(middle).rounded().greatest(low).least(high)
        };
        let x = along(camera[0], scale, middle_x);
        let y = along(camera[1], flipped, middle_y);
        let bright = ambient.plus(sided(dot(light, block.normal)).times(diffuse));
        let mut gleam = sided(dot(half, block.normal));
        for _ in 0..4 {
            gleam = gleam.times(gleam);
        }
        let gleam = gleam.times(specular);
        let words = Lanes::ints([0, 1, 2, 3].map(|n| colours[n] as i32));
        let channel = |shift: u32| {
            let value = words.down(shift).and(byte).to_floats();
            value.times(bright).plus(gleam).smaller(most).rounded().up(shift)
        };
        let opaque = Lanes::ints([0xff00_0000_u32 as i32; 4]);
        let shaded = channel(0).or(channel(8)).or(channel(16)).or(opaque);
        let depth = inverse.where_at_least(camera[2], near);
        in_front = in_front.and(zero.less(depth));
        out.copy_from_slice(&Lanes::transposed([x, y, depth, shaded]));
    }
    in_front.negatives() != 15
}
