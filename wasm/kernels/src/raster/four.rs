//! Triangles of up to 4 × 4 pixels, four at a time: what each place of their boxes would show, in a lane for each of them;
//! then the pixels that they cover, one after another.

use super::canvas::Canvas;
use super::lanes::Lanes;
use super::mesh::Mesh;
use super::triangle::{corner, Boxes, HALF, WIDE};
use super::view::SUBPIXEL_BITS;
use core::hint::black_box;

/// Columns and rows of a box up to which triangles are drawn four at a time; larger ones are filled one by one.
const LARGE: i32 = 4;
/// Places that are tested before the covered ones are drawn: leaving that loop costs a mispredicted branch.
const PLACES: usize = 16;
/// The last 16 bits of a sum of this and a float of less than 64 are those behind the float's point.
const FIXED: f32 = 192.0;

/// Constants of all triangles of a picture. JavaScript engines rebuild a known constant at each use, in several instructions; these stay in registers.
pub(super) struct Constants {
    half: Lanes,
    before_half: Lanes,
    pub small: Lanes,
    pub large: Lanes,
    edge_x: Lanes,
    edge_y: Lanes,
    width: Lanes,
    byte: Lanes,
    low: Lanes,
    green: Lanes,
    red_blue: Lanes,
    middle: Lanes,
    opaque: Lanes,
    fixed: Lanes,
    one: Lanes,
}

impl Constants {
    pub fn of(canvas: &Canvas) -> Constants {
        let all = |value: i32| black_box(Lanes::from_i32([value; 4]));
        Constants {
            half: all(HALF),
            before_half: all(HALF - 1),
            small: all(WIDE / 2),
            large: all(-WIDE),
            edge_x: all(canvas.width as i32 - 1),
            edge_y: all(canvas.height as i32 - 1),
            width: all(canvas.width as i32),
            byte: all(255),
            low: all(0xffff),
            green: all(0xff00),
            red_blue: all(0xff00_ff00u32 as i32),
            middle: all(0x0080_0080),
            opaque: all(0xff00_0000u32 as i32),
            fixed: black_box(Lanes::from_f32([FIXED; 4])),
            one: all(1),
        }
    }

    /// The first pixels whose centres are not before a place, and the last ones not behind one.
    #[inline(always)]
    pub fn boxes(&self, low: (Lanes, Lanes), high: (Lanes, Lanes)) -> Boxes {
        let first = |low: Lanes| low.add(self.before_half).shr(SUBPIXEL_BITS).max(Lanes::from_i32([0; 4]));
        let last = |high: Lanes, edge: Lanes| high.sub(self.half).shr(SUBPIXEL_BITS).min(edge);
        Boxes {
            x0: first(low.0),
            y0: first(low.1),
            x1: last(high.0, self.edge_x),
            y1: last(high.1, self.edge_y),
        }
    }
}

/// The state at one place of four boxes: edge functions of four triangles, each as -1 - value, 1/depth, and colours with
/// eight bits behind the point: red and blue in 16 bits each, green.
#[derive(Clone, Copy)]
struct Place {
    edges: [Lanes; 3],
    depth: Lanes,
    red_blue: Lanes,
    green: Lanes,
    at: Lanes,
}

impl Place {
    #[inline(always)]
    fn moved_by(self, o: &Place) -> Place {
        Place {
            edges: [0, 1, 2].map(|n| self.edges[n].add(o.edges[n])),
            depth: self.depth.fadd(o.depth),
            red_blue: self.red_blue.add_i16(o.red_blue),
            green: self.green.add(o.green),
            at: self.at.add(o.at),
        }
    }
}

/// Faces of a mesh that are looked at together.
pub(super) struct Batch<'a> {
    pub mesh: &'a Mesh,
    pub faces: &'a [[u32; 3]],
    /// Number of the first one.
    pub start: u32,
    pub is_culling: bool,
}

/// Draws the first `some` of four faces of a batch, or keeps what they show among the samples, which are drawn when there
/// are enough of them. Gives which faces are too large for that, a bit for each.
///
/// # Exactness
/// A colour's steps are rounded to 1/256: seven of them, three to the right and three down, move it by 1/64 at most.
///
/// # Safety
/// `four` are numbers of `faces`, which are faces of `mesh`.
#[allow(unsafe_code)]
#[inline(always)]
pub(super) unsafe fn draw_four(
    &Batch { mesh, faces, start, is_culling }: &Batch,
    four: [u32; 4],
    some: usize,
    constants: &Constants,
    canvas: &mut Canvas,
    samples: &mut Samples,
) -> u8 {
    let all = |value: i32| Lanes::from_i32([value; 4]);
    let zero = all(0);
    // SAFETY: the caller's.
    let four_faces = four.map(|at| unsafe { faces.get_unchecked(at as usize) });
    // SAFETY: the caller's.
    let nth = |n: usize| Lanes::transpose(four_faces.map(|face| unsafe { corner(mesh, face[n]) }));
    let ([ax, ay, a_colour, a_depth], [bx, by, b_colour, b_depth], [cx, cy, c_colour, c_depth]) =
        (nth(0), nth(1), nth(2));
    let low = (ax.min(bx).min(cx), ay.min(by).min(cy));
    let high = (ax.max(bx).max(cx), ay.max(by).max(cy));
    let boxes = constants.boxes(low, high);
    let is_wide = all(WIDE - 1).lt(high.0.sub(low.0)).or(all(WIDE - 1).lt(high.1.sub(low.1)));
    let (bx_a, by_a, cx_a, cy_a) = (bx.sub(ax), by.sub(ay), cx.sub(ax), cy.sub(ay));
    let area = by_a.mul(cx_a).sub(bx_a.mul(cy_a));
    let mut edges = [bx_a, by_a, cx_a, cy_a, area];
    if !is_culling {
        // edge functions are positive inside; those of a triangle that looks away change their sign
        let turn = area.lt(zero);
        edges = edges.map(|v| v.xor(turn).sub(turn));
    }
    let [bx_a, by_a, cx_a, cy_a, area] = edges;
    let is_flat = area.lt(constants.one);
    let (columns, rows) = (boxes.x1.sub(boxes.x0), boxes.y1.sub(boxes.y0));
    let is_large = is_wide.or(all(LARGE - 1).lt(columns.max(rows)));
    let is_drawn = is_wide.or(all(-1).and_not(is_flat)).and_not(boxes.are_empty());
    let (is_alone, is_drawn) = (is_large.and(is_drawn), is_drawn.and_not(is_large));
    let drawn = is_drawn.sign_mask() & ((1 << some) - 1);
    let sizes = columns.or(rows.shl(16)).and(is_drawn).max_i16();
    let centre = |at: Lanes| at.shl(SUBPIXEL_BITS).add(constants.half);
    let (px, py) = (centre(boxes.x0).sub(ax), centre(boxes.y0).sub(ay));
    let b = cx_a.mul(py).sub(cy_a.mul(px));
    let c = by_a.mul(px).sub(bx_a.mul(py));
    let (b_right, b_below) = (zero.sub(cy_a).shl(SUBPIXEL_BITS), cx_a.shl(SUBPIXEL_BITS));
    let (c_right, c_below) = (by_a.shl(SUBPIXEL_BITS), zero.sub(bx_a).shl(SUBPIXEL_BITS));
    let unit = Lanes::from_f32([1.0 / 256.0; 4]).fdiv(area.to_f32());
    let weights = |b: Lanes, c: Lanes| (b.to_f32().fmul(unit), c.to_f32().fmul(unit));
    let steps = [weights(b, c), weights(b_right, c_right), weights(b_below, c_below)];
    let mixed = |to_b: Lanes, to_c: Lanes| steps.map(|(b, c)| to_b.fmul(b).fadd(to_c.fmul(c)));
    let whole = Lanes::from_f32([256.0; 4]);
    let depths = mixed(b_depth.fsub(a_depth).fmul(whole), c_depth.fsub(a_depth).fmul(whole));
    let channel = |shift: u32| {
        let of = |colour: Lanes| colour.shr_u(shift).and(constants.byte);
        let a = of(a_colour);
        let to = |colour: Lanes| of(colour).sub(a).to_f32();
        // sums modulo 2^16 are right when the last one fits 16 bits, which it does inside of a triangle
        mixed(to(b_colour), to(c_colour)).map(|x| x.fsub(x.fround()).fadd(constants.fixed))
    };
    let (reds, greens, blues) = (channel(8), channel(0), channel(24));
    let pairs = [0, 1, 2].map(|n| reds[n].and(constants.low).or(blues[n].shl(16)));
    let edges = |b: Lanes, c: Lanes| [zero.sub(b), zero.sub(c), b.add(c)];
    let inside = |v: Lanes| zero.sub(constants.one).sub(v);
    let a_pair = a_colour.and(constants.red_blue);
    let mut first = Place {
        edges: [inside(b), inside(c), inside(area.sub(b).sub(c))],
        depth: a_depth.fadd(depths[0]),
        red_blue: pairs[0].add_i16(a_pair).add_i16(constants.middle),
        green: greens[0].add(a_colour.and(constants.byte).shl(8)).add(constants.middle),
        at: boxes.y0.mul(constants.width).add(boxes.x0),
    };
    let step = |n: usize, edges: [Lanes; 3], at: Lanes| Place {
        edges,
        depth: depths[n],
        red_blue: pairs[n],
        green: greens[n],
        at,
    };
    let mut right = step(1, edges(b_right, c_right), constants.one);
    let mut below = step(2, edges(b_below, c_below), constants.width);
    let mut top = constants.opaque;
    if canvas.is_of_faces {
        for place in [&mut first, &mut right, &mut below] {
            (place.red_blue, place.green) = (zero, zero);
        }
        top = Lanes::from_i32(four.map(|face| (start + face) as i32));
    }
    let edge =
        constants.edge_x.sub(boxes.x0).lt(all(LARGE)).or(constants.edge_y.sub(boxes.y0).lt(all(LARGE)));

    let mut mask;
    let is_tiny = sizes & !0x0001_0001 == 0;
    let lines = (sizes >> 16) as usize + 1;
    let places = if is_tiny { 4 } else { 4 * lines };
    if samples.count + places > PLACES {
        samples.draw(canvas);
    }
    let mut at = samples.count & (PLACES - 1);
    let mut put = |at: usize, place: &Place| {
        let inside = place.edges[0].and(place.edges[1]).and(place.edges[2]);
        let word = place.red_blue.shr_u16(8).or(place.green.and(constants.green)).or(top);
        samples.put(at, place.depth, word, place.at);
        u64::from(inside.sign_mask())
    };
    if is_tiny {
        let under = first.moved_by(&below);
        mask = put(at, &first) | put(at + 1, &first.moved_by(&right)) << 4;
        mask |= put(at + 2, &under) << 8 | put(at + 3, &under.moved_by(&right)) << 12;
    } else {
        mask = 0;
        for row in 0..lines {
            let mut place = first;
            let mut line = 0;
            for column in 0..4 {
                line |= put(at + column, &place) << (4 * column);
                place = place.moved_by(&right);
            }
            at += 4;
            mask |= line << (16 * row);
            first = first.moved_by(&below);
        }
    }
    mask &= u64::from(drawn) * FIRST_OF_FOUR;
    if edge.any_true() {
        let (columns, rows) = (columns.to_array(), rows.to_array());
        for n in 0..4 {
            let shown = screen_mask(columns[n], rows[n]);
            let shown = if is_tiny { shown & 0xff | (shown >> 8 & 0xff00) } else { shown };
            mask &= shown << n | !(FIRST_OF_FOUR << n);
        }
    }
    samples.mask |= mask << (4 * samples.count);
    samples.count += places;
    is_alone.sign_mask() & ((1 << some) - 1)
}

/// Bits of the first of four triangles in a mask of 4 × 4 pixels: bit 16·row + 4·column + triangle.
const FIRST_OF_FOUR: u64 = 0x1111_1111_1111_1111;

/// Pixels of a 4 × 4 block up to a column and a row; of an empty one any.
#[inline(always)]
fn screen_mask(column: i32, row: i32) -> u64 {
    let columns = (0x1111 >> (12 - 4 * column.clamp(0, 3))) * 0x0001_0001_0001_0001;
    columns & (u64::MAX >> (48 - 16 * row.clamp(0, 3)))
}

/// What was found at places, four of each.
#[derive(Default)]
pub(super) struct Samples {
    /// Which of them are covered, a bit for each.
    mask: u64,
    /// How many places there are.
    count: usize,
    depths: [[u32; 4]; PLACES + 3],
    words: [[u32; 4]; PLACES + 3],
    at: [[u32; 4]; PLACES + 3],
}

impl Samples {
    #[inline(always)]
    fn put(&mut self, place: usize, depth: Lanes, word: Lanes, at: Lanes) {
        depth.store(&mut self.depths[place]);
        word.store(&mut self.words[place]);
        at.store(&mut self.at[place]);
    }

    /// Draws those whose bit is set.
    #[inline(never)]
    pub fn draw(&mut self, canvas: &mut Canvas) {
        let (depths, words, at) =
            (self.depths.as_flattened(), self.words.as_flattened(), self.at.as_flattened());
        let mut mask = self.mask;
        (self.mask, self.count) = (0, 0);
        while mask != 0 {
            let bit = mask.trailing_zeros() as usize & 63;
            mask &= mask - 1;
            canvas.put_pixel(at[bit] as usize, f32::from_bits(depths[bit]), words[bit]);
        }
    }
}
