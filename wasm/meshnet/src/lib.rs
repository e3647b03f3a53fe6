//! A MeshNet on the processor: a chain of dilated 3 x 3 x 3 convolutions with ELU and a classifier for each voxel
//! (Fedorov 2017, doi:10.1109/IJCNN.2017.7966333). Nothing is normalised between the layers, so that a voxel depends
//! on its neighbourhood only and the volume can stream through all layers slice by slice: a layer keeps the
//! 2 · dilation + 1 slices that the next one reads, and no layer is ever held whole.

pub mod convolution;
pub mod ends;
pub mod need;
pub mod network;
pub mod product;
pub mod winograd;

pub use network::{Layout, Network};
