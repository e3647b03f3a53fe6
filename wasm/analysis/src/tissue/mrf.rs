//! From posteriors to labels: two mean-field sweeps over the classes, then the best label and the clean-up of islands.

use crate::atlas::OUTER_CSF;
use crate::numbers::exp::exp;
use crate::tissue::mixture::Mixture;
use crate::tissue::prior::Prior;
use crate::tissue::tissue_class::CLASSES;
use crate::voxels::morphology::{dilate, largest_component, open};

/// Pull of each of the six neighbours.
pub const COUPLING: f32 = 0.35;
const SWEEPS: usize = 2;
/// Candidates of one part of a pass.
const PART: usize = 1 << 14;
/// Slices that one thread rewrites at a time.
const SLICES: usize = 8;

/// Posteriors after the sweeps, CLASSES per candidate. Leaves the posteriors without neighbours in `prior.class`: they
/// are prior times likelihood up to a factor that scaling removes, so no likelihood is computed twice.
///
/// # Exactness
/// Every sweep reads the previous one only; equal to `naive` bit for bit.
pub fn sweep(corrected: &[f32], prior: &mut Prior, mixture: &Mixture) -> Vec<f32> {
    let evaluator = mixture.evaluator();
    parallel::for_each_chunk(&mut prior.class, PART * CLASSES, |part, rows| {
        for (row, &y) in rows.chunks_exact_mut(CLASSES).zip(&corrected[part * PART..]) {
            let joint = scaled(row, &evaluator.likelihoods(y));
            row.copy_from_slice(&joint);
        }
    });
    let mut q = prior.class.clone();
    let links = Links::new(prior);
    for _ in 0..SWEEPS {
        links.update(&mut q, |v, neighbours| {
            coupled(&prior.class[v * CLASSES..(v + 1) * CLASSES], neighbours)
        });
    }
    q
}

/// Product by class, scaled to sum 1.
#[inline(always)]
fn scaled(a: &[f32], b: &[f32; CLASSES]) -> [f32; CLASSES] {
    let mut out = [0f32; CLASSES];
    for k in 0..CLASSES {
        out[k] = a[k] * b[k];
    }
    let scale = 1.0 / out.iter().sum::<f32>().max(1e-12);
    out.iter_mut().for_each(|v| *v *= scale);
    out
}

/// Posterior times exp(coupling · neighbours), scaled to sum 1.
#[inline(always)]
fn coupled(alone: &[f32], neighbours: &[f32; CLASSES]) -> [f32; CLASSES] {
    let mut pull = [0f32; 16];
    for k in 0..CLASSES {
        pull[k] = COUPLING * neighbours[k];
    }
    for v in &mut pull {
        *v = exp(*v);
    }
    let mut factor = [0f32; CLASSES];
    factor.copy_from_slice(&pull[..CLASSES]);
    scaled(alone, &factor)
}

/// Where each voxel of the window stands in the list of candidates.
struct Links<'a> {
    prior: &'a Prior,
    place: Vec<u32>,
}

const ABSENT: u32 = u32::MAX;

impl<'a> Links<'a> {
    fn new(prior: &'a Prior) -> Self {
        let mut place = vec![ABSENT; prior.window.count()];
        prior.voxels.iter().enumerate().for_each(|(v, &at)| place[at as usize] = v as u32);
        Self { prior, place }
    }

    /// Replaces every row by `rule(voxel, sum of the neighbours' previous rows)`. Candidates ascend by slice, so it is
    /// enough to keep the previous values of two slices while the rows are rewritten in place. Each thread takes some
    /// slices at a time; the previous values next to its slices are set aside before.
    fn update(&self, q: &mut [f32], rule: impl Fn(usize, &[f32; CLASSES]) -> [f32; CLASSES] + Sync) {
        let nz = self.prior.window.shape[2];
        let slice = self.prior.window.shape[0] * self.prior.window.shape[1];
        let voxels = &self.prior.voxels;
        let first: Vec<usize> =
            (0..=nz).map(|k| voxels.partition_point(|&at| (at as usize) < k * slice)).collect();
        let saved = |k: usize| q[first[k] * CLASSES..first[k + 1] * CLASSES].to_vec();
        let parts = nz.div_ceil(SLICES);
        let edges: Vec<_> = (0..parts)
            .map(|part| (saved(part * SLICES), saved((part * SLICES + SLICES).min(nz) - 1)))
            .collect();
        let (mut pieces, mut rest) = (Vec::with_capacity(parts), q);
        for part in 0..parts {
            let (low, high) = (part * SLICES, (part * SLICES + SLICES).min(nz));
            let (piece, others) = rest.split_at_mut((first[high] - first[low]) * CLASSES);
            pieces.push(piece);
            rest = others;
        }
        parallel::for_each_chunk(&mut pieces, 1, |part, piece| {
            let (low, high) = (part * SLICES, (part * SLICES + SLICES).min(nz));
            let base = first[low];
            let rows = &mut piece[0];
            let nothing = Vec::new();
            let mut below = if part > 0 { edges[part - 1].1.clone() } else { Vec::new() };
            let mut here = Vec::new();
            for k in low..high {
                let (start, end) = (first[k], first[k + 1]);
                here.clear();
                here.extend_from_slice(&rows[(start - base) * CLASSES..(end - base) * CLASSES]);
                let above_start = end;
                for v in start..end {
                    let above: &[f32] = match (k + 1 < high, part + 1 < parts) {
                        (true, _) => &rows[(end - base) * CLASSES..],
                        (false, true) => &edges[part + 1].0,
                        (false, false) => &nothing,
                    };
                    let around = Around {
                        below: (&below, if k > 0 { first[k - 1] } else { 0 }),
                        here: (&here, start),
                        above: (above, above_start),
                    };
                    let row = rule(v, &self.sum(voxels[v] as usize, k, &around));
                    rows[(v - base) * CLASSES..(v - base + 1) * CLASSES].copy_from_slice(&row);
                }
                std::mem::swap(&mut below, &mut here);
            }
        });
    }

    /// Sum of the six neighbours' rows, in the order -i, +i, -j, +j, -k, +k.
    #[inline(always)]
    fn sum(&self, at: usize, k: usize, around: &Around) -> [f32; CLASSES] {
        let [nx, ny, nz] = self.prior.window.shape;
        let (i, j) = (at % nx, at / nx % ny);
        let mut sum = [0f32; CLASSES];
        let mut add = |(values, offset): (&[f32], usize), at: usize| {
            let place = self.place[at];
            if place != ABSENT {
                let row = &values[(place as usize - offset) * CLASSES..][..CLASSES];
                sum.iter_mut().zip(row).for_each(|(s, &r)| *s += r);
            }
        };
        if i > 0 {
            add(around.here, at - 1);
        }
        if i + 1 < nx {
            add(around.here, at + 1);
        }
        if j > 0 {
            add(around.here, at - nx);
        }
        if j + 1 < ny {
            add(around.here, at + nx);
        }
        if k > 0 {
            add(around.below, at - nx * ny);
        }
        if k + 1 < nz {
            add(around.above, at + nx * ny);
        }
        sum
    }
}

/// Previous rows of three slices, each with the number of its first candidate.
struct Around<'a> {
    below: (&'a [f32], usize),
    here: (&'a [f32], usize),
    above: (&'a [f32], usize),
}

/// Labels on the window: the best label of the winning class, without brain voxels apart from the brain's body.
pub fn label(q: &[f32], prior: &Prior) -> Vec<u8> {
    let shape = prior.window.shape;
    let mut labels = vec![0u8; prior.window.count()];
    parallel::for_each_chunk(&mut labels, shape[0] * shape[1], |k, slice| {
        let first = k * slice.len();
        for v in prior.between_slices(prior.window.low[2] + k, prior.window.low[2] + k + 1) {
            let row = &q[v * CLASSES..(v + 1) * CLASSES];
            let mut winner = 0;
            for k in 1..CLASSES {
                if row[k] > row[winner] {
                    winner = k;
                }
            }
            if winner > 0 {
                slice[prior.voxels[v] as usize - first] = prior.best[v * CLASSES + winner];
            }
        }
    });
    let brain: Vec<bool> = labels.iter().map(|&l| l > 0 && l < OUTER_CSF).collect();
    let body = dilate(&largest_component(&open(&brain, shape), shape), shape, 2);
    for (label, inside) in labels.iter_mut().zip(body) {
        if !inside && *label < OUTER_CSF {
            *label = 0;
        }
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::random::Random;
    use crate::tissue::em::tests::random_prior;
    use crate::tissue::mixture::LANES;
    use crate::voxels::morphology::for_each_neighbour;

    #[test]
    fn sweep_agrees_with_whole_copies_of_the_volume() {
        let mut random = Random::new(61);
        let mut prior = random_prior(62, 30_000);
        let n = prior.voxels.len();
        let y: Vec<f32> = (0..n).map(|_| random.range(0.1, 1.1) as f32).collect();
        let mut m = Mixture { mean: [0.0; LANES], variance: [0.006; LANES], weight: [0.4; LANES] };
        m.mean.iter_mut().for_each(|v| *v = random.range(0.1, 1.1));
        let evaluator = m.evaluator();
        let alone: Vec<[f32; CLASSES]> = (0..n)
            .map(|v| scaled(&prior.class[v * CLASSES..(v + 1) * CLASSES], &evaluator.likelihoods(y[v])))
            .collect();
        let mut want = alone.clone();
        for _ in 0..SWEEPS {
            let mut volume = vec![[0f32; CLASSES]; prior.window.count()];
            prior.voxels.iter().zip(&want).for_each(|(&at, row)| volume[at as usize] = *row);
            for v in 0..n {
                let mut sum = [0f32; CLASSES];
                for_each_neighbour(prior.window.shape, prior.voxels[v] as usize, |at| {
                    (0..CLASSES).for_each(|k| sum[k] += volume[at][k]);
                });
                want[v] = coupled(&alone[v], &sum);
            }
        }
        assert_eq!(sweep(&y, &mut prior, &m), want.concat());
        assert_eq!(prior.class, alone.concat());
    }

    #[test]
    fn coupled_is_the_prior_times_likelihood_times_the_pull() {
        let mut random = Random::new(64);
        let draw = |random: &mut Random| [0; CLASSES].map(|_| random.unit() as f32);
        for _ in 0..50 {
            let (p, l, e) = (draw(&mut random), draw(&mut random), draw(&mut random).map(|v| 6.0 * v));
            let got = coupled(&scaled(&p, &l), &e);
            let joint: Vec<f64> = (0..CLASSES)
                .map(|k| f64::from(p[k]) * f64::from(l[k]) * (0.35 * f64::from(e[k])).exp())
                .collect();
            let total: f64 = joint.iter().sum();
            (0..CLASSES).for_each(|k| assert!((f64::from(got[k]) - joint[k] / total).abs() < 1e-6));
        }
    }

    #[test]
    fn label_takes_the_winning_class_and_drops_islands() {
        let mut prior = random_prior(63, 1);
        prior.window.shape = [12, 12, 12];
        prior.voxels = (0..1728).collect();
        prior.best = [0, 40, 5, 1, 3, 31, 7, 9, 11, 13, 19, 15, 105].repeat(1728);
        let mut q = vec![0f32; 1728 * CLASSES];
        for at in 0..1728 {
            let p = [at % 12, at / 12 % 12, at / 144];
            let block = p.iter().all(|c| (2..7).contains(c));
            let island = p == [11, 11, 11];
            q[at * CLASSES
                + if block {
                    3
                } else if island {
                    1
                } else {
                    12
                }] = 1.0;
        }
        let labels = label(&q, &prior);
        assert_eq!(labels[4 + 12 * (4 + 12 * 4)], 1);
        assert_eq!(labels[1727], 0);
        assert_eq!(labels[0], 105);
    }
}
