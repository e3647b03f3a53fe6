//! Which voxels of each layer are needed for the wanted voxels of the last: one interval of x for each line.

use volume::Shape;

/// Voxels `low..high` of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    pub low: u16,
    pub high: u16,
}

impl Interval {
    pub const EMPTY: Self = Self { low: u16::MAX, high: 0 };

    pub fn is_empty(self) -> bool {
        self.low >= self.high
    }

    pub fn contains(self, x: usize) -> bool {
        (usize::from(self.low)..usize::from(self.high)).contains(&x)
    }

    /// Smallest interval that holds both.
    pub fn join(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    fn widen(self, by: usize, nx: usize) -> Self {
        if self.is_empty() {
            return self;
        }
        let high = (usize::from(self.high) + by).min(nx);
        Self { low: self.low.saturating_sub(by as u16), high: high as u16 }
    }
}

/// Intervals of the wanted voxels, by line.
pub fn needed_for(wanted: &[bool], shape: Shape) -> Vec<Interval> {
    let line = |line: &[bool]| {
        let low = line.iter().position(|&w| w)?;
        let high = line.iter().rposition(|&w| w)?;
        Some(Interval { low: low as u16, high: high as u16 + 1 })
    };
    wanted.chunks_exact(shape[0]).map(|l| line(l).unwrap_or(Interval::EMPTY)).collect()
}

/// What a convolution of this dilation must have below it for `need` above it.
pub fn needed_below(need: &[Interval], [nx, ny, nz]: Shape, dilation: usize) -> Vec<Interval> {
    let join = |need: &[Interval], place: &dyn Fn(usize) -> (usize, usize, usize)| -> Vec<Interval> {
        (0..need.len())
            .map(|line| {
                let (at, count, step) = place(line);
                (at.saturating_sub(dilation)..(at + dilation + 1).min(count))
                    .fold(Interval::EMPTY, |sum, n| sum.join(need[line + n * step - at * step]))
            })
            .collect()
    };
    let across_y = join(need, &|line| (line % ny, ny, 1));
    let across_z = join(&across_y, &|line| (line / ny, nz, ny));
    across_z.into_iter().map(|interval| interval.widen(dilation, nx)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn below_holds_every_voxel_within_the_dilation() {
        let shape = [13, 9, 11];
        let count = shape.iter().product();
        let wanted: Vec<bool> = (0..count).map(|v| v * 7 % 211 == 3).collect();
        let place = |v: usize| [v % 13, v / 13 % 9, v / 117];
        for dilation in [1, 2, 5] {
            let need = needed_below(&needed_for(&wanted, shape), shape, dilation);
            for v in 0..count {
                let p = place(v);
                let near = |w: usize| (0..3).all(|a| place(w)[a].abs_diff(p[a]) <= dilation);
                let needed = (0..count).any(|w| wanted[w] && near(w));
                assert!(!needed || need[p[1] + 9 * p[2]].contains(p[0]));
            }
        }
        let none = needed_below(&needed_for(&vec![false; count], shape), shape, 3);
        assert!(none.iter().all(|interval| interval.is_empty()));
    }
}
