//! One slice of a volume as it is stored, without resampling.

/// Copies the slice `index` along `axis` (0 = i, 1 = j, 2 = k) into `out`: rows along the first of the other two axes.
/// False, and nothing written, when there is no such slice or `out` is not as long as it.
///
/// # Shape
/// `volume` is [nx, ny, nz], i fastest.
pub fn extract_slice(volume: &[u8], shape: [usize; 3], axis: usize, index: usize, out: &mut [u8]) -> bool {
    let [nx, ny, nz] = shape;
    let is_there = axis < 3 && index < shape[axis] && volume.len() == nx * ny * nz;
    if !is_there || out.len() != volume.len() / shape[axis] {
        return false;
    }
    match axis {
        2 => out.copy_from_slice(&volume[nx * ny * index..nx * ny * (index + 1)]),
        1 => {
            let slice = &volume[nx * index..];
            for (at, row) in out.chunks_exact_mut(nx).enumerate() {
                let from = nx * ny * at;
                fetch(slice, from + AHEAD * nx * ny, nx);
                copy_row(&slice[from..from + nx], row);
            }
        }
        _ => gather(&volume[index..], nx, out),
    }
    true
}

/// Reads bytes that lie `stride` apart, in a bare loop, so that as many loads as possible are in flight.
///
/// # Panics
/// When `from` ends before the last one.
pub(crate) fn gather(from: &[u8], stride: usize, to: &mut [u8]) {
    assert!(to.is_empty() || (to.len() - 1) * stride < from.len());
    // SAFETY: no farther than the last one.
    #[allow(unsafe_code)]
    let read = |at: usize| unsafe { *from.get_unchecked(at) };
    let mut at = 0;
    let (eights, rest) = to.as_chunks_mut::<8>();
    for eight in eights {
        *eight = core::array::from_fn(|n| read(at + n * stride));
        at += 8 * stride;
    }
    for byte in rest {
        *byte = read(at);
        at += stride;
    }
}

/// Rows that are fetched before they are copied.
const AHEAD: usize = 8;
/// Bytes of a line of the cache.
const LINE: usize = 64;

/// Prefetches a row: hardware does not predict rows that lie far apart.
#[inline(always)]
fn fetch(bytes: &[u8], at: usize, length: usize) {
    let lines = bytes.get(at..at + length).unwrap_or(&[]).iter().step_by(LINE);
    core::hint::black_box(lines.fold(0, |all, byte| all | byte));
}

/// Copies one row. `memory.copy`, which is faster for whole slices, is a call out of the module for each row.
#[inline(always)]
fn copy_row(from: &[u8], to: &mut [u8]) {
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    {
        use crate::lanes::{load, store};
        let (blocks, short) = from.as_chunks::<64>();
        let (outs, short_to) = to.as_chunks_mut::<64>();
        for (block, out) in blocks.iter().zip(outs) {
            let ((block, _), (out, _)) = (block.as_chunks::<16>(), out.as_chunks_mut::<16>());
            let lanes: [_; 4] = core::array::from_fn(|n| load(&block[n]));
            for n in 0..4 {
                store(&mut out[n], lanes[n]);
            }
        }
        let ((rows, rest), (outs, rest_out)) = (short.as_chunks::<16>(), short_to.as_chunks_mut::<16>());
        for (row, out) in rows.iter().zip(outs) {
            store(out, load(row));
        }
        for (&byte, out) in rest.iter().zip(rest_out) {
            *out = byte;
        }
    }
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    to.copy_from_slice(from);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn extract_slice_equals_every_voxel_by_its_index() {
        let mut random = Random(3);
        for _ in 0..50 {
            let shape = [0; 3].map(|_: usize| 1 + random.below(9));
            let [nx, ny, nz] = shape;
            let volume: Vec<u8> = (0..nx * ny * nz).map(|_| random.below(256) as u8).collect();
            for axis in 0..3 {
                let index = random.below(shape[axis]);
                let mut naive = Vec::new();
                for k in 0..nz {
                    for j in 0..ny {
                        for i in 0..nx {
                            if [i, j, k][axis] == index {
                                naive.push(volume[i + nx * (j + ny * k)]);
                            }
                        }
                    }
                }
                let mut out = vec![0; naive.len()];
                assert!(extract_slice(&volume, shape, axis, index, &mut out));
                assert_eq!(out, naive);
                assert!(!extract_slice(&volume, shape, axis, shape[axis], &mut out));
                assert!(!extract_slice(&volume, shape, axis, index, &mut out[1..]));
            }
            assert!(!extract_slice(&volume, shape, 3, 0, &mut []));
        }
    }
}
