//! Image work of reading: other images on this study's grid, what changed between two, contours, and corrected labels.
//! A module of its own fetches it (`bind_reading`), when it is first asked for.

pub mod brush;
pub mod contour;
pub mod difference;
pub mod moments;
pub mod region;
pub mod resample;
