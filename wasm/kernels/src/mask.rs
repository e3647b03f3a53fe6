//! Which voxels lie in a range, and how many.

use crate::colours::LABELS;

/// Rows of 16 that a byte can count.
const BLOCK: usize = 16 * 255;

/// Marks the voxels of `low..=high` with 255, all others with 0; gives their number.
///
/// # Panics
/// When `out` has another length than `values`.
///
/// # Exactness
/// Equal to `naive` of the tests.
pub fn mask_values(values: &[u8], low: u8, high: u8, out: &mut [u8]) -> usize {
    assert!(values.len() == out.len());
    if low > high {
        out.fill(0);
        return 0;
    }
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    return wide::mask_values(values, low, high, out);
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    count_rows(values, out, |value| if value.wrapping_sub(low) <= high - low { 255 } else { 0 })
}

/// Marks every voxel with 0 or 255. Each lane of a row counts its own marks, so that the counters stay bytes.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
#[inline(always)]
fn count_rows(values: &[u8], out: &mut [u8], mark: impl Fn(u8) -> u8) -> usize {
    let mut count = 0;
    for (values, out) in values.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
        let mut lanes = [0u8; 16];
        let (mut rows, mut outs) = (values.chunks_exact(16), out.chunks_exact_mut(16));
        for (row, out) in (&mut rows).zip(&mut outs) {
            for lane in 0..16 {
                let marked = mark(row[lane]);
                out[lane] = marked;
                lanes[lane] = lanes[lane].wrapping_sub(marked);
            }
        }
        count += lanes.iter().map(|&n| usize::from(n)).sum::<usize>();
        for (&value, out) in rows.remainder().iter().zip(outs.into_remainder()) {
            *out = mark(value);
            count += usize::from(*out & 1);
        }
    }
    count
}

/// Fluid spaces: of these, high values are abnormal, so their percentile is inverted.
fn is_inverted(label: usize) -> bool {
    matches!(label, 15..=18 | 25..=28)
}

/// Labels whose percentile (100 minus it for the inverted labels 15–18 and 25–28) lies in `0..=threshold`. NaN, a
/// region without a norm, does not; nor does label 0.
pub fn labels_within(percentiles: &[f32; LABELS], threshold: f32) -> [bool; LABELS] {
    let mut within = [false; LABELS];
    for label in 1..LABELS {
        let p = percentiles[label];
        let from_end = if is_inverted(label) { 100.0 - p } else { p };
        within[label] = from_end <= threshold;
    }
    within
}

/// Marks the voxels whose label is chosen with 255, all others with 0; gives their number.
///
/// # Panics
/// When `out` has another length than `labels`.
///
/// # Exactness
/// Equal to `naive` of the tests.
pub fn mask_labels(labels: &[u8], chosen: &[bool; LABELS], out: &mut [u8]) -> usize {
    assert!(labels.len() == out.len());
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    return wide::mask_labels(labels, chosen, out);
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    count_rows(labels, out, |label| 0u8.wrapping_sub(u8::from(chosen[usize::from(label)])))
}

/// How often each value occurs.
///
/// # Exactness
/// Equal to `naive` of the tests.
pub fn histogram(values: &[u8]) -> [u32; LABELS] {
    // four tables, because a repeated value would wait for its own last addition
    let mut counts = [[0u32; LABELS]; 4];
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    let rest = wide::count_runs(values, &mut counts);
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    let rest = count_words(values, &mut counts);
    for &value in rest {
        counts[0][usize::from(value)] += 1;
    }
    core::array::from_fn(|value| counts.iter().map(|table| table[value]).sum())
}

/// Counts four values at a time; gives those that are left.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
fn count_words<'a>(values: &'a [u8], counts: &mut [[u32; LABELS]; 4]) -> &'a [u8] {
    let (rows, rest) = values.as_chunks::<16>();
    for row in rows {
        for (n, &four) in row.as_chunks::<4>().0.iter().enumerate() {
            // most of a volume is runs: a word that equals itself rotated by a byte is one value four times
            let word = u32::from_le_bytes(four);
            if word == word.rotate_left(8) {
                counts[n][usize::from(four[0])] += 4;
            } else {
                for lane in 0..4 {
                    counts[lane][usize::from(four[lane])] += 1;
                }
            }
        }
    }
    rest
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wide {
    use super::{BLOCK, LABELS};
    use crate::lanes::{load, pin, store};
    use core::arch::wasm32::*;

    pub fn mask_values(values: &[u8], low: u8, high: u8, out: &mut [u8]) -> usize {
        let (least, width) = (u8x16_splat(low), u8x16_splat(high - low));
        let marks = |lanes| u8x16_le(u8x16_sub(lanes, least), width);
        count_rows(values, out, marks, |value| value.wrapping_sub(low) <= high - low)
    }

    /// The chosen labels are a set of 256 bits in two registers: a label's upper five bits find its byte, the lower
    /// three its bit.
    pub fn mask_labels(labels: &[u8], chosen: &[bool; LABELS], out: &mut [u8]) -> usize {
        let mut bits = [[0u8; 16]; 2];
        for label in 0..LABELS {
            bits[label >> 7][label >> 3 & 15] |= u8::from(chosen[label]) << (label & 7);
        }
        let (lower, upper) = (load(&bits[0]), load(&bits[1]));
        let powers = pin(u8x16(1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128));
        let (seven, sixteen) = (pin(u8x16_splat(7)), pin(u8x16_splat(16)));
        let marks = |labels| {
            let byte = u8x16_shr(labels, 3);
            // an index that is not 0..=15 swizzles to 0
            let above = u8x16_swizzle(upper, u8x16_sub(byte, sixteen));
            let set = v128_or(u8x16_swizzle(lower, byte), above);
            let bit = u8x16_swizzle(powers, v128_and(labels, seven));
            u8x16_eq(v128_and(set, bit), bit)
        };
        count_rows(labels, out, marks, |label| chosen[usize::from(label)])
    }

    /// Ends of runs from which a row is counted value by value.
    const BUSY: u32 = 7;

    /// Counts runs of one value where they end: adding in memory takes three instructions here. Rows of many values are
    /// counted value by value. Gives the values that are left.
    pub fn count_runs<'a>(values: &'a [u8], counts: &mut [[u32; LABELS]; 4]) -> &'a [u8] {
        // everything before `start` is counted; from there to `at` is a run of one value
        let (mut start, mut at) = (0, 0);
        let next = values.get(1..).unwrap_or(&[]).as_chunks::<16>().0;
        for (row, next) in values.as_chunks::<16>().0.iter().zip(next) {
            let mut ends = u32::from(u8x16_bitmask(u8x16_ne(load(row), load(next))));
            if ends.count_ones() < BUSY {
                while ends != 0 {
                    let lane = ends.trailing_zeros() as usize & 15;
                    ends &= ends - 1;
                    counts[lane & 1][usize::from(row[lane])] += (at + lane + 1 - start) as u32;
                    start = at + lane + 1;
                }
            } else {
                counts[0][usize::from(values[start])] += (at - start) as u32;
                for four in row.as_chunks::<4>().0 {
                    for lane in 0..4 {
                        counts[lane][usize::from(four[lane])] += 1;
                    }
                }
                start = at + 16;
            }
            at += 16;
        }
        &values[start..]
    }

    /// Marks sixteen voxels at a time, and counts in one byte per lane until that could overflow.
    #[inline(always)]
    fn count_rows(
        values: &[u8],
        out: &mut [u8],
        marks: impl Fn(v128) -> v128,
        is_marked: impl Fn(u8) -> bool,
    ) -> usize {
        let mut count = 0;
        for (values, out) in values.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
            let mut lanes = u8x16_splat(0);
            let (rows, rest) = values.as_chunks::<16>();
            let (outs, rest_out) = out.as_chunks_mut::<16>();
            let (fives, rows) = rows.as_chunks::<5>();
            let (five_outs, outs) = outs.as_chunks_mut::<5>();
            for (five, out) in fives.iter().zip(five_outs) {
                let marked: [_; 5] = core::array::from_fn(|n| marks(load(&five[n])));
                for n in 0..5 {
                    store(&mut out[n], marked[n]);
                    lanes = u8x16_sub(lanes, marked[n]);
                }
            }
            for (row, out) in rows.iter().zip(outs) {
                let marked = marks(load(row));
                store(out, marked);
                lanes = u8x16_sub(lanes, marked);
            }
            let mut sums = [0u8; 16];
            store(&mut sums, lanes);
            count += sums.iter().map(|&n| usize::from(n)).sum::<usize>();
            for (&value, out) in rest.iter().zip(rest_out) {
                *out = 0u8.wrapping_sub(u8::from(is_marked(value)));
                count += usize::from(*out & 1);
            }
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Random(u64);

    impl Random {
        fn next(&mut self) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0 >> 11
        }
    }

    #[test]
    fn masks_and_histogram_equal_looking_at_every_voxel() {
        let mut random = Random(77);
        for round in 0..60 {
            let length = (random.next() % if round == 0 { 9000 } else { 200 }) as usize;
            let mut values: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
            if round % 2 == 1 {
                (1..length).for_each(|v| {
                    if !random.next().is_multiple_of(9) {
                        values[v] = values[v - 1]
                    }
                });
            }
            let (low, high) = (random.next() as u8, random.next() as u8);
            let mut out = vec![7; length];
            let naive: Vec<u8> =
                values.iter().map(|v| if (low..=high).contains(v) { 255 } else { 0 }).collect();
            let marked = |mask: &[u8]| mask.iter().filter(|&&m| m == 255).count();
            assert_eq!(mask_values(&values, low, high, &mut out), marked(&naive));
            assert_eq!(out, naive);
            let mut chosen = [false; LABELS];
            chosen.iter_mut().for_each(|c| *c = random.next().is_multiple_of(3));
            let naive: Vec<u8> =
                values.iter().map(|&v| if chosen[usize::from(v)] { 255 } else { 0 }).collect();
            assert_eq!(mask_labels(&values, &chosen, &mut out), marked(&naive));
            assert_eq!(out, naive);
            let counts = histogram(&values);
            for value in 0..=255u8 {
                let times = values.iter().filter(|&&v| v == value).count();
                assert_eq!(counts[usize::from(value)] as usize, times);
            }
        }
    }

    #[test]
    fn labels_within_counts_fluid_from_the_other_end() {
        let mut percentiles = [f32::NAN; LABELS];
        percentiles[0] = 1.0;
        for label in 1..60 {
            percentiles[label] = if label % 2 == 0 { 90.0 } else { 10.0 };
        }
        let within = labels_within(&percentiles, 20.0);
        for label in 0..LABELS {
            let inverted = (15..=18).contains(&label) || (25..=28).contains(&label);
            let want = (1..60).contains(&label) && (label % 2 == 1) != inverted;
            assert_eq!(within[label], want, "label {label}");
        }
        percentiles[19] = 20.0;
        percentiles[15] = 80.0;
        let within = labels_within(&percentiles, 20.0);
        assert!(within[19] && within[15]);
    }
}
