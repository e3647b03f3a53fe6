/// Why a file is refused. The numbers cross the WASM boundary and are never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Refusal {
    /// The file does not begin with the NPY signature.
    NotNpy = 1,
    /// A format version other than 1.0 to 3.0.
    Version = 2,
    /// The header is not the dictionary that the format prescribes, or is cut off.
    Header = 3,
    /// An element type other than b1, u1, i1, u2, i2, u4, i4, f4 or f8.
    ElementType = 4,
    /// Column-major order, where only row-major is read.
    Order = 5,
    /// No axis, more than three, or an empty one.
    Shape = 6,
    /// Fewer bytes than the shape asks for.
    Truncated = 7,
    /// More than 2^31 bytes of elements.
    TooLarge = 8,
}

impl Refusal {
    /// Dotted code of the refusal.
    pub fn code(self) -> &'static str {
        match self {
            Refusal::NotNpy => "npy.not_npy",
            Refusal::Version => "npy.version",
            Refusal::Header => "npy.header",
            Refusal::ElementType => "npy.element_type",
            Refusal::Order => "npy.order",
            Refusal::Shape => "npy.shape",
            Refusal::Truncated => "npy.truncated",
            Refusal::TooLarge => "npy.too_large",
        }
    }
}

/// Element type, as the first byte of its NumPy name and its size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElementType {
    /// `b'b'`, `b'u'`, `b'i'` or `b'f'`
    pub kind: u8,
    pub bytes: u8,
    /// Most significant byte first.
    pub is_big_endian: bool,
}

/// Where the elements of an NPY file are and what they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    pub offset: usize,
    pub element: ElementType,
    /// As written; unused axes are 1 in front: a vector is [1, 1, n].
    pub shape: [usize; 3],
    /// Column-major: the first axis is the fastest. Else the last one is.
    pub is_fortran: bool,
}

impl Layout {
    /// Number of elements.
    pub fn count(&self) -> usize {
        self.shape.iter().product()
    }
}

/// Reads the header of an NPY file.
///
/// `head` is the beginning of the file (all of it, or at least the header), `total` the file's length in bytes.
/// Bytes after the elements are allowed.
///
/// # Errors
/// A [`Refusal`]; nothing is read outside `head`.
///
/// # Source
/// NumPy enhancement proposal 1, "A simple file format for NumPy arrays"; versions 2 and 3 differ in the width of
/// the header length and in the header's encoding.
pub fn read_layout(head: &[u8], total: usize) -> Result<Layout, Refusal> {
    if head.len() < 10 || &head[..6] != b"\x93NUMPY" {
        return Err(Refusal::NotNpy);
    }
    let (start, length) = match (head[6], head[7]) {
        (1, 0) => (10usize, usize::from(head[8]) | usize::from(head[9]) << 8),
        (2 | 3, 0) if head.len() >= 12 => {
            let length = u32::from_le_bytes([head[8], head[9], head[10], head[11]]);
            (12, length as usize)
        }
        _ => return Err(Refusal::Version),
    };
    let offset = start.checked_add(length).ok_or(Refusal::Header)?;
    let text = head.get(start..offset).ok_or(Refusal::Header)?;
    let element = element_type(value_of(text, b"descr").ok_or(Refusal::Header)?)?;
    let order = value_of(text, b"fortran_order").ok_or(Refusal::Header)?;
    let is_fortran = order.starts_with(b"True");
    if !is_fortran && !order.starts_with(b"False") {
        return Err(Refusal::Header);
    }
    let shape = shape_of(value_of(text, b"shape").ok_or(Refusal::Header)?)?;
    let size = shape
        .iter()
        .try_fold(usize::from(element.bytes), |product, &n| product.checked_mul(n))
        .filter(|&size| size <= 1 << 31)
        .ok_or(Refusal::TooLarge)?;
    if total < offset || total - offset < size {
        return Err(Refusal::Truncated);
    }
    Ok(Layout { offset, element, shape, is_fortran })
}

/// Text after `'key':`, without leading spaces.
fn value_of<'a>(text: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    let at = text
        .windows(key.len() + 2)
        .position(|w| &w[1..=key.len()] == key && w[0] == w[key.len() + 1] && matches!(w[0], b'\'' | b'"'))?;
    let rest = trim(&text[at + key.len() + 2..]);
    rest.strip_prefix(b":").map(trim)
}

fn trim(text: &[u8]) -> &[u8] {
    let skip = text.iter().take_while(|&&c| c == b' ').count();
    &text[skip..]
}

fn element_type(value: &[u8]) -> Result<ElementType, Refusal> {
    let name = value.get(1..4).ok_or(Refusal::Header)?;
    if !matches!(value[0], b'\'' | b'"') {
        return Err(Refusal::ElementType);
    }
    let bytes = name[2].wrapping_sub(b'0');
    let known = matches!((name[1], bytes), (b'u' | b'i', 1 | 2 | 4) | (b'f', 4 | 8) | (b'b', 1));
    let order = matches!(name[0], b'<' | b'>') || (bytes == 1 && matches!(name[0], b'|' | b'='));
    if known && order && value.get(4) == Some(&value[0]) {
        Ok(ElementType { kind: name[1], bytes, is_big_endian: name[0] == b'>' && bytes > 1 })
    } else {
        Err(Refusal::ElementType)
    }
}

fn shape_of(value: &[u8]) -> Result<[usize; 3], Refusal> {
    let mut axes = [1usize; 3];
    let mut count = 0;
    let mut current: Option<usize> = None;
    if value.first() != Some(&b'(') {
        return Err(Refusal::Header);
    }
    for &c in &value[1..] {
        match c {
            b'0'..=b'9' => {
                let digit = usize::from(c - b'0');
                let grown = current.unwrap_or(0).checked_mul(10).and_then(|n| n.checked_add(digit));
                current = Some(grown.ok_or(Refusal::TooLarge)?);
            }
            b',' | b')' => {
                if let Some(n) = current.take() {
                    if count == 3 || n == 0 {
                        return Err(Refusal::Shape);
                    }
                    axes[count] = n;
                    count += 1;
                }
                if c == b')' {
                    return match count {
                        0 => Err(Refusal::Shape),
                        1 => Ok([1, 1, axes[0]]),
                        2 => Ok([1, axes[0], axes[1]]),
                        _ => Ok(axes),
                    };
                }
            }
            b' ' | b'L' => {}
            _ => return Err(Refusal::Header),
        }
    }
    Err(Refusal::Header)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(version: u8, dictionary: &str) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY".to_vec();
        bytes.extend([version, 0]);
        let length = dictionary.len() as u32;
        if version == 1 {
            bytes.extend((length as u16).to_le_bytes());
        } else {
            bytes.extend(length.to_le_bytes());
        }
        bytes.extend(dictionary.as_bytes());
        bytes
    }

    fn read(dictionary: &str, elements: usize) -> Result<Layout, Refusal> {
        let bytes = file(1, dictionary);
        read_layout(&bytes, bytes.len() + elements)
    }

    #[test]
    fn read_layout_reads_a_label_map() {
        let text = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3, 4), }   \n";
        let layout = read(text, 24).unwrap();
        assert_eq!(layout.shape, [2, 3, 4]);
        assert_eq!(layout.offset, 10 + text.len());
        assert_eq!(layout.element, ElementType { kind: b'u', bytes: 1, is_big_endian: false });
        let v2 = file(2, text);
        assert_eq!(read_layout(&v2, v2.len() + 24).unwrap().offset, 12 + text.len());
    }

    #[test]
    fn read_layout_pads_vectors_and_matrices_in_front() {
        let of = |shape: &str| {
            read(&format!("{{'descr':'<f4','fortran_order':False,'shape':{shape}}}"), 4000).map(|l| l.shape)
        };
        assert_eq!(of("(7,)"), Ok([1, 1, 7]));
        assert_eq!(of("(7, 3)"), Ok([1, 7, 3]));
        assert_eq!(of("()"), Err(Refusal::Shape));
        assert_eq!(of("(1, 2, 3, 4)"), Err(Refusal::Shape));
        assert_eq!(of("(1, 0, 3)"), Err(Refusal::Shape));
        assert_eq!(of("(99999999999999999999999,)"), Err(Refusal::TooLarge));
        assert_eq!(of("(70000, 70000)"), Err(Refusal::TooLarge));
    }

    #[test]
    fn read_layout_names_what_is_wrong() {
        let good = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3, 4), }";
        assert_eq!(read(good, 23), Err(Refusal::Truncated));
        assert_eq!(read(&good.replace("|u1", "<f2"), 999), Err(Refusal::ElementType));
        assert_eq!(read(&good.replace("|u1", "|u2"), 999), Err(Refusal::ElementType));
        assert_eq!(read(&good.replace("|u1", "<c8"), 999), Err(Refusal::ElementType));
        assert_eq!(read(&good.replace("|u1", "|O"), 999), Err(Refusal::ElementType));
        assert_eq!(read(&good.replace("False", "None"), 99), Err(Refusal::Header));
        assert_eq!(read(&good.replace("shape", "sharp"), 99), Err(Refusal::Header));
        assert_eq!(read(&good.replace(')', ""), 99), Err(Refusal::Header));
        assert_eq!(read_layout(b"PK\x03\x04 not an array", 100), Err(Refusal::NotNpy));
        let mut bytes = file(1, good);
        bytes[6] = 9;
        assert_eq!(read_layout(&bytes, 999), Err(Refusal::Version));
        let bytes = file(1, good);
        assert_eq!(read_layout(&bytes[..30], 999), Err(Refusal::Header));
    }

    #[test]
    fn read_layout_survives_every_cut_and_every_flipped_byte() {
        let bytes = file(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3, 4), }");
        for cut in 0..bytes.len() {
            assert!(read_layout(&bytes[..cut], cut).is_err());
        }
        for at in 0..bytes.len() {
            for flip in 1..=255u8 {
                let mut broken = bytes.clone();
                broken[at] ^= flip;
                let _ = read_layout(&broken, broken.len() + 24);
            }
        }
    }
}
