//! The largest connected part of a mask, found over runs of voxels instead of voxels.

use volume::Shape;

/// Half-open range of a row.
#[derive(Clone, Copy)]
struct Run {
    low: u16,
    high: u16,
}

/// Keeps the largest face-connected part of the voxels with `marks[v] == mark`; the others become `instead(v)`. Of
/// parts of equal size the first in memory stays. Returns the number of voxels kept.
///
/// # Shape
/// `marks`: `shape`, i fastest, nx < 65536. Memory: 8 bytes per run and 4 per row.
pub fn keep_largest(marks: &mut [u8], shape: Shape, mark: u8, instead: impl Fn(usize) -> u8) -> usize {
    let [nx, ny, nz] = shape;
    assert!(marks.len() == nx * ny * nz && nx <= usize::from(u16::MAX));
    if marks.is_empty() {
        return 0;
    }
    let (runs, first) = find_runs(marks, nx, mark);
    let mut parent: Vec<u32> = (0..runs.len() as u32).collect();
    for row in 0..ny * nz {
        let before = [(row % ny > 0).then(|| row - 1), row.checked_sub(ny)];
        for other in before.into_iter().flatten() {
            join_rows(&runs, &mut parent, first[row]..first[row + 1], first[other]..first[other + 1]);
        }
    }
    let mut size = vec![0usize; runs.len()];
    for at in 0..runs.len() {
        size[root(&mut parent, at)] += usize::from(runs[at].high - runs[at].low);
    }
    let Some(&kept) = size.iter().max() else { return 0 };
    let largest = size.iter().position(|&s| s == kept);
    for row in 0..ny * nz {
        for at in first[row]..first[row + 1] {
            if Some(root(&mut parent, at)) != largest {
                (runs[at].low..runs[at].high).for_each(|i| {
                    let v = row * nx + usize::from(i);
                    marks[v] = instead(v);
                });
            }
        }
    }
    kept
}

/// All runs in memory order, and for each row the number of its first (one more entry at the end).
fn find_runs(marks: &[u8], nx: usize, mark: u8) -> (Vec<Run>, Vec<usize>) {
    let mut runs = Vec::new();
    let mut first = vec![0];
    for row in marks.chunks_exact(nx) {
        let mut at = 0;
        while let Some(skip) = row[at..].iter().position(|&m| m == mark) {
            let low = at + skip;
            at = row[low..].iter().position(|&m| m != mark).map_or(nx, |len| low + len);
            runs.push(Run { low: low as u16, high: at as u16 });
        }
        first.push(runs.len());
    }
    (runs, first)
}

/// Joins the runs of two neighbouring rows that share a place.
fn join_rows(runs: &[Run], parent: &mut [u32], a: std::ops::Range<usize>, b: std::ops::Range<usize>) {
    let (mut p, mut q) = (a.start, b.start);
    while p < a.end && q < b.end {
        if runs[p].low < runs[q].high && runs[q].low < runs[p].high {
            let (x, y) = (root(parent, p), root(parent, q));
            parent[x.max(y)] = x.min(y) as u32;
        }
        if runs[p].high <= runs[q].high {
            p += 1;
        } else {
            q += 1;
        }
    }
}

fn root(parent: &mut [u32], mut at: usize) -> usize {
    while parent[at] as usize != at {
        parent[at] = parent[parent[at] as usize];
        at = parent[at] as usize;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::random::Random;
    use crate::voxels::morphology::for_each_neighbour;

    fn naive(marks: &[u8], shape: Shape) -> Vec<u8> {
        let mut part = vec![0; marks.len()];
        let mut sizes = vec![0];
        for seed in 0..marks.len() {
            if marks[seed] != 2 || part[seed] != 0 {
                continue;
            }
            let (mut stack, number) = (vec![seed], sizes.len());
            part[seed] = number;
            sizes.push(0);
            while let Some(v) = stack.pop() {
                sizes[number] += 1;
                for_each_neighbour(shape, v, |n| {
                    if marks[n] == 2 && part[n] == 0 {
                        part[n] = number;
                        stack.push(n);
                    }
                });
            }
        }
        let best = sizes.iter().max().copied().unwrap_or(0);
        let largest = sizes.iter().position(|&s| s == best).unwrap_or(0);
        (0..marks.len()).map(|v| if marks[v] == 2 && part[v] != largest { 1 } else { marks[v] }).collect()
    }

    #[test]
    fn keep_largest_agrees_with_flooding() {
        let mut random = Random::new(82);
        for shape in [[12, 11, 10], [30, 1, 9], [1, 8, 8], [17, 5, 3]] {
            for _ in 0..20 {
                let part = random.range(0.2, 0.6);
                let marks: Vec<u8> = (0..shape.iter().product())
                    .map(|_| if random.unit() < part { 2 } else { random.below(2) as u8 })
                    .collect();
                let mut got = marks.clone();
                let kept = keep_largest(&mut got, shape, 2, |_| 1);
                assert_eq!(got, naive(&marks, shape));
                assert_eq!(kept, got.iter().filter(|&&m| m == 2).count());
            }
        }
    }

    #[test]
    fn keep_largest_of_nothing_is_nothing() {
        assert_eq!(keep_largest(&mut [1; 24], [2, 3, 4], 2, |_| 0), 0);
    }
}
