//! Compares `vectors` with the stored figures. `SULCUS_STORE_VECTORS=1 cargo test -p analysis --test vectors` writes
//! them anew; that changes results and belongs in a commit of its own.

use analysis::vectors::{vector, NAMES};
use std::fmt::Write;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/vectors.txt");
const SEEDS: [u32; 2] = [7, 20_261_121];

#[test]
fn vector_reproduces_the_stored_figures() {
    let mut text = String::new();
    for name in NAMES {
        for seed in SEEDS {
            write!(text, "{name} {seed}").unwrap();
            let values = vector(name, seed);
            assert!(!values.is_empty(), "{name}");
            values.iter().for_each(|v| write!(text, " {v:?}").unwrap());
            text.push('\n');
        }
    }
    if std::env::var_os("SULCUS_STORE_VECTORS").is_some() {
        std::fs::write(FILE, &text).unwrap();
    }
    let stored = std::fs::read_to_string(FILE).unwrap();
    for (line, want) in text.lines().zip(stored.lines()) {
        let (mut got, mut expected) = (line.split(' '), want.split(' '));
        assert_eq!(got.next(), expected.next());
        for (a, b) in got.zip(expected) {
            let (a, b): (f64, f64) = (a.parse().unwrap(), b.parse().unwrap());
            assert!((a - b).abs() <= 1e-6 * b.abs().max(1e-3), "{}: {a} {b}", &want[..20]);
        }
        assert_eq!(line.split(' ').count(), want.split(' ').count());
    }
    assert_eq!(text.lines().count(), stored.lines().count());
}
