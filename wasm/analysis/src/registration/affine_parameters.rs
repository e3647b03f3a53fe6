//! Twelve numbers as an affine, and derivatives by them.

use volume::Affine;

/// Rotation vector (rad), translation (mm), log scales, shears (xy, xz, yz).
pub type Params = [f64; 12];

/// Matrix exp([r]x) diag(e^s) H(k).
pub fn matrix(p: &Params) -> [[f64; 3]; 3] {
    multiply(&multiply(&rotation([p[0], p[1], p[2]]), &scale(p)), &shear(p))
}

/// Atlas mm to subject mm.
pub fn affine_of(p: &Params) -> Affine {
    Affine::from_parts(matrix(p), [p[3], p[4], p[5]])
}

pub type Mat3 = [[f64; 3]; 3];

fn multiply(a: &Mat3, b: &Mat3) -> Mat3 {
    [0, 1, 2].map(|r| [0, 1, 2].map(|c| (0..3).map(|k| a[r][k] * b[k][c]).sum()))
}

fn scale(p: &Params) -> Mat3 {
    [0, 1, 2].map(|r| [0, 1, 2].map(|c| if r == c { p[6 + r].exp() } else { 0.0 }))
}

fn shear(p: &Params) -> Mat3 {
    [[1.0, p[9], p[10]], [0.0, 1.0, p[11]], [0.0, 0.0, 1.0]]
}

fn cross_matrix(v: [f64; 3]) -> Mat3 {
    [[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]]
}

/// Rotation by the vector `r` (Rodrigues).
pub fn rotation(r: [f64; 3]) -> Mat3 {
    let angle = (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]).sqrt();
    let k = cross_matrix(r);
    let kk = multiply(&k, &k);
    let (a, b) =
        if angle < 1e-6 { (1.0, 0.5) } else { (angle.sin() / angle, (1.0 - angle.cos()) / (angle * angle)) };
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| f64::from(u8::from(i == j)) + a * k[i][j] + b * kk[i][j]))
}

/// Derivatives of the rotation by each component of its vector.
///
/// # Source
/// Gallego and Yezzi 2015, doi:10.1007/s10851-014-0528-x, result 1.
pub fn rotation_derivatives(r: [f64; 3]) -> [Mat3; 3] {
    let square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    let turn = rotation(r);
    [0, 1, 2].map(|i| {
        let mut unit = [0.0; 3];
        unit[i] = 1.0;
        if square < 1e-12 {
            return cross_matrix(unit);
        }
        let rest = [0, 1, 2].map(|row| unit[row] - turn[row][i]);
        let cross = [
            r[1] * rest[2] - r[2] * rest[1],
            r[2] * rest[0] - r[0] * rest[2],
            r[0] * rest[1] - r[1] * rest[0],
        ];
        let axis = [0, 1, 2].map(|c| (r[i] * r[c] + cross[c]) / square);
        multiply(&cross_matrix(axis), &turn)
    })
}

/// Gradient by the parameters from the gradient by the matrix and the translation.
pub(crate) fn pull_back(p: &Params, by_matrix: &Mat3, by_translation: [f64; 3]) -> Params {
    let (turn, size, slant) = (rotation([p[0], p[1], p[2]]), scale(p), shear(p));
    let dot = |m: &Mat3| {
        (0..3).flat_map(|r| (0..3).map(move |c| (r, c))).map(|(r, c)| m[r][c] * by_matrix[r][c]).sum()
    };
    let mut out = [0.0; 12];
    let size_slant = multiply(&size, &slant);
    for (i, d) in rotation_derivatives([p[0], p[1], p[2]]).iter().enumerate() {
        out[i] = dot(&multiply(d, &size_slant));
        out[3 + i] = by_translation[i];
        let mut only = [[0.0; 3]; 3];
        only[i][i] = size[i][i];
        out[6 + i] = dot(&multiply(&multiply(&turn, &only), &slant));
    }
    let turn_size = multiply(&turn, &size);
    for (i, (r, c)) in [(0, 1), (0, 2), (1, 2)].into_iter().enumerate() {
        let mut only = [[0.0; 3]; 3];
        only[r][c] = 1.0;
        out[9 + i] = dot(&multiply(&turn_size, &only));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotation_agrees_with_the_power_series() {
        let r = [0.3, -0.7, 0.4];
        let k = cross_matrix(r);
        let mut term = [[1., 0., 0.], [0., 1., 0.], [0., 0., 1.]];
        let mut sum = term;
        for n in 1..30 {
            term = multiply(&term, &k).map(|row| row.map(|v| v / f64::from(n)));
            for (i, row) in term.iter().enumerate() {
                row.iter().enumerate().for_each(|(j, v)| sum[i][j] += v);
            }
        }
        let got = rotation(r);
        assert!((0..9).all(|at| (got[at / 3][at % 3] - sum[at / 3][at % 3]).abs() < 1e-14));
    }
}
