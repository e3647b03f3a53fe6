use super::*;
use crate::numbers::random::Random;
use crate::voxels::sample::trilinear_border;

fn noise(seed: u64, size: f64) -> Vec<Vector> {
    let mut random = Random::new(seed);
    (0..COUNT)
        .map(|_| {
            [
                random.range(-size, size) as f32,
                random.range(-size, size) as f32,
                random.range(-size, size) as f32,
                0.0,
            ]
        })
        .collect()
}

fn dot(a: &[Vector], b: &[Vector]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (0..3).map(|c| f64::from(a[c]) * f64::from(b[c])).sum::<f64>()).sum()
}

#[test]
fn step_into_agrees_with_sampling_each_component() {
    let field = noise(111, 30.0);
    let mut got = vec![[0.0; 4]; COUNT];
    step_into(&field, &mut got);
    let component = [0, 1, 2].map(|c| field.iter().map(|v| v[c]).collect::<Vec<f32>>());
    for v in (0..COUNT).step_by(7) {
        let ijk = [v % SHAPE[0], v / SHAPE[0] % SHAPE[1], v / SLICE];
        let p = [0, 1, 2].map(|a| ijk[a] as f64 + f64::from(field[v][a]) / 4.0);
        for c in 0..3 {
            let want = field[v][c] + trilinear_border(&component[c], SHAPE, p);
            assert!((got[v][c] - want).abs() < 1e-3);
        }
        assert_eq!(got[v][3], 0.0);
    }
}

/// The adjoint by definition, in f64, one point after the other.
fn naive_adjoint(field: &[Vector], by_square: &[Vector]) -> Vec<[f64; 3]> {
    let mut out: Vec<[f64; 3]> = by_square.iter().map(|g| [0, 1, 2].map(|c| f64::from(g[c]))).collect();
    for v in 0..COUNT {
        let ijk = [v % SHAPE[0], v / SHAPE[0] % SHAPE[1], v / SLICE];
        let p = [0, 1, 2].map(|a| ijk[a] as f32 + field[v][a] * 0.25);
        let q = [0, 1, 2].map(|a| f64::from(p[a].clamp(0.0, (SHAPE[a] - 1) as f32)));
        let low = [0, 1, 2].map(|a| (q[a] as usize).min(SHAPE[a] - 2));
        for corner in 0..8 {
            let d = [corner & 1, corner >> 1 & 1, corner >> 2];
            let hat = [0, 1, 2].map(|a| 1.0 - (q[a] - (low[a] + d[a]) as f64).abs());
            let at = (low[0] + d[0]) + SHAPE[0] * (low[1] + d[1]) + SLICE * (low[2] + d[2]);
            for c in 0..3 {
                let g = f64::from(by_square[v][c]);
                out[at][c] += hat[0] * hat[1] * hat[2] * g;
                for a in 0..3 {
                    let inside = p[a] > 0.0 && p[a] < (SHAPE[a] - 1) as f32;
                    let sign = if d[a] == 1 { 0.25 } else { -0.25 };
                    let others = (0..3).filter(|&o| o != a).map(|o| hat[o]).product::<f64>();
                    out[v][a] += if inside { sign * others * f64::from(field[at][c]) * g } else { 0.0 };
                }
            }
        }
    }
    out
}

#[test]
fn pull_back_of_one_squaring_agrees_with_the_definition_far_over_the_border() {
    let velocity = noise(112, 60.0);
    let mut squarings = Squarings::new(1);
    squarings.exponential(&velocity);
    let mut got = noise(113, 1.0);
    // Points without a gradient are skipped; the result must not notice.
    got.iter_mut().step_by(3).for_each(|g| *g = [0.0; 4]);
    let half: Vec<Vector> = velocity.iter().map(|v| v.map(|c| c * 0.5)).collect();
    let want = naive_adjoint(&half, &got);
    squarings.pull_back(&mut got);
    for (g, w) in got.iter().zip(want) {
        for c in 0..3 {
            assert!((f64::from(g[c]) - 0.5 * w[c]).abs() < 1e-3, "{g:?} {w:?}");
        }
    }
}

#[test]
fn pull_back_agrees_with_finite_differences_through_all_squarings() {
    let velocity: Vec<Vector> = (0..COUNT)
        .map(|v| {
            let p = [v % SHAPE[0], v / SHAPE[0] % SHAPE[1], v / SLICE].map(|c| c as f32 / 7.0);
            [4.0 * (p[1] + p[2]).sin(), 5.0 * (p[0] - p[2]).cos(), 4.0 * (p[0] * 0.7 + p[1]).sin(), 0.0]
        })
        .collect();
    let weights = noise(114, 1.0);
    let mut squarings = Squarings::new(5);
    squarings.exponential(&velocity);
    let mut gradient = weights.clone();
    squarings.pull_back(&mut gradient);
    for seed in 0..3 {
        let towards = noise(115 + seed, 1.0);
        let mut at = |step: f32| {
            let shifted: Vec<Vector> = velocity
                .iter()
                .zip(&towards)
                .map(|(v, t)| [v[0] + step * t[0], v[1] + step * t[1], v[2] + step * t[2], 0.0])
                .collect();
            dot(squarings.exponential(&shifted), &weights)
        };
        let want = (at(2e-3) - at(-2e-3)) / 4e-3;
        let got = dot(&gradient, &towards);
        assert!((got - want).abs() < 0.02 * want.abs().max(5.0), "{got} {want}");
    }
}

#[test]
fn add_smoothness_agrees_with_the_definition_and_its_differences() {
    let velocity = noise(118, 3.0);
    let value = |v: &[Vector]| {
        let stride = [1, SHAPE[0], SLICE];
        let mut total = 0.0;
        for a in 0..3 {
            let (mut first, mut second, mut n1, mut n2) = (0.0, 0.0, 0.0, 0.0);
            for p in 0..COUNT {
                let at = [p % SHAPE[0], p / SHAPE[0] % SHAPE[1], p / SLICE][a];
                for c in 0..3 {
                    let value = |n: usize| f64::from(v[p + n * stride[a]][c]);
                    if at + 1 < SHAPE[a] {
                        first += (value(1) - value(0)).powi(2);
                        n1 += 1.0;
                    }
                    if at + 2 < SHAPE[a] {
                        second += (value(2) - 2.0 * value(1) + value(0)).powi(2);
                        n2 += 1.0;
                    }
                }
            }
            total += first / n1 + second / n2;
        }
        total
    };
    let mut gradient = vec![[0f32; 4]; COUNT];
    let mut parts = vec![0.0; SHAPE[2]];
    let got = add_smoothness(&velocity, 0.5, &mut gradient, &mut parts);
    assert!((got / value(&velocity) - 1.0).abs() < 1e-5);
    for seed in 0..3 {
        let towards = noise(119 + seed, 1.0);
        let at = |step: f32| {
            let moved = velocity
                .iter()
                .zip(&towards)
                .map(|(v, t)| [v[0] + step * t[0], v[1] + step * t[1], v[2] + step * t[2], 0.0]);
            value(&moved.collect::<Vec<_>>())
        };
        let want = 0.5 * (at(0.25) - at(-0.25)) / 0.5;
        assert!((dot(&gradient, &towards) - want).abs() < 1e-4 * value(&towards), "{want}");
    }
    // A corner point alone, where the differences leave the grid.
    for p in [0, COUNT - 1, SHAPE[0] - 2, SLICE + 1] {
        let mut bumped = velocity.clone();
        bumped[p][1] += 0.5;
        let up = value(&bumped);
        bumped[p][1] -= 1.0;
        let want = 0.5 * (up - value(&bumped));
        assert!((f64::from(gradient[p][1]) - want).abs() < 1e-3 * want.abs() + 1e-8);
    }
}
