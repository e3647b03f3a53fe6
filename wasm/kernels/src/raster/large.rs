//! Triangles that are larger than a patch of 4 × 4 pixels, and those that the near plane cuts.

use super::canvas::{Canvas, ScreenVertex};
use super::lanes::Lanes;
use super::mesh::Mesh;
use super::triangle::{HALF, WIDE};
use super::view::{View, SUBPIXEL_BITS};

/// Fills a triangle that is larger than a patch, four pixels at a time.
#[inline(never)]
pub(super) fn fill_large(canvas: &mut Canvas, number: u32, corners: [ScreenVertex; 3], is_culling: bool) {
    let [[ax, ay], [bx, by], [cx, cy]] = corners.map(|corner| corner.place);
    let (low_x, high_x) = (ax.min(bx).min(cx), ax.max(bx).max(cx));
    let (low_y, high_y) = (ay.min(by).min(cy), ay.max(by).max(cy));
    if high_x - low_x >= WIDE || high_y - low_y >= WIDE {
        return fill_i64(canvas, number, corners, is_culling);
    }
    let (bx, by, cx, cy) = (bx - ax, by - ay, cx - ax, cy - ay);
    let area = by * cx - bx * cy;
    let sign = area.signum();
    let (x0, y0) = (first_pixel(low_x), first_pixel(low_y));
    let (x1, y1) = (last_pixel(high_x, canvas.width), last_pixel(high_y, canvas.height));
    let (px, py) = ((x0 << SUBPIXEL_BITS) + HALF - ax, (y0 << SUBPIXEL_BITS) + HALF - ay);
    let all = |value: i32| Lanes::from_i32([value * sign; 4]);
    let (steps, area) = (Lanes::from_i32([0, 1, 2, 3]), all(area));
    let (b_right, b_below) = (all(-cy << SUBPIXEL_BITS), all(cx << SUBPIXEL_BITS));
    let (c_right, c_below) = (all(by << SUBPIXEL_BITS), all(-bx << SUBPIXEL_BITS));
    let mut b_row = all(cx * py - cy * px).add(b_right.mul(steps));
    let mut c_row = all(by * px - bx * py).add(c_right.mul(steps));
    let unit = Lanes::from_f32([1.0; 4]).fdiv(area.to_f32());
    let [shade, shade_b, shade_c] = corners.map(|corner| corner.shade);
    let (to_b, to_c) = (shade_b.fsub(shade), shade_c.fsub(shade));
    let mix = |b: Lanes, c: Lanes| {
        let weight = |v: Lanes| v.to_f32().fmul(unit).broadcast::<0>();
        to_b.fmul(weight(b)).fadd(to_c.fmul(weight(c)))
    };
    let (first, to_right, to_below) =
        (shade.fadd(mix(b_row, c_row)), mix(b_right, c_right), mix(b_below, c_below));
    for y in y0..=y1 {
        let (mut b, mut c) = (b_row, c_row);
        let row = y as usize * canvas.width;
        let down = first.fadd(to_below.fmul(Lanes::from_f32([(y - y0) as f32; 4])));
        for x in (x0..=x1).step_by(4) {
            let outside = b.or(c).or(area.sub(b).sub(c)).sign_mask();
            let mut inside = !outside & (15 >> (3 - (x1 - x).min(3)));
            let value = down.fadd(to_right.fmul(Lanes::from_f32([(x - x0) as f32; 4])));
            while inside != 0 {
                let n = inside.trailing_zeros() as usize & 3;
                inside &= inside - 1;
                let value = value.fadd(to_right.fmul(Lanes::from_f32([n as f32; 4])));
                canvas.draw_pixel(row + x as usize + n, value, number);
            }
            (b, c) = (b.add(b_right.shl(2)), c.add(c_right.shl(2)));
        }
        (b_row, c_row) = (b_row.add(b_below), c_row.add(c_below));
    }
}

/// The first pixel whose centre lies at or after a place, and the last one at or before it.
fn first_pixel(low: i32) -> i32 {
    ((low + HALF - 1) >> SUBPIXEL_BITS).max(0)
}
fn last_pixel(high: i32, size: usize) -> i32 {
    ((high - HALF) >> SUBPIXEL_BITS).min(size as i32 - 1)
}

/// The same for any one triangle, also where edge functions do not fit an i32.
#[cold]
#[inline(never)]
fn fill_i64(canvas: &mut Canvas, number: u32, corners: [ScreenVertex; 3], is_culling: bool) {
    let x = corners.map(|corner| i64::from(corner.place[0]));
    let y = corners.map(|corner| i64::from(corner.place[1]));
    let area = (y[1] - y[0]) * (x[2] - x[0]) - (x[1] - x[0]) * (y[2] - y[0]);
    if area == 0 || (area < 0 && is_culling) {
        return;
    }
    let sign = area.signum();
    let range = |axis: usize, size: usize| {
        let [a, b, c] = corners.map(|corner| corner.place[axis]);
        first_pixel(a.min(b).min(c))..last_pixel(a.max(b).max(c), size) + 1
    };
    let centre = |at: i32| (i64::from(at) << SUBPIXEL_BITS) + i64::from(HALF);
    let edge_at = |n: usize, px: i64, py: i64| {
        let (from, to) = ((n + 1) % 3, (n + 2) % 3);
        sign * ((y[to] - y[from]) * (px - x[from]) - (x[to] - x[from]) * (py - y[from]))
    };
    let part = 1.0 / (area * sign) as f64;
    let shades = corners.map(|corner| corner.shade);
    for row in range(1, canvas.height) {
        for column in range(0, canvas.width) {
            let edges = [0, 1, 2].map(|n| edge_at(n, centre(column), centre(row)));
            if edges.iter().any(|&edge| edge < 0) {
                continue;
            }
            let weight = |n: usize| Lanes::from_f32([(edges[n] as f64 * part) as f32; 4]);
            let value = shades[0]
                .fadd(shades[1].fsub(shades[0]).fmul(weight(1)))
                .fadd(shades[2].fsub(shades[0]).fmul(weight(2)));
            canvas.draw_pixel(row as usize * canvas.width + column as usize, value, number);
        }
    }
}

/// Cuts a triangle at the near plane and fills what is in front of it.
#[cold]
#[inline(never)]
pub(super) fn clip_near(mesh: &Mesh, view: &View, canvas: &mut Canvas, number: u32, face: &[u32]) {
    let corners = [0, 1, 2].map(|n: usize| {
        let vertex = face[n] as usize;
        (view.to_camera(mesh.position(vertex)), ScreenVertex::of(mesh.corners[vertex]).shade)
    });
    let mut kept = [corners[0]; 4];
    let mut count = 0;
    for n in 0..3 {
        let (from, to) = (corners[n], corners[(n + 1) % 3]);
        if from.0[2] >= view.near {
            kept[count] = from;
            count += 1;
        }
        if (from.0[2] >= view.near) != (to.0[2] >= view.near) {
            let part = (view.near - from.0[2]) / (to.0[2] - from.0[2]);
            let shade = from.1.fadd(to.1.fsub(from.1).fmul(Lanes::from_f32([part; 4])));
            kept[count] = ([0, 1, 2].map(|k| from.0[k] + (to.0[k] - from.0[k]) * part), shade);
            count += 1;
        }
    }
    if count < 3 {
        return;
    }
    let points = kept.map(|([x, y, z], shade)| {
        let (x, y, inverse) =
            View::to_screen([x, y, z.max(view.near)], view.focal, canvas.width, canvas.height);
        ScreenVertex { place: [x, y], shade: shade.with_last(inverse) }
    });
    for last in 2..count {
        fill_i64(canvas, number, [points[0], points[last - 1], points[last]], view.is_culling);
    }
}
