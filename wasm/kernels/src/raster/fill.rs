use super::canvas::{Canvas, Corner};
use super::clusters::CLUSTER;
use super::lanes::Lanes;
use super::large::{cut, fill_large};
use super::mesh::Mesh;
use super::project::{View, SUBPIXEL_BITS};

/// Half a pixel.
pub(super) const HALF: i32 = 1 << (SUBPIXEL_BITS - 1);
/// Extent from which the edge functions need 64 bits, parts of a pixel.
pub(super) const WIDE: i32 = 1 << 14;
/// Faces that are looked at together before any of them is filled.
const BATCH: usize = 512;

impl Patch {
    const NONE: Patch = {
        let none = Lanes::ints([0; 4]);
        Patch { inside: 0, at: 0, face: 0, slope: Slope { first: none, right: none, below: none } }
    };
}

/// Fills the triangles of projected vertices; `is_near`: some vertex is nearer than the near plane.
///
/// Each step runs over a whole batch before the next: none of them waits for a branch of another that could not be
/// guessed.
pub(super) fn fill(mesh: &Mesh, view: &View, canvas: &mut Canvas, is_near: bool) {
    let constants = Constants::of(canvas);
    let mut wanted = [0u32; BATCH + 4];
    let mut patches = [Patch::NONE; BATCH + 4];
    for (batch, faces) in mesh.faces.chunks(BATCH * 3).enumerate() {
        let start = batch * BATCH;
        let mut count = 0;
        for (run, faces) in faces.chunks(CLUSTER * 3).enumerate() {
            if !mesh.clusters.is_shown(start / CLUSTER + run) {
                continue;
            }
            let first = run * CLUSTER;
            if !is_near {
                count += choose(mesh, faces, first, &constants, view.is_culling, &mut wanted[count..]);
                continue;
            }
            for (at, face) in faces.chunks_exact(3).enumerate() {
                if face.iter().all(|&vertex| mesh.shades[vertex as usize].float::<3>() > 0.0) {
                    wanted[count] = (first + at) as u32;
                    count += 1;
                } else {
                    cut(mesh, view, canvas, (start + first + at) as u32, face);
                }
            }
        }
        wanted[count..count + 3].fill(0);
        let faces = faces.as_chunks::<3>().0;
        let count = measure(mesh, faces, &wanted, count, &constants, view.is_culling, &mut patches);
        shade(mesh, faces, &mut patches[..count]);
        draw(mesh, faces, start as u32, &patches[..count + 2], canvas, view.is_culling);
    }
}

/// A triangle and the pixels of the first 4 × 4 of its box that it covers: bit 16·row + 4·column. None of them: it is larger.
#[derive(Clone, Copy)]
struct Patch {
    inside: u64,
    /// Index of the first pixel of the box, and of the face in its batch.
    at: u32,
    face: u32,
    slope: Slope,
}

/// Red, green, blue and 1/depth of a triangle: at the first pixel of its box, and what they grow by to the next pixel.
#[derive(Clone, Copy)]
struct Slope {
    first: Lanes,
    right: Lanes,
    below: Lanes,
}

/// x and y of four vertices that faces of the mesh name.
#[inline(always)]
fn corner(mesh: &Mesh, vertices: [u32; 4]) -> (Lanes, Lanes) {
    // SAFETY: a mesh refuses faces that name a vertex it has not.
    #[allow(unsafe_code)]
    Lanes::pairs(vertices.map(|vertex| unsafe { mesh.places.get_unchecked(vertex as usize) }))
}

/// What every four triangles need. Engines make a constant that they know anew at each use, in several steps: these stay.
struct Constants {
    half: Lanes,
    before_half: Lanes,
    small: Lanes,
    large: Lanes,
    edge_x: Lanes,
    edge_y: Lanes,
}

impl Constants {
    fn of(canvas: &Canvas) -> Constants {
        let all = |value: i32| core::hint::black_box(Lanes::ints([value; 4]));
        Constants {
            half: all(HALF),
            before_half: all(HALF - 1),
            small: all(WIDE / 2),
            large: all(-WIDE),
            edge_x: all(canvas.width as i32 - 1),
            edge_y: all(canvas.height as i32 - 1),
        }
    }
}

/// Boxes of triangles in whole pixels.
struct Boxes {
    x0: Lanes,
    y0: Lanes,
    x1: Lanes,
    y1: Lanes,
}

impl Boxes {
    /// The first and the last pixels whose centres lie in the boxes.
    #[inline(always)]
    fn of(low: (Lanes, Lanes), high: (Lanes, Lanes), constants: &Constants) -> Boxes {
        let first =
            |low: Lanes| low.add(constants.before_half).down(SUBPIXEL_BITS).greatest(Lanes::ints([0; 4]));
        let last = |high: Lanes, edge: Lanes| high.sub(constants.half).down(SUBPIXEL_BITS).least(edge);
        Boxes {
            x0: first(low.0),
            y0: first(low.1),
            x1: last(high.0, constants.edge_x),
            y1: last(high.1, constants.edge_y),
        }
    }

    #[inline(always)]
    fn are_empty(&self) -> Lanes {
        self.x1.less(self.x0).or(self.y1.less(self.y0))
    }
}

/// Writes the numbers, from `first` on, of the faces that may hold a pixel's centre and do not look away, four at a time
/// and without branches: which of them do is as good as random. Gives how many there are.
fn choose(
    mesh: &Mesh,
    faces: &[u32],
    first: usize,
    constants: &Constants,
    is_culling: bool,
    out: &mut [u32],
) -> usize {
    let all = |value: i32| Lanes::ints([value; 4]);
    let zero = all(0);
    let both = all(if is_culling { 0 } else { -1 });
    let mut count = 0;
    for (at, four) in faces.as_chunks::<12>().0.iter().enumerate() {
        let nth = |n: usize| corner(mesh, [four[n], four[n + 3], four[n + 6], four[n + 9]]);
        let ((ax, ay), (bx, by), (cx, cy)) = (nth(0), nth(1), nth(2));
        let (bx_a, by_a, cx_a, cy_a) = (bx.sub(ax), by.sub(ay), cx.sub(ax), cy.sub(ay));
        let area = by_a.mul(cx_a).sub(bx_a.mul(cy_a));
        // the area says nothing where a difference is no small number of either sign
        let far = |d: Lanes| d.add(constants.small);
        let is_small = far(bx_a).or(far(by_a)).or(far(cx_a)).or(far(cy_a)).and(constants.large).zeros();
        let is_hidden = is_small.without(zero.less(area).or(area.less(zero).and(both)));
        if is_hidden.negatives() == 15 {
            continue;
        }
        let low = (ax.least(bx).least(cx), ay.least(by).least(cy));
        let high = (ax.greatest(bx).greatest(cx), ay.greatest(by).greatest(cy));
        let wanted = !is_hidden.or(Boxes::of(low, high, constants).are_empty()).negatives() & 15;
        let first = (first + at * 4) as i32;
        let numbers = Lanes::ints([first, first + 1, first + 2, first + 3]).packed(wanted);
        out[count..count + 4].copy_from_slice(&numbers.to_ints().map(|n| n as u32));
        count += wanted.count_ones() as usize;
    }
    count
}

/// Makes patches of the wanted faces that cover a pixel; gives their number. `wanted` has three more. Instead of a slope a
/// patch has the weights of the second and the third vertex: at the first pixel, to the right and below.
fn measure(
    mesh: &Mesh,
    faces: &[[u32; 3]],
    wanted: &[u32; BATCH + 4],
    wanted_count: usize,
    constants: &Constants,
    is_culling: bool,
    patches: &mut [Patch; BATCH + 4],
) -> usize {
    let mut count = 0;
    for at in (0..wanted_count).step_by(4) {
        let four = [0, 1, 2, 3].map(|n| wanted[at + n]);
        count += measure_four(
            mesh,
            faces,
            four,
            (wanted_count - at).min(4),
            constants,
            is_culling,
            &mut patches[count..],
        );
    }
    count
}

#[inline(always)]
fn measure_four(
    mesh: &Mesh,
    faces: &[[u32; 3]],
    four: [u32; 4],
    some: usize,
    constants: &Constants,
    is_culling: bool,
    patches: &mut [Patch],
) -> usize {
    let all = |value: i32| Lanes::ints([value; 4]);
    let zero = all(0);
    // SAFETY: `choose` numbers faces of this batch, which has the first one.
    #[allow(unsafe_code)]
    let four_faces = four.map(|at| unsafe { faces.get_unchecked(at as usize) });
    let nth = |n: usize| corner(mesh, four_faces.map(|face| face[n]));
    let ((ax, ay), (bx, by), (cx, cy)) = (nth(0), nth(1), nth(2));
    let low = (ax.least(bx).least(cx), ay.least(by).least(cy));
    let high = (ax.greatest(bx).greatest(cx), ay.greatest(by).greatest(cy));
    let boxes = Boxes::of(low, high, constants);
    let is_wide = all(WIDE - 1).less(high.0.sub(low.0)).or(all(WIDE - 1).less(high.1.sub(low.1)));
    let is_empty = boxes.are_empty();
    let (bx_a, by_a, cx_a, cy_a) = (bx.sub(ax), by.sub(ay), cx.sub(ax), cy.sub(ay));
    let area = by_a.mul(cx_a).sub(bx_a.mul(cy_a));
    // edge functions are positive inside; those of a triangle that looks away change their sign
    let turn = area.less(zero);
    let signed = |v: Lanes| v.exclusive_or(turn).sub(turn);
    let (bx_a, by_a, cx_a, cy_a) = (signed(bx_a), signed(by_a), signed(cx_a), signed(cy_a));
    let area = signed(area);
    let is_flat = area.less(all(1)).or(if is_culling { turn } else { zero });
    let centre = |at: Lanes| at.up(SUBPIXEL_BITS).add(constants.half);
    let (px, py) = (centre(boxes.x0).sub(ax), centre(boxes.y0).sub(ay));
    let b = cx_a.mul(py).sub(cy_a.mul(px));
    let c = by_a.mul(px).sub(bx_a.mul(py));
    let (columns, rows) = (boxes.x1.sub(boxes.x0), boxes.y1.sub(boxes.y0));
    let is_large = is_wide.or(all(3).less(columns)).or(all(3).less(rows));
    let is_drawn = is_wide.or(zero.sub(all(1)).without(is_flat)).without(is_empty);
    let (b_right, b_below) = (zero.sub(cy_a).up(SUBPIXEL_BITS), cx_a.up(SUBPIXEL_BITS));
    let (c_right, c_below) = (by_a.up(SUBPIXEL_BITS), zero.sub(bx_a).up(SUBPIXEL_BITS));
    let row = |b: Lanes, c: Lanes| {
        let pixel = |b: Lanes, c: Lanes| b.or(c).or(area.sub(b).sub(c));
        let (b1, c1) = (b.add(b_right), c.add(c_right));
        let (b2, c2) = (b1.add(b_right), c1.add(c_right));
        let outside = [pixel(b, c), pixel(b1, c1), pixel(b2, c2), pixel(b2.add(b_right), c2.add(c_right))];
        u64::from(!Lanes::negatives_of_four(outside))
    };
    let (b1, c1) = (b.add(b_below), c.add(c_below));
    // most boxes have no more than 2 × 2 pixels
    let mut inside = if all(1).less(columns.greatest(rows)).any() {
        let (b2, c2) = (b1.add(b_below), c1.add(c_below));
        let three = row(b, c) | row(b1, c1) << 16 | row(b2, c2) << 32;
        if all(2).less(rows).any() {
            three | row(b2.add(b_below), c2.add(c_below)) << 48
        } else {
            three
        }
    } else {
        let pixel = |b: Lanes, c: Lanes| b.or(c).or(area.sub(b).sub(c));
        let (b2, c2) = (b.add(b_right), c.add(c_right));
        let outside = [pixel(b, c), pixel(b2, c2), pixel(b1, c1), pixel(b1.add(b_right), c1.add(c_right))];
        let four = u64::from(!Lanes::negatives_of_four(outside));
        (four & 0xff) | (four >> 8) << 16
    };
    let unit = Lanes::floats([1.0; 4]).over(area.to_floats());
    let weight = |value: Lanes| value.to_floats().times(unit);
    let (b0, c0) = (weight(b), weight(c));
    let (bx, cx, by, cy) = (weight(b_right), weight(c_right), weight(b_below), weight(c_below));
    let index = boxes.y0.mul(constants.edge_x.add(all(1))).add(boxes.x0);
    let faces = Lanes::ints(four.map(|face| face as i32));
    let firsts = Lanes::transposed([b0, c0, bx, cx]);
    let seconds = Lanes::transposed([by, cy, index, faces]);
    let edge = constants.edge_x.sub(boxes.x0).less(all(3)).or(constants.edge_y.sub(boxes.y0).less(all(3)));
    if edge.any() {
        let (columns, rows) = (columns.to_ints(), rows.to_ints());
        for n in 0..4 {
            inside &= screen_mask(columns[n], rows[n]) << n | !(FIRST_OF_FOUR << n);
        }
    }
    let (is_large, is_drawn) = (is_large.negatives(), is_drawn.negatives() & ((1 << some) - 1));
    let mut count = 0;
    for n in 0..4 {
        let is_large = is_large >> n & 1 != 0;
        let inside = if is_large { 0 } else { inside >> n & FIRST_OF_FOUR };
        let patch = &mut patches[count];
        patch.inside = inside;
        patch.slope.first = firsts[n];
        patch.slope.right = seconds[n];
        count += usize::from((is_large || inside != 0) && is_drawn >> n & 1 != 0);
    }
    count
}

/// Weights become slopes.
fn shade(mesh: &Mesh, faces: &[[u32; 3]], patches: &mut [Patch]) {
    for patch in patches {
        let (first, second) = (patch.slope.first, patch.slope.right);
        (patch.at, patch.face) = (second.int::<2>() as u32, second.int::<3>() as u32);
        // SAFETY: a mesh refuses faces that name a vertex it has not.
        #[allow(unsafe_code)]
        let shades =
            faces[patch.face as usize].map(|vertex| unsafe { *mesh.shades.get_unchecked(vertex as usize) });
        let (to_b, to_c) = (shades[1].minus(shades[0]), shades[2].minus(shades[0]));
        let mix = |b: Lanes, c: Lanes| to_b.times(b).plus(to_c.times(c));
        patch.slope = Slope {
            first: shades[0].plus(mix(first.spread::<0>(), first.spread::<1>())),
            right: mix(first.spread::<2>(), first.spread::<3>()),
            below: mix(second.spread::<0>(), second.spread::<1>()),
        };
    }
}

/// Draws patches of a batch whose first face has the number `start`; the last two are not drawn.
fn draw(
    mesh: &Mesh,
    faces: &[[u32; 3]],
    start: u32,
    patches: &[Patch],
    canvas: &mut Canvas,
    is_culling: bool,
) {
    let mut rest = patches;
    while let [others @ .., _, _] = rest {
        let small = others.iter().position(|patch| patch.inside == 0).unwrap_or(others.len());
        let patches = &rest[..small + 2];
        if canvas.is_of_faces {
            draw_small::<true>(start, patches, canvas);
        } else {
            draw_small::<false>(start, patches, canvas);
        }
        if let Some(large) = others.get(small) {
            let corners = faces[large.face as usize].map(|vertex| {
                let vertex = vertex as usize;
                Corner { place: mesh.places[vertex], shade: mesh.shades[vertex] }
            });
            fill_large(canvas, start + large.face, corners, is_culling);
        }
        rest = &rest[small + 1..];
    }
}

/// Draws patches that have pixels, but the last two, one pixel after another: when a patch is done, the next one's take its
/// place without a branch, which could not be guessed.
fn draw_small<const FACES: bool>(start: u32, patches: &[Patch], canvas: &mut Canvas) {
    let count = patches.len() - 2;
    let mut n = 0;
    let (mut inside, mut next) = (patches[0].inside, patches[1].inside);
    while n < count {
        let patch = &patches[n];
        let bit = inside.trailing_zeros() as usize;
        inside &= inside.wrapping_sub(1);
        let is_done = inside == 0;
        n += usize::from(is_done);
        // the next patch's pixels are there before it is known that they are wanted
        inside |= next & u64::from(is_done).wrapping_neg();
        next = patches[n + 1].inside;
        let (x, y) = (Lanes::floats(COLUMNS[bit & 63]), Lanes::floats(ROWS[bit & 63]));
        let value = patch.slope.first.plus(patch.slope.right.times(x)).plus(patch.slope.below.times(y));
        let at = patch.at as usize + (bit >> 4) * canvas.width + (bit >> 2 & 3);
        canvas.draw_as::<FACES>(at, value, start + patch.face);
    }
}

/// Bits of the first of four triangles in a mask of 4 × 4 pixels: bit 16·row + 4·column + triangle.
const FIRST_OF_FOUR: u64 = 0x1111_1111_1111_1111;

/// Pixels of a 4 × 4 block up to a column and a row; of an empty one any.
#[inline(always)]
fn screen_mask(column: i32, row: i32) -> u64 {
    let columns = (0x1111 >> (12 - 4 * column.clamp(0, 3))) * 0x0001_0001_0001_0001;
    columns & (u64::MAX >> (48 - 16 * row.clamp(0, 3)))
}

/// Column and row of each bit of a mask, in every lane.
pub(super) static COLUMNS: [[f32; 4]; 64] = steps(4, 4);
static ROWS: [[f32; 4]; 64] = steps(16, 4);

const fn steps(unit: usize, count: usize) -> [[f32; 4]; 64] {
    let mut table = [[0.0; 4]; 64];
    let mut bit = 0;
    while bit < 64 {
        table[bit] = [(bit / unit % count) as f32; 4];
        bit += 1;
    }
    table
}
