//! A volume as its file arrives.

use crate::label_places;
use alloc::vec;
use alloc::vec::Vec;
use kernels::volume_decoder::{VolumeDecoder as Decoder, VoxelKind};
use wasm_bindgen::prelude::wasm_bindgen;

const VOXEL_KINDS: [VoxelKind; 3] = [VoxelKind::Labels, VoxelKind::Intensity, VoxelKind::Thickness];

/// One volume's file on its way through WASM memory: JavaScript writes what arrives at `input_address`, and copies out what
/// is ready.
#[wasm_bindgen]
pub struct VolumeDecoder {
    decoder: Decoder,
    shape: [usize; 3],
}

#[wasm_bindgen]
impl VolumeDecoder {
    /// For a volume of a shape; `voxel_kind` 0 = labels, 1 = intensity, 2 = thickness. `undefined` for another kind.
    pub fn create(voxel_kind: usize, nx: usize, ny: usize, nz: usize) -> Option<VolumeDecoder> {
        let shape = [nx, ny, nz];
        Some(VolumeDecoder { decoder: Decoder::new(shape, *VOXEL_KINDS.get(voxel_kind)?), shape })
    }

    /// Address and number of the bytes that may be written next; none when all elements are there.
    pub fn input_address(&mut self) -> *mut u8 {
        self.decoder.input().cast()
    }
    pub fn input_bytes(&mut self) -> usize {
        self.decoder.input().len()
    }

    /// Says that bytes were written there; 0, or the error's number.
    pub fn advance(&mut self, bytes: usize) -> u32 {
        let bytes = bytes.min(self.input_bytes());
        // SAFETY: memory of WebAssembly is never uninitialised, and there are as many bytes.
        unsafe { self.decoder.advance(bytes) }.err().map_or(0, |error| error as u32)
    }

    /// Says that the file has ended; 0, or the error's number.
    pub fn finish(&mut self) -> u32 {
        self.decoder.finish().err().map_or(0, |error| error as u32)
    }

    /// Address of the volume, and how many of its first voxels are final.
    pub fn volume(&self) -> *const u8 {
        self.decoder.volume().as_ptr()
    }
    pub fn ready(&self) -> usize {
        self.decoder.ready()
    }

    /// Length of the file up to its last element; 0 before the header is there.
    pub fn total_bytes(&self) -> usize {
        self.decoder.total_bytes().unwrap_or(0)
    }

    /// First byte and number of bytes of slice `k` in the file; empty when a slice cannot be converted by itself.
    pub fn slice_range(&self, k: usize) -> Vec<u32> {
        self.decoder.slice_range(k).map_or(Vec::new(), |(first, bytes)| vec![first as u32, bytes as u32])
    }

    /// Voxels of one slice from those bytes; empty when they are not as many.
    pub fn slice(&self, bytes: &[u8]) -> Vec<u8> {
        self.decoder.slice(bytes)
    }

    /// [`label_places`] of the volume, once it is there.
    pub fn places(&self) -> Vec<u32> {
        let [nx, ny, nz] = self.shape;
        label_places(self.decoder.volume(), nx, ny, nz)
    }
}
