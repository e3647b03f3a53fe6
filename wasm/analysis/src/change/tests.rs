use super::difference::{even_out, steepness, Curve};
use super::find::Kind;
use super::source_marks::on_source;
use super::*;
use crate::flair::test_head::{atlas, Ball, Scan, FLAIR};
use crate::numbers::random::Random;
use crate::visits::halfway::affine_about;
use volume::Grid;

/// The patient has a lesion of 180 mm³ at both visits, and one of 270 mm³ at one of them; he moves and turns between.
const STABLE: Ball = ([30.0, -20.0, 40.0], 3.5);
const NEW: Ball = ([-32.0, -10.0, 38.0], 4.0);

fn scans(second: &[Ball]) -> [Scan; 2] {
    let moved = affine_about(&[0.06, -0.04, 0.05, 3.0, -2.0, 4.0], [0.0, -18.0, 14.0]);
    [Scan::new(FLAIR, 3.0, &Affine::IDENTITY, &[STABLE], 1), Scan::new(FLAIR, 3.0, &moved, second, 2)]
}

/// Kinds of the sure lesions: these scans have three times the noise of a usual one, which may leave a possible one.
fn sure(change: &FlairChange) -> Vec<Kind> {
    assert!(change.list.iter().filter(|l| !l.is_sure).count() <= 1, "{:?}", change.list);
    change.list.iter().filter(|l| l.is_sure).map(|l| l.kind).collect()
}

#[test]
fn compare_finds_the_new_lesion_and_exchanging_the_visits_makes_it_gone() {
    let [first, second] = scans(&[STABLE, NEW]);
    let atlas = atlas();
    let there = compare([first.flair(), second.flair()], &atlas).unwrap();
    assert_eq!(sure(&there), [Kind::New]);
    let found = &there.list[0];
    let off = (0..3).map(|a| (found.centre_mm[0][a] - NEW.0[a]).powi(2)).sum::<f64>().sqrt();
    assert!(off < 2.0, "{off} mm from where it is in the first scanner");
    assert!(found.before_mm3 == 0.0 && found.after_mm3 > 130.0, "{found:?}");
    let hits = there.marks[1].iter().zip(&second.truth).filter(|(&m, &t)| m == 1 && t).count();
    assert!(hits > 0, "its marks lie on it");
    let back = compare([second.flair(), first.flair()], &atlas).unwrap();
    assert_eq!(sure(&back), [Kind::Gone]);
    assert!((back.list[0].changed_mm3 - found.changed_mm3).abs() < 0.2 * found.changed_mm3);
}

#[test]
fn compare_finds_nothing_where_nothing_changed() {
    let [first, second] = scans(&[STABLE]);
    let change = compare([first.flair(), second.flair()], &atlas()).unwrap();
    assert_eq!(sure(&change), []);
    assert!(change.marks.iter().flatten().all(|&m| usize::from(m) <= change.list.len()));
}

#[test]
fn steepness_agrees_with_its_definition() {
    let (shape, mut random) = ([7, 6, 5], Random::new(3));
    let image: Vec<f32> = (0..210).map(|_| random.unit() as f32).collect();
    let at = |i: usize, j: usize, k: usize| image[i + 7 * (j + 6 * k)];
    let got = steepness(&image, shape);
    for k in 0..5 {
        for j in 0..6 {
            for i in 0..7 {
                let inner = (1..6).contains(&i) && (1..5).contains(&j) && (1..4).contains(&k);
                let want = if inner {
                    let d = [
                        at(i + 1, j, k) - at(i - 1, j, k),
                        at(i, j + 1, k) - at(i, j - 1, k),
                        at(i, j, k + 1) - at(i, j, k - 1),
                    ];
                    d.iter().map(|v| v * v / 4.0).sum::<f32>().sqrt()
                } else {
                    0.0
                };
                assert!((got[i + 7 * (j + 6 * k)] - want).abs() < 1e-6);
            }
        }
    }
}

#[test]
fn curve_reads_levels_of_equal_counts_and_straight_lines_between() {
    let by: Vec<f32> = (0..4000).map(|v| v as f32).collect();
    let values: Vec<f32> = by.iter().map(|v| 3.0 * v + 1.0).collect();
    let seen: Vec<bool> = (0..4000).map(|v| v % 4 > 0).collect();
    let curve = Curve::of(&by, &values, &seen, |v| {
        Some(v.iter().map(|&v| f64::from(v)).sum::<f64>() / v.len() as f64)
    });
    assert_eq!(curve.points.len(), 20);
    for v in [500.0, 1234.0, 3000.0] {
        assert!((curve.at(v) - (3.0 * v + 1.0)).abs() < 2.0, "{v}: {}", curve.at(v));
    }
    assert_eq!((curve.at(-5.0), curve.at(1e6)), (curve.points[0].1, curve.points[19].1));
}

#[test]
fn even_out_takes_a_slow_field_from_both_and_is_symmetric() {
    let shape = [40, 40, 40];
    let field = |v: usize| 1.0 + 0.1 * ((v % 40) as f32 / 20.0 - 1.0);
    let seen = vec![true; 64_000];
    let images = [vec![1f32; 64_000], (0..64_000).map(field).collect::<Vec<f32>>()];
    let (mut there, mut back) = (images.clone(), [images[1].clone(), images[0].clone()]);
    even_out(&mut there, &seen, shape, 6.0);
    even_out(&mut back, &seen, shape, 6.0);
    let middle = 20 + 40 * (20 + 40 * 20);
    for v in [middle - 8, middle, middle + 8] {
        assert!((there[0][v] - there[1][v]).abs() < 0.01, "{} {}", there[0][v], there[1][v]);
        assert!((there[0][v] - back[1][v]).abs() < 1e-5);
    }
}

#[test]
fn on_source_marks_what_is_filled_by_half_and_every_lesion_somewhere() {
    let grid = Grid::new([30, 30, 30], Affine::IDENTITY).unwrap();
    let thick = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 3.0]];
    let source = Grid::new([30, 30, 10], Affine::from_parts(thick, [0.0, 0.0, 1.0])).unwrap();
    let mut marks = vec![0u8; 27_000];
    let at = |i: usize, j: usize, k: usize| i + 30 * (j + 30 * k);
    // a column through two slices, the second by a third of it; and a lesion of one voxel
    (3..7).for_each(|k| marks[at(5, 6, k)] = 1);
    marks[at(20, 21, 22)] = 2;
    let got = on_source(&marks, &grid, &Affine::IDENTITY, &source, 2).unwrap();
    let held: Vec<(usize, u8)> = got.iter().copied().enumerate().filter(|v| v.1 > 0).collect();
    assert_eq!(held, [(source.index(5, 6, 1), 1), (source.index(20, 21, 7), 2)]);
}
