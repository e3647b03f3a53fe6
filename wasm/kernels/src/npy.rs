//! Headers of NPY files.

/// Why a file is refused. The numbers cross the WASM boundary and are never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum NpyError {
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

impl NpyError {
    /// Dotted code of the error.
    pub fn code(self) -> &'static str {
        match self {
            NpyError::NotNpy => "npy.not_npy",
            NpyError::Version => "npy.version",
            NpyError::Header => "npy.header",
            NpyError::ElementType => "npy.element_type",
            NpyError::Order => "npy.order",
            NpyError::Shape => "npy.shape",
            NpyError::Truncated => "npy.truncated",
            NpyError::TooLarge => "npy.too_large",
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

/// The longest header that is read: the most that version 1.0 can say.
const MAX_HEADER: usize = 65_535;

/// Where the header ends and the elements begin, from the first 12 bytes of a file.
///
/// # Errors
/// [`NpyError::NotNpy`], [`NpyError::Version`], or [`NpyError::Header`] for one that is longer than version 1.0 can say.
pub fn header_end(head: &[u8]) -> Result<usize, NpyError> {
    if head.len() < 10 || &head[..6] != b"\x93NUMPY" {
        return Err(NpyError::NotNpy);
    }
    let (start, length) = match (head[6], head[7]) {
        (1, 0) => (10usize, usize::from(head[8]) | usize::from(head[9]) << 8),
        (2 | 3, 0) if head.len() >= 12 => {
            let length = u32::from_le_bytes([head[8], head[9], head[10], head[11]]);
            (12, length as usize)
        }
        (2 | 3, 0) => return Err(NpyError::Header),
        _ => return Err(NpyError::Version),
    };
    if length > MAX_HEADER {
        return Err(NpyError::Header);
    }
    Ok(start + length)
}

/// Reads the header of an NPY file.
///
/// `head` is the beginning of the file (all of it, or at least the header), `total` the file's length in bytes, or
/// more where it is not known. Bytes after the elements are allowed.
///
/// # Errors
/// A [`NpyError`]; nothing is read outside `head`.
///
/// # Source
/// NumPy enhancement proposal 1, "A simple file format for NumPy arrays"; versions 2 and 3 differ in the width of
/// the header length and in the header's encoding.
pub fn read_layout(head: &[u8], total: usize) -> Result<Layout, NpyError> {
    let offset = header_end(head)?;
    let start = if head[6] == 1 { 10 } else { 12 };
    let (element, is_fortran, shape) =
        Dictionary { text: head.get(start..offset).ok_or(NpyError::Header)? }.read()?;
    let size = shape
        .iter()
        .try_fold(usize::from(element.bytes), |product, &n| product.checked_mul(n))
        .filter(|&size| size <= 1 << 31)
        .ok_or(NpyError::TooLarge)?;
    if total < offset || total - offset < size {
        return Err(NpyError::Truncated);
    }
    Ok(Layout { offset, element, shape, is_fortran })
}

/// What is left to be read of a header's dictionary: exactly the three keys, each once, in any order.
struct Dictionary<'a> {
    text: &'a [u8],
}

impl<'a> Dictionary<'a> {
    fn read(mut self) -> Result<(ElementType, bool, [usize; 3]), NpyError> {
        let (mut element, mut order, mut shape) = (None, None, None);
        self.expect(b"{")?;
        while !self.takes(b"}") {
            let key = self.string()?;
            self.expect(b":")?;
            match key {
                b"descr" if element.is_none() => element = Some(self.element_type()?),
                b"fortran_order" if order.is_none() => order = Some(self.truth()?),
                b"shape" if shape.is_none() => shape = Some(self.shape()?),
                _ => return Err(NpyError::Header),
            }
            if !self.takes(b",") {
                self.expect(b"}")?;
                break;
            }
        }
        self.skip_space();
        match (element, order, shape) {
            (Some(element), Some(order), Some(shape)) if self.text.is_empty() => Ok((element, order, shape)),
            _ => Err(NpyError::Header),
        }
    }

    fn skip_space(&mut self) {
        let space = self.text.iter().take_while(|c| matches!(c, b' ' | b'\n' | b'\r' | b'\t')).count();
        self.text = &self.text[space..];
    }

    #[inline(never)]
    fn takes(&mut self, word: &[u8]) -> bool {
        self.skip_space();
        match self.text.strip_prefix(word) {
            Some(rest) => self.text = rest,
            None => return false,
        }
        true
    }

    #[inline(never)]
    fn expect(&mut self, word: &[u8]) -> Result<(), NpyError> {
        self.takes(word).then_some(()).ok_or(NpyError::Header)
    }

    fn truth(&mut self) -> Result<bool, NpyError> {
        if self.takes(b"True") {
            return Ok(true);
        }
        self.expect(b"False").map(|()| false)
    }

    /// A word in quotes, without escapes: none of the three keys and no element type has any.
    #[inline(never)]
    fn string(&mut self) -> Result<&'a [u8], NpyError> {
        self.skip_space();
        let (&quote, rest) = self.text.split_first().ok_or(NpyError::Header)?;
        let end = rest.iter().position(|&c| c == quote).ok_or(NpyError::Header)?;
        self.text = &rest[end + 1..];
        matches!(quote, b'\'' | b'"').then_some(&rest[..end]).ok_or(NpyError::Header)
    }

    fn element_type(&mut self) -> Result<ElementType, NpyError> {
        // a list: fields of a structure
        if self.takes(b"[") {
            return Err(NpyError::ElementType);
        }
        let &[order, kind, digit] = self.string()? else { return Err(NpyError::ElementType) };
        let bytes = digit.wrapping_sub(b'0');
        let is_known = matches!((kind, bytes), (b'u' | b'i', 1 | 2 | 4) | (b'f', 4 | 8) | (b'b', 1));
        let is_ordered = matches!(order, b'<' | b'>') || (bytes == 1 && matches!(order, b'|' | b'='));
        if is_known && is_ordered {
            Ok(ElementType { kind, bytes, is_big_endian: order == b'>' && bytes > 1 })
        } else {
            Err(NpyError::ElementType)
        }
    }

    fn shape(&mut self) -> Result<[usize; 3], NpyError> {
        let (mut axes, mut count) = ([1usize; 3], 0);
        self.expect(b"(")?;
        while !self.takes(b")") {
            let n = self.number()?;
            if count == 3 || n == 0 {
                return Err(NpyError::Shape);
            }
            axes[count] = n;
            count += 1;
            if !self.takes(b",") {
                self.expect(b")")?;
                break;
            }
        }
        match count {
            0 => Err(NpyError::Shape),
            1 => Ok([1, 1, axes[0]]),
            2 => Ok([1, axes[0], axes[1]]),
            _ => Ok(axes),
        }
    }

    #[inline(never)]
    fn number(&mut self) -> Result<usize, NpyError> {
        self.skip_space();
        let digits = self.text.iter().take_while(|c| c.is_ascii_digit()).count();
        if digits == 0 {
            return Err(NpyError::Header);
        }
        let mut n = 0usize;
        for c in &self.text[..digits] {
            let grown = n.checked_mul(10).and_then(|n| n.checked_add(usize::from(c - b'0')));
            n = grown.ok_or(NpyError::TooLarge)?;
        }
        self.text = &self.text[digits..];
        // long integers of Python 2
        let _ = self.text.starts_with(b"L") && self.takes(b"L");
        Ok(n)
    }
}

#[cfg(test)]
#[path = "npy_tests.rs"]
mod tests;
