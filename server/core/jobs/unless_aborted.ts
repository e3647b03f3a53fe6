/**
 * Settles like the promise, or rejects with the signal's reason if the signal aborts before.
 * The listener is then removed: with `Promise.race` and a signal that lives as long as a job,
 * all awaited results would stay in memory until the job ends.
 */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
