use super::*;
use crate::numbers::random::Random;
use crate::voxels::filter::gaussian;

const GREY_MEAN: f32 = 0.75;
const FLUID_MEAN: f32 = 0.25;

/// Tissue of a point given in mm from the middle of the phantom.
#[derive(Clone, Copy, PartialEq)]
enum Tissue {
    White,
    Grey,
    Fluid,
}

/// `measure` before `OFFSET_MM` is taken away.
fn geometry(input: &Input) -> Thickness {
    let with = |mm: f64| if mm > 0.0 { mm + OFFSET_MM } else { mm };
    let Thickness { mm, mean_mm, side_mm } = measure(input);
    let mm = mm.into_iter().map(|v| with(f64::from(v)) as f32).collect();
    Thickness { mm, mean_mm: mean_mm.map(with), side_mm: side_mm.map(with) }
}

struct Phantom {
    labels: Vec<u8>,
    corrected: Vec<f32>,
    shape: Shape,
}

impl Phantom {
    /// Samples a shape at 1 mm: intensities are means over 6x6x6 points of each voxel, blurred (sigma in mm); labels
    /// follow them and reach a little into the fluid, so that the intensities decide; noise (sd) comes last.
    fn new(shape: Shape, cortex: u8, sigma: f64, noise: f32, tissue: impl Fn([f64; 3]) -> Tissue) -> Self {
        let mut corrected = Vec::with_capacity(shape.iter().product());
        for v in 0..shape.iter().product() {
            let place = [v % shape[0], v / shape[0] % shape[1], v / shape[0] / shape[1]];
            let mut sum = 0.0;
            for part in 0..216 {
                let sub = [part % 6, part / 6 % 6, part / 36];
                let mm = [0, 1, 2]
                    .map(|a| place[a] as f64 - (shape[a] as f64 - 1.0) / 2.0 + (sub[a] as f64 - 2.5) / 6.0);
                sum += match tissue(mm) {
                    Tissue::White => 1.0,
                    Tissue::Grey => GREY_MEAN,
                    Tissue::Fluid => FLUID_MEAN,
                };
            }
            corrected.push(sum / 216.0);
        }
        if sigma > 0.0 {
            gaussian(&mut corrected, shape, [sigma; 3], 1);
        }
        let white = 2 - cortex % 2;
        let labels = corrected.iter().map(|&y| match y {
            y if y > 0.875 => white,
            y if y > 0.3 => cortex,
            _ => 0,
        });
        let labels = labels.collect();
        let mut random = Random::new(91);
        for y in &mut corrected {
            let normal = (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
            *y += noise * normal as f32;
        }
        Self { labels, shape, corrected }
    }

    fn input(&self) -> Input<'_> {
        Input {
            labels: &self.labels,
            unrefined: &self.labels,
            corrected: &self.corrected,
            shape: self.shape,
            grey: GREY_MEAN,
            white: 1.0,
            fluid: FLUID_MEAN,
        }
    }

    /// The geometry: without what is taken away for FreeSurfer's sake.
    fn measure(&self) -> Thickness {
        geometry(&self.input())
    }

    fn mirror(&mut self) {
        let nx = self.shape[0];
        self.corrected.chunks_exact_mut(nx).for_each(<[f32]>::reverse);
        self.labels.chunks_exact_mut(nx).for_each(<[u8]>::reverse);
        self.labels
            .iter_mut()
            .filter(|l| **l > 0)
            .for_each(|l| *l = if *l % 2 == 1 { *l + 1 } else { *l - 1 });
    }
}

fn radius(p: [f64; 3]) -> f64 {
    p.iter().map(|c| c * c).sum::<f64>().sqrt()
}

fn shell(thick: f64) -> impl Fn([f64; 3]) -> Tissue {
    move |p| match radius(p) {
        r if r < 14.0 => Tissue::White,
        r if r < 14.0 + thick => Tissue::Grey,
        _ => Tissue::Fluid,
    }
}

/// A ball of white matter with a slot of grey of full width 2 `half` across `normal`, closed all round.
fn sulcus(normal: [f64; 3], shift: f64, half: f64) -> impl Fn([f64; 3]) -> Tissue {
    move |p| match (radius(p), across(p, normal) - shift) {
        (r, _) if r > 20.0 => Tissue::Fluid,
        (r, _) if r > 17.0 => Tissue::Grey,
        (r, x) if x.abs() < half && r < 13.0 => Tissue::Grey,
        _ => Tissue::White,
    }
}

fn across(p: [f64; 3], normal: [f64; 3]) -> f64 {
    (0..3).map(|a| p[a] * normal[a]).sum::<f64>() / radius(normal)
}

#[test]
fn measure_finds_the_width_of_shells() {
    for thick in [2.0, 3.0, 4.0] {
        for (sigma, noise) in [(0.0, 0.0), (0.5, 0.0), (0.5, 0.05)] {
            let found = Phantom::new([44; 3], 37, sigma, noise, shell(thick)).measure();
            assert!(
                (found.mean_mm[37] - thick).abs() < 0.15,
                "{thick} {sigma} {noise}: {}",
                found.mean_mm[37]
            );
            assert_eq!(found.side_mm, [found.mean_mm[37], 0.0]);
        }
    }
}

/// A cortex that thins is read thinner by as much: what is taken away is the same for every thickness.
#[test]
fn measure_follows_a_cortex_that_thins() {
    let [thin, middle, thick] = [2.0, 3.0, 4.0].map(|thick| {
        let phantom = Phantom::new([44; 3], 37, 0.5, 0.0, shell(thick));
        let found = measure(&phantom.input());
        assert!(found.mm.iter().zip(&phantom.labels).all(|(&mm, &l)| (mm > 0.0) == is_cortex(l)));
        found.side_mm[0]
    });
    assert!(
        (thick - middle - 1.0).abs() < 0.1 && (middle - thin - 1.0).abs() < 0.1,
        "{thin} {middle} {thick}"
    );
    assert!((middle + OFFSET_MM - 3.0).abs() < 0.15, "{middle}");
}

/// Mean map value over the cortical voxels within `reach` mm of the middle.
fn central_mean(phantom: &Phantom, mm: &[f32], reach: f64) -> f64 {
    let shape = phantom.shape;
    let near = |v: usize| {
        let place = [v % shape[0], v / shape[0] % shape[1], v / shape[0] / shape[1]];
        radius([0, 1, 2].map(|a| place[a] as f64 - (shape[a] as f64 - 1.0) / 2.0)) < reach
    };
    let values: Vec<f64> = (0..mm.len())
        .filter(|&v| near(v) && is_cortex(phantom.labels[v]))
        .map(|v| f64::from(mm[v]))
        .collect();
    values.iter().sum::<f64>() / values.len() as f64
}

/// A bank is 2.5 mm and the gap between the white walls 5 mm, which is what every voxel would read without the ridge,
/// also where that lies between two layers of 0.5 mm.
#[test]
fn measure_parts_a_fused_sulcus() {
    for normal in [[1.0, 1.0, 0.0], [1.0, 2.0, 3.0], [3.0, 1.0, 0.5], [8.0, 1.0, 0.5], [0.5, -8.0, 1.0]] {
        for shift in [0.0, 0.25] {
            let phantom = Phantom::new([44; 3], 38, 0.5, 0.0, sulcus(normal, shift, 2.5));
            let mean = central_mean(&phantom, &phantom.measure().mm, 8.0);
            assert!((mean - 2.5).abs() < 0.3, "{normal:?} {shift}: {mean}");
        }
    }
    for axis in 0..3 {
        let mut normal = [0.0; 3];
        normal[axis] = 1.0;
        let phantom = Phantom::new([44; 3], 38, 0.5, 0.0, sulcus(normal, 0.25, 2.5));
        let mean = central_mean(&phantom, &phantom.measure().mm, 8.0);
        assert!((mean - 2.5).abs() < 0.3, "{axis}: {mean}");
    }
}

#[test]
fn measure_finds_the_width_of_a_flat_slab() {
    for axis in 0..3 {
        let phantom = Phantom::new([32; 3], 41, 0.0, 0.0, |p| match p[axis] {
            x if x < -2.0 => Tissue::White,
            x if x < 1.0 => Tissue::Grey,
            _ => Tissue::Fluid,
        });
        let mean = central_mean(&phantom, &phantom.measure().mm, 6.0);
        assert!((mean - 3.0).abs() < 0.15, "{axis}: {mean}");
    }
}

/// Two lumpy hemispheres with noise, two labels each, in a window that cuts one of them.
fn lumpy_pair() -> Phantom {
    let lump = |x: f64, y: f64, z: f64| x * 0.1 + (y * 0.9 + z * 0.3).sin() + (x * 0.5 - z * 0.7).cos();
    let mut phantom = Phantom::new([43, 30, 27], 37, 0.5, 0.03, |p| {
        match radius([p[0].abs() - 10.5, p[1], p[2]]) + 0.5 * lump(p[0], p[1], p[2]) {
            r if r < 6.5 => Tissue::White,
            r if r < 9.5 => Tissue::Grey,
            _ => Tissue::Fluid,
        }
    });
    for (v, label) in phantom.labels.iter_mut().enumerate().filter(|(_, l)| **l > 0) {
        let right = u8::from(v % 43 > 21);
        let upper = if v / 43 / 30 > 13 { 2 } else { 0 };
        *label = if *label == 1 { 1 + right } else { 37 + right + upper };
    }
    phantom
}

#[test]
fn measure_of_a_mirrored_head_is_mirrored() {
    let mut phantom = lumpy_pair();
    let straight = phantom.measure();
    phantom.mirror();
    let mirrored = phantom.measure();
    for (a, b) in straight.mm.chunks_exact(43).zip(mirrored.mm.chunks_exact(43)) {
        assert!(a.iter().zip(b.iter().rev()).all(|(a, b)| (a - b).abs() < 1e-4));
    }
    for label in [37, 39] {
        assert!(straight.mean_mm[label] > 1.0);
        assert!((straight.mean_mm[label] - mirrored.mean_mm[label + 1]).abs() < 1e-4);
        assert!((straight.mean_mm[label + 1] - mirrored.mean_mm[label]).abs() < 1e-4);
    }
    assert!((straight.side_mm[0] - mirrored.side_mm[1]).abs() < 1e-4);
}

#[test]
fn measure_gives_every_cortical_voxel_a_value_and_no_other() {
    let mut phantom = lumpy_pair();
    // Fluid called cortex has no grey of its own.
    let lost = 21 + 43 * (2 + 30 * 13);
    (phantom.labels[lost], phantom.corrected[lost]) = (37, 0.1);
    let found = phantom.measure();
    for (&label, &mm) in phantom.labels.iter().zip(&found.mm) {
        assert_eq!(mm > 0.0, is_cortex(label));
        assert!((0.0..=5.0).contains(&mm));
    }
    assert!(found.mean_mm.iter().enumerate().all(|(l, &mm)| (mm > 0.0) == (37..41).contains(&l)));
}

#[test]
fn measure_judges_cortex_given_to_fluid_by_its_intensity() {
    let phantom = Phantom::new([44; 3], 37, 0.5, 0.0, shell(3.0));
    let refine =
        |(&label, &y): (&u8, &f32)| if label == 37 && y < 0.8 * GREY_MEAN { OUTER_CSF } else { label };
    let labels: Vec<u8> = phantom.labels.iter().zip(&phantom.corrected).map(refine).collect();
    let input = |unrefined| Input {
        labels: &labels,
        unrefined,
        corrected: &phantom.corrected,
        shape: phantom.shape,
        grey: GREY_MEAN,
        white: 1.0,
        fluid: FLUID_MEAN,
    };
    let found = geometry(&input(&phantom.labels));
    assert!((found.mean_mm[37] - 3.0).abs() < 0.15);
    assert!(geometry(&input(&labels)).mean_mm[37] < 2.75);
    assert!(found.mm.iter().zip(&labels).all(|(&mm, &label)| (mm > 0.0) == is_cortex(label)));
}

#[test]
fn measure_of_a_side_without_cortex_or_white_matter_is_zero() {
    let mut phantom = Phantom::new([44; 3], 37, 0.0, 0.0, shell(3.0));
    phantom.corrected.fill(0.75);
    phantom.labels.iter_mut().filter(|l| **l == 1).for_each(|l| *l = 37);
    let found = phantom.measure();
    assert_eq!((found.side_mm, found.mean_mm), ([0.0; 2], [0.0; 105]));
    assert!(found.mm.iter().all(|&mm| mm == 0.0));
    phantom.labels.fill(0);
    assert_eq!(phantom.measure().side_mm, [0.0; 2]);
}

/// Fluid of 0.6 mm between two banks of 2.2 mm is too thin to darken a blurred voxel to the limit of the outside, and is
/// not counted all the same: blur moves the reading by less than a fifth of a millimetre.
#[test]
fn measure_hardly_depends_on_blur() {
    let narrow = |p: [f64; 3]| match (radius(p), across(p, [1.0, 2.0, 3.0]).abs()) {
        (r, x) if r > 20.0 || r < 13.0 && x < 0.3 => Tissue::Fluid,
        (r, x) if r > 17.0 || r < 13.0 && x < 2.5 => Tissue::Grey,
        _ => Tissue::White,
    };
    let [sharp, blurred] = [0.3, 0.75].map(|sigma| {
        let phantom = Phantom::new([44; 3], 38, sigma, 0.0, narrow);
        central_mean(&phantom, &phantom.measure().mm, 8.0)
    });
    assert!((sharp - 2.2).abs() < 0.3 && (sharp - blurred).abs() < 0.2, "{sharp} {blurred}");
}

#[test]
fn mean_of_a_label_is_the_mean_of_its_map() {
    let phantom = lumpy_pair();
    let found = measure(&phantom.input());
    for label in 37..41u8 {
        let of =
            phantom.labels.iter().zip(&found.mm).filter(|(&l, _)| l == label).map(|(_, &mm)| f64::from(mm));
        let (sum, count) = of.fold((0.0, 0), |(sum, count), mm| (sum + mm, count + 1));
        assert!((found.mean_mm[usize::from(label)] - sum / f64::from(count)).abs() < 1e-9);
    }
}

#[test]
fn is_measurable_up_to_one_and_a_half_millimetres_on_each_axis() {
    let of = |spacing: [f64; 3]| {
        let axes = [[spacing[0], 0., 0.], [0., spacing[1], 0.], [0., 0., spacing[2]]];
        is_measurable(&Grid::new([9; 3], volume::Affine::from_parts(axes, [0.0; 3])).unwrap())
    };
    assert!(of([1.0; 3]) && of([1.5; 3]) && of([0.7, 1.5, 0.7]));
    assert!(!of([1.0, 1.0, 1.6]) && !of([2.0, 1.0, 1.0]));
}
