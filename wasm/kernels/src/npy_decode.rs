//! Elements of an NPY file as one of three types, row-major.

use crate::npy::Layout;

/// What elements are read as. Integers that do not fit are clamped; floats are rounded half up to integers, NaN is 0;
/// integers beyond 2^24 lose their last digits in f32.
pub trait Target: Copy + Default {
    fn from_u32(v: u32) -> Self;
    fn from_i32(v: i32) -> Self;
    fn from_f32(v: f32) -> Self;
    fn from_f64(v: f64) -> Self;
}

impl Target for u8 {
    #[inline(always)]
    fn from_u32(v: u32) -> u8 {
        v.min(255) as u8
    }
    #[inline(always)]
    fn from_i32(v: i32) -> u8 {
        v.clamp(0, 255) as u8
    }
    #[inline(always)]
    fn from_f32(v: f32) -> u8 {
        (v + 0.5) as u8
    }
    #[inline(always)]
    fn from_f64(v: f64) -> u8 {
        (v + 0.5) as u8
    }
}

impl Target for u32 {
    #[inline(always)]
    fn from_u32(v: u32) -> u32 {
        v
    }
    #[inline(always)]
    fn from_i32(v: i32) -> u32 {
        v.max(0) as u32
    }
    #[inline(always)]
    fn from_f32(v: f32) -> u32 {
        // the half of a large f32 would round it up twice
        Self::from_f64(f64::from(v))
    }
    #[inline(always)]
    fn from_f64(v: f64) -> u32 {
        (v + 0.5) as u32
    }
}

impl Target for f32 {
    #[inline(always)]
    fn from_u32(v: u32) -> f32 {
        v as f32
    }
    #[inline(always)]
    fn from_i32(v: i32) -> f32 {
        v as f32
    }
    #[inline(always)]
    fn from_f32(v: f32) -> f32 {
        v
    }
    #[inline(always)]
    fn from_f64(v: f64) -> f32 {
        v as f32
    }
}

/// Reads the elements into `out`, last axis fastest, whatever the order of the file.
///
/// `elements` are the file's bytes from `layout.offset` on, `out` is `layout.count()` long. A column-major file takes
/// a second array of that length meanwhile.
///
/// # Errors
/// When memory for that is short.
///
/// # Panics
/// When `elements` is shorter than the layout says, or `out` has another length.
///
/// # Exactness
/// Equal to the naive twin of the tests for every type, byte order and axis order.
pub fn decode<T: Target>(
    elements: &[u8],
    layout: &Layout,
    out: &mut [T],
) -> Result<(), std::collections::TryReserveError> {
    let bytes = &elements[..layout.count() * usize::from(layout.element.bytes)];
    assert_eq!(out.len(), layout.count());
    if !layout.is_fortran {
        straight(bytes, layout, out);
        return Ok(());
    }
    let mut columns = Vec::new();
    columns.try_reserve_exact(out.len())?;
    columns.resize(out.len(), T::default());
    straight(bytes, layout, &mut columns);
    turn(&columns, layout.shape, out);
    Ok(())
}

/// Bytes that are put in order at a time; a multiple of every element's size.
const SWAPPED: usize = 4096;

/// In the order of the file.
fn straight<T: Target>(bytes: &[u8], layout: &Layout, out: &mut [T]) {
    let size = usize::from(layout.element.bytes);
    if !layout.element.is_big_endian {
        little(bytes, layout, out);
        return;
    }
    let mut buffer = [0u8; SWAPPED];
    for (bytes, out) in bytes.chunks(SWAPPED).zip(out.chunks_mut(SWAPPED / size)) {
        for (to, from) in buffer.chunks_exact_mut(size).zip(bytes.chunks_exact(size)) {
            to.iter_mut().zip(from.iter().rev()).for_each(|(to, &from)| *to = from);
        }
        little(&buffer[..bytes.len()], layout, out);
    }
}

/// Least significant byte first.
fn little<T: Target>(bytes: &[u8], layout: &Layout, out: &mut [T]) {
    macro_rules! read {
        ($number:ty, $size:literal, $convert:expr) => {
            for (value, chunk) in out.iter_mut().zip(bytes.chunks_exact($size)) {
                let number = <$number>::from_le_bytes(<[u8; $size]>::try_from(chunk).unwrap_or_default());
                *value = $convert(number);
            }
        };
    }
    match (layout.element.kind, layout.element.bytes) {
        (b'b', _) => read!(u8, 1, |v: u8| T::from_u32(u32::from(v != 0))),
        (b'u', 1) => read!(u8, 1, |v: u8| T::from_u32(u32::from(v))),
        (b'u', 2) => read!(u16, 2, |v: u16| T::from_u32(u32::from(v))),
        (b'u', _) => read!(u32, 4, T::from_u32),
        (b'i', 1) => read!(i8, 1, |v: i8| T::from_i32(i32::from(v))),
        (b'i', 2) => read!(i16, 2, |v: i16| T::from_i32(i32::from(v))),
        (b'i', _) => read!(i32, 4, T::from_i32),
        (_, 4) => read!(f32, 4, T::from_f32),
        _ => read!(f64, 8, T::from_f64),
    }
}

/// Side of the squares in which a column-major array is turned: both sides of one stay in the cache.
const TILE: usize = 32;

/// Column-major to row-major: the planes of the middle axis one by one, in squares.
fn turn<T: Copy>(columns: &[T], [n0, n1, n2]: [usize; 3], out: &mut [T]) {
    for b in 0..n1 {
        for a0 in (0..n0).step_by(TILE) {
            for c0 in (0..n2).step_by(TILE) {
                for a in a0..(a0 + TILE).min(n0) {
                    let row = (a * n1 + b) * n2;
                    for c in c0..(c0 + TILE).min(n2) {
                        out[row + c] = columns[a + n0 * (b + n1 * c)];
                    }
                }
            }
        }
    }
}

#[cfg(test)]
#[path = "npy_decode_tests.rs"]
mod tests;
