//! Local squared correlation of an image with a fixed template, and its gradient by the image.
//!
//! In a cube around each voxel, cut at the border of the grid: covariance² / (variance · variance + 1e-4), averaged with
//! weights. Squared, it does not see an inversion of contrast.

use parallel::{for_each_chunk, for_each_chunk2};
use volume::Shape;

const FLOOR: f32 = 1e-4;
/// Longest row with its margins.
pub const ROW: usize = 128;
/// Fields summed over the cube, and one slice to work in.
const PLANES: usize = 4;

/// A template with its weights, and room for the sums.
pub struct Lncc {
    shape: Shape,
    radius: usize,
    template: Vec<f32>,
    /// Scaled to the sum 1.
    weight: Vec<f32>,
    template_mean: Vec<f32>,
    template_variance: Vec<f32>,
    /// 1 / voxels in reach, by axis.
    per_axis: [Vec<f32>; 3],
    /// By slice: sums in the plane of image, image² and image · template.
    forward: Vec<f32>,
    /// By slice: sums in the plane of the derivatives by the three means.
    backward: Vec<f32>,
    parts: Vec<f64>,
}

impl Lncc {
    /// Of a template of `shape` with cubes of 2 `radius` + 1 voxels; rows of at most 120 voxels, radius 1, 2 or 3.
    pub fn new(template: Vec<f32>, mut weight: Vec<f32>, shape: Shape, radius: usize) -> Self {
        let count: usize = shape.iter().product();
        assert!(
            template.len() == count
                && weight.len() == count
                && shape[0] + 8 <= ROW
                && (1..=3).contains(&radius)
        );
        let total: f64 = weight.iter().map(|&w| f64::from(w)).sum();
        weight.iter_mut().for_each(|w| *w = (f64::from(*w) / total.max(1.0)) as f32);
        let reach = |n: usize| {
            (0..n).map(move |p| 1.0 / ((p + radius).min(n - 1) + 1 - p.saturating_sub(radius)) as f32)
        };
        let mut lncc = Self {
            shape,
            radius,
            template_mean: vec![0.0; count],
            template_variance: vec![0.0; count],
            per_axis: shape.map(|n| reach(n).collect()),
            forward: vec![0.0; PLANES * count],
            backward: vec![0.0; PLANES * count],
            parts: vec![0.0; shape[2]],
            template,
            weight,
        };
        lncc.measure_template();
        lncc
    }

    fn slice(&self) -> usize {
        self.shape[0] * self.shape[1]
    }

    /// Mean and variance of the template in each cube.
    fn measure_template(&mut self) {
        let (slice, [nx, ny, _]) = (self.slice(), self.shape);
        self.sum_in_planes(None);
        let (forward, radius, shape, per_axis) = (&self.forward, self.radius, self.shape, &self.per_axis);
        for_each_chunk2(
            (&mut self.template_mean, slice),
            (&mut self.template_variance, slice),
            |k, mean, variance| {
                let (mut first, mut second) = ([0f32; ROW], [0f32; ROW]);
                for j in 0..ny {
                    let inverse = per_axis[1][j] * per_axis[2][k];
                    sum_of_slices(forward, shape, radius, 0, j, k, &mut first[..nx]);
                    sum_of_slices(forward, shape, radius, 1, j, k, &mut second[..nx]);
                    for i in 0..nx {
                        let inverse = inverse * per_axis[0][i];
                        let m = first[i] * inverse;
                        mean[j * nx + i] = m;
                        variance[j * nx + i] = second[i] * inverse - m * m;
                    }
                }
            },
        );
    }

    /// Sums in each slice of the image (of the template when `None`), its square and its product with the template.
    fn sum_in_planes(&mut self, image: Option<&[f32]>) {
        let (slice, [nx, ny, _]) = (self.slice(), self.shape);
        let (template, radius) = (&self.template, self.radius);
        let image = image.unwrap_or(template);
        for_each_chunk(&mut self.forward, PLANES * slice, |k, planes| {
            let (fields, work) = planes.split_at_mut(3 * slice);
            let here = k * slice..(k + 1) * slice;
            let (image, template) = (&image[here.clone()], &template[here]);
            for (field, out) in fields.chunks_exact_mut(slice).enumerate() {
                for j in 0..ny {
                    let row = j * nx..(j + 1) * nx;
                    let (a, b) = (&image[row.clone()], &template[row.clone()]);
                    let mut padded = [0f32; ROW];
                    let to = padded[radius..radius + nx].iter_mut();
                    match field {
                        0 => padded[radius..radius + nx].copy_from_slice(a),
                        1 => to.zip(a).for_each(|(to, &a)| *to = a * a),
                        _ => to.zip(a.iter().zip(b)).for_each(|(to, (&a, &b))| *to = a * b),
                    }
                    sum_row(&padded[..nx + 2 * radius], radius, &mut work[row]);
                }
                sum_rows(work, nx, radius, out);
            }
        });
    }

    /// Weighted mean of the local squared correlation with `image`; prepares `gradient_slice`.
    pub fn correlate(&mut self, image: &[f32]) -> f64 {
        self.sum_in_planes(Some(image));
        let (slice, [nx, ny, _]) = (self.slice(), self.shape);
        let (forward, radius, shape, per_axis) = (&self.forward, self.radius, self.shape, &self.per_axis);
        let (weight, means, variances) = (&self.weight, &self.template_mean, &self.template_variance);
        for_each_chunk2((&mut self.backward, PLANES * slice), (&mut self.parts, 1), |k, planes, part| {
            let (fields, work) = planes.split_at_mut(3 * slice);
            let mut sum = 0.0;
            for j in 0..ny {
                let row = j * nx..(j + 1) * nx;
                let at = k * slice + j * nx..k * slice + (j + 1) * nx;
                let mut sums = [[0f32; ROW]; 3];
                for (field, sum) in sums.iter_mut().enumerate() {
                    sum_of_slices(forward, shape, radius, field, j, k, &mut sum[..nx]);
                }
                let (by_mean, rest) = fields.split_at_mut(slice);
                let (by_square, by_product) = rest.split_at_mut(slice);
                sum += local(
                    &sums,
                    per_axis[1][j] * per_axis[2][k],
                    &per_axis[0],
                    [&weight[at.clone()], &means[at.clone()], &variances[at]],
                    [&mut by_mean[row.clone()], &mut by_square[row.clone()], &mut by_product[row]],
                );
            }
            part[0] = sum;
            for out in fields.chunks_exact_mut(slice) {
                for j in 0..ny {
                    let row = j * nx..(j + 1) * nx;
                    let mut padded = [0f32; ROW];
                    padded[radius..radius + nx].copy_from_slice(&out[row.clone()]);
                    sum_row(&padded[..nx + 2 * radius], radius, &mut work[row]);
                }
                sum_rows(work, nx, radius, out);
            }
        });
        self.parts.iter().sum()
    }

    /// Derivative of the last `correlate` by the image in slice `k`.
    pub fn gradient_slice(&self, image: &[f32], k: usize, out: &mut [f32]) {
        let (slice, [nx, ny, _]) = (self.slice(), self.shape);
        for j in 0..ny {
            let at = k * slice + j * nx..k * slice + (j + 1) * nx;
            let mut sums = [[0f32; ROW]; 3];
            for (field, sum) in sums.iter_mut().enumerate() {
                sum_of_slices(&self.backward, self.shape, self.radius, field, j, k, &mut sum[..nx]);
            }
            let (image, template) = (&image[at.clone()], &self.template[at]);
            let [mean, square, product] = &sums;
            for (i, (to, (&a, &b))) in
                out[j * nx..(j + 1) * nx].iter_mut().zip(image.iter().zip(template)).enumerate()
            {
                *to = mean[i] + 2.0 * a * square[i] + b * product[i];
            }
        }
    }
}

/// One row of the correlation: returns its weighted sum and writes its derivatives by the three means, each already
/// divided by the number of voxels in the cube.
#[inline(always)]
fn local(
    sums: &[[f32; ROW]; 3],
    yz: f32,
    x: &[f32],
    [weight, means, variances]: [&[f32]; 3],
    out: [&mut [f32]; 3],
) -> f64 {
    let n = weight.len();
    let [by_mean, by_square, by_product] = out;
    let (means, variances, x) = (&means[..n], &variances[..n], &x[..n]);
    let (by_mean, by_square, by_product) = (&mut by_mean[..n], &mut by_square[..n], &mut by_product[..n]);
    let [first, second, third] = [&sums[0][..n], &sums[1][..n], &sums[2][..n]];
    let mut values = [0f32; ROW];
    let terms = &mut values[..n];
    for i in 0..n {
        let inverse = yz * x[i];
        let mean = first[i] * inverse;
        let variance = second[i] * inverse - mean * mean;
        let covariance = third[i] * inverse - mean * means[i];
        let scale = 1.0 / (variance * variances[i] + FLOOR);
        let part = covariance * scale;
        let squared = covariance * part;
        terms[i] = squared * weight[i];
        let product = 2.0 * part * weight[i] * inverse;
        let square = -squared * variances[i] * scale * weight[i] * inverse;
        by_product[i] = product;
        by_square[i] = square;
        by_mean[i] = -product * means[i] - 2.0 * square * mean;
    }
    let mut four = [0f32; 4];
    for chunk in values[..n.next_multiple_of(4)].chunks_exact(4) {
        for l in 0..4 {
            four[l] += chunk[l];
        }
    }
    f64::from((four[0] + four[1]) + (four[2] + four[3]))
}

/// out[i] = sum of padded[i ..= i + 2 radius].
fn sum_row(padded: &[f32], radius: usize, out: &mut [f32]) {
    fn of<const WIDTH: usize>(padded: &[f32], out: &mut [f32]) {
        for (to, window) in out.iter_mut().zip(padded.windows(WIDTH)) {
            *to = window.iter().sum();
        }
    }
    match radius {
        1 => of::<3>(padded, out),
        2 => of::<5>(padded, out),
        _ => of::<7>(padded, out),
    }
}

/// Sums rows of `nx` values over the rows at most `radius` away. Direct sums: for seven terms they cost little more
/// than running ones and do not drift.
fn sum_rows(src: &[f32], nx: usize, radius: usize, out: &mut [f32]) {
    let ny = src.len() / nx;
    for (j, to) in out.chunks_exact_mut(nx).enumerate() {
        let (low, high) = (j.saturating_sub(radius), (j + radius).min(ny - 1));
        add_rows(to, (low..=high).map(|n| &src[n * nx..(n + 1) * nx]));
    }
}

/// Sum over the slices at most `radius` away of row `j` of a field.
fn sum_of_slices(
    planes: &[f32],
    shape: Shape,
    radius: usize,
    field: usize,
    j: usize,
    k: usize,
    out: &mut [f32],
) {
    let [nx, ny, nz] = shape;
    let (low, high) = (k.saturating_sub(radius), (k + radius).min(nz - 1));
    add_rows(out, (low..=high).map(|n| &planes[((n * PLANES + field) * ny + j) * nx..][..nx]));
}

/// Sum of rows, in their order.
#[inline(always)]
fn add_rows<'a>(out: &mut [f32], mut rows: impl Iterator<Item = &'a [f32]>) {
    match rows.next() {
        Some(row) => out.copy_from_slice(row),
        None => out.fill(0.0),
    }
    for row in rows {
        out.iter_mut().zip(row).for_each(|(to, &v)| *to += v);
    }
}

#[cfg(test)]
#[path = "lncc_tests.rs"]
mod tests;
