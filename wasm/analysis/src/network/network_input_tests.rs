use super::*;

const CENTRE: [f64; 3] = [120.0, 110.0, 130.0];

fn place(at: usize) -> [usize; 3] {
    [at % SIDE, at / SIDE % SIDE, at / (SIDE * SIDE)]
}

fn radius(ijk: [usize; 3]) -> f64 {
    (0..3).map(|a| (ijk[a] as f64 - CENTRE[a]).powi(2)).sum::<f64>().sqrt()
}

/// A brain of radius 50 and a scalp from 60 to 70, both of intensity 100, times a field along the first axis.
fn head(field: impl Fn(usize) -> f64) -> Vec<u8> {
    let value = |ijk: [usize; 3]| match radius(ijk) {
        r if r < 50.0 || (60.0..70.0).contains(&r) => (100.0 * field(ijk[0])).round() as u8,
        _ => 0,
    };
    (0..SIDE.pow(3)).map(|at| value(place(at))).collect()
}

fn brain(window: &Window) -> Vec<f32> {
    (0..window.count()).map(|at| if radius(window.ijk(at)) < 50.0 { 1.0 } else { 0.0 }).collect()
}

const WINDOW: Window = Window { low: [66, 56, 76], shape: [108, 108, 108] };

#[test]
fn field_is_removed_from_the_scalp_as_well() {
    let field = |i: usize| 1.0 + 0.003 * (i as f64 - CENTRE[0]);
    let conformed = head(field);
    let found = Field::new(&conformed, &WINDOW, &brain(&WINDOW));
    for i in [78, 100, 120, 140, 162] {
        let got = f64::from(found.scale([i, 110, 130])) * 100.0 * field(i);
        assert!((got - 1.0).abs() < 0.03, "brain at {i}: {got}");
    }
    for i in [55, 185] {
        let (got, left) = (f64::from(found.scale([i, 110, 130])) * 100.0 * field(i), field(i));
        assert!((got - 1.0).abs() < 0.5 * (left - 1.0).abs(), "scalp at {i}: {got} of {left}");
    }
}

#[test]
fn head_box_holds_the_head_and_the_window_without_air() {
    let conformed = head(|_| 1.0);
    let found = head_box(&conformed, &WINDOW);
    for a in 0..3 {
        let (low, high) = (CENTRE[a] as usize - 70, CENTRE[a] as usize + 70);
        assert!(found.low[a] <= low && found.low[a] + 6 >= low);
        assert!(found.low[a] + found.shape[a] >= high && found.low[a] + found.shape[a] <= high + 6);
    }
    let wide = Window { low: [10, 100, 100], shape: [240, 10, 10] };
    let found = head_box(&conformed, &wide);
    assert!(found.low[0] <= 10 && found.low[0] + found.shape[0] >= 250);
}

#[test]
fn stretch_puts_the_percentiles_at_0_and_1() {
    let mut values: Vec<f32> = (0..=100).map(|v| v as f32 / 100.0).collect();
    stretch(&mut values, 1.047);
    assert_eq!((values[0], values[2], values[98], values[100]), (0.0, 0.0, 1.0, 1.0));
    assert!((values[50] - 0.5).abs() < 1e-6);
    let mut fat: Vec<f32> = (0..=100).map(|v| if v < 90 { v as f32 / 90.0 } else { 2.0 }).collect();
    stretch(&mut fat, 1.047);
    assert!((fat[89] - 0.945).abs() < 0.01 && fat[95] == 1.0, "fat must not darken the brain");
    let mut flat = vec![7f32; 9];
    stretch(&mut flat, 1.047);
    assert!(flat.iter().all(|v| v.is_finite()));
}

/// A network whose class 1 wins where the voxel is bright: all weights zero but a straight line through the layers.
fn brightness_network() -> Network {
    let layout = layout();
    let c = layout.channels;
    let mut weights = Vec::new();
    for layer in 0..layout.dilations.len() {
        let inputs = if layer == 0 { 1 } else { c };
        let mut kernel = vec![0f32; 27 * inputs * c];
        kernel[13 * inputs * c] = 1.0;
        weights.extend(kernel);
        weights.extend(vec![0f32; c]);
    }
    let mut last = vec![0f32; c * layout.classes];
    last[1] = 1.0;
    weights.extend(last);
    weights.extend((0..layout.classes).map(|k| if k == 0 { 0.5 } else { 0.0 }));
    let bytes: Vec<u8> = weights.iter().flat_map(|w| w.to_le_bytes()).collect();
    Network::new(&layout, &bytes).unwrap()
}

#[test]
fn ask_answers_on_the_window_at_the_candidates() {
    let conformed = head(|i| 1.0 + 0.003 * (i as f64 - CENTRE[0]));
    let window = Window { low: [116, 107, 76], shape: [8, 6, 9] };
    let corrected = brain(&window);
    let classes = predict(&brightness_network(), &conformed, &window, &corrected, 1.0).unwrap();
    for (at, &class) in classes.iter().enumerate() {
        assert_eq!(class, u8::from(corrected[at] != 0.0), "{:?}", window.ijk(at));
    }
}
