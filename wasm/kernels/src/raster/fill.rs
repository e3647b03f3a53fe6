//! The order in which the triangles of a mesh are drawn.

use super::canvas::{Canvas, ScreenVertex};
use super::clusters::CLUSTER;
use super::four::{draw_four, Batch, Constants, Samples};
use super::lanes::Lanes;
use super::large::{clip_near, fill_large};
use super::mesh::Mesh;
use super::triangle::corner;
use super::view::View;

/// Faces that are looked at together before any of them is filled.
const BATCH: usize = 512;

/// Fills the triangles of projected vertices; `is_near`: some vertex is nearer than the near plane.
///
/// Visible faces are chosen for a whole batch before any of them is drawn, so that drawing does not wait for mispredicted
/// branches of the choice.
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
                // SAFETY: the faces are the mesh's.
                #[allow(unsafe_code)]
                let chosen =
                    unsafe { choose(mesh, faces, first, &constants, view.is_culling, &mut wanted[count..]) };
                count += chosen;
                continue;
            }
            for (at, face) in faces.chunks_exact(3).enumerate() {
                if face.iter().all(|&vertex| mesh.corners[vertex as usize].f32_lane::<3>() > 0.0) {
                    wanted[count] = (first + at) as u32;
                    count += 1;
                } else {
                    clip_near(mesh, view, canvas, (start + first + at) as u32, face);
                }
            }
        }
        wanted[count..count + 3].fill(0);
        let faces = faces.as_chunks::<3>().0;
        let batch = Batch { mesh, faces, start: start as u32, is_culling: view.is_culling };
        for at in (0..count).step_by(4) {
            let four = [0, 1, 2, 3].map(|n| wanted[at + n]);
            let some = (count - at).min(4);
            // SAFETY: `choose` and the loop above it number faces of this batch, which are the mesh's, and what fills
            // four up is the first one.
            #[allow(unsafe_code)]
            let mut large = unsafe { draw_four(&batch, four, some, &constants, canvas, &mut samples) };
            if large != 0 {
                samples.draw(canvas);
            }
            while large != 0 {
                let face = four[large.trailing_zeros() as usize & 3];
                large &= large - 1;
                let corners =
                    faces[face as usize].map(|vertex| ScreenVertex::of(mesh.corners[vertex as usize]));
                fill_large(canvas, start as u32 + face, corners, view.is_culling);
            }
        }
    }
    samples.draw(canvas);
}

/// Writes the numbers, from `first` on, of the faces that may hold a pixel's centre and do not look away, four at a time
/// and without branches: the outcome is not predictable. Returns how many there are.
///
/// # Safety
/// `faces` are faces of `mesh`.
#[allow(unsafe_code)]
unsafe fn choose(
    mesh: &Mesh,
    faces: &[u32],
    first: usize,
    constants: &Constants,
    is_culling: bool,
    out: &mut [u32],
) -> usize {
    let all = |value: i32| Lanes::from_i32([value; 4]);
    let zero = all(0);
    let both = all(if is_culling { 0 } else { -1 });
    let mut count = 0;
    for (at, four) in faces.as_chunks::<12>().0.iter().enumerate() {
        // SAFETY: the caller's.
        let nth = |n: usize| {
            Lanes::transpose_pairs([0, 3, 6, 9].map(|face| unsafe { corner(mesh, four[n + face]) }))
        };
        let ((ax, ay), (bx, by), (cx, cy)) = (nth(0), nth(1), nth(2));
        let (bx_a, by_a, cx_a, cy_a) = (bx.sub(ax), by.sub(ay), cx.sub(ax), cy.sub(ay));
        let area = by_a.mul(cx_a).sub(bx_a.mul(cy_a));
        // the area says nothing where a difference is no small number of either sign
        let far = |d: Lanes| d.add(constants.small);
        let is_small = far(bx_a).or(far(by_a)).or(far(cx_a)).or(far(cy_a)).and(constants.large).eq_zero();
        let is_hidden = is_small.and_not(zero.lt(area).or(area.lt(zero).and(both)));
        if is_hidden.sign_mask() == 15 {
            continue;
        }
        let low = (ax.min(bx).min(cx), ay.min(by).min(cy));
        let high = (ax.max(bx).max(cx), ay.max(by).max(cy));
        let wanted = !is_hidden.or(constants.boxes(low, high).are_empty()).sign_mask() & 15;
        let first = (first + at * 4) as i32;
        let numbers = Lanes::from_i32([first, first + 1, first + 2, first + 3]).compact(wanted);
        out[count..count + 4].copy_from_slice(&numbers.to_array().map(|n| n as u32));
        count += wanted.count_ones() as usize;
    }
    count
}
