use super::*;
use crate::random::Random;

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

fn read(dictionary: &str, elements: usize) -> Result<Layout, NpyError> {
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
    assert_eq!(of("()"), Err(NpyError::Shape));
    assert_eq!(of("(1, 2, 3, 4)"), Err(NpyError::Shape));
    assert_eq!(of("(1, 0, 3)"), Err(NpyError::Shape));
    assert_eq!(of("(99999999999999999999999,)"), Err(NpyError::TooLarge));
    assert_eq!(of("(70000, 70000)"), Err(NpyError::TooLarge));
}

#[test]
fn read_layout_names_what_is_wrong() {
    let good = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3, 4), }";
    assert_eq!(read(good, 23), Err(NpyError::Truncated));
    assert_eq!(read(&good.replace("|u1", "<f2"), 999), Err(NpyError::ElementType));
    assert_eq!(read(&good.replace("|u1", "|u2"), 999), Err(NpyError::ElementType));
    assert_eq!(read(&good.replace("|u1", "<c8"), 999), Err(NpyError::ElementType));
    assert_eq!(read(&good.replace("|u1", "|O"), 999), Err(NpyError::ElementType));
    assert_eq!(read(&good.replace("False", "None"), 99), Err(NpyError::Header));
    assert_eq!(read(&good.replace("shape", "sharp"), 99), Err(NpyError::Header));
    assert_eq!(read(&good.replace(')', ""), 99), Err(NpyError::Header));
    assert_eq!(read_layout(b"PK\x03\x04 not an array", 100), Err(NpyError::NotNpy));
    let mut bytes = file(1, good);
    bytes[6] = 9;
    assert_eq!(read_layout(&bytes, 999), Err(NpyError::Version));
    let bytes = file(1, good);
    assert_eq!(read_layout(&bytes[..30], 999), Err(NpyError::Header));
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

impl Random {
    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }
}

/// A header as any writer may write it, and what it says.
fn random_header(random: &mut Random) -> (String, Layout) {
    let kinds = ["u1", "i1", "b1", "u2", "i2", "u4", "i4", "f4", "f8"];
    let kind = random.of(&kinds).as_bytes();
    let bytes = kind[1] - b'0';
    let order = random.of(if bytes == 1 { &["|", "<", ">", "="] } else { &["<", ">"] });
    let is_fortran = random.below(2) == 0;
    let axes: Vec<usize> = (0..1 + random.below(3)).map(|_| 1 + random.below(40)).collect();
    let mut shape = [1; 3];
    shape[3 - axes.len()..].copy_from_slice(&axes);
    let long = random.of(&["", "", "L"]);
    let space = |random: &mut Random| " ".repeat(random.below(3));
    let mut tuple = String::from("(");
    for (at, n) in axes.iter().enumerate() {
        let comma = if at + 1 < axes.len() || axes.len() == 1 { "," } else { random.of(&["", ","]) };
        tuple += &format!("{}{n}{long}{comma}", space(random));
    }
    tuple += ")";
    let quote = random.of(&["'", "\""]);
    let mut entries = [
        ("descr", format!("{quote}{order}{}{quote}", String::from_utf8_lossy(kind))),
        ("fortran_order", String::from(if is_fortran { "True" } else { "False" })),
        ("shape", tuple),
    ];
    for at in (1..3).rev() {
        entries.swap(at, random.below(at + 1));
    }
    let mut text = String::from("{");
    for (at, (key, value)) in entries.iter().enumerate() {
        let comma = if at < 2 { "," } else { random.of(&["", ",", ", "]) };
        text +=
            &format!("{}{quote}{key}{quote}{}:{}{value}{comma}", space(random), space(random), space(random));
    }
    text += "}";
    text += &" ".repeat(random.below(70));
    text += random.of(&["", "\n"]);
    let element = ElementType { kind: kind[0], bytes, is_big_endian: order == ">" && bytes > 1 };
    (text, Layout { offset: 0, element, shape, is_fortran })
}

#[test]
fn read_layout_reads_every_way_to_write_a_header_and_refuses_what_is_changed_in_it() {
    let mut random = Random(0x5eed_0f4e_ade2);
    let mut refused = 0;
    for round in 0..20_000 {
        let (text, want) = random_header(&mut random);
        let version = 1 + random.below(3) as u8;
        let mut bytes = file(version, &text);
        let offset = bytes.len();
        let size = want.count() * usize::from(want.element.bytes);
        assert_eq!(read_layout(&bytes, offset + size), Ok(Layout { offset, ..want }), "{text}");
        assert_eq!(read_layout(&bytes, offset + size - 1), Err(NpyError::Truncated), "{text}");
        assert_eq!(header_end(&bytes[..12]), Ok(offset));
        // one to four changes: a byte replaced, taken out, put in, or a word repeated
        for _ in 0..1 + round % 4 {
            let at = 6 + random.below(bytes.len() - 6);
            match random.below(4) {
                0 => bytes[at] = random.below(256) as u8,
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, b"{}(),:'\"0123456789TFL\\<>|[]"[random.below(27)]),
                _ => {
                    let part = bytes[at..(at + random.below(20)).min(bytes.len())].to_vec();
                    bytes.splice(at..at, part);
                }
            }
        }
        let total = bytes.len() + random.below(100_000);
        match read_layout(&bytes, total) {
            Ok(layout) => {
                assert!(layout.offset <= bytes.len() && layout.shape.iter().all(|&n| n > 0));
                assert!(layout.count() * usize::from(layout.element.bytes) <= total - layout.offset);
            }
            Err(error) => {
                refused += 1;
                assert!(error.code().starts_with("npy."));
            }
        }
    }
    assert!(refused > 10_000, "{refused}");
}

#[test]
fn read_layout_refuses_dictionaries_with_other_keys_or_words_behind() {
    let good = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3, 4), }";
    for bad in [
        good.replace(", }", ", 'descr': '|u1'}"),
        good.replace(", }", ", 'more': 1}"),
        good.replace("'descr': '|u1', ", ""),
        good.replace("4), }", "4), } 7"),
        good.replace("(2, 3, 4)", "[2, 3, 4]"),
        good.replace("(2, 3, 4)", "(2, -3, 4)"),
        good.replace("(2, 3, 4)", "(2,, 3, 4)"),
        good.replace("False", "0"),
        good.replace('{', ""),
    ] {
        assert_eq!(read(&bad, 99), Err(NpyError::Header), "{bad}");
    }
    let fields = good.replace("'|u1'", "[('a', '|u1')]");
    assert_eq!(read(&fields, 99), Err(NpyError::ElementType));
}
