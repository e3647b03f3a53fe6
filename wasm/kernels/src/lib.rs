//! Image kernels of the viewer. Plain functions over slices: no I/O, no allocation per frame, no `unsafe`.

pub mod centres;
pub mod colours;
pub mod compose;
pub mod npy;
pub mod npy_decode;
pub mod raster;
pub mod stretch;
pub mod volume_decoder;
