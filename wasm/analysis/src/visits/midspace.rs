//! The space in the middle of several visits of one patient: every visit reaches it by a rigid motion, and the mean of
//! these motions is none. For two visits it is the space halfway.

use crate::registration::affine_parameters::{rotation, Mat3};
use crate::visits::halfway::{motion_near, Motion};
use volume::{Affine, Error};

/// Passes of the mean rotation: each leaves about the square of the error before, so that three are exact.
const PASSES: usize = 6;

fn turn_of(map: &Affine) -> Mat3 {
    [0, 1, 2].map(|r| [0, 1, 2].map(|c| map.at(r, c)))
}

fn product(a: &Mat3, b: &Mat3) -> Mat3 {
    [0, 1, 2].map(|r| [0, 1, 2].map(|c| (0..3).map(|k| a[r][k] * b[k][c]).sum()))
}

fn transposed(a: &Mat3) -> Mat3 {
    [0, 1, 2].map(|r| [0, 1, 2].map(|c| a[c][r]))
}

/// Rotation vector of a rotation matrix, rad.
fn vector_of(turn: &Mat3) -> [f64; 3] {
    let motion: Motion = motion_near(&Affine::from_parts(*turn, [0.0; 3]), [0.0; 3]);
    [motion[0], motion[1], motion[2]]
}

/// From the middle space to each visit.
///
/// # Arguments
/// * `from_first` - RAS mm of the first visit to RAS mm of each, rigid; the first is the identity
/// * `centre` - RAS mm of the first visit: the middle of the brain, on which the mean of the shifts is taken
///
/// # Errors
/// `internal` when there is no visit.
///
/// # Exactness
/// The order of the visits does not matter: the mean rotation is the one to which the rotation vectors of all visits
/// sum to zero, and it does not depend on where it is looked for from (rotations below 90°).
pub fn visits_from_middle(from_first: &[Affine], centre: [f64; 3]) -> Result<Vec<Affine>, Error> {
    if from_first.is_empty() {
        return Err(Error::misuse("Cannot find middle: no visit"));
    }
    let n = from_first.len() as f64;
    let turns: Vec<Mat3> = from_first.iter().map(turn_of).collect();
    let places: Vec<[f64; 3]> = from_first.iter().map(|map| map.apply(centre)).collect();
    let mut middle = turns[0];
    for _ in 0..PASSES {
        let mut step = [0.0; 3];
        for turn in &turns {
            let left = vector_of(&product(&transposed(&middle), turn));
            (0..3).for_each(|a| step[a] += left[a] / n);
        }
        middle = product(&middle, &rotation(step));
    }
    let back = transposed(&middle);
    let place = [0, 1, 2].map(|a| places.iter().map(|p| p[a]).sum::<f64>() / n);
    let from_middle = |(turn, at): (&Mat3, &[f64; 3])| {
        let turn = product(turn, &back);
        let shift = [0, 1, 2].map(|r| at[r] - (0..3).map(|c| turn[r][c] * place[c]).sum::<f64>());
        Affine::from_parts(turn, shift)
    };
    Ok(turns.iter().zip(&places).map(from_middle).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::random::Random;
    use crate::visits::halfway::affine_about;

    fn distance(a: &Affine, b: &Affine) -> f64 {
        (0..16).map(|at| (a.0[at] - b.0[at]).abs()).fold(0.0, f64::max)
    }

    fn motions(seed: u64, n: usize) -> Vec<Affine> {
        let mut random = Random::new(seed);
        let mut out = vec![Affine::IDENTITY];
        while out.len() < n {
            let mut motion: Motion = [0.0; 6];
            motion[..3].iter_mut().for_each(|v| *v = random.range(-0.3, 0.3));
            motion[3..].iter_mut().for_each(|v| *v = random.range(-20.0, 20.0));
            out.push(affine_about(&motion, [3.0, -20.0, 15.0]));
        }
        out
    }

    #[test]
    fn visits_from_middle_of_two_are_the_two_halves() {
        let motion: Motion = [0.1, -0.2, 0.15, 4.0, -6.0, 3.0];
        let centre = [2.0, -15.0, 12.0];
        let half = |sign: f64| affine_about(&motion.map(|v| v * sign), centre);
        let second_from_first = half(0.5).compose(&half(-0.5).invert().unwrap());
        let first_centre = half(-0.5).apply(centre);
        let got = visits_from_middle(&[Affine::IDENTITY, second_from_first], first_centre).unwrap();
        assert!(distance(&got[0], &half(-0.5)) < 1e-9 && distance(&got[1], &half(0.5)) < 1e-9);
    }

    #[test]
    fn visits_from_middle_keep_the_motion_between_visits() {
        let from_first = motions(5, 5);
        let got = visits_from_middle(&from_first, [0.0, -10.0, 5.0]).unwrap();
        for (map, visit) in from_first.iter().zip(&got) {
            assert!(distance(&map.compose(&got[0]), visit) < 1e-9);
        }
        let sum = got
            .iter()
            .map(|map| vector_of(&turn_of(map)))
            .fold([0.0; 3], |sum, v| [0, 1, 2].map(|a| sum[a] + v[a]));
        assert!(sum.iter().all(|v| v.abs() < 1e-9), "{sum:?}");
    }

    #[test]
    fn visits_from_middle_do_not_depend_on_the_order() {
        let from_first = motions(6, 4);
        let centre = [0.0, -10.0, 5.0];
        let got = visits_from_middle(&from_first, centre).unwrap();
        for first in 1..4 {
            let back = from_first[first].invert().unwrap();
            let order: Vec<usize> = (0..4).map(|v| (v + first) % 4).collect();
            let turned: Vec<Affine> = order.iter().map(|&v| from_first[v].compose(&back)).collect();
            let again = visits_from_middle(&turned, from_first[first].apply(centre)).unwrap();
            for (&visit, map) in order.iter().zip(&again) {
                assert!(distance(&got[visit], map) < 1e-8, "{first} {visit}");
            }
        }
    }

    #[test]
    fn visits_from_middle_refuses_no_visit() {
        assert_eq!(visits_from_middle(&[], [0.0; 3]).unwrap_err().code(), "internal");
    }
}
