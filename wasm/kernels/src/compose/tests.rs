use super::*;
use crate::colours::effective_colours;
use crate::random::Random;

/// The slow, obvious twin: every pixel by itself, in f64, straight from the definitions.
fn naive(
    volumes: Volumes,
    mapping: &Mapping,
    window: Window,
    table: &[u32; LABELS],
    width: usize,
    height: usize,
) -> Vec<[f64; 3]> {
    let shape = volumes.shape;
    let index = |p: [usize; 3]| p[0] + shape[0] * (p[1] + shape[1] * p[2]);
    let (c, w) = (f64::from(window.level), f64::from(window.width));
    let mut out = Vec::new();
    for y in 0..height {
        for x in 0..width {
            let p: Vec<f64> = (0..3)
                .map(|a| mapping.origin[a] + x as f64 * mapping.du[a] + y as f64 * mapping.dv[a])
                .collect();
            let nearest: Vec<f64> = p.iter().map(|c| (c + 0.5).floor()).collect();
            if (0..3).any(|a| nearest[a] < 0.0 || nearest[a] >= shape[a] as f64) {
                out.push([0.0; 3]);
                continue;
            }
            let mut value = 0.0;
            for corner in 0..8usize {
                let (mut weight, mut at) = (1.0, [0usize; 3]);
                for a in 0..3 {
                    let inside = p[a].clamp(0.0, (shape[a] - 1) as f64);
                    let fraction = inside - inside.floor();
                    let upper = corner >> a & 1;
                    weight *= if upper == 1 { fraction } else { 1.0 - fraction };
                    at[a] = (inside.floor() as usize + upper).min(shape[a] - 1);
                }
                value += weight * f64::from(volumes.base[index(at)]);
            }
            // PS3.3 C.11.2.1.2.1, written as the standard does.
            let grey = if value <= c - 0.5 - (w - 1.0) / 2.0 {
                0.0
            } else if value > c - 0.5 + (w - 1.0) / 2.0 {
                255.0
            } else {
                ((value - (c - 0.5)) / (w - 1.0) + 0.5) * 255.0
            };
            let label = if volumes.labels.is_empty() {
                0
            } else {
                volumes.labels[index([0, 1, 2].map(|a| nearest[a] as usize))]
            };
            let colour = table[usize::from(label)];
            let alpha = f64::from(colour >> 24) / 255.0;
            out.push([0, 8, 16].map(|shift| grey * (1.0 - alpha) + f64::from(colour >> shift & 255) * alpha));
        }
    }
    out
}

fn compare(volumes: Volumes, mapping: &Mapping, window: Window, table: &[u32; LABELS], size: [usize; 2]) {
    let [width, height] = size;
    let mut scratch = Scratch::default();
    scratch.reserve(width).unwrap();
    let mut out = vec![0x1234_5678; width * height];
    compose_slice(volumes, mapping, window, table, width, &mut scratch, &mut out);
    let want = naive(volumes, mapping, window, table, width, height);
    // A threshold turns the last bit of a sum into black or white: such pixels are left to the slow twin.
    let steep = window.width < 3.0;
    let mut far = 0;
    for (pixel, want) in out.iter().zip(&want) {
        assert_eq!(pixel >> 24, 255);
        for (channel, shift) in [0, 8, 16].into_iter().enumerate() {
            let got = f64::from(pixel >> shift & 255);
            if (got - want[channel]).abs() > 1.0 {
                far += 1;
                assert!(steep, "{got} instead of {} under {mapping:?}", want[channel]);
            }
        }
    }
    assert!(far <= out.len() / 50, "{far} pixels differ at a threshold");
}

#[test]
fn compose_slice_equals_naive_on_random_panes() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for round in 0..600 {
        let shape = [0; 3].map(|_| 1 + random.below(24));
        let voxels = shape.iter().product();
        let base: Vec<u8> = (0..voxels).map(|_| random.next() as u8).collect();
        let labels: Vec<u8> =
            (0..if round % 5 == 0 { 0 } else { voxels }).map(|_| random.below(105) as u8).collect();
        let mut table = [0u32; LABELS];
        table.iter_mut().for_each(|c| *c = random.next() as u32);
        let mut visible = [0u8; LABELS];
        visible.iter_mut().for_each(|v| *v = (random.next() >> 20) as u8 & 1);
        let mut colours = [0u32; LABELS];
        effective_colours(&table, &visible, random.next() as u8, &mut colours);
        let mut mapping = Mapping {
            origin: [0, 1, 2].map(|a| random.between(-6.0, shape[a] as f64 + 5.0)),
            du: [0.0; 3],
            dv: [0.0; 3],
        };
        if round % 4 == 3 {
            for a in 0..3 {
                mapping.du[a] = random.between(-1.0, 1.0);
                mapping.dv[a] = random.between(-1.0, 1.0);
            }
        } else {
            let u = random.below(3);
            let v = (u + 1 + random.below(2)) % 3;
            mapping.du[u] = random.between(-2.0, 2.0);
            mapping.dv[v] = random.between(-2.0, 2.0);
            mapping.origin[3 - u - v] = random.below(shape[3 - u - v] + 2) as f64 - 1.0;
        }
        let window =
            Window { width: random.between(1.0, 300.0) as f32, level: random.between(-20.0, 280.0) as f32 };
        let size = [1 + random.below(70), 1 + random.below(40)];
        let volumes = Volumes { base: &base, labels: &labels, shape };
        compare(volumes, &mapping, window, &colours, size);
    }
}

#[test]
fn compose_slice_window_follows_the_standard_at_its_edges() {
    let base: Vec<u8> = (0..=255).collect();
    let volumes = Volumes { base: &base, labels: &[], shape: [256, 1, 1] };
    let mapping = Mapping { origin: [0.0; 3], du: [1.0, 0.0, 0.0], dv: [0.0, 1.0, 0.0] };
    let mut scratch = Scratch::default();
    scratch.reserve(256).unwrap();
    let mut out = vec![0u32; 256];
    let mut grey = |width: f32, level: f32| -> Vec<u32> {
        let window = Window { width, level };
        compose_slice(volumes, &mapping, window, &[0; LABELS], 256, &mut scratch, &mut out);
        out.iter().map(|p| p & 255).collect()
    };
    // Width 256 and level 128 is the identity on 0..255.
    assert_eq!(grey(256.0, 128.0), (0..256).collect::<Vec<u32>>());
    let threshold = grey(1.0, 100.5);
    assert_eq!((threshold[100], threshold[101]), (0, 255));
    let narrow = grey(101.0, 100.5);
    assert_eq!((narrow[50], narrow[100], narrow[150], narrow[200]), (0, 128, 255, 255));
}

#[test]
fn compose_slice_outside_is_opaque_black() {
    let base = [200u8; 27];
    let volumes = Volumes { base: &base, labels: &[], shape: [3, 3, 3] };
    let mut scratch = Scratch::default();
    scratch.reserve(8).unwrap();
    let mut out = vec![7u32; 64];
    for slice in [-1.0, 3.0, f64::NAN] {
        let mapping = Mapping { origin: [0.0, 0.0, slice], du: [1.0, 0.0, 0.0], dv: [0.0, 1.0, 0.0] };
        let window = Window { width: 256.0, level: 128.0 };
        compose_slice(volumes, &mapping, window, &[0; LABELS], 8, &mut scratch, &mut out);
        assert!(out.iter().all(|&p| p == OUTSIDE));
    }
}
