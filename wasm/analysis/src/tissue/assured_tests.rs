use super::*;
use crate::numbers::random::Random;

const SHAPE: Shape = [11, 9, 8];
const COUNT: usize = 11 * 9 * 8;

fn place(v: usize) -> [usize; 3] {
    [v % 11, v / 11 % 9, v / 99]
}

/// By definition: pieces by passing the lowest index on until nothing changes.
fn naive(labels: &[u8], seen: &[u8]) -> Vec<u8> {
    let mut out: Vec<u8> = labels
        .iter()
        .zip(seen)
        .map(|(&l, &s)| match (l, s) {
            (9, 1) => 1,
            (10, 2) => 2,
            _ => l,
        })
        .collect();
    let is_part = |v: usize| labels[v] == 105 && (seen[v] == 17 || seen[v] == 18);
    let mut piece: Vec<usize> = (0..COUNT).collect();
    loop {
        let before = piece.clone();
        for a in 0..COUNT {
            for b in 0..COUNT {
                let (p, q) = (place(a), place(b));
                let near = (0..3).map(|i| p[i].abs_diff(q[i])).sum::<usize>() == 1;
                if near && is_part(a) && is_part(b) && seen[a] == seen[b] {
                    piece[a] = piece[a].min(piece[b]);
                }
            }
        }
        if piece == before {
            break;
        }
    }
    for v in (0..COUNT).filter(|&v| is_part(v)) {
        let size = (0..COUNT).filter(|&n| is_part(n) && piece[n] == piece[v]).count();
        out[v] = if size >= 8 { seen[v] } else { 105 };
    }
    out
}

#[test]
fn settle_agrees_with_the_definition() {
    let mut random = Random::new(91);
    for _ in 0..4 {
        // three of four are the first, so that pieces of all sizes come together
        let pick = |random: &mut Random, usual: u8, others: &[u8]| match random.below(4) {
            0 => others[random.below(others.len())],
            _ => usual,
        };
        let labels: Vec<u8> =
            (0..COUNT).map(|_| pick(&mut random, 105, &[17, 18, 15, 1, 9, 10, 19])).collect();
        let seen: Vec<u8> = (0..COUNT)
            .map(|v| pick(&mut random, 17 + u8::from(place(v)[0] > 5), &[17, 15, 16, 1, 2, 9, 21, 0]))
            .collect();
        let mut got = labels.clone();
        settle(&mut got, SHAPE, &seen);
        let want = naive(&labels, &seen);
        assert!(got == want);
        assert!(want.iter().zip(&labels).any(|(&w, &l)| l == 105 && w != 105), "no piece is large enough");
    }
}

#[test]
fn settle_changes_nothing_without_the_network() {
    let mut random = Random::new(92);
    let labels: Vec<u8> = (0..COUNT).map(|_| [105, 17, 15, 19][random.below(4)]).collect();
    let mut got = labels.clone();
    settle(&mut got, SHAPE, &[]);
    settle(&mut got, SHAPE, &vec![0; COUNT]);
    assert_eq!(got, labels);
}
