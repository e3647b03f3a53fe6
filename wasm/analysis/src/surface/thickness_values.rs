//! Cortical thickness under each vertex.

use volume::{Affine, Shape};

/// How far below the surface the map is read, mm.
const DEPTH_MM: f64 = 1.5;
/// How far from there the nearest cortical voxel may be, mm.
const REACH_MM: f64 = 3.0;
/// Vertices of one part.
const PART: usize = 1 << 10;

/// For each vertex the map at the point 1.5 mm below it along its normal: trilinear over those of the eight voxels
/// around the point that are cortex; when none is, the nearest cortical voxel within 3 mm (of equally near ones the
/// first in memory); else 0.
///
/// # Shape
/// `thickness_mm`: `shape`, i fastest, mm, 0 off the cortex. `vertices` in RAS mm, `normals` unit.
pub fn sample(
    vertices: &[[f32; 3]],
    normals: &[[f32; 3]],
    thickness_mm: &[f32],
    shape: Shape,
    window_from_ras: &Affine,
    ras_from_window: &Affine,
) -> Vec<f32> {
    let mut values = vec![0f32; vertices.len()];
    // Voxels along an axis that 3 mm can span, whatever the angles between the axes.
    let reach = [0, 1, 2].map(|r| {
        REACH_MM * (0..3).map(|c| window_from_ras.at(r, c) * window_from_ras.at(r, c)).sum::<f64>().sqrt()
    });
    parallel::for_each_chunk(&mut values, PART, |part, piece| {
        for (at, value) in piece.iter_mut().enumerate() {
            let v = part * PART + at;
            let below = |a: usize| f64::from(vertices[v][a]) - DEPTH_MM * f64::from(normals[v][a]);
            let point = [below(0), below(1), below(2)];
            let place = window_from_ras.apply(point);
            *value = around(thickness_mm, shape, place)
                .or_else(|| nearest(thickness_mm, shape, place, reach, point, ras_from_window))
                .unwrap_or(0.0);
        }
    });
    values
}

/// Indices from `low` to `high` that are on the axis.
fn span(low: f64, high: f64, n: usize) -> std::ops::Range<usize> {
    (low.ceil().max(0.0) as usize)..((high.floor() + 1.0).clamp(0.0, n as f64) as usize)
}

/// Mean of the cortical voxels among the eight around, with trilinear weights.
fn around(map: &[f32], shape: Shape, place: [f64; 3]) -> Option<f32> {
    let (mut sum, mut total) = (0.0, 0.0);
    let near = [0, 1, 2].map(|a| span(place[a].floor(), place[a].floor() + 1.0, shape[a]));
    for k in near[2].clone() {
        for j in near[1].clone() {
            for i in near[0].clone() {
                let thickness = f64::from(map[i + shape[0] * (j + shape[1] * k)]);
                let away = |at: usize, a: usize| 1.0 - (at as f64 - place[a]).abs();
                let weight = away(i, 0) * away(j, 1) * away(k, 2);
                if thickness > 0.0 {
                    sum += weight * thickness;
                    total += weight;
                }
            }
        }
    }
    (total > 0.0).then(|| (sum / total) as f32)
}

fn nearest(
    map: &[f32],
    shape: Shape,
    place: [f64; 3],
    reach: [f64; 3],
    point: [f64; 3],
    ras_from_window: &Affine,
) -> Option<f32> {
    let mut best = (REACH_MM * REACH_MM, None);
    let near = [0, 1, 2].map(|a| span(place[a] - reach[a], place[a] + reach[a], shape[a]));
    for k in near[2].clone() {
        for j in near[1].clone() {
            for i in near[0].clone() {
                let thickness = map[i + shape[0] * (j + shape[1] * k)];
                if thickness > 0.0 {
                    let mm = ras_from_window.apply([i as f64, j as f64, k as f64]);
                    let squared = (0..3).map(|a| (mm[a] - point[a]) * (mm[a] - point[a])).sum::<f64>();
                    if squared < best.0 || (squared == best.0 && best.1.is_none()) {
                        best = (squared, Some(thickness));
                    }
                }
            }
        }
    }
    best.1
}

#[cfg(test)]
#[path = "thickness_values_tests.rs"]
mod tests;
