//! The middle of grey matter that lies between two banks of white matter without fluid to be seen between them.

use volume::Shape;

/// Reach of the blur on each side, voxels: four standard deviations, rounded.
const REACH: usize = 3;
/// Gaussian of sigma 0.7 voxel from the centre outwards, summing to 1 over both sides.
const WEIGHTS: [f32; REACH + 1] = [0.569_845_8, 0.205_399_65, 0.009_618_931, 0.000_058_525];
/// Slope of the blurred distance below which a voxel lies on a ridge; away from ridges the slope is 1, and beside a ridge
/// between two layers .39.
const SLOPE: f32 = 0.4;
/// Slices of one part of the work.
const SLAB: usize = 16;

/// Writes `ridge` to the voxels with `marks[v] == grey` whose squared distance exceeds `beyond` and where the distance,
/// blurred with sigma 0.7 voxel, has a slope (central differences) below 0.4: there the nearest white matter changes
/// from one bank to the other.
///
/// # Shape
/// `marks`, `squared`: `shape`, i fastest; `squared` in voxels². Border mirrored with the edge voxel repeated; voxels on
/// the outermost layer of the grid are never marked. Allocates 12 slices of f32 per part.
pub fn mark_ridges(marks: &mut [u8], squared: &[u16], shape: Shape, (grey, ridge): (u8, u8), beyond: u16) {
    let [nx, ny, nz] = shape;
    assert!(marks.len() == nx * ny * nz && squared.len() == marks.len());
    if marks.is_empty() {
        return;
    }
    let size = nx * ny;
    parallel::for_each_chunk(marks, size * SLAB, |part, slab| {
        let first = part * SLAB;
        let depth = slab.len() / size;
        let mut flat = vec![vec![0f32; size]; 2 * REACH + 1];
        let mut blurred = vec![vec![0f32; size]; 3];
        let mut scratch = Blur { line: vec![0f32; nx + 2 * REACH], rows: vec![0f32; size] };
        // Step s blurs slice first - 1 - REACH + s within its plane; REACH steps later its neighbours are known.
        for s in 0..depth + 2 + 2 * REACH {
            let k = mirrored(first as isize - 1 - REACH as isize + s as isize, nz);
            scratch.plane(&squared[size * k..][..size], nx, &WEIGHTS, &mut flat[s % (2 * REACH + 1)]);
            let Some(centre) = s.checked_sub(2 * REACH) else { continue };
            across(&flat, centre + REACH, &WEIGHTS, &mut blurred[centre % 3]);
            let Some(at) = centre.checked_sub(2) else { continue };
            let k = first + at;
            if k == 0 || k + 1 == nz {
                continue;
            }
            let [below, here, above] = [at, at + 1, at + 2].map(|c| &blurred[c % 3][..]);
            let plane = &mut slab[size * at..][..size];
            for j in 1..ny.saturating_sub(1) {
                let row = nx * j;
                for v in row + 1..(row + nx).saturating_sub(1) {
                    if plane[v] == grey && squared[size * k + v] > beyond {
                        let [x, y, z] =
                            [here[v + 1] - here[v - 1], here[v + nx] - here[v - nx], above[v] - below[v]];
                        if 0.25 * (x * x + y * y + z * z) < SLOPE * SLOPE {
                            plane[v] = ridge;
                        }
                    }
                }
            }
        }
    });
}

fn mirrored(at: isize, n: usize) -> usize {
    let m = at.rem_euclid(2 * n as isize) as usize;
    m.min(2 * n - 1 - m)
}

struct Blur {
    line: Vec<f32>,
    rows: Vec<f32>,
}

impl Blur {
    /// Root of the squared distances, blurred along both axes of one slice.
    fn plane(&mut self, squared: &[u16], nx: usize, w: &[f32; REACH + 1], out: &mut [f32]) {
        let ny = squared.len() / nx;
        for (row, blurred) in squared.chunks_exact(nx).zip(self.rows.chunks_exact_mut(nx)) {
            let inner = &mut self.line[REACH..REACH + nx];
            inner.iter_mut().zip(row).for_each(|(l, &s)| *l = f32::from(s).sqrt());
            for d in 1..=REACH {
                self.line[REACH - d] = self.line[REACH + mirrored(-(d as isize), nx)];
                self.line[REACH + nx - 1 + d] = self.line[REACH + mirrored((nx - 1 + d) as isize, nx)];
            }
            weigh(blurred, w, |d| [&self.line[REACH - d..][..nx], &self.line[REACH + d..][..nx]]);
        }
        for (j, row) in out.chunks_exact_mut(nx).enumerate() {
            let at = |step: isize| &self.rows[nx * mirrored(j as isize + step, ny)..][..nx];
            weigh(row, w, |d| [at(-(d as isize)), at(d as isize)]);
        }
    }
}

/// Blur across slices; slice `centre` of the running count lies in `flat[centre % 7]`.
fn across(flat: &[Vec<f32>], centre: usize, w: &[f32; REACH + 1], out: &mut [f32]) {
    weigh(out, w, |d| [&flat[(centre - d) % flat.len()], &flat[(centre + d) % flat.len()]]);
}

/// out = w[0] · centre + sum over d of w[d] · (before + after); `pair(d)` gives the lines d steps to both sides.
fn weigh<'a>(out: &mut [f32], w: &[f32; REACH + 1], pair: impl Fn(usize) -> [&'a [f32]; 2]) {
    let n = out.len();
    let [centre, _] = pair(0);
    let [[a, b], [c, d], [e, f]] = [1, 2, REACH].map(|d| pair(d).map(|line| &line[..n]));
    for (v, (out, &centre)) in out.iter_mut().zip(centre).enumerate() {
        *out = w[0] * centre + w[1] * (a[v] + b[v]) + w[2] * (c[v] + d[v]) + w[REACH] * (e[v] + f[v]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::random::Random;
    use crate::voxels::filter::gaussian;

    /// The definition: the library's blur, then the slope in f64; voxels too close to the limit are left out.
    #[test]
    fn mark_ridges_agrees_with_the_definition() {
        let mut random = Random::new(83);
        for shape in [[11, 9, 40], [6, 7, 5], [20, 3, 17]] {
            let n: usize = shape.iter().product();
            let squared: Vec<u16> = (0..n).map(|_| 4 + random.below(20) as u16).collect();
            let marks: Vec<u8> = (0..n).map(|_| random.below(3) as u8).collect();
            let mut got = marks.clone();
            mark_ridges(&mut got, &squared, shape, (1, 7), 9);
            let mut blurred: Vec<f32> = squared.iter().map(|&s| f32::from(s).sqrt()).collect();
            gaussian(&mut blurred, shape, [0.7; 3], 1);
            let mut found = 0;
            for v in 0..n {
                let place = [v % shape[0], v / shape[0] % shape[1], v / shape[0] / shape[1]];
                let steps = [1, shape[0], shape[0] * shape[1]];
                let inside = (0..3).all(|a| place[a] > 0 && place[a] + 1 < shape[a]);
                let slope = |a: usize| f64::from(blurred[v + steps[a]]) - f64::from(blurred[v - steps[a]]);
                let steepness =
                    if inside { (0..3).map(|a| (slope(a) / 2.0).powi(2)).sum::<f64>().sqrt() } else { 9.0 };
                if (steepness - 0.4).abs() < 1e-4 {
                    continue;
                }
                let is_ridge = marks[v] == 1 && squared[v] > 9 && steepness < 0.4;
                assert_eq!(got[v], if is_ridge { 7 } else { marks[v] });
                found += usize::from(is_ridge);
            }
            assert!(found > 0);
        }
    }
}
