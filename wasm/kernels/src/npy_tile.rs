//! The squares in which a column-major array is turned into a row-major one.

/// Side of the squares in which a column-major array is turned: whole cache lines of bytes on both sides.
pub const TILE: usize = 64;
/// Rows of elements.
pub type Square<T> = [[T; TILE]; TILE];
