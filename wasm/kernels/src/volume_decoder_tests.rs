use super::*;
use crate::random::Random;

fn file(descr: &str, is_fortran: bool, [nx, ny, nz]: [usize; 3], elements: &[u8]) -> Vec<u8> {
    let order = if is_fortran { "True" } else { "False" };
    let text = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': ({nz}, {ny}, {nx}), }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend(elements);
    bytes
}

/// Feeds a file in pieces of random length.
fn feed(decoder: &mut VolumeDecoder, bytes: &[u8], random: &mut Random) -> Result<(), NpyError> {
    let mut at = 0;
    while at < bytes.len() {
        let piece = 1 + random.below(40);
        let input = decoder.input();
        let length = piece.min(input.len()).min(bytes.len() - at);
        if length == 0 {
            break;
        }
        // SAFETY: the input is as long, and they are written.
        #[allow(unsafe_code)]
        unsafe {
            input.cast::<u8>().copy_from_nonoverlapping(bytes[at..].as_ptr(), length);
            decoder.advance(length)?;
        }
        at += length;
    }
    decoder.finish()
}

const TYPES: [(&str, usize); 14] = [
    ("|b1", 1),
    ("|u1", 1),
    ("|i1", 1),
    ("<u2", 2),
    (">u2", 2),
    ("<i2", 2),
    (">i2", 2),
    ("<u4", 4),
    (">u4", 4),
    ("<i4", 4),
    ("<f4", 4),
    (">f4", 4),
    ("<f8", 8),
    (">f8", 8),
];

#[test]
fn volume_decoder_equals_decoding_the_whole_file_whatever_the_pieces() {
    let mut random = Random(0x1234_5678_9abc_def1);
    for round in 0..300 {
        let (descr, size) = TYPES[round % TYPES.len()];
        let is_fortran = random.below(3) == 0;
        let shape = [0; 3].map(|_: usize| 1 + random.below(9));
        let count: usize = shape.iter().product();
        let elements: Vec<u8> = (0..count * size).map(|_| random.next() as u8).collect();
        let mut bytes = file(descr, is_fortran, shape, &elements);
        let layout = read_layout(&bytes, bytes.len()).unwrap();
        let mut want = vec![0u8; count];
        decode(&elements, &layout, &mut want).unwrap();
        if random.below(2) == 0 {
            bytes.extend([7; 9]);
        }
        let mut decoder = VolumeDecoder::new(shape, VoxelKind::Labels);
        feed(&mut decoder, &bytes, &mut random).unwrap();
        assert_eq!((decoder.volume(), decoder.ready()), (&want[..], count), "{descr} {is_fortran} {shape:?}");
        assert_eq!(decoder.total_bytes(), Some(layout.offset + elements.len()));
        let k = random.below(shape[2]);
        match decoder.slice_range(k) {
            None => assert!(is_fortran),
            Some((first, length)) => {
                let voxels = shape[0] * shape[1];
                assert_eq!(decoder.slice(&bytes[first..first + length]), want[k * voxels..(k + 1) * voxels]);
                assert!(decoder.slice(&bytes[first..first + length - 1]).is_empty());
            }
        }
        assert_eq!(decoder.slice_range(shape[2]), None);
    }
}

#[test]
fn volume_decoder_reads_intensities_by_their_range_and_thickness_in_mm() {
    let mut random = Random(5);
    let mut read = |descr: &str, elements: &[u8], meaning| {
        let size = usize::from(descr.as_bytes()[2] - b'0');
        let shape = [elements.len() / size, 1, 1];
        let mut decoder = VolumeDecoder::new(shape, meaning);
        feed(&mut decoder, &file(descr, false, shape, elements), &mut random).unwrap();
        decoder.volume().to_vec()
    };
    let i2 = |values: &[i16]| values.iter().flat_map(|v| v.to_be_bytes()).collect::<Vec<u8>>();
    let f4 = |values: &[f32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    assert_eq!(read(">i2", &i2(&[0, 7, 255]), VoxelKind::Intensity), [0, 7, 255]);
    assert_eq!(read(">i2", &i2(&[-100, 155, 410]), VoxelKind::Intensity), [0, 128, 255]);
    assert_eq!(read(">i2", &i2(&[-100, 155, 410]), VoxelKind::Labels), [0, 155, 255]);
    assert_eq!(read("<f4", &f4(&[0.0, 0.5, 1.0]), VoxelKind::Intensity), [0, 128, 255]);
    assert_eq!(read("<f4", &f4(&[0.0, 2.5, 5.0, 9.0]), VoxelKind::Thickness), [0, 128, 255, 255]);
    assert_eq!(read(">i2", &i2(&[0, 128, 300]), VoxelKind::Thickness), [0, 128, 255]);
    assert_eq!(read("|u1", &[0, 128, 255], VoxelKind::Intensity), [0, 128, 255]);
}

#[test]
fn volume_decoder_names_what_is_wrong_wherever_a_file_ends() {
    let mut random = Random(11);
    for descr in ["|u1", "<f4"] {
        let shape = [3, 2, 2];
        let elements = vec![1u8; 12 * if descr == "|u1" { 1 } else { 4 }];
        let bytes = file(descr, false, shape, &elements);
        let head = bytes.len() - elements.len();
        for cut in 0..bytes.len() {
            let mut decoder = VolumeDecoder::new(shape, VoxelKind::Labels);
            let error = feed(&mut decoder, &bytes[..cut], &mut random).unwrap_err();
            let want = match cut {
                _ if cut < 10 => NpyError::NotNpy,
                _ if cut < head => NpyError::Header,
                _ => NpyError::Truncated,
            };
            assert_eq!(error, want, "{descr} cut at {cut}");
        }
        let mut other = VolumeDecoder::new([3, 2, 3], VoxelKind::Labels);
        assert_eq!(feed(&mut other, &bytes, &mut random), Err(NpyError::Shape));
    }
    let mut page = VolumeDecoder::new([3, 2, 2], VoxelKind::Labels);
    assert_eq!(feed(&mut page, b"<!doctype html><html></html>", &mut random), Err(NpyError::NotNpy));
    let mut long = VolumeDecoder::new([3, 2, 2], VoxelKind::Labels);
    assert_eq!(feed(&mut long, b"\x93NUMPY\x02\x00\xff\xff\xff\x7f{}", &mut random), Err(NpyError::Header));
}
