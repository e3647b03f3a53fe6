use super::*;
use crate::atlas::ATLAS_SHAPE;
use crate::visits::halfway::affine_about;
use crate::visits::visit::tests::{visit, worst_mm, BRAIN_CENTRE};

/// An atlas without labels: enough for the stages that do not look at it.
fn empty_atlas() -> Atlas {
    let npy = |count: usize| {
        let mut header = b"{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }".to_vec();
        header.resize(118, b' ');
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend((header.len() as u16).to_le_bytes());
        file.extend(header);
        file.resize(file.len() + count, 1);
        file
    };
    let count = ATLAS_SHAPE.iter().product::<usize>();
    Atlas::from_npy(&npy(count), &npy(count * 6), &npy(count * 6)).unwrap()
}

/// Two visits of a head that has moved, registered and placed. `order` names them.
fn placed_in_order(order: [usize; 2]) -> PlacedVisits {
    let moved = affine_about(&[0.1, -0.06, 0.08, 5.0, -4.0, 3.0], [0.0; 3]);
    let maps = [Affine::IDENTITY, moved];
    let mut all = Visits::new(empty_atlas());
    all.located = order.iter().map(|&n| visit(&maps[n], n as u64 + 1)).collect();
    let sources: Vec<Vec<f32>> = all.located.iter().map(|visit| visit.image.clone()).collect();
    let mut all = all.register().unwrap();
    sources.iter().enumerate().for_each(|(at, source)| all.place(at, source).unwrap());
    all
}

/// Later stages know the visits by what was placed, and by the sum of it.
fn assert_agree(there: &PlacedVisits, back: &PlacedVisits) {
    assert!(worst_mm(&there.grid.ras_from_ijk, &back.grid.ras_from_ijk) < 1e-4);
    for (at, other) in [(0, 1), (1, 0)] {
        let apart = worst_mm(&there.visit_from_middle[at], &back.visit_from_middle[other]);
        assert!(apart < 1e-4, "{apart}");
        let [one, two] = [&there.placed[at], &back.placed[other]];
        assert!(one.iter().any(|&byte| byte > 100));
        assert!(one.iter().zip(two).all(|(&x, &y)| x.abs_diff(y) <= 1));
        assert!(one.iter().zip(two).filter(|(x, y)| x != y).count() < one.len() / 1000);
    }
}

#[test]
fn register_visits_and_place_put_the_same_head_at_the_same_voxels_in_either_order() {
    let all = placed_in_order([0, 1]);
    assert_agree(&all, &placed_in_order([1, 0]));
    let [a, b] = [&all.placed[0], &all.placed[1]];
    let grid = all.grid;
    let centre = all.visit_from_middle[0].invert().unwrap().apply(BRAIN_CENTRE);
    let at = grid.ras_from_ijk.invert().unwrap().apply(centre).map(|v| v.round() as usize);
    let (mut apart, mut spread, mut n) = (0.0, 0.0, 0.0);
    for dk in 0..50 {
        for dj in 0..50 {
            for di in 0..50 {
                let v = grid.index(at[0] + di - 25, at[1] + dj - 25, at[2] + dk - 25);
                apart += (f64::from(a[v]) - f64::from(b[v])).powi(2);
                spread += (f64::from(a[v]) - 60.0).powi(2);
                n += 1.0;
            }
        }
    }
    let (apart, spread) = ((apart / n).sqrt(), (spread / n).sqrt());
    assert!(spread > 20.0 && apart < 0.15 * spread, "{apart} {spread}");
}

#[test]
fn visits_that_are_too_few_too_many_or_not_placed_are_refused() {
    assert_eq!(Visits::new(empty_atlas()).register().err().unwrap().code(), "internal");
    let mut all = Visits::new(empty_atlas());
    all.located = (0..MAX_VISITS).map(|_| visit(&Affine::IDENTITY, 1)).collect();
    let grid = Grid::new([2; 3], Affine::IDENTITY).unwrap();
    assert_eq!(all.locate(&[0u8; 8], grid).unwrap_err().code(), "internal");
    all.located.truncate(2);
    let mut placed = all.register().unwrap();
    assert_eq!(placed.place(2, &[0u8; 8]).unwrap_err().code(), "internal");
    assert_eq!(placed.analyze(true, None, |_, _| ()).err().unwrap().code(), "internal");
}
