//! A weights file, little-endian: `SULCUSNN`, the length of the header (u32), the header (JSON), then the arrays it lists,
//! one after the other without gaps, as 16-bit floats in PyTorch's layout. `wasm/network/training/README.md` describes it.

use crate::header::{parse, Entry};
use volume::Error;

const MAGIC: &[u8; 8] = b"SULCUSNN";
/// Largest file that is read.
const MAX_BYTES: usize = 16 << 20;

/// The arrays of a file in its order.
pub struct Weights {
    pub version: String,
    entries: Vec<Entry>,
    values: Vec<f32>,
    /// Array and value that are taken next.
    next: (usize, usize),
}

fn refused(why: impl std::fmt::Display) -> Error {
    Error::misuse(format!("Cannot read network: {why}"))
}

impl Weights {
    /// # Errors
    /// `internal` (misuse) when the file is not of this form, is not filled exactly or holds a value that is not
    /// finite. Allocates about twice the file's size.
    pub fn read(file: &[u8]) -> Result<Self, Error> {
        if file.len() > MAX_BYTES {
            return Err(refused(format!("{} bytes, more than {MAX_BYTES}", file.len())));
        }
        let rest = file.strip_prefix(MAGIC).ok_or_else(|| refused("not a weights file"))?;
        let (len, rest) = rest.split_first_chunk::<4>().ok_or_else(|| refused("no header"))?;
        let len = u32::from_le_bytes(*len) as usize;
        let header = parse(rest.get(..len).ok_or_else(|| refused("header longer than the file"))?)?;
        if header.kind != "f16" {
            return Err(refused("its weights are not 16-bit floats"));
        }
        let data = &rest[len..];
        let mut end = 0usize;
        for entry in &header.arrays {
            if entry.offset != end {
                return Err(refused(format!("{} does not follow the array before it", entry.name)));
            }
            let size = entry.shape.iter().try_fold(2usize, |n, &axis| n.checked_mul(axis));
            end = size.and_then(|n| n.checked_add(end)).ok_or_else(|| refused("an array is too large"))?;
        }
        if end != data.len() {
            return Err(refused(format!("{} bytes of weights, not the {end} of its arrays", data.len())));
        }
        let values: Vec<f32> =
            data.chunks_exact(2).map(|b| f32_from_half(u16::from_le_bytes([b[0], b[1]]))).collect();
        if values.iter().any(|v| !v.is_finite()) {
            return Err(refused("a weight is not finite"));
        }
        Ok(Self { version: header.version, entries: header.arrays, values, next: (0, 0) })
    }

    /// Shape of the named array.
    pub fn shape_of(&self, name: &str) -> Option<&[usize]> {
        self.entries.iter().find(|entry| entry.name == name).map(|entry| entry.shape.as_slice())
    }

    /// The next array of the file, which must have this name and shape.
    ///
    /// # Errors
    /// `internal` (misuse) that says which array differs.
    pub fn take(&mut self, name: &str, shape: &[usize]) -> Result<&[f32], Error> {
        let (entry, start) = self.next;
        match self.entries.get(entry) {
            Some(found) if found.name == name && found.shape == shape => {
                let end = start + shape.iter().product::<usize>();
                self.next = (entry + 1, end);
                Ok(&self.values[start..end])
            }
            found => Err(refused(format!("array {entry} is {found:?}, not {name} {shape:?}"))),
        }
    }

    pub fn is_exhausted(&self) -> bool {
        self.next.0 == self.entries.len()
    }
}

/// The value of a 16-bit float (IEEE 754 binary16).
pub fn f32_from_half(half: u16) -> f32 {
    let sign = u32::from(half >> 15) << 31;
    let (exponent, fraction) = (u32::from(half >> 10 & 31), u32::from(half & 1023));
    match exponent {
        0 => {
            let value = fraction as f32 / (1 << 24) as f32;
            f32::from_bits(value.to_bits() | sign)
        }
        31 => f32::from_bits(sign | 0x7f80_0000 | fraction << 13),
        _ => f32::from_bits(sign | (exponent + 112) << 23 | fraction << 13),
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A file of one layer `l` with these arrays of halves.
    pub fn file(arrays: &[(&str, Vec<usize>, Vec<u16>)]) -> Vec<u8> {
        let mut offset = 0;
        let mut entries = Vec::new();
        for (name, shape, halves) in arrays {
            entries.push(format!("{{\"name\": \"{name}\", \"shape\": {shape:?}, \"offset\": {offset}}}"));
            offset += 2 * halves.len();
        }
        let layer = format!("{{\"name\": \"l\", \"arrays\": [{}]}}", entries.join(", "));
        let header = format!("{{\"version\": \"test\", \"type\": \"f16\", \"layers\": [{layer}]}}");
        let len = (header.len() as u32).to_le_bytes();
        let data = arrays.iter().flat_map(|(_, _, halves)| halves.iter().flat_map(|h| h.to_le_bytes()));
        MAGIC.iter().copied().chain(len).chain(header.bytes()).chain(data).collect()
    }

    #[test]
    fn f32_from_half_is_the_definition_of_binary16() {
        for half in 0..=u16::MAX {
            let (exponent, fraction) = (i32::from(half >> 10 & 31), f64::from(half & 1023));
            let sign = if half >> 15 == 1 { -1.0 } else { 1.0 };
            let got = f32_from_half(half);
            match exponent {
                31 => assert!(!got.is_finite()),
                0 => assert_eq!(f64::from(got), sign * fraction * 2f64.powi(-24)),
                _ => assert_eq!(f64::from(got), sign * (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15)),
            }
        }
    }

    #[test]
    fn take_gives_the_arrays_in_their_order() {
        let bytes = file(&[("a", vec![2, 1], vec![0x3c00, 0xc000]), ("b", vec![1], vec![0x3800])]);
        let mut weights = Weights::read(&bytes).unwrap();
        assert_eq!(weights.shape_of("l.a"), Some(&[2, 1][..]));
        assert_eq!(weights.take("l.b", &[1]).unwrap_err().code(), "internal");
        assert_eq!(weights.take("l.a", &[2, 1]).unwrap(), [1.0, -2.0]);
        assert!(!weights.is_exhausted());
        assert_eq!(weights.take("l.b", &[1]).unwrap(), [0.5]);
        assert!(weights.is_exhausted() && weights.take("l.c", &[1]).is_err());
    }

    #[test]
    fn read_refuses_files_of_another_size_and_endless_weights() {
        let good = file(&[("a", vec![2, 1], vec![0x3c00, 0xc000])]);
        assert!(Weights::read(&good).is_ok());
        for end in 0..good.len() {
            assert!(Weights::read(&good[..end]).is_err());
        }
        assert!(Weights::read(&[&good[..], &[0, 0]].concat()).is_err());
        assert!(Weights::read(&file(&[("a", vec![1], vec![0x7c00])])).is_err());
        assert!(Weights::read(&vec![0; MAX_BYTES + 1]).is_err());
        let huge = file(&[("a", vec![1 << 31, 1 << 31, 1 << 31], vec![])]);
        assert!(Weights::read(&huge).is_err());
        let text = String::from_utf8_lossy(&good);
        assert!(Weights::read(text.replace("f16", "f32").as_bytes()).is_err());
        let gap = file(&[("a", vec![1], vec![0x3c00]), ("b", vec![1], vec![0x3c00])]);
        let at = gap.windows(11).position(|w| w == b"\"offset\": 2").unwrap();
        assert!(Weights::read(&gap).is_ok());
        assert!(Weights::read(&[&gap[..at + 10], b"0", &gap[at + 11..]].concat()).is_err());
    }
}
