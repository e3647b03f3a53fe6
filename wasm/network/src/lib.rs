//! Our own network on the processor: a U-Net of 3 x 3 x 3 convolutions with instance norm and leaky ReLU, four levels,
//! stride 2 on the way down, nearest upsampling and additive skips on the way up (`wasm/network/training/model.py` is its other
//! half). The norm takes the whole volume, so that, unlike a MeshNet, every layer is held whole.

pub mod convolution;
pub mod header;
pub mod limit;
pub mod norm;
pub mod tensor;
pub mod unet;
pub mod weights;

pub use unet::Network;
