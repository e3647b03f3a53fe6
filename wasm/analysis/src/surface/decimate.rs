//! Fewer triangles for the same shape, by collapsing edges.

use super::mesh::Mesh;
use super::queue::{Candidate, Queue};
use super::topology::{dot, drop_vertices, face_normal, minus};

/// End of a list of corners; also the mark of a face that is gone.
const NONE: u32 = u32::MAX;
/// Weight of the distance to the vertices themselves beside that to the planes: it decides where the surface is flat and
/// evens the triangles out.
const POINT_WEIGHT: f64 = 1e-3;
/// A face may turn by less than this cosine's angle in one collapse.
const MIN_COSINE: f64 = 0.5;
/// A triangle's shape is 1 when its sides are equal and 0 when it has no area; below this it may not get worse.
const MIN_SHAPE: f64 = 0.1;

/// Weighted sum of squared distances to planes and points: x·A·x + 2 b·x + c with A = [xx, yy, zz, xy, xz, yz].
#[derive(Clone, Copy, Default)]
struct Quadric {
    a: [f64; 6],
    b: [f64; 3],
    c: f64,
}

impl Quadric {
    fn add(&mut self, other: &Self) {
        (0..6).for_each(|i| self.a[i] += other.a[i]);
        (0..3).for_each(|i| self.b[i] += other.b[i]);
        self.c += other.c;
    }

    /// Plane through `p` with unit normal `n`.
    fn add_plane(&mut self, n: [f64; 3], p: [f64; 3], weight: f64) {
        let d = -dot(n, p);
        let products = [n[0] * n[0], n[1] * n[1], n[2] * n[2], n[0] * n[1], n[0] * n[2], n[1] * n[2]];
        (0..6).for_each(|i| self.a[i] += weight * products[i]);
        (0..3).for_each(|i| self.b[i] += weight * d * n[i]);
        self.c += weight * d * d;
    }

    fn add_point(&mut self, p: [f64; 3], weight: f64) {
        (0..3).for_each(|i| {
            self.a[i] += weight;
            self.b[i] -= weight * p[i];
        });
        self.c += weight * dot(p, p);
    }

    fn at(&self, x: [f64; 3]) -> f64 {
        dot(self.times(x), x) + 2.0 * dot(self.b, x) + self.c
    }

    fn times(&self, x: [f64; 3]) -> [f64; 3] {
        let [xx, yy, zz, xy, xz, yz] = self.a;
        [
            xx * x[0] + xy * x[1] + xz * x[2],
            xy * x[0] + yy * x[1] + yz * x[2],
            xz * x[0] + yz * x[1] + zz * x[2],
        ]
    }

    /// Where the sum is least; `None` when no point is better than all others.
    fn least(&self) -> Option<[f64; 3]> {
        let [xx, yy, zz, xy, xz, yz] = self.a;
        // Adjugate of the symmetric matrix.
        let adjugate = Self {
            a: [
                yy * zz - yz * yz,
                xx * zz - xz * xz,
                xx * yy - xy * xy,
                xz * yz - xy * zz,
                xy * yz - xz * yy,
                xy * xz - xx * yz,
            ],
            ..Self::default()
        };
        let determinant = xx * adjugate.a[0] + xy * adjugate.a[3] + xz * adjugate.a[4];
        let size = xx + yy + zz;
        (determinant > 1e-12 * size * size * size).then(|| adjugate.times(self.b).map(|v| -v / determinant))
    }
}

/// A mesh under collapse. Corner 3f + c is corner c of face f; the corners at a vertex form a list.
struct Collapse {
    places: Vec<[f64; 3]>,
    faces: Vec<[u32; 3]>,
    quadrics: Vec<Quadric>,
    /// Rises when a vertex moves.
    stamps: Vec<u32>,
    head: Vec<u32>,
    next: Vec<u32>,
    /// Round in which a vertex was last seen.
    seen: Vec<u32>,
    round: u32,
    /// Live corners at the two ends of the edge looked at.
    rings: [Vec<u32>; 2],
    face_count: usize,
}

/// Collapses edges of a closed mesh, the cheapest first, until at most `max_triangles` remain. A collapse is refused
/// that would change the topology, turn a face over or make a sliver. When no collapse is left the mesh stays larger.
/// Allocates about 240 bytes per vertex.
///
/// # Exactness
/// Costs are put in order to about 3 %, ties by the order of the faces; two runs give the same bytes.
///
/// # Source
/// Garland & Heckbert 1997, doi:10.1145/258734.258849. Differs: planes are weighted by area, and each vertex adds its
/// distance from itself with a small weight. Link condition: Dey, Edelsbrunner, Guha & Nekhayev 1999, "Topology
/// preserving edge contraction".
pub fn decimate(mesh: &Mesh, max_triangles: usize) -> Mesh {
    let mut work = Collapse::new(mesh);
    // An edge that was refused may be allowed when its surroundings have changed: hence further rounds.
    while work.face_count > max_triangles && work.pass(max_triangles) {}
    work.faces.retain(|face| face[0] != NONE);
    let vertices = work.places.iter().map(|p| p.map(|v| v as f32)).collect();
    let mut out = Mesh { vertices, faces: work.faces };
    let mut is_used = vec![false; out.vertices.len()];
    out.faces.iter().flatten().for_each(|&v| is_used[v as usize] = true);
    drop_vertices(&mut out, |v| is_used[v]);
    out
}

impl Collapse {
    fn new(mesh: &Mesh) -> Self {
        let places: Vec<[f64; 3]> = mesh.vertices.iter().map(|v| v.map(f64::from)).collect();
        let count = places.len();
        let mut quadrics = vec![Quadric::default(); count];
        let (mut head, mut next) = (vec![NONE; count], vec![NONE; 3 * mesh.faces.len()]);
        for (f, face) in mesh.faces.iter().enumerate() {
            let corners = face.map(|v| places[v as usize]);
            let normal = face_normal(corners);
            let length = dot(normal, normal).sqrt();
            for (c, &v) in face.iter().enumerate() {
                let quadric = &mut quadrics[v as usize];
                if length > 0.0 {
                    quadric.add_plane(normal.map(|n| n / length), corners[c], length);
                    quadric.add_point(corners[c], POINT_WEIGHT * length);
                }
                next[3 * f + c] = head[v as usize];
                head[v as usize] = (3 * f + c) as u32;
            }
        }
        let (stamps, seen) = (vec![0; count], vec![0; count]);
        let face_count = mesh.faces.len();
        let (faces, rings) = (mesh.faces.clone(), [Vec::new(), Vec::new()]);
        Self { places, faces, quadrics, stamps, head, next, seen, round: 0, rings, face_count }
    }

    /// Collapses what can be collapsed; whether anything was.
    fn pass(&mut self, max_triangles: usize) -> bool {
        let mut queue = Queue::new();
        for &face in self.faces.iter().rev() {
            for c in 0..3 {
                // Each edge runs in both directions; one is taken.
                if face[0] != NONE && face[c] < face[(c + 1) % 3] {
                    self.push([face[c], face[(c + 1) % 3]], &mut queue);
                }
            }
        }
        let before = self.face_count;
        while self.face_count > max_triangles {
            let Some(Candidate { ends, stamp }) = queue.pop() else { break };
            if stamp == self.stamp(ends) && self.try_collapse(ends) {
                self.push_around(ends[0], &mut queue);
            }
        }
        self.face_count < before
    }

    fn stamp(&self, [a, b]: [u32; 2]) -> u32 {
        self.stamps[a as usize].wrapping_add(self.stamps[b as usize])
    }

    fn push(&self, ends: [u32; 2], queue: &mut Queue) {
        let (_, cost) = self.target(ends);
        queue.push(cost, Candidate { ends, stamp: self.stamp(ends) });
    }

    /// Where the edge's ends would meet and what it costs.
    fn target(&self, [a, b]: [u32; 2]) -> ([f64; 3], f64) {
        let mut sum = self.quadrics[a as usize];
        sum.add(&self.quadrics[b as usize]);
        let (p, q) = (self.places[a as usize], self.places[b as usize]);
        let place = sum.least().unwrap_or([0, 1, 2].map(|i| (p[i] + q[i]) / 2.0));
        (place, sum.at(place).max(0.0))
    }

    /// Collects the live corners at a vertex and unlinks the others.
    fn gather(&mut self, v: u32, ring: usize) {
        let corners = &mut self.rings[ring];
        corners.clear();
        let mut at = self.head[v as usize];
        while at != NONE {
            if self.faces[at as usize / 3][0] != NONE {
                corners.push(at);
            }
            at = self.next[at as usize];
        }
        self.relink(v, ring);
    }

    /// Makes the corners of a ring the list of a vertex.
    fn relink(&mut self, v: u32, ring: usize) {
        let mut last = NONE;
        for &corner in self.rings[ring].iter().rev() {
            self.next[corner as usize] = last;
            last = corner;
        }
        self.head[v as usize] = last;
    }

    /// The other two corners of a corner's face, in their order.
    fn opposite(&self, corner: u32) -> [u32; 2] {
        let (face, c) = (self.faces[corner as usize / 3], corner as usize % 3);
        [face[(c + 1) % 3], face[(c + 2) % 3]]
    }

    /// Merges b into a when that is allowed; otherwise nothing changes.
    fn try_collapse(&mut self, ends: [u32; 2]) -> bool {
        let [a, b] = ends;
        self.gather(a, 0);
        self.gather(b, 1);
        let (place, _) = self.target(ends);
        if !self.keeps_topology(ends)
            || !self.keeps_shape(a, b, 0, place)
            || !self.keeps_shape(b, a, 1, place)
        {
            return false;
        }
        let [ring_a, mut ring_b] = std::mem::take(&mut self.rings);
        for &corner in &ring_b {
            let face = &mut self.faces[corner as usize / 3];
            if face.contains(&a) {
                *face = [NONE; 3];
                self.face_count -= 1;
            } else {
                face[corner as usize % 3] = a;
            }
        }
        ring_b.extend_from_slice(&ring_a);
        ring_b.retain(|&corner| self.faces[corner as usize / 3][0] != NONE);
        self.rings = [ring_b, ring_a];
        self.relink(a, 0);
        self.head[b as usize] = NONE;
        let merged = self.quadrics[b as usize];
        self.quadrics[a as usize].add(&merged);
        self.places[a as usize] = place;
        self.stamps[a as usize] += 1;
        self.stamps[b as usize] += 1;
        true
    }

    /// Link condition: the ends have no neighbours in common but the two tips of the edge's faces, and the tips' edges
    /// are no faces of both (which makes a tetrahedron).
    fn keeps_topology(&mut self, [a, b]: [u32; 2]) -> bool {
        let mut tips = [NONE; 2];
        let mut tip_count = 0;
        for &corner in &self.rings[0] {
            let [p, q] = self.opposite(corner);
            if p == b || q == b {
                if tip_count == 2 {
                    return false;
                }
                tips[tip_count] = if p == b { q } else { p };
                tip_count += 1;
            }
        }
        if tip_count != 2 || tips[0] == tips[1] {
            return false;
        }
        self.round += 1;
        let joins_tips = |sides: [u32; 2]| sides == tips || sides == [tips[1], tips[0]];
        let mut is_tetrahedron = [false; 2];
        for &corner in &self.rings[0] {
            let sides = self.opposite(corner);
            is_tetrahedron[0] |= joins_tips(sides);
            sides.iter().for_each(|&v| self.seen[v as usize] = self.round);
        }
        for &corner in &self.rings[1] {
            let sides = self.opposite(corner);
            is_tetrahedron[1] |= joins_tips(sides);
            if sides.iter().any(|&v| v != a && !tips.contains(&v) && self.seen[v as usize] == self.round) {
                return false;
            }
        }
        is_tetrahedron != [true; 2]
    }

    /// Whether no face that stays at `v` turns too far or becomes a sliver when `v` moves to `place`.
    fn keeps_shape(&self, v: u32, gone: u32, ring: usize, place: [f64; 3]) -> bool {
        let old = self.places[v as usize];
        self.rings[ring].iter().all(|&corner| {
            let sides = self.opposite(corner);
            if sides.contains(&gone) {
                return true;
            }
            let [p, q] = sides.map(|v| self.places[v as usize]);
            let (before, after) = (face_normal([old, p, q]), face_normal([place, p, q]));
            let squares = [dot(before, before), dot(after, after)];
            let along = dot(before, after);
            let is_turned = along <= 0.0 || along * along < MIN_COSINE * MIN_COSINE * squares[0] * squares[1];
            let shape = |x: [f64; 3], square: f64| {
                let sides = [minus(x, p), minus(p, q), minus(q, x)];
                12.0 * square / sides.iter().map(|&s| dot(s, s)).sum::<f64>().powi(2)
            };
            let least = MIN_SHAPE * MIN_SHAPE;
            let after = shape(place, squares[1]);
            (squares[0] == 0.0 || !is_turned) && (after >= least || after >= shape(old, squares[0]))
        })
    }

    /// Puts the edges of a vertex that moved into the queue.
    fn push_around(&mut self, v: u32, queue: &mut Queue) {
        for &corner in &self.rings[0] {
            // The faces around a vertex name each neighbour once as the next corner.
            let [other, _] = self.opposite(corner);
            self.push([v.min(other), v.max(other)], queue);
        }
    }
}

#[cfg(test)]
#[path = "decimate_tests.rs"]
mod tests;
