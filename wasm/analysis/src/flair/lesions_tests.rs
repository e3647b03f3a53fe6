use super::*;
use crate::flair::split::is_lateral_ventricle;
use crate::flair::test_head::{Ball, Head, Scan, FLAIR};
use crate::visits::halfway::affine_about;

/// Beside the right ventricle, and far from both; the third lies across the limit of 10 mm.
const LESIONS: [Ball; 3] =
    [([24.0, -16.0, 18.0], 5.0), ([38.0, -40.0, 30.0], 6.0), ([-31.0, -20.0, 18.0], 6.5)];

/// Volume of the true voxels up to 10 mm from a ventricle, and farther, by all pairs.
fn parted(scan: &Scan, head: &Head, head_from_scanner: &Affine) -> [f64; 2] {
    let ventricle: Vec<[f64; 3]> = (0..head.labels.len())
        .filter(|&at| is_lateral_ventricle(head.labels[at]))
        .map(|at| head.grid.ras_from_ijk.apply(head.window.ijk(at).map(|v| v as f64)))
        .collect();
    let [nx, ny, _] = scan.grid.shape;
    let mut out = [0.0; 2];
    for at in (0..scan.truth.len()).filter(|&at| scan.truth[at]) {
        let ijk = [at % nx, at / nx % ny, at / (nx * ny)].map(|v| v as f64);
        let p = head_from_scanner.compose(&scan.grid.ras_from_ijk).apply(ijk);
        let is_near = ventricle.iter().any(|q| (0..3).map(|a| (p[a] - q[a]).powi(2)).sum::<f64>() <= 100.0);
        out[usize::from(!is_near)] += scan.voxel_mm3();
    }
    out
}

#[test]
fn find_sees_known_lesions_and_parts_them_by_the_ventricles() {
    let head = Head::at_rest();
    let moved = affine_about(&[0.05, -0.03, 0.04, 3.0, -2.0, 4.0], [0.0, -18.0, 14.0]);
    let scan = Scan::new(FLAIR, 3.0, &moved, &LESIONS, 21);
    let found = find(&scan.flair(), &head.side(), &moved).unwrap();
    let [near, far] = parted(&scan, &head, &moved);
    let dice = scan.dice(&found.mask);
    assert!(dice > 0.85, "Dice {dice}");
    assert_eq!(found.list.len(), 3);
    let listed = found.list.iter().fold([0.0; 2], |s, l| [s[0] + l.periventricular_mm3, s[1] + l.deep_mm3]);
    assert!(
        (listed[0] - found.periventricular_mm3).abs() < 1e-6 && (listed[1] - found.deep_mm3).abs() < 1e-6
    );
    for (lesion, (centre, _)) in found.list.iter().zip([LESIONS[2], LESIONS[1], LESIONS[0]]) {
        let away = (0..3).map(|a| (lesion.centre_mm[a] - centre[a]).powi(2)).sum::<f64>().sqrt();
        assert!(away < 3.0, "{:?} {centre:?}", lesion.centre_mm);
    }
    assert!((found.periventricular_mm3 / near - 1.0).abs() < 0.15, "{} {near}", found.periventricular_mm3);
    assert!((found.deep_mm3 / far - 1.0).abs() < 0.15, "{} {far}", found.deep_mm3);
    assert!(found.low_confidence);
    let on_t1 = found.on_t1.iter().filter(|&&m| m != 0).count() as f64;
    assert!((on_t1 / (found.periventricular_mm3 + found.deep_mm3) - 1.0).abs() < 0.05, "{on_t1} on T1");
}

#[test]
fn find_sees_nothing_in_a_head_without_lesions() {
    let head = Head::at_rest();
    let scan = Scan::new(FLAIR, 3.0, &Affine::IDENTITY, &[], 22);
    let found = find(&scan.flair(), &head.side(), &Affine::IDENTITY).unwrap();
    let white = head.labels.iter().filter(|&&l| l == 1 || l == 2).count() as f64;
    assert_eq!((found.list.len(), found.periventricular_mm3, found.deep_mm3), (0, 0.0, 0.0));
    assert_eq!(found.white_matter_mm3, white);
}

#[test]
fn find_refuses_a_series_without_tissue() {
    let head = Head::at_rest();
    let mut scan = Scan::new(FLAIR, 5.0, &Affine::IDENTITY, &[], 23);
    scan.voxels.fill(7.0);
    let refused = find(&scan.flair(), &head.side(), &Affine::IDENTITY).err().unwrap();
    assert_eq!((refused.code(), refused.reason()), ("engine.unsupported_input", "contrast"));
}

/// A coil over the vertex: half as bright again there as in the middle of the head, .82 as bright below.
fn brighten_vertex(scan: &mut Scan) {
    let [nx, ny, nz] = scan.grid.shape;
    for (at, v) in scan.voxels.iter_mut().enumerate() {
        let height = (at / (nx * ny)) as f64 / nz as f64;
        *v *= (0.5 * (height - 0.5) + 0.8 * (height - 0.6).max(0.0)).exp() as f32;
    }
}

#[test]
fn find_sees_the_same_lesions_under_a_field() {
    let head = Head::at_rest();
    let mut scan = Scan::new(FLAIR, 3.0, &Affine::IDENTITY, &LESIONS, 24);
    let plain = find(&scan.flair(), &head.side(), &Affine::IDENTITY).unwrap();
    brighten_vertex(&mut scan);
    let read = |field_mm| {
        let rules = Rules { field_mm, ..Rules::default() };
        find_with(&scan.flair(), &head.side(), &Affine::IDENTITY, &rules).unwrap()
    };
    let found = read(Rules::default().field_mm);
    let mm3 = |l: &Lesions| l.periventricular_mm3 + l.deep_mm3;
    assert_eq!(found.list.len(), LESIONS.len());
    assert!(scan.dice(&found.mask) > 0.8, "Dice {}", scan.dice(&found.mask));
    assert!((mm3(&found) / mm3(&plain) - 1.0).abs() < 0.15, "{} {}", mm3(&found), mm3(&plain));
    // left in, the field costs lesions or makes some
    let left_in = scan.dice(&read(None).mask);
    assert!(left_in < scan.dice(&found.mask) - 0.02, "{left_in} {}", scan.dice(&found.mask));
}

#[test]
fn find_sees_next_to_nothing_in_a_head_without_lesions_under_a_field() {
    let head = Head::at_rest();
    let mut scan = Scan::new(FLAIR, 3.0, &Affine::IDENTITY, &[], 25);
    brighten_vertex(&mut scan);
    let found = find(&scan.flair(), &head.side(), &Affine::IDENTITY).unwrap();
    let mm3 = found.periventricular_mm3 + found.deep_mm3;
    assert!(mm3 <= 50.0, "{mm3} mm³");
}

/// Labels the outer caps of lesions as fluid and darkens them, as T1-weighted analyses do beside a ventricle; how many.
fn call_caps_fluid(head: &mut Head, lesions: &[(Ball, u8)]) -> usize {
    let mut called = 0;
    for at in 0..head.labels.len() {
        let mm = head.grid.ras_from_ijk.apply(head.window.ijk(at).map(|v| v as f64));
        for &((centre, radius), label) in lesions {
            let within = (0..3).map(|a| (mm[a] - centre[a]).powi(2)).sum::<f64>() < radius * radius;
            if within && mm[0] - centre[0] > 0.5 * radius && matches!(head.labels[at], 1 | 2) {
                (head.labels[at], head.corrected[at]) = (label, 0.3);
                called += 1;
            }
        }
    }
    called
}

#[test]
fn find_takes_in_what_the_labels_call_fluid_but_a_flair_shows_bright() {
    let lesions = [LESIONS[0], LESIONS[1], LESIONS[2], ([-36.0, 20.0, 20.0], 8.0)];
    let scan = Scan::new(FLAIR, 1.0, &Affine::IDENTITY, &lesions, 26);
    let mut head = Head::at_rest();
    let called = call_caps_fluid(&mut head, &[(lesions[2], 15), (lesions[3], 105)]);
    assert!(called > 300, "{called}");
    let read = |fluid| {
        let rules = Rules { fluid, ..Rules::default() };
        find_with(&scan.flair(), &head.side(), &Affine::IDENTITY, &rules).unwrap()
    };
    let (as_labelled, found) = (read(f32::INFINITY), read(Rules::default().fluid));
    let marked = |l: &Lesions| l.mask.iter().filter(|&&m| m != 0).count();
    // most of the caps come back, and no fluid with them
    assert!(marked(&found) > marked(&as_labelled) + called / 2, "{} {called}", marked(&found));
    assert!(scan.dice(&found.mask) > scan.dice(&as_labelled.mask) + 0.02);
    assert!(scan.dice(&found.mask) > 0.85, "Dice {}", scan.dice(&found.mask));
}
