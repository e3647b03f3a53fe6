//! Times of the kernels compiled for this machine, one "name<TAB>ms" a line, over the inputs of bench/kernel_kit.ts.

use kernels::colours::{effective_colours, LABELS};
use kernels::compose::{compose_slice, Mapping, Scratch, Volumes, Window};
use kernels::mask::{labels_within, mask_labels, mask_values};
use kernels::slices::extract_slice;
use kernels::volume_decoder::{Meaning, VolumeDecoder};
use std::hint::black_box;
use std::time::Instant;

const SHAPE: [usize; 3] = [192, 224, 208];
const SIZE: usize = 512;
const ROUNDS: usize = 40;
/// Slices of one turn.
const CALLS: usize = 100;

/// Prints the best of many turns: other programs only ever slow one down.
fn time(name: &str, call: impl FnMut()) {
    time_for(ROUNDS, name, call);
}

/// The same for what takes microseconds: a turn is many calls.
fn time_calls(calls: usize, name: &str, mut call: impl FnMut()) {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        (0..calls).for_each(|_| call());
        best = best.min(start.elapsed().as_secs_f64() * 1000.0 / calls as f64);
    }
    println!("{name}\t{best:.5}");
}

fn time_for(rounds: usize, name: &str, mut call: impl FnMut()) {
    let mut best = f64::INFINITY;
    for _ in 0..rounds {
        let start = Instant::now();
        call();
        best = best.min(start.elapsed().as_secs_f64() * 1000.0);
    }
    println!("{name}\t{best:.5}");
}

fn main() {
    let voxels: usize = SHAPE.iter().product();
    let base: Vec<u8> = (0..voxels).map(|v| (64 + (v >> 5) % 128 + v * 31 % 17) as u8).collect();
    let labels: Vec<u8> =
        (0..voxels).map(|v| v / 9 % 145).map(|l| if l < 105 { l as u8 } else { 0 }).collect();
    let mut out = vec![0u8; voxels];
    time("threshold by value", || {
        black_box(mask_values(black_box(&base), 90, 150, &mut out));
    });
    let mut percentiles = [f32::NAN; LABELS];
    for n in (0..LABELS).filter(|n| n % 7 != 0) {
        percentiles[n] = (n * 37 % 100) as f32;
    }
    let chosen = labels_within(&percentiles, 20.0);
    time("threshold by percentile", || {
        black_box(mask_labels(black_box(&labels), &chosen, &mut out));
    });
    for (axis, name) in ["slice sagittal", "slice coronal", "slice axial"].into_iter().enumerate() {
        let mut n = 0;
        let slice = &mut out[..voxels / SHAPE[axis]];
        time_calls(CALLS, name, || {
            n = (n + 17) % SHAPE[axis];
            assert!(extract_slice(black_box(&base), SHAPE, axis, n, black_box(&mut *slice)));
        });
    }
    panes(&base, &labels);
    files();
}

fn panes(base: &[u8], labels: &[u8]) {
    let table: [u32; LABELS] = std::array::from_fn(|n| 0xff00_0000 | (n as u32 * 2_654_435) & 0x00ff_ffff);
    let (mut colours, mut scratch) = ([0; LABELS], Scratch::default());
    scratch.reserve(SIZE).expect("memory");
    effective_colours(&table, &[1; LABELS], 153, &mut colours);
    let mut pixels = vec![0u32; SIZE * SIZE];
    let step = SHAPE.iter().copied().max().unwrap_or(1) as f64 / SIZE as f64;
    for (name, across, down) in [("axial", 0, 1), ("coronal", 0, 2), ("sagittal", 1, 2)] {
        let mut mapping = Mapping { origin: SHAPE.map(|n| (n / 2) as f64), du: [0.0; 3], dv: [0.0; 3] };
        for (axis, is_across) in [(across, true), (down, false)] {
            mapping.origin[axis] = (SHAPE[axis] - 1) as f64 / 2.0 - step * (0.5 - SIZE as f64 / 2.0);
            *(if is_across { &mut mapping.du } else { &mut mapping.dv }).get_mut(axis).expect("axis") = -step;
        }
        for (words, labels) in [("base only", &[][..]), ("with overlay", labels)] {
            time(&format!("compose {name} 512² {words}"), || {
                let volumes = Volumes { base, labels, shape: SHAPE };
                let window = Window { width: 256.0, level: 128.0 };
                compose_slice(
                    volumes,
                    &mapping,
                    window,
                    &colours,
                    SIZE,
                    &mut scratch,
                    black_box(&mut pixels),
                );
            });
        }
    }
}

fn files() {
    for (name, descr, size, order) in [
        ("NPY |u1", "|u1", 1, "False"),
        ("NPY <i2", "<i2", 2, "False"),
        ("NPY <f4", "<f4", 4, "False"),
        ("NPY <f8", "<f8", 8, "False"),
        ("NPY |u1 Fortran order", "|u1", 1, "True"),
    ] {
        let shape = [256, 256, 256 / size];
        let count: usize = shape.iter().product();
        let text = format!("{{'descr':'{descr}','fortran_order':{order},'shape':({},256,256)}}", shape[2]);
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend((text.len() as u16).to_le_bytes());
        file.extend(text.as_bytes());
        for n in 0..count {
            let value = n * 31 % 251;
            match size {
                1 => file.push(value as u8),
                2 => file.extend((value as i16).to_le_bytes()),
                4 => file.extend((value as f32).to_le_bytes()),
                _ => file.extend((value as f64).to_le_bytes()),
            }
        }
        time_for(12, name, || {
            let mut decoder = VolumeDecoder::new(shape, Meaning::Labels);
            for mut piece in file.chunks(1 << 16) {
                while !piece.is_empty() {
                    let room = decoder.room();
                    let length = room.len().min(piece.len());
                    room[..length].write_copy_of_slice(&piece[..length]);
                    // SAFETY: they were written.
                    #[allow(unsafe_code)]
                    unsafe { decoder.advance(length) }.expect("a good file");
                    piece = &piece[length..];
                }
            }
            decoder.finish().expect("a good file");
            black_box(decoder.volume());
        });
    }
}
