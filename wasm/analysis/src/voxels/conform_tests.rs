use super::*;
use crate::numbers::random::Random;
use crate::voxels::interpolate::resample;

#[test]
fn conform_passes_a_conformed_byte_volume_unchanged_wherever_it_lies() {
    let mut random = Random::new(21);
    let axes = [[-1., 1e-7, 0.], [0., 0., 1.], [-1e-8, -1., 0.]];
    for origin in [[128., -128., 128.], [130.7738, -132.8522, 109.6758], [127.5, 12.25, -300.]] {
        let grid = Grid::new([SIDE; 3], Affine::from_parts(axes, origin)).unwrap();
        let voxels: Vec<i16> = (0..grid.count()).map(|_| random.below(256) as i16).collect();
        let out = conform(&voxels, &grid).unwrap();
        assert!(out.grid == grid && out.voxels.iter().zip(&voxels).all(|(&a, &b)| i16::from(a) == b));
    }
}

#[test]
fn conform_keeps_the_centre_of_the_field_of_view_at_index_128() {
    let affine = Affine::from_parts([[0., 0., 0.9], [1.1, 0., 0.], [0., -1.2, 0.]], [-70., -90., 110.]);
    let source = Grid::new([100, 120, 90], affine).unwrap();
    let grid = conformed_grid(&source);
    // the last axis runs to the right, a conformed volume to the left: 45 counted from its other end
    let centre = source.ras_from_ijk.apply([50., 60., 44.]);
    let got = grid.ras_from_ijk.apply([128.0; 3]);
    assert!((0..3).all(|a| (got[a] - centre[a]).abs() < 1e-9));
    let own = Grid::new([SIDE; 3], Affine::from_parts(AXES, [130.7, -132.8, 109.6])).unwrap();
    assert_eq!(conformed_grid(&own), own);
}

/// No interpolation: every sample of a 1 mm scan along the patient's axes is found again at its own place.
#[test]
fn conform_keeps_the_samples_of_an_aligned_scan_of_any_size() {
    for shape in [[60, 70, 80], [61, 71, 81], [60, 71, 80]] {
        let axes = [[1., 0., 0.], [0., 1., 0.], [0., 0., 1.]];
        let source = Grid::new(shape, Affine::from_parts(axes, [-31.3, -20.6, 11.2])).unwrap();
        let mut random = Random::new(22);
        let voxels: Vec<f32> = (0..source.count()).map(|_| random.below(256) as f32).collect();
        let grid = conformed_grid(&source);
        let got = resample(&voxels, &source, &grid).unwrap();
        let inverse = grid.ras_from_ijk.invert().unwrap();
        for (v, &want) in voxels.iter().enumerate() {
            let ijk = [v % shape[0], v / shape[0] % shape[1], v / shape[0] / shape[1]];
            let p = inverse.apply(source.ras_from_ijk.apply(ijk.map(|c| c as f64)));
            let [i, j, k] = p.map(|c| c.round() as usize);
            assert!((got[grid.index(i, j, k)] - want).abs() < 1e-3);
        }
    }
}

#[test]
fn scale_to_bytes_saturates_only_the_brightest_thousandth() {
    let mut values: Vec<f32> = (0..100_000).map(|v| v as f32 / 100.0).collect();
    values.extend([5000.0; 20]);
    let bytes = scale_to_bytes(&values).unwrap();
    assert_eq!(bytes[0], 0);
    assert!(bytes.iter().filter(|&&b| b == 255).count() < 400);
    assert!(bytes[99_000] > 240);
    assert_eq!(scale_to_bytes(&[3.0; 9]).unwrap_err().reason(), "empty");
}

#[test]
fn scale_to_bytes_keeps_an_empty_background_black_below_which_a_brain_was_interpolated() {
    let mut values = vec![0f32; 3000];
    values.extend((0..1000).map(|v| 100.0 + v as f32 / 10.0));
    values.push(-40.0);
    let bytes = scale_to_bytes(&values).unwrap();
    assert_eq!((bytes[0], bytes[4000]), (0, 0));
    // without much background the minimum is black
    let bytes = scale_to_bytes(&values[2500..]).unwrap();
    assert!(bytes[0] > 30 && *bytes.last().unwrap() == 0);
}
