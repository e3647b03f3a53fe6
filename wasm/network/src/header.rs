//! The header of a weights file: JSON with a version and the name and shape of each array. Reads what it needs and
//! skips the rest, with bounds on everything.

use volume::Error;

/// Nesting of skipped values.
const MAX_DEPTH: usize = 8;
/// Arrays in a file, and axes of an array.
const MAX_ARRAYS: usize = 256;
const MAX_AXES: usize = 5;
/// Characters of a text.
const MAX_TEXT: usize = 200;

/// Name and shape of one array of weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    pub shape: Vec<usize>,
}

/// What the header says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    pub version: String,
    pub layers: Vec<Entry>,
}

/// Reads the header's bytes.
///
/// # Errors
/// `internal` (misuse) with the byte where the text is not the JSON that is expected.
pub fn parse(text: &[u8]) -> Result<Header, Error> {
    let mut reader = Reader { text, at: 0 };
    let (mut version, mut layers) = (None, None);
    reader.object(|reader, key| {
        match key {
            "version" => version = Some(reader.string()?),
            "layers" => layers = Some(reader.layers()?),
            _ => reader.skip(0)?,
        }
        Ok(())
    })?;
    reader.space();
    match (version, layers) {
        (Some(version), Some(layers)) if reader.at == text.len() => Ok(Header { version, layers }),
        (Some(_), Some(_)) => Err(reader.bad("text after the end")),
        _ => Err(reader.bad("no version or no layers")),
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

    fn layers(&mut self) -> Result<Vec<Entry>, Error> {
        let mut layers = Vec::new();
        self.array(|reader| {
            if layers.len() == MAX_ARRAYS {
                return Err(reader.bad("too many layers"));
            }
            let (mut name, mut shape) = (None, Vec::new());
            reader.object(|reader, key| {
                match key {
                    "name" => name = Some(reader.string()?),
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
            let name = name.ok_or_else(|| reader.bad("a layer without a name"))?;
            layers.push(Entry { name, shape });
            Ok(())
        })?;
        Ok(layers)
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

    #[test]
    fn parse_reads_versions_and_layers_and_skips_the_rest() {
        let text = br#" {"made": {"by": ["x", -1.5e3, true, null, {}]}, "version": "1.0", "layers": [
            {"name": "e0.conv.weight", "shape": [16, 1, 3, 3, 3], "note": []}, {"shape": [16], "name": "b"} ] } "#;
        let header = parse(text).unwrap();
        assert_eq!(header.version, "1.0");
        assert_eq!(header.layers[0], Entry { name: "e0.conv.weight".into(), shape: vec![16, 1, 3, 3, 3] });
        assert_eq!(header.layers[1], Entry { name: "b".into(), shape: vec![16] });
    }

    #[test]
    fn parse_refuses_what_is_not_such_a_header() {
        let good = br#"{"version": "1", "layers": [{"name": "a", "shape": [2]}]}"#;
        assert!(parse(good).is_ok());
        for end in 0..good.len() {
            assert!(parse(&good[..end]).is_err(), "{end}");
        }
        let deep = [&b"{\"a\":"[..], &[b'['; 100]].concat();
        let long = [&b"{\"version\": \""[..], &[b'v'; 10_000]].concat();
        for text in [
            &b"{\"version\": 1, \"layers\": []}"[..],
            b"{\"layers\": []}",
            b"{\"version\": \"1\", \"layers\": [{\"name\": \"a\", \"shape\": [-2]}]}",
            b"{\"version\": \"1\", \"layers\": [{\"name\": \"a\", \"shape\": [99999999999999999999]}]}",
            b"{\"version\": \"1\", \"layers\": [{\"shape\": [2]}]}",
            b"{\"version\": \"1\", \"layers\": []} x",
            &deep,
            &long,
        ] {
            assert_eq!(parse(text).unwrap_err().code(), "internal");
        }
    }
}
