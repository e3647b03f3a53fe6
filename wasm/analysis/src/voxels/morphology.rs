//! Binary morphology with the six face neighbours; voxels outside the grid are background.

use std::collections::VecDeque;
use volume::Shape;

/// Calls `f` with the index of each face neighbour inside the grid, in the order -i, +i, -j, +j, -k, +k.
#[inline]
pub fn for_each_neighbour(shape: Shape, at: usize, mut f: impl FnMut(usize)) {
    let [nx, ny, nz] = shape;
    let (i, j, k) = (at % nx, at / nx % ny, at / (nx * ny));
    if i > 0 {
        f(at - 1);
    }
    if i + 1 < nx {
        f(at + 1);
    }
    if j > 0 {
        f(at - nx);
    }
    if j + 1 < ny {
        f(at + nx);
    }
    if k > 0 {
        f(at - nx * ny);
    }
    if k + 1 < nz {
        f(at + nx * ny);
    }
}

/// Grows the mask by one face neighbour, `times` times.
pub fn dilate(mask: &[bool], shape: Shape, times: usize) -> Vec<bool> {
    (0..times).fold(mask.to_vec(), |mask, _| star(&mask, shape, |a, b| a | b, false))
}

/// Keeps the voxels whose six neighbours are all inside the grid and set.
pub fn erode(mask: &[bool], shape: Shape) -> Vec<bool> {
    star(mask, shape, |a, b| a & b, true)
}

/// Each voxel joined with its six neighbours. Outside the grid is background, which a joint of all (`is_all`) never
/// survives and a joint of any never notices.
fn star(
    mask: &[bool],
    shape: Shape,
    join: impl Fn(bool, bool) -> bool + Sync + Copy,
    is_all: bool,
) -> Vec<bool> {
    let [nx, ny, nz] = shape;
    let mut out = vec![false; mask.len()];
    parallel::for_each_chunk(&mut out, (nx * ny).max(1), |k, slice| {
        for (j, row) in slice.chunks_exact_mut(nx).enumerate() {
            let at_edge = j == 0 || j + 1 == ny || k == 0 || k + 1 == nz;
            if is_all && at_edge {
                continue;
            }
            let line = |j: usize, k: usize| &mask[nx * (j + ny * k)..][..nx];
            row.copy_from_slice(line(j, k));
            let mut with = |from: usize, to: usize, other: &[bool]| {
                row[from..to].iter_mut().zip(other).for_each(|(a, &b)| *a = join(*a, b));
            };
            with(1, nx, &line(j, k)[..nx - 1]);
            with(0, nx - 1, &line(j, k)[1..]);
            if j > 0 {
                with(0, nx, line(j - 1, k));
            }
            if j + 1 < ny {
                with(0, nx, line(j + 1, k));
            }
            if k > 0 {
                with(0, nx, line(j, k - 1));
            }
            if k + 1 < nz {
                with(0, nx, line(j, k + 1));
            }
            if is_all {
                row[0] = false;
                row[nx - 1] = false;
            }
        }
    });
    out
}

/// Erosion, then dilation, by one.
pub fn open(mask: &[bool], shape: Shape) -> Vec<bool> {
    dilate(&erode(mask, shape), shape, 1)
}

/// The largest face-connected component; of equals, the one met first. Empty stays empty.
pub fn largest_component(mask: &[bool], shape: Shape) -> Vec<bool> {
    let mut part = vec![0u32; mask.len()];
    let (mut parts, mut best, mut best_size) = (0, 0, 0);
    let mut queue = VecDeque::new();
    for seed in 0..mask.len() {
        if !mask[seed] || part[seed] != 0 {
            continue;
        }
        parts += 1;
        part[seed] = parts;
        queue.push_back(seed);
        let mut size = 0;
        while let Some(v) = queue.pop_front() {
            size += 1;
            for_each_neighbour(shape, v, |n| {
                if mask[n] && part[n] == 0 {
                    part[n] = parts;
                    queue.push_back(n);
                }
            });
        }
        if size > best_size {
            (best, best_size) = (parts, size);
        }
    }
    part.iter().map(|&p| p != 0 && p == best).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::random::Random;

    const SHAPE: Shape = [7, 6, 5];

    fn noise(seed: u64, fill: f64) -> Vec<bool> {
        let mut random = Random::new(seed);
        (0..210).map(|_| random.unit() < fill).collect()
    }

    /// Reads with coordinates; background outside.
    fn at(mask: &[bool], p: [i64; 3]) -> bool {
        let inside = (0..3).all(|a| p[a] >= 0 && p[a] < SHAPE[a] as i64);
        inside && mask[(p[0] + 7 * (p[1] + 6 * p[2])) as usize]
    }

    fn naive(mask: &[bool], rule: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut out = Vec::new();
        for z in 0..5 {
            for y in 0..6 {
                for x in 0..7 {
                    let star =
                        [[0, 0, 0], [1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]];
                    out.push(rule(star.iter().filter(|d| at(mask, [x + d[0], y + d[1], z + d[2]])).count()));
                }
            }
        }
        out
    }

    #[test]
    fn dilate_and_erode_agree_with_counting_the_star() {
        for seed in 0..20 {
            let sparse = noise(seed, 0.1);
            let dense = noise(seed, 0.85);
            let once = naive(&sparse, |n| n > 0);
            assert_eq!(dilate(&sparse, SHAPE, 1), once);
            assert_eq!(dilate(&sparse, SHAPE, 2), naive(&once, |n| n > 0));
            assert_eq!(erode(&dense, SHAPE), naive(&dense, |n| n == 7));
        }
    }

    #[test]
    fn largest_component_agrees_with_repeated_growing() {
        for seed in 0..20 {
            let mask = noise(seed, 0.3);
            let mut best: Vec<bool> = vec![false; 210];
            for seed_voxel in 0..210 {
                let mut grown: Vec<bool> = (0..210).map(|v| v == seed_voxel && mask[v]).collect();
                loop {
                    let next: Vec<bool> =
                        dilate(&grown, SHAPE, 1).iter().zip(&mask).map(|(&g, &m)| g && m).collect();
                    if next == grown {
                        break;
                    }
                    grown = next;
                }
                let size = |m: &[bool]| m.iter().filter(|&&v| v).count();
                if size(&grown) > size(&best) {
                    best = grown;
                }
            }
            assert_eq!(largest_component(&mask, SHAPE), best);
        }
    }
}
