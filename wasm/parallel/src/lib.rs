//! Work shared among the threads of one analysis. What a part computes may depend on its number only, never on the
//! thread that runs it, so that one thread and two give identical bytes; reductions go over the parts in their order.
//! Natively the threads are the machine's; in WebAssembly they are a `team` of Deno workers.

pub mod team;

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Calls `work` once on every thread and returns when all calls have returned.
pub type Executor = fn(work: &(dyn Fn() + Sync));

static EXECUTOR: OnceLock<Executor> = OnceLock::new();

/// Replaces the native threads; the first call wins.
pub fn set_executor(executor: Executor) {
    EXECUTOR.get_or_init(|| executor);
}

#[cfg(not(target_arch = "wasm32"))]
fn default_executor(work: &(dyn Fn() + Sync)) {
    let others = std::thread::available_parallelism().map_or(0, |n| n.get().min(8) - 1);
    std::thread::scope(|scope| {
        (0..others).for_each(|_| drop(scope.spawn(work)));
        work();
    });
}

#[cfg(target_arch = "wasm32")]
fn default_executor(work: &(dyn Fn() + Sync)) {
    work();
}

thread_local! {
    /// Set while this thread runs a part: the other threads are taken, and an executor is not reentrant.
    static IS_BUSY: Cell<bool> = const { Cell::new(false) };
}

/// Sets `IS_BUSY` until it is dropped, also by a panic.
struct Busy;

impl Busy {
    fn new() -> Self {
        IS_BUSY.set(true);
        Self
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        IS_BUSY.set(false);
    }
}

/// Runs `work(0)` to `work(parts - 1)`, each once, on whichever thread is free; inside another `run`, on this thread.
pub fn run(parts: usize, work: impl Fn(usize) + Sync) {
    if parts <= 1 || IS_BUSY.get() {
        return (0..parts).for_each(work);
    }
    let next = AtomicUsize::new(0);
    let claim = || {
        let _busy = Busy::new();
        loop {
            let part = next.fetch_add(1, Ordering::Relaxed);
            if part >= parts {
                break;
            }
            work(part);
        }
    };
    EXECUTOR.get().copied().unwrap_or(default_executor)(&claim);
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Results of `work(0)` to `work(parts - 1)` in that order.
pub fn map<T: Send>(parts: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let results: Vec<Mutex<Option<T>>> = (0..parts).map(|_| Mutex::new(None)).collect();
    run(parts, |part| {
        let result = work(part);
        *lock(&results[part]) = Some(result);
    });
    let filled = results.into_iter().map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner));
    filled.flatten().collect()
}

/// Cuts `data` into pieces of `len` values (the last may be shorter) and runs `work(piece number, piece)` on each.
pub fn for_each_chunk<T: Send>(data: &mut [T], len: usize, work: impl Fn(usize, &mut [T]) + Sync) {
    let pieces: Vec<Mutex<&mut [T]>> = data.chunks_mut(len.max(1)).map(Mutex::new).collect();
    run(pieces.len(), |part| work(part, &mut lock(&pieces[part])));
}

/// Like `for_each_chunk` over two slices cut at the same piece numbers.
pub fn for_each_chunk2<T: Send, U: Send>(
    (first, first_len): (&mut [T], usize),
    (second, second_len): (&mut [U], usize),
    work: impl Fn(usize, &mut [T], &mut [U]) + Sync,
) {
    let seconds = second.chunks_mut(second_len.max(1));
    let pieces: Vec<_> = first.chunks_mut(first_len.max(1)).zip(seconds).map(Mutex::new).collect();
    run(pieces.len(), |part| {
        let mut pair = lock(&pieces[part]);
        let (a, b) = &mut *pair;
        work(part, a, b);
    });
}

/// Sum of `work(part)` over all parts, added in the order of the parts.
pub fn sum(parts: usize, work: impl Fn(usize) -> f64 + Sync) -> f64 {
    map(parts, work).into_iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_calls_each_part_once() {
        let calls: Vec<AtomicUsize> = (0..1000).map(|_| AtomicUsize::new(0)).collect();
        run(calls.len(), |part| {
            calls[part].fetch_add(1, Ordering::Relaxed);
        });
        assert!(calls.iter().all(|c| c.load(Ordering::Relaxed) == 1));
    }

    #[test]
    fn run_inside_run_stays_on_its_thread() {
        let calls = AtomicUsize::new(0);
        run(8, |_| {
            let outer = std::thread::current().id();
            run(8, |_| {
                assert_eq!(std::thread::current().id(), outer);
                calls.fetch_add(1, Ordering::Relaxed);
            });
        });
        assert_eq!(calls.into_inner(), 64);
    }

    #[test]
    fn run_after_a_panic_shares_the_work_again() {
        let panics = || run(2, |_| panic!("on purpose"));
        assert!(std::panic::catch_unwind(panics).is_err());
        assert!(!IS_BUSY.get());
    }

    #[test]
    fn map_keeps_the_order_of_the_parts() {
        assert_eq!(map(257, |part| part * part), (0..257).map(|p| p * p).collect::<Vec<_>>());
        assert!(map(0, |part| part).is_empty());
    }

    #[test]
    fn for_each_chunk_gives_each_piece_its_number() {
        let mut data = vec![0usize; 1003];
        for_each_chunk(&mut data, 10, |part, piece| piece.fill(part));
        assert!(data.iter().enumerate().all(|(at, &part)| part == at / 10));
    }

    #[test]
    fn for_each_chunk2_pairs_pieces_of_the_same_number() {
        let (mut a, mut b) = (vec![0usize; 30], vec![0usize; 90]);
        for_each_chunk2((&mut a, 10), (&mut b, 30), |part, a, b| {
            assert_eq!((a.len(), b.len()), (10, 30));
            a.fill(part);
            b.fill(part);
        });
        assert!(b.iter().enumerate().all(|(at, &part)| part == at / 30) && a[29] == 2);
    }

    #[test]
    fn sum_does_not_depend_on_who_ran_what() {
        let value = |part: usize| 1.0 / (part as f64 + 0.1);
        assert_eq!(sum(5000, value), (0..5000).map(value).sum::<f64>());
    }
}
