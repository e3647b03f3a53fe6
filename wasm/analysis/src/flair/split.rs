//! Distance of every voxel of the window to the lateral ventricles, and connected parts of a mask.

use crate::voxels::edt::squared_distance;
use crate::voxels::morphology::for_each_neighbour;
use volume::Shape;

/// Mark of a lesion voxel near a lateral ventricle, and of one farther away.
pub const PERIVENTRICULAR: u8 = 1;
pub const DEEP: u8 = 2;
/// Squared distance, mm², up to which a lesion voxel is periventricular.
const NEAR_MM2: u16 = 100;

/// Lateral ventricles with their inferior horns.
pub fn is_lateral_ventricle(label: u8) -> bool {
    matches!(label, 15..=18)
}

/// Squared distance in mm² to the nearest lateral-ventricle voxel; the window's voxels are 1 mm.
pub fn to_ventricle(labels: &[u8], shape: Shape) -> Vec<u16> {
    squared_distance(labels, shape, is_lateral_ventricle)
}

/// Side of the 10 mm limit.
pub fn side(ventricle_mm2: u16) -> u8 {
    if ventricle_mm2 <= NEAR_MM2 {
        PERIVENTRICULAR
    } else {
        DEEP
    }
}

/// Face-connected parts of the voxels with a non-zero mark, each as ascending voxel indices, in the order of their
/// first voxels.
pub fn components(marks: &[u8], shape: Shape) -> Vec<Vec<u32>> {
    let mut seen = vec![false; marks.len()];
    let mut out = Vec::new();
    for start in 0..marks.len() {
        if marks[start] == 0 || seen[start] {
            continue;
        }
        seen[start] = true;
        let mut part = vec![start as u32];
        let mut next = 0;
        while next < part.len() {
            for_each_neighbour(shape, part[next] as usize, |n| {
                if marks[n] != 0 && !seen[n] {
                    seen[n] = true;
                    part.push(n as u32);
                }
            });
            next += 1;
        }
        part.sort_unstable();
        out.push(part);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::random::Random;

    #[test]
    fn to_ventricle_and_side_agree_with_all_pairs() {
        let shape = [23, 19, 17];
        let mut random = Random::new(5);
        let labels: Vec<u8> = (0..23 * 19 * 17)
            .map(|_| if random.unit() < 0.001 { 15 + random.below(4) as u8 } else { 1 })
            .collect();
        let ijk = |v: usize| [v % 23, v / 23 % 19, v / (23 * 19)];
        let got = to_ventricle(&labels, shape);
        for v in 0..labels.len() {
            let nearest = (0..labels.len())
                .filter(|&w| labels[w] != 1)
                .map(|w| (0..3).map(|a| (ijk(v)[a] as i64 - ijk(w)[a] as i64).pow(2)).sum::<i64>());
            let want = nearest.min().unwrap();
            assert_eq!(i64::from(got[v]), want);
            assert_eq!(side(got[v]) == PERIVENTRICULAR, (want as f64).sqrt() <= 10.0);
        }
    }

    #[test]
    fn components_agree_with_spreading_the_lowest_number() {
        let shape = [9, 8, 7];
        for seed in 0..10 {
            let mut random = Random::new(seed);
            let marks: Vec<u8> = (0..504).map(|_| u8::from(random.unit() < 0.3)).collect();
            let mut lowest: Vec<usize> = (0..504).collect();
            loop {
                let mut changed = false;
                for v in 0..504 {
                    for_each_neighbour(shape, v, |n| {
                        if marks[v] == 1 && marks[n] == 1 && lowest[n] < lowest[v] {
                            lowest[v] = lowest[n];
                            changed = true;
                        }
                    });
                }
                if !changed {
                    break;
                }
            }
            let mut want = 0;
            for part in components(&marks, shape) {
                want += part.len();
                assert!(part.iter().all(|&v| lowest[v as usize] == part[0] as usize));
            }
            assert_eq!(want, marks.iter().filter(|&&m| m == 1).count());
            let roots = (0..504).filter(|&v| marks[v] == 1 && lowest[v] == v).count();
            assert_eq!(components(&marks, shape).len(), roots);
        }
    }
}
