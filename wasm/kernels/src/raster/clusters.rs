//! Back-face culling of whole runs of faces: where all faces of a run look away, neither they nor their vertices are visited.

use super::view::{View, SUBPIXELS};
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::floats::Single;
use alloc::collections::TryReserveError;
use alloc::vec::Vec;

/// Faces of a run. Meshes have neighbours beside each other, so that a run is a small piece of the surface.
pub(super) const CLUSTER: usize = 64;

/// Farthest that a vertex may lie from where it belongs on the screen, parts of a pixel in x and in y: half of one by
/// rounding; sums of floats lose less than 2^-22 of `MAX_SUM` times 2^18, the place and the focal length together.
const MAX_MOVED: f32 = 0.8;
/// Largest focal length, and farthest from the middle of the screen, where that holds, parts of a pixel.
const MAX_PLACE: f32 = (1 << 17) as f32;
/// How much larger than the depth the sums may be that make a place.
const MAX_SUM: f32 = 4.0;
/// For the sums of this file.
const SLACK: f32 = 1.05;

/// A run of faces, RAS mm. All of it is within a ball, all its normals are within a cone.
#[derive(Clone, Copy)]
struct Cluster {
    centre: [f32; 3],
    radius: f32,
    axis: [f32; 3],
    /// Of the cone's half angle; NaN where the normals have no cone.
    cosine: f32,
    sine: f32,
    /// Largest distance between the centre and a face's plane.
    offset: f32,
    /// Largest of longest edge / twice the area, and of 1 / twice the area.
    thinnest: f32,
    smallest: f32,
}

/// The runs of a mesh and the blocks of vertices that each needs.
#[derive(Default)]
pub(super) struct Clusters {
    clusters: Vec<Cluster>,
    blocks: Vec<u32>,
    /// Where the blocks of each run end.
    ends: Vec<u32>,
    /// Of the last view: which runs have to be looked at, and the blocks of vertices of these.
    is_shown: Vec<bool>,
    is_needed: Vec<bool>,
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn minus(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [0, 1, 2].map(|k| a[k] - b[k])
}

impl Cluster {
    /// `corners` of its faces.
    #[cold]
    #[inline(never)]
    fn of(corners: &[[[f32; 3]; 3]]) -> Cluster {
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        let mut sum = [0.0; 3];
        for face in corners {
            for k in 0..3 {
                for corner in face {
                    (low[k], high[k]) = (low[k].min(corner[k]), high[k].max(corner[k]));
                }
                sum[k] += plane(face).0[k];
            }
        }
        let axis = sum.map(|x| x / dot(sum, sum).sqrt());
        let centre = [0, 1, 2].map(|k| (low[k] + high[k]) / 2.0);
        let size = [0, 1, 2].map(|k| high[k] - low[k]);
        let (mut cosine, mut offset, mut thinnest, mut smallest) = (1.0f32, 0.0f32, 0.0f32, 0.0f32);
        for face in corners {
            let (normal, longest, area) = plane(face);
            // a face without area has no normal: nor has the sum, and every cosine is NaN
            cosine = if dot(normal, axis) >= cosine { cosine } else { dot(normal, axis) };
            offset = offset.max(dot(normal, minus(face[0], centre)).abs());
            thinnest = thinnest.max(longest / area);
            smallest = smallest.max(1.0 / area);
        }
        let cosine = cosine - 1e-5;
        let sine = if cosine > 0.0 { (1.0 - cosine * cosine).sqrt() } else { f32::NAN };
        let radius = dot(size, size).sqrt() / 2.0;
        Cluster { centre, radius, axis, cosine, sine, offset, thinnest, smallest }
    }
}

/// Unit normal, longest edge and twice the area of a face.
#[cold]
#[inline(never)]
fn plane([a, b, c]: &[[f32; 3]; 3]) -> ([f32; 3], f32, f32) {
    let (p, q, r) = (minus(*b, *a), minus(*c, *a), minus(*c, *b));
    let normal = [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]];
    let area = dot(normal, normal).sqrt();
    (normal.map(|x| x / area), dot(p, p).max(dot(q, q)).max(dot(r, r)).sqrt(), area)
}

/// A view as the runs are held against it; RAS mm, depths too.
struct Eye {
    place: [f32; 3],
    forward: [f32; 3],
    /// 1 where outward normals look towards the eye, -1 where the view is a mirror's.
    side: f32,
    near: f32,
    /// Parts of a pixel at depth 1.
    focal: f32,
    /// Largest sum that makes a place.
    sum: f32,
}

impl Eye {
    /// `None` for a view that is no rotation times a number, or sees both sides.
    fn of(view: &View, reach: f32) -> Option<Eye> {
        let rows = view.camera_from_ras.map(|[x, y, z, _]| [x, y, z]);
        let shift = view.camera_from_ras.map(|row| row[3]);
        let square = dot(rows[0], rows[0]);
        let scale = square.sqrt();
        let is_alike = |value: f32, wanted: f32| (value - wanted).abs() <= 1e-4 * square;
        let is_rotation = (0..3).all(|n| {
            is_alike(dot(rows[n], rows[n]), square) && is_alike(dot(rows[n], rows[(n + 1) % 3]), 0.0)
        });
        let [[a, b, c], [d, e, f], third] = rows;
        let turn = dot([b * f - c * e, c * d - a * f, a * e - b * d], third);
        if !is_rotation || !view.is_culling || turn == 0.0 || view.focal * SUBPIXELS > MAX_PLACE {
            return None;
        }
        Some(Eye {
            place: [0, 1, 2].map(|k| -(0..3).map(|n| rows[n][k] * shift[n]).sum::<f32>() / square),
            forward: rows[2].map(|x| x / scale),
            side: -turn.signum(),
            near: view.near / scale,
            focal: view.focal * SUBPIXELS,
            sum: reach + shift.iter().map(|x| x.abs()).fold(0.0, f32::max) / scale,
        })
    }

    /// Whether every face of a run looks away, and so much that rounded corners cannot turn it.
    ///
    /// # Exactness
    /// Never says so of a face that has an area of the other sign on the screen: the area of a face that is `d` from the
    /// eye's place is focal² · twice its area · d / depth³, and moved corners change it by at most
    /// 4√2 · moved · longest edge + 8 · moved².
    fn sees_no_front(&self, cluster: &Cluster) -> bool {
        let away = [0, 1, 2].map(|k| cluster.centre[k] - self.place[k]);
        let along = dot(cluster.axis, away) * self.side;
        if along <= 0.0 {
            return false;
        }
        let square = dot(away, away);
        let depth = dot(self.forward, away);
        let (nearest, farthest) = (depth - cluster.radius, depth + cluster.radius);
        let aside = (square - depth * depth).max(0.0).sqrt() + cluster.radius;
        let across = (square - along * along).max(0.0).sqrt();
        let distance = along * cluster.cosine - across * cluster.sine - cluster.offset - 1e-5 * square.sqrt();
        let edge = self.focal * (1.0 + aside / nearest) / nearest;
        let least =
            5.66 * MAX_MOVED * edge * cluster.thinnest + 8.0 * MAX_MOVED * MAX_MOVED * cluster.smallest;
        nearest > self.near * SLACK
            && aside * self.focal <= MAX_PLACE * nearest
            && self.sum <= MAX_SUM * nearest
            && self.focal * self.focal * distance > SLACK * least * farthest * farthest * farthest
    }
}

fn filled<T: Clone>(length: usize, value: T) -> Result<Vec<T>, TryReserveError> {
    let mut room = Vec::new();
    room.try_reserve_exact(length)?;
    room.resize(length, value);
    Ok(room)
}

impl Clusters {
    /// Those of the faces of a mesh, by the positions of its vertices (RAS mm), which are `blocks` times four.
    ///
    /// # Errors
    /// When memory is short.
    #[cold]
    pub fn new(
        faces: &[u32],
        blocks: usize,
        position: impl Fn(usize) -> [f32; 3],
    ) -> Result<Clusters, TryReserveError> {
        let runs = faces.len().div_ceil(CLUSTER * 3);
        let mut made = Clusters::default();
        made.clusters.try_reserve_exact(runs)?;
        made.ends.try_reserve_exact(runs)?;
        made.is_shown = filled(runs, true)?;
        made.is_needed = filled(blocks, false)?;
        let mut seen_by = filled(blocks, u32::MAX)?;
        let mut corners = [[[0.0; 3]; 3]; CLUSTER];
        for (at, faces) in faces.chunks(CLUSTER * 3).enumerate() {
            let mut some = 0;
            for face in faces.as_chunks::<3>().0 {
                // a face that names a vertex twice never has an area
                if face[0] != face[1] && face[1] != face[2] && face[2] != face[0] {
                    corners[some] = face.map(|vertex| position(vertex as usize));
                    some += 1;
                }
            }
            made.blocks.try_reserve(faces.len())?;
            for &vertex in faces {
                let block = vertex as usize / 4;
                if seen_by[block] != at as u32 {
                    seen_by[block] = at as u32;
                    made.blocks.push(block as u32);
                }
            }
            made.clusters.push(Cluster::of(&corners[..some]));
            made.ends.push(made.blocks.len() as u32);
        }
        Ok(made)
    }

    /// Finds out which runs and blocks a view needs; `reach` is the farthest that a vertex lies from RAS 0, mm.
    pub fn cull(&mut self, view: &View, reach: f32) {
        let eye = Eye::of(view, reach);
        let mut start = 0;
        let runs = self.clusters.iter().zip(&self.ends).zip(&mut self.is_shown);
        for ((cluster, &end), is_shown) in runs {
            *is_shown = !eye.as_ref().is_some_and(|eye| eye.sees_no_front(cluster));
            if *is_shown {
                for &block in &self.blocks[start..end as usize] {
                    self.is_needed[block as usize] = true;
                }
            }
            start = end as usize;
        }
    }

    /// Whether a run has faces that may be seen.
    pub fn is_shown(&self, run: usize) -> bool {
        self.is_shown[run]
    }

    /// Whether a block is needed; asked once for each view.
    #[inline(always)]
    pub fn take_needed(&mut self, block: usize) -> bool {
        core::mem::take(&mut self.is_needed[block])
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;
    use super::super::{draw, Frame, Mesh};
    use super::*;
    use std::f32::consts::{PI, TAU};

    struct Random(u64);

    impl Random {
        fn between(&mut self, low: f32, high: f32) -> f32 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            low + (high - low) * ((self.0 >> 40) as f32 / (1u64 << 24) as f32)
        }
    }

    /// A ball of about 80 mm with folds and noise, rows of faces from pole to pole; thin ones at the poles.
    fn ball(random: &mut Random, noise: f32) -> Mesh {
        const COLUMNS: u32 = 96;
        const ROWS: u32 = 64;
        let (mut positions, mut faces) = (Vec::new(), Vec::new());
        for row in 0..=ROWS {
            for column in 0..=COLUMNS {
                let (down, around) = (row as f32 / ROWS as f32 * PI, column as f32 / COLUMNS as f32 * TAU);
                let size =
                    80.0 + 3.0 * (9.0 * around).sin() * (7.0 * down).sin() + random.between(-noise, noise);
                let flat = size * down.sin();
                positions.extend([flat * around.cos(), flat * around.sin(), size * down.cos()]);
            }
        }
        // pieces of eight columns, as meshes have neighbours beside each other
        for strip in 0..COLUMNS / 8 {
            for (row, column) in (0..ROWS).flat_map(|row| (0..8).map(move |n| (row, strip * 8 + n))) {
                let at = row * (COLUMNS + 1) + column;
                faces.extend([at, at + COLUMNS + 1, at + 1, at + 1, at + COLUMNS + 1, at + COLUMNS + 2]);
            }
        }
        Mesh::new(&positions, &positions.iter().map(|x| x / 80.0).collect::<Vec<_>>(), &faces).unwrap()
    }

    /// A turned view from a distance in radii, as a mirror shows it or not.
    fn view(random: &mut Random, distance: f32, side: f32) -> View {
        let unit = |v: [f32; 3]| v.map(|x| x / dot(v, v).sqrt());
        let cross = |a: [f32; 3], b: [f32; 3]| {
            [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        };
        let forward = unit([0; 3].map(|_: i32| random.between(-1.0, 1.0)));
        let right = unit(cross(forward, [0; 3].map(|_: i32| random.between(-1.0, 1.0))));
        let rows = [right, cross(forward, right).map(|x| x * side), forward];
        let shift = [random.between(-0.3, 0.3), random.between(-0.3, 0.3), distance];
        View {
            camera_from_ras: [0, 1, 2].map(|n| {
                let [x, y, z] = rows[n].map(|x| x / 80.0);
                [x, y, z, shift[n]]
            }),
            focal: random.between(60.0, 400.0),
            near: 0.1,
            far: 100.0,
            light: forward.map(|x| -x),
            half: forward.map(|x| -x),
            ambient: 0.2,
            diffuse: 0.8,
            specular: 0.1,
            is_culling: true,
        }
    }

    #[test]
    fn draw_shows_the_same_with_and_without_looking_at_runs_that_look_away() {
        let mut random = Random(0x5eed_0009);
        let (mut hidden, mut runs) = (0, 0);
        for noise in [0.0, 0.3, 2.0] {
            let mut mesh = ball(&mut random, noise);
            for round in 0..8 {
                let view = view(
                    &mut random,
                    [2.2, 3.5, 1.2, 0.4][round % 4],
                    if round % 8 < 4 { 1.0 } else { -1.0 },
                );
                let (width, height) = (60 + 24 * round, 40 + 18 * round);
                // sums that are too large to say anything: every run is looked at
                let pictures = [mesh.reach, f32::INFINITY].map(|reach| {
                    let mut frame = Frame::default();
                    frame.reserve(width, height, false).unwrap();
                    let kept = core::mem::replace(&mut mesh.reach, reach);
                    draw(&mut mesh, &view, &mut frame, width, height, false);
                    frame.render_faces(&mesh);
                    mesh.reach = kept;
                    frame
                });
                for y in 0..height {
                    for x in 0..width {
                        assert_eq!(
                            sample(&pictures[0], x, y),
                            sample(&pictures[1], x, y),
                            "{noise} {round} {x} {y}"
                        );
                    }
                }
                assert!(pictures[0].pixels() == pictures[1].pixels());
                mesh.clusters.cull(&view, mesh.reach);
                mesh.clusters.is_needed.fill(false);
                hidden += mesh.clusters.is_shown.iter().filter(|is_shown| !**is_shown).count();
                runs += mesh.clusters.is_shown.len();
            }
        }
        assert!(hidden * 10 > runs, "{hidden} of {runs} runs are not looked at");
    }
}
