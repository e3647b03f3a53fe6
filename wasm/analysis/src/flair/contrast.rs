//! Whether a series has the contrast of a FLAIR: fluid dark, cortex at least about as bright as white matter.

use super::split::is_lateral_ventricle;
use super::stack::Place;
use super::{Flair, T1Side};
use crate::numbers::percentile::percentile;
use volume::Error;

/// Grey over white matter below which a series is T1-weighted. FLAIR with a T1-weighted series (five): 1.14 to 1.25;
/// alone (eight series of six heads): 1.06 to 1.21. T1-weighted series (four heads, three of them spin echoes of 3 mm
/// slices): 0.76 to 0.91.
const LEAST_GREY: f64 = 0.94;
/// A tissue of fewer voxels says nothing.
pub const FEWEST: usize = 100;

/// Brightness of three tissues on one scale.
#[derive(Debug, Clone, Copy)]
pub struct Levels {
    pub fluid: f64,
    pub grey: f64,
    pub white: f64,
}

impl Levels {
    /// Medians of a FLAIR over the tissues of a T1-weighted analysis; `None` when one of them is missing.
    pub fn of(flair: &Flair, t1: &T1Side, places: &[Place]) -> Option<Self> {
        let median = |is_chosen: fn(&Place) -> bool| {
            let chosen = places.iter().filter(|p| is_chosen(p));
            let mut found: Vec<f32> = chosen.map(|p| flair.voxels[p.at as usize]).collect();
            if found.len() < FEWEST {
                None
            } else {
                percentile(&mut found, 50.0)
            }
        };
        if !t1.has_contrast() {
            return None;
        }
        Some(Self {
            fluid: median(|p| is_lateral_ventricle(p.label))?,
            grey: median(|p| (37..=104).contains(&p.label))?,
            white: median(|p| matches!(p.label, 1 | 2) && p.white > 216)?,
        })
    }

    /// # Errors
    /// `engine.unsupported_input`: `t2_contrast` when fluid is brighter than cortex, `t1_contrast` when white matter is
    /// clearly brighter than cortex.
    pub fn check(&self) -> Result<(), Error> {
        let Self { fluid, grey, white } = self;
        let refused = |reason, what: &str| {
            let message = format!("Cannot find lesions: fluid {fluid:.2}, cortex {grey:.2}, white matter {white:.2} are those of a {what}");
            Err(Error::unsupported(reason, message))
        };
        if fluid > grey {
            refused("t2_contrast", "T2w image")
        } else if *grey < LEAST_GREY * white {
            refused("t1_contrast", "T1w image")
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::flair::lesions::find;
    use crate::flair::test_head::{Contrast, Head, Scan, FLAIR, T1, T2};
    use volume::Affine;

    #[test]
    fn check_takes_a_flair_and_names_what_is_none() {
        let head = Head::at_rest();
        let reason = |contrast: Contrast| {
            let scan = Scan::new(contrast, 3.0, &Affine::IDENTITY, &[], 31);
            find(&scan.flair(), &head.side(), &Affine::IDENTITY).err().map(|e| e.reason())
        };
        assert_eq!(reason(FLAIR), None);
        assert_eq!(reason([0.3, 1.1, 1.0]), None);
        assert_eq!(reason(T1), Some("t1_contrast"));
        assert_eq!(reason(T2), Some("t2_contrast"));
    }
}
