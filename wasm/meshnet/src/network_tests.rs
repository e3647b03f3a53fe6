use super::*;

/// Seeded values in -1..1.
fn noise(seed: u32, count: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(2_654_435_761) | 1;
    let mut draw = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..count).map(|_| draw()).collect()
}

fn weights_of(layout: &Layout, seed: u32) -> Vec<f32> {
    noise(seed, layout.count()).into_iter().map(|v| v * 0.25).collect()
}

fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// By definition, in f64: the values of the classes at every voxel.
fn naive(layout: &Layout, weights: &[f32], input: &[f32], [nx, ny, nz]: Shape) -> Vec<Vec<f64>> {
    let count = nx * ny * nz;
    let mut layer: Vec<Vec<f64>> = input.iter().map(|&v| vec![f64::from(v)]).collect();
    let mut rest = weights;
    for &d in &layout.dilations {
        let (inputs, outputs) = (layer[0].len(), layout.channels);
        let (kernel, tail) = rest.split_at(27 * inputs * outputs);
        let (bias, tail) = tail.split_at(outputs);
        rest = tail;
        layer = (0..count)
            .map(|v| {
                let p = [v % nx, v / nx % ny, v / (nx * ny)];
                let mut sum: Vec<f64> = bias.iter().map(|&b| f64::from(b)).collect();
                for tap in 0..27 {
                    let q = [tap / 9, tap / 3 % 3, tap % 3];
                    let q = [0, 1, 2].map(|a| (p[a] + q[a] * d).wrapping_sub(d));
                    if q[0] < nx && q[1] < ny && q[2] < nz {
                        let from = &layer[q[0] + nx * (q[1] + ny * q[2])];
                        for i in 0..inputs {
                            let row = &kernel[(tap * inputs + i) * outputs..][..outputs];
                            (0..outputs).for_each(|o| sum[o] += from[i] * f64::from(row[o]));
                        }
                    }
                }
                sum.into_iter().map(|v| if v > 0.0 { v } else { v.exp_m1() }).collect()
            })
            .collect();
    }
    let (kernel, bias) = rest.split_at(layout.channels * layout.classes);
    let class = |row: &Vec<f64>, k: usize| {
        let products = row.iter().enumerate().map(|(i, v)| v * f64::from(kernel[i * layout.classes + k]));
        products.sum::<f64>() + f64::from(bias[k])
    };
    layer.iter().map(|row| (0..layout.classes).map(|k| class(row, k)).collect()).collect()
}

/// The value of each class found must be the largest up to rounding.
fn assert_winners(values: &[Vec<f64>], classes: &[u8], wanted: &[bool]) {
    for (v, row) in values.iter().enumerate() {
        if wanted[v] {
            let top = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            assert!(row[classes[v] as usize] > top - 1e-3 * (1.0 + top.abs()), "voxel {v}");
        } else {
            assert_eq!(classes[v], 0);
        }
    }
}

#[test]
fn run_agrees_with_plain_convolutions() {
    let cases: [(Layout, Shape); 4] = [
        (Layout { channels: 5, dilations: vec![1, 2, 4, 1], classes: 11 }, [13, 10, 9]),
        (Layout { channels: 30, dilations: vec![1, 2], classes: 50 }, [9, 7, 6]),
        (Layout { channels: 32, dilations: vec![1, 1], classes: 3 }, [5, 4, 1]),
        (Layout { channels: 3, dilations: vec![1, 8, 16], classes: 9 }, [21, 37, 20]),
    ];
    for (case, (layout, shape)) in cases.into_iter().enumerate() {
        let weights = weights_of(&layout, case as u32 + 1);
        let count = shape.iter().product();
        let input = noise(77, count);
        let network = Network::new(&layout, &bytes(&weights)).unwrap();
        let wanted = vec![true; count];
        let classes = network.run(&input, shape, &wanted).unwrap();
        let values = naive(&layout, &weights, &input, shape);
        assert_winners(&values, &classes, &wanted);
        assert!(classes.iter().any(|&c| c != classes[0]), "one class everywhere shows nothing");
    }
}

#[test]
fn run_computes_wanted_voxels_as_if_all_were_wanted() {
    let layout = Layout { channels: 6, dilations: vec![1, 2, 4, 2, 1], classes: 7 };
    let shape = [30, 26, 24];
    let weights = weights_of(&layout, 9);
    let input = noise(78, shape.iter().product());
    let inside = |v: usize| {
        let p = [v % 30, v / 30 % 26, v / 780].map(|c| c as i32);
        (p[0] - 12).pow(2) + (p[1] - 15).pow(2) + (p[2] - 14).pow(2) < 30
    };
    let wanted: Vec<bool> = (0..input.len()).map(inside).collect();
    let network = Network::new(&layout, &bytes(&weights)).unwrap();
    let classes = network.run(&input, shape, &wanted).unwrap();
    assert_winners(&naive(&layout, &weights, &input, shape), &classes, &wanted);
}

#[test]
fn run_gives_zero_when_nothing_is_wanted() {
    let layout = Layout { channels: 4, dilations: vec![1, 2], classes: 5 };
    let network = Network::new(&layout, &bytes(&weights_of(&layout, 3))).unwrap();
    assert_eq!(network.run(&[1.0; 60], [5, 4, 3], &[false; 60]).unwrap(), vec![0; 60]);
}

#[test]
fn new_refuses_weights_that_do_not_fit() {
    let layout = Layout { channels: 4, dilations: vec![1, 2], classes: 5 };
    let good = weights_of(&layout, 3);
    let mut endless = good.clone();
    endless[7] = f32::INFINITY;
    assert!(Network::new(&layout, &bytes(&good)).is_ok());
    assert!(Network::new(&layout, &bytes(&good)[4..]).is_err());
    assert!(Network::new(&layout, &bytes(&endless)).is_err());
    assert!(Network::new(&Layout { channels: 33, ..layout.clone() }, &bytes(&good)).is_err());
    assert!(Network::new(&Layout { dilations: vec![2, 2], ..layout }, &bytes(&good)).is_err());
}

#[test]
fn run_refuses_arrays_of_another_shape() {
    let layout = Layout { channels: 4, dilations: vec![1, 2], classes: 5 };
    let network = Network::new(&layout, &bytes(&weights_of(&layout, 3))).unwrap();
    assert!(network.run(&[1.0; 59], [5, 4, 3], &[true; 60]).is_err());
    assert!(network.run(&[], [0, 4, 3], &[]).is_err());
}
