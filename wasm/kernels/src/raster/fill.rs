use super::canvas::{Canvas, Corner};
use super::clusters::CLUSTER;
use super::four::{draw_four, Batch, Constants, Samples};
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

/// Fills the triangles of projected vertices; `is_near`: some vertex is nearer than the near plane.
///
/// Which faces are wanted is found out for a whole batch before any of them is drawn: one does not wait for a branch of the
/// other that could not be guessed.
pub(super) fn fill(mesh: &Mesh, view: &View, canvas: &mut Canvas, is_near: bool) {
    let constants = Constants::of(canvas);
    let mut wanted = [0u32; BATCH + 4];
    let mut samples = Samples::default();
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
                if face.iter().all(|&vertex| mesh.corners[vertex as usize].float::<3>() > 0.0) {
                    wanted[count] = (first + at) as u32;
                    count += 1;
                } else {
                    cut(mesh, view, canvas, (start + first + at) as u32, face);
                }
            }
        }
        wanted[count..count + 3].fill(0);
        let faces = faces.as_chunks::<3>().0;
        let batch = Batch { mesh, faces, start: start as u32, is_culling: view.is_culling };
        for at in (0..count).step_by(4) {
            let four = [0, 1, 2, 3].map(|n| wanted[at + n]);
            let some = (count - at).min(4);
            let mut large = draw_four(&batch, four, some, &constants, canvas, &mut samples);
            if large != 0 {
                samples.draw(canvas);
            }
            while large != 0 {
                let face = four[large.trailing_zeros() as usize & 3];
                large &= large - 1;
                let corners = faces[face as usize].map(|vertex| Corner::of(mesh.corners[vertex as usize]));
                fill_large(canvas, start as u32 + face, corners, view.is_culling);
            }
        }
    }
    samples.draw(canvas);
}

/// A vertex that a face of the mesh names.
#[inline(always)]
pub(super) fn corner(mesh: &Mesh, vertex: u32) -> &Lanes {
    // SAFETY: a mesh refuses faces that name a vertex it has not.
    #[allow(unsafe_code)]
    unsafe {
        mesh.corners.get_unchecked(vertex as usize)
    }
}

/// Boxes of triangles in whole pixels.
pub(super) struct Boxes {
    pub x0: Lanes,
    pub y0: Lanes,
    pub x1: Lanes,
    pub y1: Lanes,
}

impl Boxes {
    #[inline(always)]
    pub fn are_empty(&self) -> Lanes {
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
        let nth = |n: usize| Lanes::pairs([0, 3, 6, 9].map(|face| corner(mesh, four[n + face])));
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
        let wanted = !is_hidden.or(constants.boxes(low, high).are_empty()).negatives() & 15;
        let first = (first + at * 4) as i32;
        let numbers = Lanes::ints([first, first + 1, first + 2, first + 3]).packed(wanted);
        out[count..count + 4].copy_from_slice(&numbers.to_ints().map(|n| n as u32));
        count += wanted.count_ones() as usize;
    }
    count
}
