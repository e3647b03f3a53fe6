//! What all fillers of triangles need.

use super::lanes::Lanes;
use super::mesh::Mesh;
use super::view::SUBPIXEL_BITS;

/// Half a pixel.
pub(super) const HALF: i32 = 1 << (SUBPIXEL_BITS - 1);
/// Extent from which the edge functions need 64 bits, parts of a pixel.
pub(super) const WIDE: i32 = 1 << 14;

/// A projected vertex.
///
/// # Safety
/// A face of this mesh names the vertex: a mesh refuses faces that name one it has not.
#[allow(unsafe_code)]
#[inline(always)]
pub(super) unsafe fn corner(mesh: &Mesh, vertex: u32) -> &Lanes {
    // SAFETY: the caller's.
    unsafe { mesh.corners.get_unchecked(vertex as usize) }
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
        self.x1.lt(self.x0).or(self.y1.lt(self.y0))
    }
}
