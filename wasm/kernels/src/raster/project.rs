//! Projection and shading of vertices.

use super::lanes::Lanes;
use super::mesh::Mesh;
use super::view::{View, SUBPIXELS};

fn dot(row: [Lanes; 3], v: [Lanes; 3]) -> Lanes {
    row[0].fmul(v[0]).fadd(row[1].fmul(v[1])).fadd(row[2].fmul(v[2]))
}

/// Projects and shades the vertices of the runs that are shown, four at a time. A vertex nearer than the near plane gets 1/depth 0;
/// gives whether there is one, and between which places all of them lie: least x, y, greatest x, y.
pub(super) fn project(mesh: &mut Mesh, view: &View, width: usize, height: usize) -> (bool, [i32; 4]) {
    let all = |value: f32| Lanes::from_f32([value; 4]);
    let rows = view.camera_from_ras.map(|row| row.map(all));
    let (light, half) = (view.light.map(all), view.half.map(all));
    let scale = all(view.focal * SUBPIXELS);
    let flipped = all(-view.focal * SUBPIXELS);
    let (middle_x, middle_y) = (all(width as f32 * 0.5 * SUBPIXELS), all(height as f32 * 0.5 * SUBPIXELS));
    let (zero, one, near, most) = (all(0.0), all(1.0), all(view.near), all(255.0));
    let (ambient, diffuse, specular) = (all(view.ambient), all(view.diffuse), all(view.specular * 255.0));
    let byte = Lanes::from_i32([255; 4]);
    let sided = |cosine: Lanes| if view.is_culling { cosine.fmax(zero) } else { cosine.fabs() };
    let (mut low, mut high) = ([Lanes::from_i32([i32::MAX; 4]); 2], [Lanes::from_i32([i32::MIN; 4]); 2]);
    let mut in_front = Lanes::from_i32([-1; 4]);
    let no_fraction = all(8_388_608.0);
    let outs = mesh.corners.as_chunks_mut::<4>().0;
    let blocks = mesh.blocks.iter().zip(mesh.colours.chunks_exact(4)).zip(outs);
    for (at, ((block, colours), corners)) in blocks.enumerate() {
        if !mesh.clusters.take_needed(at) {
            continue;
        }
        let camera = rows.map(|[x, y, z, t]| dot([x, y, z], block.position).fadd(t));
        let inverse = one.fdiv(camera[2]);
        let along = |offset: Lanes, scale: Lanes, middle: Lanes| {
            offset.fmul(scale).fmul(inverse).fadd(middle).round_to_i32()
        };
        let x = along(camera[0], scale, middle_x);
        let y = along(camera[1], flipped, middle_y);
        (low, high) = ([low[0].min(x), low[1].min(y)], [high[0].max(x), high[1].max(y)]);
        let bright = ambient.fadd(sided(dot(light, block.normal)).fmul(diffuse));
        let mut gleam = sided(dot(half, block.normal));
        for _ in 0..4 {
            gleam = gleam.fmul(gleam);
        }
        let gleam = gleam.fmul(specular);
        let words = Lanes::from_i32([0, 1, 2, 3].map(|n| colours[n] as i32));
        let channel = |shift: u32| {
            let value = words.shr(shift).and(byte).to_f32();
            value.fmul(bright).fadd(gleam).fmin(most).fadd(no_fraction)
        };
        // the last byte of each is the integer, the others are one number
        let colour = channel(8).and(byte).or(channel(0).shl(8)).or(channel(16).shl(24));
        let depth = inverse.keep_where_ge(camera[2], near);
        in_front = in_front.and(zero.lt(depth));
        *corners = Lanes::transpose([&x, &y, &colour, &depth]);
    }
    let [x0, y0] = low.map(|lanes| lanes.to_array().into_iter().fold(i32::MAX, i32::min));
    let [x1, y1] = high.map(|lanes| lanes.to_array().into_iter().fold(i32::MIN, i32::max));
    (in_front.sign_mask() != 15, [x0, y0, x1, y1])
}
