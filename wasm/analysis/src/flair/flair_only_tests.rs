use super::*;
use crate::flair::test_head::{atlas, label_at, Ball, Contrast, Scan, FLAIR, T1, T2};
use crate::visits::halfway::affine_about;

const LESIONS: [Ball; 2] = [([24.0, -16.0, 18.0], 6.0), ([38.0, -40.0, 30.0], 7.0)];

#[test]
fn flair_only_finds_the_head_and_its_lesions() {
    let moved = affine_about(&[0.04, -0.03, 0.03, 3.0, -4.0, 5.0], [0.0, -18.0, 14.0]);
    let scan = Scan::new(FLAIR, 1.0, &moved, &LESIONS, 41);
    // weights that cannot be read cost the lesions nothing
    let found = flair_only(&scan.voxels, &scan.grid, &atlas(), Some(b"damaged")).unwrap();
    let deep = found.deep.as_ref().unwrap();
    assert_eq!((deep.fusion.is_used, deep.fusion.reason, deep.labels.len()), (false, "weights", 0));
    let dice = scan.dice(&found.lesions.mask);
    assert!(dice > 0.75, "Dice {dice}");
    assert!(found.lesions.low_confidence);
    let mut inside = 0.0;
    for at in 0..91 * 109 * 91 {
        let p = Atlas::mm([at % 91, at / 91 % 109, at / (91 * 109)].map(|v| v as f64));
        inside += if label_at(p) != 0 { 8.0 } else { 0.0 };
    }
    assert!((found.icv_mm3 / inside - 1.0).abs() < 0.12, "{} {inside}", found.icv_mm3);
    let lesion = found.labels.iter().filter(|&&l| l == crate::flair::relabel::LESION).count() as f64;
    let volume = found.lesions.periventricular_mm3 + found.lesions.deep_mm3;
    assert!((lesion / volume - 1.0).abs() < 0.05, "{lesion} {volume}");
    assert!(found.labels.iter().all(|l| matches!(l, 0 | 1 | 2 | 15..=18 | 28)));
}

#[test]
fn check_fluid_refuses_a_series_with_bright_fluid_only() {
    let atlas = atlas();
    let check = |contrast: Contrast| {
        let scan = Scan::new(contrast, 3.0, &Affine::IDENTITY, &[], 42);
        let conformed = conform(&scan.voxels, &scan.grid).unwrap();
        let prior = sample_prior(&atlas, &conformed.grid, &Affine::IDENTITY, None).unwrap();
        check_fluid(&conformed.voxels, &prior)
    };
    let refused = check(T2).unwrap_err();
    assert_eq!((refused.code(), refused.reason()), ("engine.unsupported_input", "t2_contrast"));
    assert!(check(FLAIR).is_ok());
}

#[test]
fn flair_only_refuses_a_t1_weighted_series() {
    let scan = Scan::new(T1, 1.0, &Affine::IDENTITY, &[], 43);
    let refused = flair_only(&scan.voxels, &scan.grid, &atlas(), None).err().unwrap();
    assert_eq!((refused.code(), refused.reason()), ("engine.unsupported_input", "t1_contrast"));
}
