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

/// Faces that are looked at together before any of them is filled.
const BATCH: usize = 1024;

/// Fills the triangles of projected vertices; `is_near`: some vertex is nearer than the near plane.
pub(super) fn fill(mesh: &Mesh, view: &View, frame: &mut Frame, is_near: bool) {
    let points = &mesh.projected[..];
    let corners = |face: &[u32]| [0, 1, 2].map(|n: usize| points[face[n] as usize]);
    if is_near {
        for (number, face) in mesh.faces.chunks_exact(3).enumerate() {
            let [a, b, c] = corners(face);
            // 1/depth is 0 behind the near plane, positive in front of it; so are its bits
            if a.least(b).least(c).int::<2>() <= 0 {
                cut(mesh, view, frame, number as u32, face);
            } else {
                triangle(frame, number as u32, [a, b, c], view.is_culling);
            }
        }
        return;
    }
    let mut wanted = [0u32; BATCH + 4];
    for (batch, faces) in mesh.faces.chunks(BATCH * 3).enumerate() {
        let start = batch * BATCH;
        let count = choose(points, faces, frame, view.is_culling, &mut wanted);
        for &at in &wanted[..count] {
            let face = &faces[at as usize * 3..][..3];
            triangle(frame, start as u32 + at, corners(face), view.is_culling);
        }
    }
}

/// Writes the numbers of the faces that may hold a pixel's centre and do not look away, four at a time and without
/// branches: which of them do is as good as random. Gives how many there are.
fn choose(
    points: &[Lanes],
    faces: &[u32],
    frame: &Frame,
    is_culling: bool,
    out: &mut [u32; BATCH + 4],
) -> usize {
    let all = |value: i32| Lanes::ints([value; 4]);
    let (zero, wide) = (all(0), all(WIDE - 1));
    let (round, half) = (all(HALF - 1), all(HALF));
    let (edge_x, edge_y) = (all(frame.width as i32 - 1), all(frame.height as i32 - 1));
    let both = all(if is_culling { 0 } else { -1 });
    let mut count = 0;
    let mut add = |number: usize, is_wanted: bool| {
        out[count] = number as u32;
        count += usize::from(is_wanted);
    };
    let fours = faces.chunks_exact(12);
    let rest = fours.remainder();
    for (four, face) in fours.enumerate() {
        let corner = |n: usize| Lanes::places([0, 3, 6, 9].map(|at| points[face[at + n] as usize]));
        let ((ax, ay), (bx, by), (cx, cy)) = (corner(0), corner(1), corner(2));
        let (low_x, high_x) = (ax.least(bx).least(cx), ax.greatest(bx).greatest(cx));
        let (low_y, high_y) = (ay.least(by).least(cy), ay.greatest(by).greatest(cy));
        let first = |low: Lanes| low.add(round).down(SUBPIXEL_BITS).greatest(zero);
        let last = |high: Lanes, edge: Lanes| high.sub(half).down(SUBPIXEL_BITS).least(edge);
        let is_empty = last(high_x, edge_x).less(first(low_x)).or(last(high_y, edge_y).less(first(low_y)));
        let area = by.sub(ay).mul(cx.sub(ax)).sub(bx.sub(ax).mul(cy.sub(ay)));
        let is_wide = wide.less(high_x.sub(low_x)).or(wide.less(high_y.sub(low_y)));
        let is_turned = zero.less(area).or(area.less(zero).and(both)).or(is_wide);
        let wanted = is_turned.without(is_empty).negatives();
        for n in 0..4 {
            add(four * 4 + n, wanted >> n & 1 != 0);
        }
    }
    for n in 0..rest.len() / 3 {
        add(faces.len() / 12 * 4 + n, true);
    }
    count
}

/// Fills one triangle in front of the near plane.
#[inline(always)]
fn triangle(frame: &mut Frame, number: u32, corners: Corners, is_culling: bool) {
    let [a, b, c] = corners;
    let (low, high) = (a.least(b).least(c), a.greatest(b).greatest(c));
    let edge = Lanes::ints([frame.width as i32 - 1, frame.height as i32 - 1, 0, 0]);
    // the first and the last pixel whose centre lies in the box
    let first = low.add(Lanes::ints([HALF - 1; 4])).down(SUBPIXEL_BITS).greatest(Lanes::ints([0; 4]));
    let last = high.sub(Lanes::ints([HALF; 4])).down(SUBPIXEL_BITS).least(edge);
    if last.less(first).negatives() & 3 != 0 {
        return;
    }
    let is_wide = Lanes::ints([WIDE - 1; 4]).less(high.sub(low));
    let (x0, y0) = (first.int::<0>(), first.int::<1>());
    let (x1, y1) = (last.int::<0>(), last.int::<1>());
    if is_wide.negatives() & 3 != 0 {
        return wide_triangle(frame, number, corners, [x0, y0, x1, y1], is_culling);
    }
    // lanes: the edges opposite the first, the second and the third vertex; the last lane stays 0
    let (xs, ys) = Lanes::columns(a, b, c);
    let (from_x, from_y) = (xs.turned(), ys.turned());
    let (dx, dy) = (from_x.turned().sub(from_x), from_y.turned().sub(from_y));
    // the first pixel of the first quad
    let (x0, y0) = (x0 & !1, y0 & !1);
    let centre = |at: i32| Lanes::ints([(at << SUBPIXEL_BITS) + HALF; 4]);
    // positive inside a triangle that turns counter-clockwise on the screen, whose y runs down
    let zero = Lanes::ints([0; 4]);
    let mut start = dy.mul(centre(x0).sub(from_x)).sub(dx.mul(centre(y0).sub(from_y)));
    let (mut right, mut below) = (dy.up(SUBPIXEL_BITS), zero.sub(dx.up(SUBPIXEL_BITS)));
    let mut area = start.int::<0>() + start.int::<1>() + start.int::<2>();
    if area <= 0 {
        if area == 0 || is_culling {
            return;
        }
        area = -area;
        (start, right, below) = (zero.sub(start), zero.sub(right), zero.sub(below));
    }
    // now the lanes are the pixels of a quad, one vector for each edge
    let (odd, lower) = (Lanes::ints([0, -1, 0, -1]), Lanes::ints([0, 0, -1, -1]));
    let quad = |start: Lanes, right: Lanes, below: Lanes| start.add(right.and(odd)).add(below.and(lower));
    let mut row = [
        quad(start.spread::<0>(), right.spread::<0>(), below.spread::<0>()),
        quad(start.spread::<1>(), right.spread::<1>(), below.spread::<1>()),
        quad(start.spread::<2>(), right.spread::<2>(), below.spread::<2>()),
    ];
    let (right, below) = (right.up(1), below.up(1));
    let right = [right.spread::<0>(), right.spread::<1>(), right.spread::<2>()];
    let below = [below.spread::<0>(), below.spread::<1>(), below.spread::<2>()];
    let part = Lanes::floats([1.0 / area as f32; 4]);
    let depths = [a.spread::<2>().times(part), b.spread::<2>().times(part), c.spread::<2>().times(part)];
    let colours = corners.map(|corner| Lanes::bytes(corner.int::<3>() as u32).times(part));
    let face = Lanes::ints([number as i32; 4]);
    let (stride, opaque) = (frame.stride(), Lanes::ints([0xff00_0000_u32 as i32; 4]));
    for y in y0 as usize / 2..=y1 as usize / 2 {
        let mut edges = row;
        let from = y * stride;
        for quad in &mut frame.quads[from + x0 as usize / 2..=from + x1 as usize / 2] {
            let outside = edges[0].or(edges[1]).or(edges[2]).less(zero);
            let weights = edges.map(Lanes::to_floats);
            let sum = |values: [Lanes; 3]| {
                weights[0]
                    .times(values[0])
                    .plus(weights[1].times(values[1]))
                    .plus(weights[2].times(values[2]))
            };
            let depth = sum(depths);
            let seen = depth.exceeds(quad.depth).without(outside);
            if seen.any() {
                let red = sum(colours.map(|c| c.spread::<0>())).rounded();
                let green = sum(colours.map(|c| c.spread::<1>())).rounded();
                let blue = sum(colours.map(|c| c.spread::<2>())).rounded();
                let word = red.or(green.up(8)).or(blue.up(16)).or(opaque);
                quad.depth = depth.chosen(quad.depth, seen);
                quad.face = face.chosen(quad.face, seen);
                quad.colour = word.chosen(quad.colour, seen);
            }
            for n in 0..3 {
                edges[n] = edges[n].add(right[n]);
            }
        }
        for n in 0..3 {
            row[n] = row[n].add(below[n]);
        }
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
            let at = row as usize / 2 * frame.stride() + column as usize / 2;
            let lane = (row & 1) * 2 + (column & 1);
            let only = Lanes::ints([0, 1, 2, 3].map(|n| -i32::from(n == lane)));
            let quad = &mut frame.quads[at];
            let depth = Lanes::floats([depth as f32; 4]);
            let seen = depth.exceeds(quad.depth).and(only);
            if seen.any() {
                let channel = |k: usize| (0..3).map(|n| weights[n] * colours[n][k]).sum::<f64>();
                let word = u32::from_le_bytes([0, 1, 2, 3].map(|k| (channel(k) + 0.5) as u8));
                quad.depth = depth.chosen(quad.depth, seen);
                quad.face = Lanes::ints([number as i32; 4]).chosen(quad.face, seen);
                quad.colour = Lanes::ints([word as i32; 4]).chosen(quad.colour, seen);
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
        triangle(frame, number, fan, view.is_culling);
    }
}
