//! A volume's file as it arrives: NPY bytes in pieces of any length go in, a volume of unsigned bytes comes out.

use crate::npy::{header_end, read_layout, Layout, NpyError};
use crate::npy_decode::decode;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::npy_wide;
use crate::stretch::stretch;
use alloc::vec;
use alloc::vec::Vec;

/// What the voxels of a file are, and so what becomes of those that are no unsigned bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VoxelKind {
    /// Marks: clamped to 0..=255, floats rounded.
    Labels,
    /// Brightness: bytes as they are; other integers as they are when all lie in 0..=255; else [`stretch`]ed.
    Intensity,
    /// Integers as [`VoxelKind::Labels`]; floats are mm, of which 5 are 255.
    Thickness,
}

/// mm of the thickness that is shown as 255.
const THICKEST_MM: f32 = 5.0;
/// The beginning of a file that says how long its header is.
const PROLOGUE: usize = 12;
/// Elements that machines convert at once: fewer wait for the next ones.
const BLOCK: usize = 64;
/// Bytes that are converted at a time: a part of the nearest caches, and a whole piece of the network's beside what waits.
const STAGE: usize = (1 << 16) + 8 * BLOCK;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The header is not there yet.
    Header,
    /// The file's bytes are the volume's.
    Direct,
    /// Elements in the volume's order, converted piece by piece.
    Staged,
    /// Elements that can be converted only when the last one is there.
    Collected,
}

/// One file on its way. Bytes are written into [`VolumeDecoder::input`] and counted by [`VolumeDecoder::advance`].
pub struct VolumeDecoder {
    /// Expected: [nz, ny, nx].
    axes: [usize; 3],
    voxel_kind: VoxelKind,
    state: State,
    layout: Option<Layout>,
    /// Header, then what is not converted yet.
    buffer: Vec<u8>,
    filled: usize,
    /// [nx, ny, nz], i fastest.
    volume: Vec<u8>,
    ready: usize,
    wide: Vec<f32>,
}

fn reserved<T: Copy + Default>(length: usize) -> Result<Vec<T>, NpyError> {
    let mut room = Vec::new();
    room.try_reserve_exact(length).map_err(|_| NpyError::TooLarge)?;
    room.resize(length, T::default());
    Ok(room)
}

impl VolumeDecoder {
    /// For a file that must be a volume of `shape`, [nx, ny, nz]; in the file it stands as (nz, ny, nx).
    pub fn new([nx, ny, nz]: [usize; 3], voxel_kind: VoxelKind) -> VolumeDecoder {
        VolumeDecoder {
            axes: [nz, ny, nx],
            voxel_kind,
            state: State::Header,
            layout: None,
            buffer: vec![0; PROLOGUE],
            filled: 0,
            volume: Vec::new(),
            ready: 0,
            wide: Vec::new(),
        }
    }

    /// Where the next bytes of the file are to be written; empty when all elements are there. Valid until the next call.
    pub fn input(&mut self) -> *mut [u8] {
        match self.state {
            State::Direct => {
                let rest = self.axes.iter().product::<usize>() - self.ready;
                let spare = &mut self.volume.spare_capacity_mut()[..rest];
                core::ptr::slice_from_raw_parts_mut(spare.as_mut_ptr().cast(), rest)
            }
            _ => &raw mut self.buffer[self.filled..],
        }
    }

    /// Lengthens the volume, whose memory is there already, by what comes next: so it is cleared in the nearest cache
    /// and not all of it before anything arrives.
    fn grow(&mut self, more: usize) {
        self.volume.resize(self.ready + more, 0);
    }

    /// The volume as far as it has come, final in its first [`VolumeDecoder::ready`] voxels.
    pub fn volume(&self) -> &[u8] {
        &self.volume
    }

    pub fn ready(&self) -> usize {
        self.ready
    }

    /// Length of the file up to its last element; `None` before the header is there.
    pub fn total_bytes(&self) -> Option<usize> {
        self.layout.map(|l| l.offset + l.count() * usize::from(l.element.bytes))
    }

    /// Says that `bytes` bytes were written into the input.
    ///
    /// # Safety
    /// They were: the first `bytes` of [`VolumeDecoder::input`], and it is as long.
    ///
    /// # Errors
    /// The header's error, or [`NpyError::Shape`] for another volume. The decoder is of no use then.
    #[allow(unsafe_code)]
    pub unsafe fn advance(&mut self, bytes: usize) -> Result<(), NpyError> {
        match self.state {
            State::Direct => {
                let start = self.ready;
                self.ready += bytes;
                // SAFETY: this is the vector's spare capacity, and the caller has written these bytes.
                unsafe { self.volume.set_len(self.ready) };
                if let Some(layout) = self.layout {
                    clamp_in_place(&mut self.volume[start..], layout.element.kind);
                }
            }
            State::Header => {
                self.filled += bytes;
                while self.state == State::Header && self.filled == self.buffer.len() {
                    self.read_header()?;
                }
            }
            State::Staged | State::Collected => {
                self.filled += bytes;
                if self.state == State::Staged {
                    self.convert()?;
                }
            }
        }
        Ok(())
    }

    fn read_header(&mut self) -> Result<(), NpyError> {
        let end = header_end(&self.buffer)?;
        if end > self.buffer.len() {
            self.buffer.try_reserve_exact(end - self.buffer.len()).map_err(|_| NpyError::TooLarge)?;
            self.buffer.resize(end, 0);
            return Ok(());
        }
        let layout = read_layout(&self.buffer, usize::MAX)?;
        if layout.shape != self.axes {
            return Err(NpyError::Shape);
        }
        let is_byte = layout.element.bytes == 1;
        let is_stretched =
            self.voxel_kind == VoxelKind::Intensity && (layout.element.kind, is_byte) != (b'u', true);
        self.state = match (layout.is_fortran || is_stretched, is_byte) {
            (true, _) => State::Collected,
            (_, true) => State::Direct,
            _ => State::Staged,
        };
        self.volume.try_reserve_exact(layout.count()).map_err(|_| NpyError::TooLarge)?;
        self.filled = 0;
        self.buffer = match self.state {
            State::Collected => reserved(layout.count() * usize::from(layout.element.bytes))?,
            State::Staged => reserved(STAGE.min(layout.count() * usize::from(layout.element.bytes)))?,
            _ => Vec::new(),
        };
        self.layout = Some(layout);
        Ok(())
    }

    /// Converts the whole blocks of the stage, of the file's end all; leaves room for the rest of the file and no more.
    fn convert(&mut self) -> Result<(), NpyError> {
        let Some(layout) = self.layout else { return Ok(()) };
        let size = usize::from(layout.element.bytes);
        let whole = self.filled / size;
        let count = if self.ready + whole == layout.count() { whole } else { whole / BLOCK * BLOCK };
        let done = self.convert_wide(layout, count);
        let part = Layout { shape: [1, 1, count - done], is_fortran: false, ..layout };
        self.ready += done;
        self.grow(count - done);
        let (bytes, out) = (&self.buffer[done * size..], &mut self.volume[self.ready..]);
        convert_part(bytes, &part, self.voxel_kind, &mut self.wide, out)?;
        self.ready += count - done;
        self.buffer.copy_within(count * size..self.filled, 0);
        self.filled -= count * size;
        let rest = (layout.count() - self.ready) * size;
        self.buffer.truncate(rest);
        Ok(())
    }

    /// Lengthens the volume by as many of the next `count` voxels as the machine converts at once; gives their number.
    fn convert_wide(&mut self, layout: Layout, count: usize) -> usize {
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        {
            let is_mm = self.voxel_kind == VoxelKind::Thickness && layout.element.kind == b'f';
            let room = &mut self.volume.spare_capacity_mut()[..count];
            let done = if is_mm {
                npy_wide::to_scaled_bytes(&self.buffer, layout.element, 255.0 / THICKEST_MM, room)
            } else {
                npy_wide::to_bytes(&self.buffer, layout.element, room)
            };
            // SAFETY: this is the vector's spare capacity, and as many bytes of it were written.
            #[allow(unsafe_code)]
            unsafe {
                self.volume.set_len(self.ready + done);
            }
            done
        }
        #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
        {
            let _ = (layout, count);
            0
        }
    }

    /// Ends the file: every voxel is ready afterwards.
    ///
    /// # Errors
    /// [`NpyError::NotNpy`] or [`NpyError::Header`] when the file ended in its header, [`NpyError::Truncated`] when it
    /// ended before its last element, [`NpyError::TooLarge`] when memory is short.
    pub fn finish(&mut self) -> Result<(), NpyError> {
        let Some(layout) = self.layout else {
            let head = &self.buffer[..self.filled];
            return Err(read_layout(head, head.len()).err().unwrap_or(NpyError::Header));
        };
        if self.state == State::Collected && self.filled == self.buffer.len() && self.ready == 0 {
            let raw = core::mem::take(&mut self.buffer);
            self.grow(layout.count());
            self.filled = 0;
            let is_byte = (layout.element.kind, layout.element.bytes) == (b'u', 1);
            if is_byte || self.voxel_kind != VoxelKind::Intensity {
                self.wide = Vec::new();
                convert_part(&raw, &layout, self.voxel_kind, &mut self.wide, &mut self.volume)?;
            } else {
                self.wide = reserved(layout.count())?;
                decode(&raw, &layout, &mut self.wide).map_err(|_| NpyError::TooLarge)?;
                drop(raw);
                let fits = |v: &f32| (0.0..=255.0).contains(v);
                if layout.element.kind != b'f' && self.wide.iter().all(fits) {
                    for (byte, &value) in self.volume.iter_mut().zip(&self.wide) {
                        *byte = value as u8;
                    }
                } else {
                    stretch(&self.wide, &mut self.volume);
                }
            }
            self.wide = Vec::new();
            self.ready = layout.count();
        }
        if self.ready == layout.count() {
            Ok(())
        } else {
            Err(NpyError::Truncated)
        }
    }

    /// First byte and number of bytes of slice `k` in the file; `None` when a slice cannot be converted by itself.
    pub fn slice_range(&self, k: usize) -> Option<(usize, usize)> {
        let layout = self.layout.filter(|_| matches!(self.state, State::Direct | State::Staged))?;
        let bytes = layout.shape[1] * layout.shape[2] * usize::from(layout.element.bytes);
        (k < layout.shape[0]).then_some((layout.offset + k * bytes, bytes))
    }

    /// Voxels of one slice from the bytes of [`VolumeDecoder::slice_range`]; empty when they are not as many.
    pub fn slice(&self, bytes: &[u8]) -> Vec<u8> {
        let (Some(layout), Some((_, expected))) = (self.layout, self.slice_range(0)) else {
            return Vec::new();
        };
        if bytes.len() != expected {
            return Vec::new();
        }
        let part = Layout { shape: [1, layout.shape[1], layout.shape[2]], ..layout };
        let mut out = vec![0; part.count()];
        match convert_part(bytes, &part, self.voxel_kind, &mut Vec::new(), &mut out) {
            Ok(()) => out,
            Err(_) => Vec::new(),
        }
    }
}

/// One-byte elements as unsigned bytes, in place: negative integers 0, booleans 0 or 1.
fn clamp_in_place(bytes: &mut [u8], kind: u8) {
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    match kind {
        b'i' => npy_wide::clamp_negatives(bytes),
        b'b' => npy_wide::clamp_booleans(bytes),
        _ => {}
    }
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    match kind {
        b'i' => bytes.iter_mut().for_each(|byte| *byte = (*byte as i8).max(0) as u8),
        b'b' => bytes.iter_mut().for_each(|byte| *byte = (*byte).min(1)),
        _ => {}
    }
}

/// Elements as bytes, each by itself.
fn convert_part(
    bytes: &[u8],
    part: &Layout,
    voxel_kind: VoxelKind,
    wide: &mut Vec<f32>,
    out: &mut [u8],
) -> Result<(), NpyError> {
    if voxel_kind != VoxelKind::Thickness || part.element.kind != b'f' {
        return decode(bytes, part, out).map_err(|_| NpyError::TooLarge);
    }
    if wide.len() < part.count() {
        *wide = reserved(part.count())?;
    }
    let mm = &mut wide[..part.count()];
    decode(bytes, part, mm).map_err(|_| NpyError::TooLarge)?;
    for (byte, &value) in out.iter_mut().zip(&*mm) {
        *byte = (value * (255.0 / THICKEST_MM) + 0.5) as u8;
    }
    Ok(())
}

#[cfg(test)]
#[path = "volume_decoder_tests.rs"]
mod tests;
