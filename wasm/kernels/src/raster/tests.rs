use super::*;
use crate::random::Random;

const VIEW: View = View {
    camera_from_ras: [[0.01, 0.0, 0.0, 0.0], [0.0, 0.01, 0.0, 0.0], [0.0, 0.0, 0.01, 2.0]],
    focal: 80.0,
    near: 0.1,
    far: 100.0,
    light: [0.0, 0.0, -1.0],
    half: [0.0, 0.0, -1.0],
    ambient: 0.25,
    diffuse: 0.75,
    specular: 0.0,
    is_culling: false,
};

/// What the slow, obvious twin sees at a pixel: face, 1/depth and colour; `None` without a face.
type Seen = Option<(usize, f64, [f64; 3])>;

/// Every pixel by itself, in f64, barycentric weights straight from the definition. Triangles are cut at the near plane
/// first; `corners` are x, y, z in camera space and the shaded colour.
fn naive(triangles: &[[[f64; 6]; 3]], view: &View, width: usize, height: usize) -> Vec<Seen> {
    let (near, focal) = (f64::from(view.near), f64::from(view.focal));
    let rounded = |pixels: f64| (pixels * 64.0).round_ties_even() / 64.0;
    let mut pieces = Vec::new();
    for (face, triangle) in triangles.iter().enumerate() {
        let mut kept: Vec<[f64; 6]> = Vec::new();
        for n in 0..3 {
            let (from, to) = (triangle[n], triangle[(n + 1) % 3]);
            if from[2] >= near {
                kept.push(from);
            }
            if (from[2] >= near) != (to[2] >= near) {
                let t = (near - from[2]) / (to[2] - from[2]);
                kept.push(std::array::from_fn(|k| from[k] + (to[k] - from[k]) * t));
            }
        }
        for last in 2..kept.len() {
            pieces.push((
                face,
                [kept[0], kept[last - 1], kept[last]].map(|c| {
                    let x = rounded(c[0] / c[2] * focal + width as f64 / 2.0);
                    let y = rounded(-c[1] / c[2] * focal + height as f64 / 2.0);
                    ([x, y], 1.0 / c[2], [c[3], c[4], c[5]])
                }),
            ));
        }
    }
    let mut out = Vec::new();
    for y in 0..height {
        for x in 0..width {
            let p = [x as f64 + 0.5, y as f64 + 0.5];
            let mut seen: Seen = None;
            for (face, piece) in &pieces {
                let cross = |a: [f64; 2], b: [f64; 2], c: [f64; 2]| {
                    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
                };
                let [a, b, c] = [piece[0].0, piece[1].0, piece[2].0];
                let area = cross(a, b, c);
                if area == 0.0 || (area > 0.0 && view.is_culling) {
                    continue;
                }
                let weights = [cross(b, c, p) / area, cross(c, a, p) / area, cross(a, b, p) / area];
                if weights.iter().any(|&w| w < 0.0) {
                    continue;
                }
                let depth: f64 = (0..3).map(|n| weights[n] * piece[n].1).sum();
                if depth <= 1.0 / f64::from(view.far) || seen.is_some_and(|s| s.1 >= depth) {
                    continue;
                }
                let channel = |k| (0..3).map(|n: usize| weights[n] * piece[n].2[k]).sum();
                seen = Some((*face, depth, [channel(0), channel(1), channel(2)]));
            }
            out.push(seen);
        }
    }
    out
}

struct Scene {
    positions: Vec<f32>,
    normals: Vec<f32>,
    faces: Vec<u32>,
    colours: Vec<u32>,
}

/// Triangles of sizes from specks to the whole picture, some of them degenerate, behind the eye or beside the picture.
fn random_scene(random: &mut Random, triangles: usize) -> Scene {
    let mut scene = Scene { positions: vec![], normals: vec![], faces: vec![], colours: vec![] };
    for n in 0..triangles as u32 {
        let size = 10f64.powf(random.between(-0.5, 2.5));
        let centre =
            [random.between(-150.0, 150.0), random.between(-150.0, 150.0), random.between(-250.0, 150.0)];
        for corner in 0..3 {
            let same = n % 17 == 0 && corner == 2;
            for axis in 0..3 {
                let value = if same {
                    f64::from(scene.positions[scene.positions.len() - 3])
                } else {
                    centre[axis] + random.between(-size, size)
                };
                scene.positions.push(value as f32);
            }
            let normal = [random.between(-1.0, 1.0), random.between(-1.0, 1.0), random.between(-1.0, 1.0)];
            let length = normal.iter().map(|v| v * v).sum::<f64>().sqrt();
            scene.normals.extend(normal.map(|v| (v / length) as f32));
            scene.colours.push((random.between(0.0, f64::from(1u32 << 24))) as u32 | 0xff00_0000);
        }
        scene.faces.extend([3 * n, 3 * n + 1, 3 * n + 2]);
    }
    scene
}

/// The scene's triangles in camera space, shaded by the definition.
fn shaded(scene: &Scene, view: &View) -> Vec<[[f64; 6]; 3]> {
    let corner = |v: usize| {
        let p = |a: usize| f64::from(scene.positions[3 * v + a]);
        let n = |a: usize| f64::from(scene.normals[3 * v + a]);
        let camera = view.camera_from_ras.map(|row| {
            let [x, y, z, t] = row.map(f64::from);
            x * p(0) + y * p(1) + z * p(2) + t
        });
        let towards = |l: [f32; 3]| {
            let cosine = (0..3).map(|a| f64::from(l[a]) * n(a)).sum::<f64>();
            if view.is_culling {
                cosine.max(0.0)
            } else {
                cosine.abs()
            }
        };
        let bright = f64::from(view.ambient) + f64::from(view.diffuse) * towards(view.light);
        let gleam = 255.0 * f64::from(view.specular) * towards(view.half).powi(16);
        let colour = scene.colours[v].to_le_bytes();
        let channel = |k: usize| (f64::from(colour[k]) * bright + gleam).min(255.0).round();
        [camera[0], camera[1], camera[2], channel(0), channel(1), channel(2)]
    };
    scene.faces.chunks_exact(3).map(|f| [0, 1, 2].map(|n: usize| corner(f[n] as usize))).collect()
}

/// Face and 1/depth of a pixel as it was drawn.
pub(super) fn sample(frame: &Frame, x: usize, y: usize) -> (u32, f32) {
    let at = y * frame.width + x;
    assert!(frame.pending_faces.is_none());
    if frame.depths[at] > frame.farthest {
        (frame.faces[at], frame.depths[at])
    } else {
        (NO_FACE, 0.0)
    }
}

fn drawn(scene: &Scene, view: &View, width: usize, height: usize, is_smooth: bool) -> Frame {
    let (mesh, mut frame) = mesh_drawn(scene, view, width, height, is_smooth);
    frame.render_faces(&mesh);
    frame
}

fn mesh_drawn(scene: &Scene, view: &View, width: usize, height: usize, is_smooth: bool) -> (Mesh, Frame) {
    let mut mesh = Mesh::new(&scene.positions, &scene.normals, &scene.faces).unwrap();
    mesh.colours[..scene.colours.len()].copy_from_slice(&scene.colours);
    let mut frame = Frame::default();
    frame.reserve(width, height, is_smooth).unwrap();
    draw(&mut mesh, view, &mut frame, width, height, is_smooth);
    (mesh, frame)
}

/// Pixels that differ in the face, or in colour by more than 2 of 255, except where two faces are equally near.
fn differences(frame: &Frame, wanted: &[Seen]) -> usize {
    let mut wrong = 0;
    for (at, seen) in wanted.iter().enumerate() {
        let (face, inverse) = sample(frame, at % frame.width, at / frame.width);
        let colour = frame.pixels()[at].to_le_bytes();
        let is_same = match seen {
            None => face == NO_FACE && frame.pixels()[at] == BACKGROUND,
            Some((number, depth, rgb)) => {
                let near = (f64::from(inverse) - depth).abs() <= 1e-4 * depth;
                let alike = (0..3).all(|k| (f64::from(colour[k]) - rgb[k]).abs() <= 2.0);
                near && (face != *number as u32 || alike)
            }
        };
        wrong += usize::from(!is_same);
    }
    wrong
}

#[test]
fn draw_agrees_with_the_naive_twin_on_random_triangles() {
    let mut random = Random(0x5eed_0001);
    let (mut pixels, mut wrong, mut covered) = (0, 0, 0);
    for round in 0..24 {
        let (width, height) = (20 + 13 * round % 90, 16 + 29 * round % 80);
        let view =
            View { is_culling: round % 2 == 0, specular: 0.2, focal: 30.0 + 9.0 * round as f32, ..VIEW };
        let scene = random_scene(&mut random, 100);
        let wanted = naive(&shaded(&scene, &view), &view, width, height);
        let frame = drawn(&scene, &view, width, height, false);
        pixels += wanted.len();
        covered += wanted.iter().flatten().count();
        wrong += differences(&frame, &wanted);
    }
    assert!(covered * 3 > pixels, "{covered} of {pixels} pixels show a triangle");
    // a vertex on the border of two parts of a pixel may round the other way in f32
    assert!(wrong * 500 <= pixels, "{wrong} of {pixels} pixels differ");
}

#[test]
fn draw_agrees_with_the_naive_twin_on_crowds_of_small_triangles() {
    let mut random = Random(0x5eed_0004);
    for (focal, width, height) in [(24.0, 64, 48), (80.0, 96, 72), (200.0, 131, 97)] {
        let mut scene = random_scene(&mut random, 3000);
        for triangle in scene.positions.chunks_exact_mut(9) {
            for at in 3..9 {
                triangle[at] = triangle[at % 3] + random.between(-6.0, 6.0) as f32;
            }
        }
        let view = View { focal, is_culling: true, ..VIEW };
        let wanted = naive(&shaded(&scene, &view), &view, width, height);
        let wrong = differences(&drawn(&scene, &view, width, height, false), &wanted);
        assert!(wrong * 500 <= wanted.len(), "{wrong} of {} pixels differ", wanted.len());
    }
}

#[test]
fn draw_leaves_nothing_of_the_picture_before() {
    let mut random = Random(0x5eed_0005);
    let scene = random_scene(&mut random, 60);
    let mut mesh = Mesh::new(&scene.positions, &scene.normals, &scene.faces).unwrap();
    let mut frame = Frame::default();
    frame.reserve(90, 70, true).unwrap();
    for round in 0..60 {
        let (width, height) = [(90, 70), (90, 70), (45, 37), (90, 70)][round % 4];
        let is_smooth = round % 7 == 0;
        let shift = random.between(-3.0, 3.0) as f32;
        let rows = [[0.01, 0.0, 0.0, shift], [0.0, 0.01, 0.0, -shift / 2.0], [0.0, 0.0, 0.01, 5.0 + shift]];
        let view = View { camera_from_ras: rows, ..VIEW };
        draw(&mut mesh, &view, &mut frame, width, height, is_smooth);
        frame.render_faces(&mesh);
        let mut fresh = Frame::default();
        fresh.reserve(width, height, is_smooth).unwrap();
        draw(&mut mesh, &view, &mut fresh, width, height, is_smooth);
        fresh.render_faces(&mesh);
        assert_eq!(frame.pixels(), fresh.pixels());
        for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
            assert_eq!(sample(&frame, x, y), sample(&fresh, x, y));
        }
    }
}

#[test]
fn draw_leaves_no_gap_between_neighbours() {
    // a bent sheet of small triangles that fills the picture, in front of nothing
    let mut random = Random(0x5eed_0002);
    let side = 90u32;
    let mut scene = Scene { positions: vec![], normals: vec![], faces: vec![], colours: vec![] };
    for j in 0..side {
        for i in 0..side {
            let wobble = |random: &mut Random| random.between(-1.2, 1.2);
            let x = (f64::from(i) - 44.5) * 4.0 + wobble(&mut random);
            let y = (f64::from(j) - 44.5) * 4.0 + wobble(&mut random);
            scene.positions.extend([x as f32, y as f32, (x / 9.0).sin() as f32 * 3.0]);
            scene.normals.extend([0.0, 0.0, -1.0]);
            scene.colours.push(0xff40_8020);
        }
    }
    for j in 0..side - 1 {
        for i in 0..side - 1 {
            let a = j * side + i;
            scene.faces.extend([a, a + side, a + 1, a + 1, a + side, a + side + 1]);
        }
    }
    let frame = drawn(&scene, &View { focal: 130.0, ..VIEW }, 211, 187, false);
    assert!((0..211 * 187).all(|at| sample(&frame, at % 211, at / 211).0 != NO_FACE));
    assert!(frame.pixels().iter().all(|&word| word == 0xff40_8020), "the light falls straight on it");
}

#[test]
fn draw_keeps_what_is_beyond_the_planes_out() {
    let triangle = |z: f32| Scene {
        positions: vec![-300.0, -300.0, z, 300.0, -300.0, z, 0.0, 300.0, z],
        normals: [0.0, 0.0, -1.0].repeat(3),
        faces: vec![0, 1, 2],
        colours: vec![u32::MAX; 3],
    };
    let shown = |z: f32| drawn(&triangle(z), &VIEW, 40, 30, false).pixels().iter().any(|&w| w != BACKGROUND);
    // depth 2 + z/100
    assert!(shown(0.0) && shown(-189.0) && shown(9790.0));
    assert!(!shown(-191.0) && !shown(-260.0) && !shown(9810.0));
}

#[test]
fn draw_culls_the_faces_that_look_away() {
    let scene = |faces: [u32; 3]| Scene {
        positions: vec![-80.0, -80.0, 0.0, 80.0, -80.0, 0.0, 0.0, 80.0, 0.0],
        normals: [0.0, 0.0, -1.0].repeat(3),
        faces: faces.to_vec(),
        colours: vec![u32::MAX; 3],
    };
    let culling = View { is_culling: true, ..VIEW };
    let count = |faces, view: &View| {
        let frame = drawn(&scene(faces), view, 60, 60, false);
        (0..3600).filter(|at| sample(&frame, at % 60, at / 60).0 == 0).count()
    };
    assert!(count([0, 1, 2], &culling) > 500, "counter-clockwise is the front");
    assert_eq!(count([0, 2, 1], &culling), 0);
    assert_eq!(count([0, 2, 1], &VIEW), count([0, 1, 2], &VIEW));
}

#[test]
fn a_smooth_picture_is_the_mean_of_one_twice_as_large() {
    let mut random = Random(0x5eed_0003);
    let scene = random_scene(&mut random, 40);
    let (width, height) = (37, 23);
    let large = drawn(&scene, &View { focal: 160.0, ..VIEW }, width * 2, height * 2, false);
    let smooth = drawn(&scene, &VIEW, width, height, true);
    for y in 0..height {
        for x in 0..width {
            let pixel = smooth.pixels()[y * width + x].to_le_bytes();
            for k in 0..4 {
                let part = |dx: usize, dy: usize| {
                    u32::from(large.pixels()[(2 * y + dy) * width * 2 + 2 * x + dx].to_le_bytes()[k])
                };
                let mean = (part(0, 0) + part(1, 0) + part(0, 1) + part(1, 1) + 2) / 4;
                assert_eq!(u32::from(pixel[k]), mean);
            }
        }
    }
}

#[test]
fn mesh_refuses_what_it_cannot_draw() {
    let new = |positions: &[f32], normals: &[f32], faces: &[u32]| Mesh::new(positions, normals, faces).err();
    let place = [0.0; 9];
    assert_eq!(new(&place, &place, &[0, 1, 2]), None);
    assert_eq!(new(&[], &[], &[]), None);
    assert_eq!(new(&place, &place, &[0, 1, 3]), Some(MeshError::Index));
    assert_eq!(new(&place, &place, &[0, 1, u32::MAX]), Some(MeshError::Index));
    assert_eq!(new(&[], &[], &[0, 0, 0]), Some(MeshError::Index));
    assert_eq!(new(&place, &place, &[0, 1]), Some(MeshError::Length));
    assert_eq!(new(&place[..8], &place[..8], &[]), Some(MeshError::Length));
    assert_eq!(new(&place, &place[..6], &[]), Some(MeshError::Length));
    let mut odd = place;
    odd[4] = f32::NAN;
    assert_eq!(new(&odd, &place, &[0, 1, 2]), Some(MeshError::Coordinate));
    assert_eq!(new(&place, &odd, &[0, 1, 2]), Some(MeshError::Coordinate));
}

#[test]
fn draw_survives_absurd_views_and_meshes() {
    let huge = Scene {
        positions: vec![-3e38, -3e38, 3e38, 3e38, -3e38, -3e38, 0.0, 3e38, 1.0],
        normals: vec![0.0; 9],
        faces: vec![0, 1, 2, 2, 2, 2],
        colours: vec![0; 3],
    };
    drawn(&huge, &VIEW, 33, 21, true);
    drawn(&huge, &View { focal: f32::INFINITY, ..VIEW }, 33, 21, false);
    drawn(&huge, &View { camera_from_ras: [[f32::NAN; 4]; 3], ..VIEW }, 33, 21, false);
    drawn(&huge, &VIEW, 0, 0, true);
    drawn(&huge, &VIEW, 1, 1, false);
    let none = Scene { positions: vec![], normals: vec![], faces: vec![], colours: vec![] };
    let (mesh, mut frame) = mesh_drawn(&none, &VIEW, 5, 4, false);
    assert_eq!(frame.pixels(), [BACKGROUND; 20]);
    assert_eq!((frame.face_at(&mesh, 0.5, 0.5), frame.depth_at(0.5, 0.5)), (NO_FACE, 0.0));
}

#[test]
fn face_at_and_depth_at_name_the_face_and_its_depth() {
    let scene = Scene {
        positions: vec![-80.0, -80.0, 0.0, 80.0, -80.0, 0.0, 0.0, 80.0, 0.0],
        normals: [0.0, 0.0, -1.0].repeat(3),
        faces: vec![0, 1, 2],
        colours: vec![u32::MAX; 3],
    };
    for is_smooth in [false, true] {
        let (mesh, mut frame) = mesh_drawn(&scene, &VIEW, 60, 60, is_smooth);
        let pixels = frame.pixels().to_vec();
        assert_eq!((frame.face_at(&mesh, 0.5, 0.5), frame.depth_at(0.5, 0.5)), (0, 0.5));
        assert_eq!(frame.pixels(), pixels);
        for beside in [(0.01, 0.01), (-0.1, 0.5), (0.5, 1.1), (f32::NAN, 0.5)] {
            let seen = (frame.face_at(&mesh, beside.0, beside.1), frame.depth_at(beside.0, beside.1));
            assert_eq!(seen, (NO_FACE, 0.0));
        }
    }
}
