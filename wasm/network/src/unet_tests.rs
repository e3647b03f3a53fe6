use super::*;
use crate::weights::tests::file;

const WEIGHTS: &[u8] = include_bytes!("../tests/vector_weights.bin");
const POSTERIORS: &[u8] = include_bytes!("../tests/vector_posteriors.bin");
const SHAPE: Shape = [24, 16, 8];
/// Every how manieth voxel the vector holds.
const STEP: usize = 37;

/// Seeded values in -1..1; `tests/vector.py` has the same.
pub fn noise(seed: u32, count: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(2_654_435_761) | 1;
    let mut draw = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..count).map(|_| draw()).collect()
}

fn input() -> Vec<f32> {
    noise(5, SHAPE.iter().product()).into_iter().map(|v| 60.0 + 50.0 * v).collect()
}

#[test]
fn run_gives_the_posteriors_of_pytorch() {
    let network = Network::new(WEIGHTS).unwrap();
    let got = network.run(&input(), SHAPE).unwrap();
    let want: Vec<f32> =
        POSTERIORS.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let got: Vec<f32> = got.chunks_exact(network.classes).step_by(STEP).flatten().copied().collect();
    assert_eq!(got.len(), want.len());
    let worst = got.iter().zip(&want).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(worst < 2e-4, "{worst}");
    assert!(want.iter().any(|&v| v > 0.5) && want.iter().any(|&v| v < 0.01));
}

#[test]
fn run_gives_the_same_bytes_on_one_thread() {
    let network = Network::new(WEIGHTS).unwrap();
    let many = network.run(&input(), SHAPE).unwrap();
    // inside another run everything stays on its thread
    let one = parallel::map(2, |_| network.run(&input(), SHAPE).unwrap());
    assert!(one.iter().all(|values| values == &many));
}

#[test]
fn run_does_not_see_gain_and_offset() {
    let network = Network::new(WEIGHTS).unwrap();
    let other: Vec<f32> = input().iter().map(|v| 0.5 * v + 300.0).collect();
    let (a, b) = (network.run(&input(), SHAPE).unwrap(), network.run(&other, SHAPE).unwrap());
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-3));
}

#[test]
fn run_refuses_arrays_of_another_shape() {
    let network = Network::new(WEIGHTS).unwrap();
    assert!(network.run(&[0.0; 24 * 16 * 8 - 1], SHAPE).is_err());
    assert!(network.run(&[0.0; 24 * 16 * 4], [24, 16, 4]).is_err());
    assert!(network.run(&[], [0, 8, 8]).is_err());
    assert!(network.run(&[0.0; 512], [512, 1, 1]).is_err());
}

#[test]
fn softmax_sums_to_one_and_keeps_the_order() {
    let mut values = [3.0, -200.0, 2.0, 3.5];
    softmax(&mut values);
    assert!((values.iter().sum::<f32>() - 1.0).abs() < 1e-6);
    assert!(values[3] > values[0] && values[0] > values[2] && values[2] > values[1]);
    assert!((values[3] / values[0] - 0.5f32.exp()).abs() < 1e-5);
}

#[test]
fn new_refuses_another_network() {
    assert!(Network::new(&file(&[])).is_err());
    assert!(Network::new(&file(&[("weight", vec![8, 1, 3, 3, 3], vec![0; 216])])).is_err());
    for end in [0, 3, 4, 100, WEIGHTS.len() - 2, WEIGHTS.len() - 1] {
        assert!(Network::new(&WEIGHTS[..end]).is_err());
    }
    let at = WEIGHTS.windows(11).position(|w| w == b"\"name\": \"d1").unwrap();
    assert!(Network::new(&[&WEIGHTS[..at + 10], b"2", &WEIGHTS[at + 11..]].concat()).is_err());
}
