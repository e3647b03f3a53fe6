//! Minimal filtering of Winograd for 3-tap filters: four outputs from six inputs with six products instead of twelve.
//! Used along x and y of a slice; the third axis stays a plain sum over three slices. All values are rows of LANES
//! channels, so that one vector instruction works on neighbouring channels whatever the dilation.
//!
//! # Source
//! Lavin and Gray 2016, doi:10.1109/CVPR.2016.435, F(4, 3); points 0, ±1, ±2 and infinity.

/// Channels of a voxel in memory; a network with fewer leaves the rest at zero.
pub const LANES: usize = 32;
/// Outputs of a tile along one axis.
pub const OUT: usize = 4;
/// Inputs of a tile along one axis.
pub const IN: usize = 6;
/// Products of a tile.
pub const POSITIONS: usize = IN * IN;

pub type Row = [f32; LANES];

/// Coefficients of a filter at the six points.
pub fn transform_filter(g: [f64; 3]) -> [f64; IN] {
    let even = |scale: f64, wide: f64| scale * (g[0] + wide * g[2]);
    [
        g[0] / 4.0,
        -even(1.0 / 6.0, 1.0) - g[1] / 6.0,
        -even(1.0 / 6.0, 1.0) + g[1] / 6.0,
        even(1.0 / 24.0, 4.0) + g[1] / 12.0,
        even(1.0 / 24.0, 4.0) - g[1] / 12.0,
        g[2],
    ]
}

/// Six inputs to six factors.
#[inline(always)]
pub fn transform_input(d: [&Row; IN], out: [&mut Row; IN]) {
    let [a, b, c, e, f, h] = out;
    for l in 0..LANES {
        let (d0, d1, d2, d3, d4, d5) = (d[0][l], d[1][l], d[2][l], d[3][l], d[4][l], d[5][l]);
        let (p, q) = (d4 - 4.0 * d2, d3 - 4.0 * d1);
        let (r, s) = (d4 - d2, 2.0 * (d3 - d1));
        a[l] = 4.0 * d0 - 5.0 * d2 + d4;
        b[l] = p + q;
        c[l] = p - q;
        e[l] = r + s;
        f[l] = r - s;
        h[l] = 4.0 * d1 - 5.0 * d3 + d5;
    }
}

/// Six products to four outputs.
#[inline(always)]
pub fn transform_output(m: [&Row; IN], out: [&mut Row; OUT]) {
    let [a, b, c, e] = out;
    for l in 0..LANES {
        let (p, q) = (m[1][l] + m[2][l], m[1][l] - m[2][l]);
        let (r, s) = (m[3][l] + m[4][l], m[3][l] - m[4][l]);
        a[l] = m[0][l] + p + r;
        b[l] = q + 2.0 * s;
        c[l] = p + 4.0 * r;
        e[l] = q + 8.0 * s + m[5][l];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transform_output_of_the_products_is_the_filter() {
        let (g, d) = ([0.7, -1.3, 0.4], [0.3, -0.8, 1.1, 0.5, -0.2, 0.9]);
        let rows = d.map(|v| [v as f32; LANES]);
        let mut factors = [[0f32; LANES]; IN];
        transform_input(rows.each_ref(), factors.each_mut());
        let u = transform_filter(g);
        for (row, u) in factors.iter_mut().zip(u) {
            row.iter_mut().for_each(|v| *v *= u as f32);
        }
        let mut out = [[0f32; LANES]; OUT];
        transform_output(factors.each_ref(), out.each_mut());
        for at in 0..OUT {
            let want: f64 = (0..3).map(|t| g[t] * d[at + t]).sum();
            assert!(out[at].iter().all(|&v| (f64::from(v) - want).abs() < 1e-5));
        }
    }
}
