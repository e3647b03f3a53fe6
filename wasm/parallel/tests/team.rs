//! Alone in its process: the first executor stays.

use parallel::team::{close, execute, join, lead, size};
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
fn execute_runs_on_every_helper_and_waits_for_the_slowest() {
    lead();
    let helpers: Vec<_> = (0..3).map(|_| std::thread::spawn(join)).collect();
    while size() < 4 {
        std::thread::yield_now();
    }
    for round in 0..200 {
        let calls = AtomicUsize::new(0);
        execute(&|| {
            if round % 7 == 0 {
                std::thread::sleep(std::time::Duration::from_micros(50));
            }
            calls.fetch_add(1, Ordering::SeqCst);
        });
        assert_eq!(calls.load(Ordering::SeqCst), 4);
        assert_eq!(parallel::sum(64, |part| part as f64), 2016.0);
    }
    close();
    helpers.into_iter().for_each(|h| h.join().unwrap());
}
