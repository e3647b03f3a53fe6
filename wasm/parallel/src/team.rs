//! Threads that somebody else started, the helper workers of one analysis: they share the module and its memory, wait
//! here, and run what the main worker publishes.

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
    helpers: usize,
    is_closed: bool,
}

struct Team {
    state: Mutex<State>,
    published: Condvar,
    finished: Condvar,
}

static TEAM: Team = Team {
    state: Mutex::new(State { job: None, epoch: 0, pending: 0, helpers: 0, is_closed: false }),
    published: Condvar::new(),
    finished: Condvar::new(),
};

fn lock() -> MutexGuard<'static, State> {
    TEAM.state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A worker that sleeps here cannot be ended by its owner; so nobody sleeps longer than this at a time.
const NAP: Duration = Duration::from_millis(100);

fn wait<'a>(on: &Condvar, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
    on.wait_timeout(state, NAP).unwrap_or_else(PoisonError::into_inner).0
}

/// Calls `work` on this thread and on every helper; returns when all are done.
#[allow(unsafe_code)]
pub fn execute(work: &Work<'_>) {
    // SAFETY: the reference leaves this function only through `TEAM.job`, which is cleared below after the last helper
    // has finished; the borrow outlives this call.
    let job = Job(unsafe { std::mem::transmute::<&Work<'_>, &'static Work<'static>>(work) });
    {
        let mut state = lock();
        state.job = Some(job);
        state.epoch += 1;
        state.pending = state.helpers;
    }
    TEAM.published.notify_all();
    work();
    let mut state = lock();
    while state.pending > 0 {
        state = wait(&TEAM.finished, state);
    }
    state.job = None;
}

/// Makes the calling worker a helper; returns when the team is closed. Blocks its thread.
pub fn join() {
    let mut state = lock();
    state.helpers += 1;
    let mut seen = state.epoch;
    loop {
        while state.epoch == seen && !state.is_closed {
            state = wait(&TEAM.published, state);
        }
        if state.is_closed {
            return;
        }
        seen = state.epoch;
        let job = state.job;
        drop(state);
        if let Some(Job(work)) = job {
            work();
        }
        state = lock();
        state.pending -= 1;
        if state.pending == 0 {
            TEAM.finished.notify_one();
        }
    }
}

/// Threads of the team, the main worker included.
pub fn size() -> usize {
    lock().helpers + 1
}

/// Lets the helpers return.
pub fn close() {
    lock().is_closed = true;
    TEAM.published.notify_all();
}

/// Makes `run` use this team. Called once by the main worker.
pub fn lead() {
    crate::set_executor(execute);
}
