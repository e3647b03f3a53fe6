//! Threads that somebody else started, the helper workers of one analysis: they share the module and its memory, wait
//! here, and run what the main worker publishes.

use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

type Work<'a> = dyn Fn() + Sync + 'a;

/// A closure of the main worker's stack. It is alive as long as `execute` has not returned, and `execute` waits for
/// every helper that took it.
#[derive(Clone, Copy)]
struct Job(&'static Work<'static>);

struct State {
    job: Option<Job>,
    /// Number of jobs published so far.
    epoch: u64,
    /// Helpers that have not finished the current job.
    pending: usize,
    /// A helper panicked in the current job.
    has_panicked: bool,
    helpers: usize,
    is_closed: bool,
}

struct Team {
    state: Mutex<State>,
    published: Condvar,
    finished: Condvar,
}

static TEAM: Team = Team::new();

/// A worker that sleeps here cannot be ended by its owner; so nobody sleeps longer than this at a time.
const NAP: Duration = Duration::from_millis(100);

fn wait<'a>(on: &Condvar, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
    on.wait_timeout(state, NAP).unwrap_or_else(PoisonError::into_inner).0
}

impl Team {
    const fn new() -> Self {
        Self {
            state: Mutex::new(State {
                job: None,
                epoch: 0,
                pending: 0,
                has_panicked: false,
                helpers: 0,
                is_closed: false,
            }),
            published: Condvar::new(),
            finished: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[allow(unsafe_code)]
    fn execute(&self, work: &Work<'_>) {
        // SAFETY: the reference leaves this function only through `self.job`, which is cleared below after the last
        // helper has finished, also when `work` panics; the borrow outlives this call.
        let job = Job(unsafe { std::mem::transmute::<&Work<'_>, &'static Work<'static>>(work) });
        {
            let mut state = self.lock();
            state.job = Some(job);
            state.epoch += 1;
            state.pending = state.helpers;
            state.has_panicked = false;
        }
        self.published.notify_all();
        let own = catch_unwind(AssertUnwindSafe(work));
        let mut state = self.lock();
        while state.pending > 0 {
            state = wait(&self.finished, state);
        }
        state.job = None;
        let has_panicked = state.has_panicked;
        drop(state);
        if let Err(panic) = own {
            resume_unwind(panic);
        }
        assert!(!has_panicked, "a helper thread panicked");
    }

    fn join(&self) {
        let mut state = self.lock();
        state.helpers += 1;
        let mut seen = state.epoch;
        loop {
            while state.epoch == seen && !state.is_closed {
                state = wait(&self.published, state);
            }
            if state.is_closed {
                return;
            }
            seen = state.epoch;
            let job = state.job;
            drop(state);
            let ended = catch_unwind(AssertUnwindSafe(|| job.map(|Job(work)| work())));
            state = self.lock();
            state.has_panicked |= ended.is_err();
            state.pending -= 1;
            if state.pending == 0 {
                self.finished.notify_one();
            }
        }
    }

    fn close(&self) {
        self.lock().is_closed = true;
        self.published.notify_all();
    }
}

/// Calls `work` on this thread and on every helper; returns when all are done.
///
/// # Panics
/// When `work` panicked on any thread, after all are done; the team goes on. In WebAssembly a panic is a trap, which ends
/// its worker.
pub fn execute(work: &Work<'_>) {
    TEAM.execute(work);
}

/// Makes the calling worker a helper; returns when the team is closed. Blocks its thread.
pub fn join() {
    TEAM.join();
}

/// Threads of the team, the main worker included.
pub fn size() -> usize {
    TEAM.lock().helpers + 1
}

/// Lets the helpers return.
pub fn close() {
    TEAM.close();
}

/// Makes `run` use this team. Called once by the main worker.
pub fn lead() {
    crate::set_executor(execute);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Runs `main` with a team of two threads.
    fn with_helper(team: &Team, main: impl FnOnce()) {
        std::thread::scope(|scope| {
            scope.spawn(|| team.join());
            while team.lock().helpers == 0 {
                std::thread::yield_now();
            }
            let ended = catch_unwind(AssertUnwindSafe(main));
            team.close();
            ended.unwrap();
        });
    }

    #[test]
    fn execute_calls_the_work_on_every_thread() {
        let (team, calls) = (Team::new(), AtomicUsize::new(0));
        let count = || {
            calls.fetch_add(1, Ordering::Relaxed);
        };
        with_helper(&team, || {
            for _ in 0..3 {
                team.execute(&count);
            }
        });
        assert_eq!(calls.load(Ordering::Relaxed), 6);
    }

    #[test]
    fn a_panic_on_either_thread_reaches_the_caller_and_the_team_goes_on() {
        let (team, calls) = (Team::new(), AtomicUsize::new(0));
        let count = || {
            calls.fetch_add(1, Ordering::Relaxed);
        };
        with_helper(&team, || {
            let main = std::thread::current().id();
            for is_main in [true, false] {
                let before = calls.load(Ordering::Relaxed);
                let work = || {
                    count();
                    assert!((std::thread::current().id() == main) != is_main, "on purpose");
                };
                assert!(catch_unwind(AssertUnwindSafe(|| team.execute(&work))).is_err());
                // nobody still holds the closure
                assert_eq!(calls.load(Ordering::Relaxed), before + 2);
                assert!(team.lock().job.is_none());
            }
            team.execute(&count);
        });
        assert_eq!(calls.load(Ordering::Relaxed), 6);
    }
}
