//! The header of a weights file: JSON with a version and, for each layer, its arrays. Reads what it needs and skips the
//! rest, with bounds on everything.

use volume::Error;

/// Nesting of skipped values.
const MAX_DEPTH: usize = 8;
/// Arrays in a file, and axes of an array.
const MAX_ARRAYS: usize = 256;
const MAX_AXES: usize = 5;
/// Characters of a text.
const MAX_TEXT: usize = 200;

/// One array of weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Names of the layer and of the array, with a point between them.
    pub name: String,
    pub shape: Vec<usize>,
    /// Bytes from the first array.
    pub offset: usize,
}

/// What the header says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    pub version: String,
    /// Type of the weights.
    pub kind: String,
    pub arrays: Vec<Entry>,
}

/// Reads the header's bytes.
///
/// # Errors
/// `internal` (misuse) with the byte where the text is not the JSON that is expected.
pub fn parse(text: &[u8]) -> Result<Header, Error> {
    let mut reader = Reader { text, at: 0 };
    let (mut version, mut kind, mut arrays) = (None, None, None);
    reader.object(|reader, key| {
        match key {
            "version" => version = Some(reader.string()?),
            "type" => kind = Some(reader.string()?),
            "layers" => arrays = Some(reader.layers()?),
            _ => reader.skip(0)?,
        }
        Ok(())
    })?;
    reader.space();
    match (version, kind, arrays) {
        (Some(version), Some(kind), Some(arrays)) if reader.at == text.len() => {
            Ok(Header { version, kind, arrays })
        }
        (Some(_), Some(_), Some(_)) => Err(reader.bad("text after the end")),
        _ => Err(reader.bad("no version, type or layers")),
    }
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn bad(&self, what: &str) -> Error {
        Error::misuse(format!("Cannot read network: header, byte {}: {what}", self.at))
    }

    fn space(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    /// The next byte that is not space, left where it is.
    fn peek(&mut self) -> Option<u8> {
        self.space();
        self.text.get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, byte: u8) -> Result<(), Error> {
        if self.take(byte) {
            return Ok(());
        }
        Err(self.bad(&format!("{} expected", char::from(byte))))
    }

    /// A text without escapes.
    fn string(&mut self) -> Result<String, Error> {
        self.expect(b'"')?;
        let rest = &self.text[self.at..];
        let end = rest.iter().take(MAX_TEXT + 1).position(|&b| b == b'"' || b == b'\\' || b < b' ');
        match end {
            Some(end) if rest[end] == b'"' => {
                let text = std::str::from_utf8(&rest[..end]).map_err(|_| self.bad("not UTF-8"))?;
                self.at += end + 1;
                Ok(text.into())
            }
            _ => Err(self.bad("a plain text expected")),
        }
    }

    fn number(&mut self) -> Result<usize, Error> {
        self.space();
        let digits = self.text[self.at..].iter().take(10).take_while(|b| b.is_ascii_digit()).count();
        let text = std::str::from_utf8(&self.text[self.at..self.at + digits]).unwrap_or_default();
        let value = text.parse().map_err(|_| self.bad("a whole number expected"))?;
        self.at += digits;
        Ok(value)
    }

    /// Calls `item` for each key of an object; it must read the value.
    fn object(&mut self, mut item: impl FnMut(&mut Self, &str) -> Result<(), Error>) -> Result<(), Error> {
        self.expect(b'{')?;
        if self.take(b'}') {
            return Ok(());
        }
        loop {
            let key = self.string()?;
            self.expect(b':')?;
            item(self, &key)?;
            if !self.take(b',') {
                return self.expect(b'}');
            }
        }
    }

    /// Calls `item` for each value of an array.
    fn array(&mut self, mut item: impl FnMut(&mut Self) -> Result<(), Error>) -> Result<(), Error> {
        self.expect(b'[')?;
        if self.take(b']') {
            return Ok(());
        }
        loop {
            item(self)?;
            if !self.take(b',') {
                return self.expect(b']');
            }
        }
    }

    /// Arrays of all layers.
    fn layers(&mut self) -> Result<Vec<Entry>, Error> {
        let mut all = Vec::new();
        self.array(|reader| {
            let (mut layer, mut arrays) = (None, Vec::new());
            reader.object(|reader, key| {
                match key {
                    "name" => layer = Some(reader.string()?),
                    "arrays" => reader.array(|reader| {
                        if all.len() + arrays.len() == MAX_ARRAYS {
                            return Err(reader.bad("too many arrays"));
                        }
                        arrays.push(reader.entry()?);
                        Ok(())
                    })?,
                    _ => reader.skip(0)?,
                }
                Ok(())
            })?;
            let layer = layer.ok_or_else(|| reader.bad("a layer without a name"))?;
            all.extend(arrays.into_iter().map(|e| Entry { name: format!("{layer}.{}", e.name), ..e }));
            Ok(())
        })?;
        Ok(all)
    }

    fn entry(&mut self) -> Result<Entry, Error> {
        let (mut name, mut shape, mut offset) = (None, Vec::new(), None);
        self.object(|reader, key| {
            match key {
                "name" => name = Some(reader.string()?),
                "offset" => offset = Some(reader.number()?),
                "shape" => reader.array(|reader| {
                    if shape.len() == MAX_AXES {
                        return Err(reader.bad("too many axes"));
                    }
                    shape.push(reader.number()?);
                    Ok(())
                })?,
                _ => reader.skip(0)?,
            }
            Ok(())
        })?;
        match (name, offset) {
            (Some(name), Some(offset)) => Ok(Entry { name, shape, offset }),
            _ => Err(self.bad("an array without name or offset")),
        }
    }

    /// Any value.
    fn skip(&mut self, depth: usize) -> Result<(), Error> {
        if depth == MAX_DEPTH {
            return Err(self.bad("too deep"));
        }
        match self.peek() {
            Some(b'{') => self.object(|reader, _| reader.skip(depth + 1)),
            Some(b'[') => self.array(|reader| reader.skip(depth + 1)),
            Some(b'"') => self.string().map(drop),
            _ => {
                let is_part = |b: &u8| b.is_ascii_alphanumeric() || b"+-.".contains(b);
                let len = self.text[self.at..].iter().take(32).take_while(|b| is_part(b)).count();
                self.at += len;
                if len > 0 {
                    Ok(())
                } else {
                    Err(self.bad("a value expected"))
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &[u8] = br#" {"version": "1.0", "eps": 1e-05, "origin": [-8, -36.5, true], "type": "f16",
        "layers": [{"name": "e0", "reads": ["input"], "arrays": [{"name": "weight", "shape": [16, 1], "offset": 0},
        {"shape": [16], "offset": 32, "name": "scale"}]}, {"arrays": [], "name": "d1"}], "more": {"a": [{}, null]} } "#;

    #[test]
    fn parse_reads_the_arrays_and_skips_the_rest() {
        let header = parse(GOOD).unwrap();
        assert_eq!((header.version.as_str(), header.kind.as_str()), ("1.0", "f16"));
        assert_eq!(header.arrays.len(), 2);
        assert_eq!(header.arrays[0], Entry { name: "e0.weight".into(), shape: vec![16, 1], offset: 0 });
        assert_eq!(header.arrays[1], Entry { name: "e0.scale".into(), shape: vec![16], offset: 32 });
    }

    #[test]
    fn parse_refuses_what_is_not_such_a_header() {
        for end in 0..GOOD.len() - 1 {
            assert!(parse(&GOOD[..end]).is_err(), "{end}");
        }
        let with = |from: &str, to: &str| {
            let text = String::from_utf8_lossy(GOOD);
            assert!(text.contains(from));
            text.replacen(from, to, 1).into_bytes()
        };
        let many = r#"{"name": "a", "shape": [], "offset": 0},"#.repeat(MAX_ARRAYS + 1);
        for text in [
            with("\"1.0\"", "1.0"),
            with("\"type\"", "\"kind\""),
            with("[16, 1]", "[-16, 1]"),
            with("[16, 1]", "[99999999999999999999]"),
            with("[16, 1]", "[1, 1, 1, 1, 1, 1]"),
            with("\"offset\": 0", "\"at\": 0"),
            with("\"name\": \"d1\"", "\"title\": \"d1\""),
            with("[{\"name\": \"w", &format!("[{many}{{\"name\": \"w")),
            with("null", &"[".repeat(100)),
            with("1.0", &"1".repeat(10_000)),
            [GOOD, b"x"].concat(),
        ] {
            assert_eq!(parse(&text).unwrap_err().code(), "internal");
        }
    }
}
