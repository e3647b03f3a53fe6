//! Elements of an NPY file as one of three types, row-major.

use crate::npy::{ElementType, Layout};
use crate::npy_tile::{Square, TILE};
use alloc::vec::Vec;

/// What elements are read as. Numbers that do not fit are clamped; floats are rounded half up to integers, NaN is 0;
/// integers beyond 2^24 lose their last digits in f32.
pub trait Target: Copy + Default {
    fn of(number: f64) -> Self;

    /// Converts as many of the first elements as the target machine does at once; gives their number.
    fn convert_simd(_bytes: &[u8], _element: ElementType, _out: &mut [Self]) -> usize {
        0
    }

    /// The elements, where the file's bytes are them already.
    fn as_stored(_bytes: &[u8], _element: ElementType) -> Option<&[Self]> {
        None
    }

    /// A line of a square, as a whole.
    #[inline(always)]
    fn copy(from: &[Self; TILE], to: &mut [Self; TILE]) {
        *to = *from;
    }

    /// Rows become columns.
    fn transpose(square: &mut Square<Self>) {
        for a in 0..TILE {
            let (upper, lower) = square.split_at_mut(a + 1);
            for (b, row) in lower.iter_mut().enumerate() {
                core::mem::swap(&mut upper[a][a + 1 + b], &mut row[a]);
            }
        }
    }
}

impl Target for u8 {
    #[inline(always)]
    fn of(number: f64) -> u8 {
        (number + 0.5) as u8
    }

    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    fn convert_simd(bytes: &[u8], element: ElementType, out: &mut [u8]) -> usize {
        let length = out.len();
        // SAFETY: the same bytes; whole ones are written, so that they stay initialised.
        #[allow(unsafe_code)]
        let out = unsafe { core::slice::from_raw_parts_mut(out.as_mut_ptr().cast(), length) };
        crate::npy_wide::to_bytes(bytes, element, out)
    }

    fn as_stored(bytes: &[u8], element: ElementType) -> Option<&[u8]> {
        ((element.kind, element.bytes) == (b'u', 1)).then_some(bytes)
    }

    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    #[inline(always)]
    fn copy(from: &[u8; TILE], to: &mut [u8; TILE]) {
        crate::npy_wide::copy(from, to);
    }

    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    fn transpose(square: &mut Square<u8>) {
        crate::npy_wide::transpose(square);
    }
}

impl Target for u32 {
    #[inline(always)]
    fn of(number: f64) -> u32 {
        (number + 0.5) as u32
    }
}

impl Target for f32 {
    #[inline(always)]
    fn of(number: f64) -> f32 {
        number as f32
    }
}

/// Reads the elements into `out`, last axis fastest, whatever the order of the file.
///
/// `elements` are the file's bytes from `layout.offset` on, `out` is `layout.count()` long. A column-major file of
/// another type takes a second array of that length meanwhile.
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
) -> Result<(), alloc::collections::TryReserveError> {
    let bytes = &elements[..layout.count() * usize::from(layout.element.bytes)];
    assert!(out.len() == layout.count());
    if !layout.is_fortran {
        decode_in_order(bytes, layout, out);
        return Ok(());
    }
    if let Some(columns) = T::as_stored(bytes, layout.element) {
        transpose(columns, layout.shape, out);
        return Ok(());
    }
    let mut columns = Vec::new();
    columns.try_reserve_exact(out.len())?;
    columns.resize(out.len(), T::default());
    decode_in_order(bytes, layout, &mut columns);
    transpose(&columns, layout.shape, out);
    Ok(())
}

/// Numbers that are read at a time.
const PART: usize = 64;

/// In the order of the file.
#[inline(never)]
fn decode_in_order<T: Target>(bytes: &[u8], layout: &Layout, out: &mut [T]) {
    let size = usize::from(layout.element.bytes);
    let done = T::convert_simd(bytes, layout.element, out);
    let mut numbers = [0f64; PART];
    for (bytes, out) in bytes[done * size..].chunks(PART * size).zip(out[done..].chunks_mut(PART)) {
        read(bytes, layout.element, &mut numbers);
        for (value, &number) in out.iter_mut().zip(&numbers) {
            *value = T::of(number);
        }
    }
}

/// Elements as numbers: a double holds each of the types exactly. One path for all of them keeps the program small; the
/// volumes that are looked at take [`Target::convert_simd`].
#[inline(never)]
fn read(bytes: &[u8], element: ElementType, numbers: &mut [f64; PART]) {
    let size = usize::from(element.bytes);
    for (number, chunk) in numbers.iter_mut().zip(bytes.chunks_exact(size)) {
        let mut bits = 0u64;
        for at in 0..size {
            let from = if element.is_big_endian { at } else { size - 1 - at };
            bits = bits << 8 | u64::from(chunk[from]);
        }
        *number = match (element.kind, size) {
            (b'b', _) => f64::from(u8::from(bits != 0)),
            (b'u', _) => bits as f64,
            (b'i', _) => {
                let unused = 64 - 8 * size as u32;
                ((bits << unused) as i64 >> unused) as f64
            }
            (_, 4) => f64::from(f32::from_bits(bits as u32)),
            _ => f64::from_bits(bits),
        };
    }
}

/// Column-major to row-major, in squares along the middle axis: what is read and what is written stay in the same pages
/// of memory from one to the next. A square is copied first: its columns lie whole planes apart, where a cache has few
/// places for them.
fn transpose<T: Target>(columns: &[T], [n0, n1, n2]: [usize; 3], out: &mut [T]) {
    let mut square = [[T::default(); TILE]; TILE];
    for (a0, c0) in (0..n0).step_by(TILE).flat_map(|a| (0..n2).step_by(TILE).map(move |c| (a, c))) {
        let (height, width) = (TILE.min(n0 - a0), TILE.min(n2 - c0));
        for b in 0..n1 {
            for (c, column) in square[..width].iter_mut().enumerate() {
                copy_line(&columns[a0 + n0 * (b + n1 * (c0 + c))..], column, height);
            }
            T::transpose(&mut square);
            for (a, row) in square[..height].iter().enumerate() {
                copy_line(row, &mut out[((a0 + a) * n1 + b) * n2 + c0..], width);
            }
        }
    }
}

/// The first elements of one into the other. Whole lines are copied as such: a copy of any length is a call.
#[inline(always)]
fn copy_line<T: Target>(from: &[T], to: &mut [T], length: usize) {
    match (from.first_chunk::<TILE>(), to.first_chunk_mut::<TILE>()) {
        (Some(from), Some(to)) if length == TILE => T::copy(from, to),
        _ => to[..length].copy_from_slice(&from[..length]),
    }
}

#[cfg(test)]
#[path = "npy_decode_tests.rs"]
mod tests;
