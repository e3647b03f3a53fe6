//! Times the kernels compiled for this machine, over the inputs of bench/kernel_runs/kernel_kit.ts and in turn with it:
//! each line that comes in, "calls name", is answered by ms a call in a round of as many calls; "-" says that there is no
//! such kernel. The argument is a file with a mesh and views of it, as bench/kernels/rasterise.ts writes it.

use kernels::colours::{effective_colours, LABELS};
use kernels::compose::{compose_slice, Scratch, Volumes};
use kernels::mapping::Mapping;
use kernels::raster::{draw, Frame, Mesh, View};
use kernels::slices::extract_slice;
use kernels::volume_decoder::{VolumeDecoder, VoxelKind};
use kernels::window::Window;
use std::hint::black_box;
use std::io::{stdin, stdout, BufRead, Write};
use std::time::Instant;

const SHAPE: [usize; 3] = [192, 224, 208];
const SIZE: usize = 512;

type Call<'a> = Box<dyn FnMut() + 'a>;

/// Volumes of a patient.
struct Inputs {
    base: Vec<u8>,
    labels: Vec<u8>,
    /// 0 to 255 in runs, between much that is 0.
    thickness: Vec<u8>,
    /// 0 to 2 in runs.
    lesions: Vec<u8>,
}

fn main() {
    let voxels = 0..SHAPE.iter().product::<usize>();
    let inputs = Inputs {
        base: voxels.clone().map(|v| (64 + (v >> 5) % 128 + v * 31 % 17) as u8).collect(),
        labels: voxels.clone().map(|v| v / 9 % 145).map(|l| if l < 105 { l as u8 } else { 0 }).collect(),
        thickness: voxels.clone().map(|v| if v / 7 % 5 == 0 { (v / 7 % 256) as u8 } else { 0 }).collect(),
        lesions: voxels.map(|v| (v / 11 % 40).saturating_sub(37) as u8).collect(),
    };
    let mesh = std::env::args().nth(1).map(|file| std::fs::read(file).expect("a file"));
    println!("ready");
    let mut last: Option<(String, Call)> = None;
    for line in stdin().lock().lines() {
        let line = line.expect("a line");
        let (calls, name) = line.split_once(' ').unwrap_or(("1", ""));
        let calls = calls.parse().unwrap_or(1);
        if last.as_ref().is_none_or(|(old, _)| old != name) {
            last = call_of(name, &inputs, mesh.as_deref()).map(|call| (name.to_owned(), call));
        }
        match &mut last {
            Some((_, call)) => println!("{:.6}", round_ms(calls, call)),
            None => println!("-"),
        }
        stdout().flush().expect("an open pipe");
    }
}

/// ms a call.
fn round_ms(calls: usize, call: &mut Call) -> f64 {
    let start = Instant::now();
    (0..calls).for_each(|_| call());
    start.elapsed().as_secs_f64() * 1000.0 / calls as f64
}

fn call_of<'a>(name: &str, inputs: &'a Inputs, mesh: Option<&[u8]>) -> Option<Call<'a>> {
    let (kernel, what) = name.split_once(' ').unwrap_or((name, ""));
    match kernel {
        "slice" => slice(what, &inputs.base),
        "compose" => pane(what, inputs),
        "NPY" => file(what),
        "rasterise" => frame(what, mesh?),
        _ => None,
    }
}

fn slice<'a>(what: &str, base: &'a [u8]) -> Option<Call<'a>> {
    let axis = ["sagittal", "coronal", "axial"].iter().position(|name| *name == what)?;
    let (mut n, mut out) = (0, vec![0u8; base.len() / SHAPE[axis]]);
    Some(Box::new(move || {
        // another slice in each turn: the last one lies in the cache
        n = (n + 17) % SHAPE[axis];
        assert!(extract_slice(black_box(base), SHAPE, axis, n, black_box(&mut out)));
    }))
}

fn pane<'a>(what: &str, inputs: &'a Inputs) -> Option<Call<'a>> {
    let (plane, overlay) = what.split_once(" 512² ")?;
    let (across, down) = match plane {
        "axial" => (0, 1),
        "coronal" => (0, 2),
        "sagittal" => (1, 2),
        _ => return None,
    };
    let labels: &[u8] = match overlay {
        "base only" => &[],
        "with overlay" => &inputs.labels,
        "with thickness" => &inputs.thickness,
        "with lesions" => &inputs.lesions,
        _ => return None,
    };
    let table: [u32; LABELS] = std::array::from_fn(|n| 0xff00_0000 | (n as u32 * 2_654_435) & 0x00ff_ffff);
    let (mut colours, mut scratch) = ([0; LABELS], Scratch::default());
    scratch.reserve(SIZE).expect("memory");
    effective_colours(&table, &[1; LABELS], 153, &mut colours);
    let mut pixels = vec![0u32; SIZE * SIZE];
    let step = SHAPE.iter().copied().max().unwrap_or(1) as f64 / SIZE as f64;
    let mut mapping = Mapping { origin: SHAPE.map(|n| (n / 2) as f64), du: [0.0; 3], dv: [0.0; 3] };
    for (axis, is_across) in [(across, true), (down, false)] {
        mapping.origin[axis] = (SHAPE[axis] - 1) as f64 / 2.0 - step * (0.5 - SIZE as f64 / 2.0);
        *(if is_across { &mut mapping.du } else { &mut mapping.dv }).get_mut(axis).expect("axis") = -step;
    }
    Some(Box::new(move || {
        let volumes = Volumes { base: &inputs.base, labels, shape: SHAPE };
        let window = Window { width: 256.0, level: 128.0 };
        compose_slice(volumes, &mapping, window, &colours, SIZE, &mut scratch, black_box(&mut pixels));
    }))
}

/// A file of bytes of 256³ voxels, in pieces of the network.
fn file(what: &str) -> Option<Call<'static>> {
    let (descr, more) = what.split_once(' ').unwrap_or((what, ""));
    let order = if more == "Fortran order" { "True" } else { "False" };
    let &[order_mark, kind, size] = descr.as_bytes() else { return None };
    let size = usize::from(size - b'0');
    let shape = [256, 256, 256 / size];
    let text = format!("{{'descr':'{descr}','fortran_order':{order},'shape':({},256,256)}}", shape[2]);
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((text.len() as u16).to_le_bytes());
    file.extend(text.as_bytes());
    for n in 0..shape.iter().product::<usize>() {
        let value = match (kind, size, more) {
            (b'i', 1, "") => (n * 31 % 251) & 127,
            (b'b', 1, "") => (n * 31 % 251) & 1,
            _ => n * 31 % 251,
        };
        let mut bytes = match (kind, size) {
            (b'f', 4) => (value as f32).to_le_bytes().to_vec(),
            (b'f', _) => (value as f64).to_le_bytes().to_vec(),
            _ => value.to_le_bytes()[..size].to_vec(),
        };
        if order_mark == b'>' {
            bytes.reverse();
        }
        file.extend(bytes);
    }
    Some(Box::new(move || {
        let mut decoder = VolumeDecoder::new(shape, VoxelKind::Labels);
        for mut piece in file.chunks(1 << 16) {
            while !piece.is_empty() {
                let input = decoder.input();
                let length = input.len().min(piece.len());
                // SAFETY: the input is as long, and they are written.
                #[allow(unsafe_code)]
                unsafe {
                    input.cast::<u8>().copy_from_nonoverlapping(piece.as_ptr(), length);
                    decoder.advance(length).expect("a good file");
                }
                piece = &piece[length..];
            }
        }
        decoder.finish().expect("a good file");
        black_box(decoder.volume());
    }))
}

/// Takes words off the front.
fn take<'a>(words: &mut &'a [u32], count: usize) -> &'a [u32] {
    let (first, rest) = words.split_at(count);
    *words = rest;
    first
}

/// Frames while the camera turns. The file, in words of 32 bits: vertices, faces and views; positions, normals, faces,
/// colours; of each view width, height and 24 numbers.
fn frame(what: &str, file: &[u8]) -> Option<Call<'static>> {
    let (size, is_smooth) = match what.split_once(", ")? {
        (size, "a frame of a drag") => (size, false),
        (size, "the smooth frame at rest") => (size, true),
        _ => return None,
    };
    let words: Vec<u32> = file.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
    let mut left = &words[..];
    let counts = take(&mut left, 3).to_vec();
    let floats = |words: &[u32]| words.iter().map(|&word| f32::from_bits(word)).collect::<Vec<_>>();
    let positions = floats(take(&mut left, counts[0] as usize * 3));
    let normals = floats(take(&mut left, counts[0] as usize * 3));
    let mut mesh = Mesh::new(&positions, &normals, take(&mut left, counts[1] as usize * 3)).ok()?;
    mesh.colours[..counts[0] as usize].copy_from_slice(take(&mut left, counts[0] as usize));
    let (width, height) = size.split_once(" × ")?;
    let (width, height) = (width.parse::<usize>().ok()?, height.parse::<usize>().ok()?);
    let views: Vec<View> = left
        .chunks_exact(26)
        .filter(|view| (view[0] as usize, view[1] as usize) == (width, height))
        .map(|view| view_of(&floats(&view[2..])))
        .collect();
    let mut frame = Frame::default();
    frame.reserve(width, height, is_smooth).ok()?;
    let mut n = 0;
    Some(Box::new(move || {
        n = (n + 1) % views.len();
        draw(&mut mesh, black_box(&views[n]), &mut frame, width, height, is_smooth);
    }))
}

fn view_of(v: &[f32]) -> View {
    let row = |n: usize| [v[n], v[n + 1], v[n + 2], v[n + 3]];
    View {
        camera_from_ras: [row(0), row(4), row(8)],
        focal: v[12],
        near: v[13],
        far: v[14],
        light: [v[15], v[16], v[17]],
        half: [v[18], v[19], v[20]],
        ambient: v[21],
        diffuse: v[22],
        specular: v[23],
        is_culling: true,
    }
}
