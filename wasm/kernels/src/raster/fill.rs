use super::lanes::Lanes;
use super::mesh::Mesh;
use super::project::{View, SUBPIXEL_BITS};
use super::Frame;

/// Half a pixel.
const HALF: i32 = 1 << (SUBPIXEL_BITS - 1);
/// Extent from which the edge functions need 64 bits, parts of a pixel.
const WIDE: i32 = 1 << 14;

/// Three vertices on the screen: x, y in parts of a pixel, 1/depth, colour.
type Corners = [Lanes; 3];

/// Fills the triangles of projected vertices.
pub(super) fn fill(mesh: &Mesh, view: &View, frame: &mut Frame) {
    let points = &mesh.projected[..];
    for (number, face) in mesh.faces.chunks_exact(3).enumerate() {
        let corners = [points[face[0] as usize], points[face[1] as usize], points[face[2] as usize]];
        let low = corners[0].least(corners[1]).least(corners[2]);
        // 1/depth is 0 behind the near plane, positive in front of it; so are its bits
        if low.int::<2>() <= 0 {
            cut(mesh, view, frame, number as u32, face);
        } else {
            triangle(frame, number as u32, corners, low, view.is_culling);
        }
    }
}

/// Fills one triangle in front of the near plane.
#[inline(always)]
fn triangle(frame: &mut Frame, number: u32, corners: Corners, low: Lanes, is_culling: bool) {
    let [a, b, c] = corners;
    let high = a.greatest(b).greatest(c);
    let edge = Lanes::ints([frame.width as i32 - 1, frame.height as i32 - 1, 0, 0]);
    // the first and the last pixel whose centre lies in the box
    let first = low.add(Lanes::ints([HALF - 1; 4])).down(SUBPIXEL_BITS).greatest(Lanes::ints([0; 4]));
    let last = high.sub(Lanes::ints([HALF; 4])).down(SUBPIXEL_BITS).least(edge);
    if last.sub(first).negatives() & 3 != 0 {
        return;
    }
    let size = high.sub(low);
    let (x0, y0) = (first.int::<0>(), first.int::<1>());
    let (x1, y1) = (last.int::<0>(), last.int::<1>());
    if size.int::<0>() >= WIDE || size.int::<1>() >= WIDE {
        return wide_triangle(frame, number, corners, [x0, y0, x1, y1], is_culling);
    }
    // lanes: the edges opposite the first, the second and the third vertex; the last lane stays 0
    let (xs, ys) = Lanes::columns(a, b, c);
    let (from_x, from_y) = (xs.turned(), ys.turned());
    let (dx, dy) = (from_x.turned().sub(from_x), from_y.turned().sub(from_y));
    let centre = |at: i32| Lanes::ints([(at << SUBPIXEL_BITS) + HALF; 4]);
    // positive inside a triangle that turns counter-clockwise on the screen, whose y runs down
    let mut start = dy.mul(centre(x0).sub(from_x)).sub(dx.mul(centre(y0).sub(from_y)));
    let (mut right, mut below) = (dy.up(SUBPIXEL_BITS), Lanes::ints([0; 4]).sub(dx.up(SUBPIXEL_BITS)));
    let mut area = start.int::<0>() + start.int::<1>() + start.int::<2>();
    if area <= 0 {
        if area == 0 || is_culling {
            return;
        }
        let zero = Lanes::ints([0; 4]);
        area = -area;
        (start, right, below) = (zero.sub(start), zero.sub(right), zero.sub(below));
    }
    let part = Lanes::floats([1.0 / area as f32; 4]);
    let (za, zb, zc) = (a.float::<2>(), b.float::<2>(), c.float::<2>());
    let colours = corners.map(|corner| Lanes::bytes(corner.int::<3>() as u32));
    let half = Lanes::floats([0.5; 4]);
    for y in y0..=y1 {
        let mut edges = start;
        let row = y as usize * frame.width;
        for at in row + x0 as usize..=row + x1 as usize {
            if edges.negatives() == 0 {
                let weights = edges.to_floats().times(part);
                let depth = weights.float::<0>() * za + weights.float::<1>() * zb + weights.float::<2>() * zc;
                if depth > frame.depth[at] {
                    frame.depth[at] = depth;
                    frame.face[at] = number;
                    let colour = weights.spread::<0>().times(colours[0]);
                    let colour = colour.plus(weights.spread::<1>().times(colours[1]));
                    let colour = colour.plus(weights.spread::<2>().times(colours[2]));
                    frame.colour[at] = colour.plus(half).packed();
                }
            }
            edges = edges.add(right);
        }
        start = start.add(below);
    }
}

/// The same for triangles whose edge functions do not fit an i32; `[x0, y0, x1, y1]` are the pixels to look at.
#[cold]
#[inline(never)]
fn wide_triangle(
    frame: &mut Frame,
    number: u32,
    corners: Corners,
    [x0, y0, x1, y1]: [i32; 4],
    is_culling: bool,
) {
    let x = corners.map(|corner| i64::from(corner.int::<0>()));
    let y = corners.map(|corner| i64::from(corner.int::<1>()));
    let area = (y[1] - y[0]) * (x[2] - x[0]) - (x[1] - x[0]) * (y[2] - y[0]);
    if area == 0 || (area < 0 && is_culling) {
        return;
    }
    let sign = area.signum();
    let centre = |at: i32| (i64::from(at) << SUBPIXEL_BITS) + i64::from(HALF);
    let edge_at = |n: usize, px: i64, py: i64| {
        let (from, to) = ((n + 1) % 3, (n + 2) % 3);
        sign * ((y[to] - y[from]) * (px - x[from]) - (x[to] - x[from]) * (py - y[from]))
    };
    let part = 1.0 / (area * sign) as f64;
    let depths = corners.map(|corner| corner.float::<2>());
    let colours = corners.map(|corner| (corner.int::<3>() as u32).to_le_bytes().map(f64::from));
    for row in y0..=y1 {
        for column in x0..=x1 {
            let edges = [0, 1, 2].map(|n| edge_at(n, centre(column), centre(row)));
            if edges.iter().any(|&edge| edge < 0) {
                continue;
            }
            let weights = edges.map(|edge| edge as f64 * part);
            let depth: f64 = (0..3).map(|n| weights[n] * f64::from(depths[n])).sum();
            let at = row as usize * frame.width + column as usize;
            if depth as f32 > frame.depth[at] {
                frame.depth[at] = depth as f32;
                frame.face[at] = number;
                let channel = |k: usize| (0..3).map(|n| weights[n] * colours[n][k]).sum::<f64>();
                frame.colour[at] = u32::from_le_bytes([0, 1, 2, 3].map(|k| (channel(k) + 0.5) as u8));
            }
        }
    }
}

/// A vertex in camera space with its colour.
#[derive(Clone, Copy)]
struct Corner {
    place: [f32; 3],
    colour: [f32; 4],
}

/// Cuts a triangle at the near plane and fills what is in front of it.
#[cold]
#[inline(never)]
fn cut(mesh: &Mesh, view: &View, frame: &mut Frame, number: u32, face: &[u32]) {
    let corner = |n: usize| Corner {
        place: view.place(mesh.position(face[n] as usize)),
        colour: (mesh.projected[face[n] as usize].int::<3>() as u32).to_le_bytes().map(f32::from),
    };
    let corners = [corner(0), corner(1), corner(2)];
    let mut kept = [corners[0]; 4];
    let mut count = 0;
    for n in 0..3 {
        let (from, to) = (corners[n], corners[(n + 1) % 3]);
        if from.place[2] >= view.near {
            kept[count] = from;
            count += 1;
        }
        if (from.place[2] >= view.near) != (to.place[2] >= view.near) {
            let part = (view.near - from.place[2]) / (to.place[2] - from.place[2]);
            kept[count] = Corner {
                place: [0, 1, 2].map(|k| from.place[k] + (to.place[k] - from.place[k]) * part),
                colour: [0, 1, 2, 3].map(|k| from.colour[k] + (to.colour[k] - from.colour[k]) * part),
            };
            count += 1;
        }
    }
    if count < 3 {
        return;
    }
    let points = kept.map(|corner| {
        let [x, y, z] = corner.place;
        let (x, y, inverse) = View::screen([x, y, z.max(view.near)], view.focal, frame.width, frame.height);
        let colour = u32::from_le_bytes(corner.colour.map(|value| (value + 0.5) as u8));
        Lanes::ints([x, y, inverse.to_bits() as i32, colour as i32])
    });
    for last in 2..count {
        let fan = [points[0], points[last - 1], points[last]];
        triangle(frame, number, fan, fan[0].least(fan[1]).least(fan[2]), view.is_culling);
    }
}
