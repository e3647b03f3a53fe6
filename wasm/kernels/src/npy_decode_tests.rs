use super::*;
use crate::npy::read_layout;

/// xorshift64*: the same bytes in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n
    }
}

const TYPES: [(&str, usize); 9] =
    [("b1", 1), ("u1", 1), ("i1", 1), ("u2", 2), ("i2", 2), ("u4", 4), ("i4", 4), ("f4", 4), ("f8", 8)];

fn file(name: &str, is_big: bool, is_fortran: bool, shape: [usize; 3], elements: &[u8]) -> Vec<u8> {
    let order = if name.ends_with('1') {
        '|'
    } else if is_big {
        '>'
    } else {
        '<'
    };
    let [a, b, c] = shape;
    let fortran = if is_fortran { "True" } else { "False" };
    let text =
        format!("{{'descr': '{order}{name}', 'fortran_order': {fortran}, 'shape': ({a}, {b}, {c}), }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend(elements);
    bytes
}

/// One element as a number, from its bytes in reading order.
fn number(name: &str, is_big: bool, bytes: &[u8]) -> f64 {
    let mut little = bytes.to_vec();
    if is_big {
        little.reverse();
    }
    let mut wide = [0u8; 8];
    wide[..little.len()].copy_from_slice(&little);
    let unsigned = u64::from_le_bytes(wide);
    let bits = 8 * little.len() as u32;
    match &name[..1] {
        "b" => f64::from(u8::from(unsigned != 0)),
        "u" => unsigned as f64,
        "i" => ((unsigned << (64 - bits)) as i64 >> (64 - bits)) as f64,
        _ if bits == 32 => f64::from(f32::from_bits(unsigned as u32)),
        _ => f64::from_bits(unsigned),
    }
}

fn to_u8(v: f64) -> u8 {
    if v.is_nan() {
        0
    } else {
        (v + 0.5).floor().clamp(0.0, 255.0) as u8
    }
}

fn to_u32(v: f64) -> u32 {
    if v.is_nan() {
        0
    } else {
        (v + 0.5).floor().clamp(0.0, f64::from(u32::MAX)) as u32
    }
}

#[test]
fn decode_equals_the_naive_twin_for_every_type_byte_order_and_axis_order() {
    let mut random = Random(7);
    for (name, size) in TYPES {
        for case in 0..24 {
            let (is_big, is_fortran) = (case % 2 == 1 && size > 1, case / 2 % 2 == 1);
            let shape = [0; 3].map(|_: usize| 1 + random.below(if case == 23 { 70 } else { 9 }));
            let count: usize = shape.iter().product();
            let elements: Vec<u8> = match &name[..1] {
                // numbers around the limits of a byte, and what no byte can hold
                "f" => (0..count)
                    .flat_map(|_| {
                        let v = [random.below(700) as f64 / 2.0 - 50.0, f64::NAN, 1e30, -1e30]
                            [random.below(20).max(16) - 16];
                        let mut bytes = if size == 4 {
                            (v as f32).to_le_bytes().to_vec()
                        } else {
                            v.to_le_bytes().to_vec()
                        };
                        if is_big {
                            bytes.reverse();
                        }
                        bytes
                    })
                    .collect(),
                _ => (0..count * size).map(|_| random.next() as u8).collect(),
            };
            let bytes = file(name, is_big, is_fortran, shape, &elements);
            let layout = read_layout(&bytes, bytes.len()).unwrap();
            let body = &bytes[layout.offset..];
            let (mut u8s, mut u32s, mut f32s) = (vec![0u8; count], vec![0u32; count], vec![0f32; count]);
            decode(body, &layout, &mut u8s).unwrap();
            decode(body, &layout, &mut u32s).unwrap();
            decode(body, &layout, &mut f32s).unwrap();
            for a in 0..shape[0] {
                for b in 0..shape[1] {
                    for c in 0..shape[2] {
                        let out = (a * shape[1] + b) * shape[2] + c;
                        let at = if is_fortran { a + shape[0] * (b + shape[1] * c) } else { out };
                        let v = number(name, is_big, &elements[at * size..(at + 1) * size]);
                        assert_eq!(u8s[out], to_u8(v), "{name} {v}");
                        assert_eq!(u32s[out], to_u32(v), "{name} {v}");
                        assert!(f32s[out] == v as f32 || v.is_nan(), "{name} {v}");
                    }
                }
            }
        }
    }
}

#[test]
fn decode_reads_half_values_upwards_and_no_further_than_its_type() {
    let layout = |bytes: &[u8]| read_layout(bytes, bytes.len()).unwrap();
    let elements: Vec<u8> = [0.49f32, 0.5, 254.5, 255.5, -3.0].iter().flat_map(|v| v.to_le_bytes()).collect();
    let bytes = file("f4", false, false, [1, 1, 5], &elements);
    let mut out = [0u8; 5];
    decode(&elements, &layout(&bytes), &mut out).unwrap();
    assert_eq!(out, [0, 1, 255, 255, 0]);
}
