//! Elements of an NPY file as one of three types, row-major.

use crate::npy::{ElementType, Layout};

/// What elements are read as. Numbers that do not fit are clamped; floats are rounded half up to integers, NaN is 0;
/// integers beyond 2^24 lose their last digits in f32.
pub trait Target: Copy + Default {
    fn of(number: f64) -> Self;

    /// Converts as many of the first elements as the target machine does at once; gives their number.
    fn wide(_bytes: &[u8], _element: ElementType, _out: &mut [Self]) -> usize {
        0
    }
}

impl Target for u8 {
    #[inline(always)]
    fn of(number: f64) -> u8 {
        (number + 0.5) as u8
    }

    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    fn wide(bytes: &[u8], element: ElementType, out: &mut [u8]) -> usize {
        crate::npy_wide::to_bytes(bytes, element, out)
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

/// Numbers that are read at a time.
const PART: usize = 64;

/// In the order of the file.
#[inline(never)]
fn straight<T: Target>(bytes: &[u8], layout: &Layout, out: &mut [T]) {
    let size = usize::from(layout.element.bytes);
    let done = T::wide(bytes, layout.element, out);
    let mut numbers = [0f64; PART];
    for (bytes, out) in bytes[done * size..].chunks(PART * size).zip(out[done..].chunks_mut(PART)) {
        read(bytes, layout.element, &mut numbers);
        for (value, &number) in out.iter_mut().zip(&numbers) {
            *value = T::of(number);
        }
    }
}

/// Elements as numbers: a double holds each of the types exactly. One road for all of them keeps the program small; the
/// volumes that are looked at take [`Target::wide`].
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

/// Side of the squares in which a column-major array is turned: whole cache lines of bytes on both sides.
const TILE: usize = 64;

/// Column-major to row-major: the planes of the middle axis one by one, in squares. A square is copied first: its
/// columns lie whole planes apart, where a cache has few places for them.
fn turn<T: Copy + Default>(columns: &[T], [n0, n1, n2]: [usize; 3], out: &mut [T]) {
    let mut square = [[T::default(); TILE]; TILE];
    for b in 0..n1 {
        for a0 in (0..n0).step_by(TILE) {
            let height = TILE.min(n0 - a0);
            for c0 in (0..n2).step_by(TILE) {
                let width = TILE.min(n2 - c0);
                for (c, column) in square[..width].iter_mut().enumerate() {
                    let from = a0 + n0 * (b + n1 * (c0 + c));
                    column[..height].copy_from_slice(&columns[from..from + height]);
                }
                for a in 0..height {
                    let row = ((a0 + a) * n1 + b) * n2 + c0;
                    for (value, column) in out[row..row + width].iter_mut().zip(&square) {
                        *value = column[a];
                    }
                }
            }
        }
    }
}

#[cfg(test)]
#[path = "npy_decode_tests.rs"]
mod tests;
