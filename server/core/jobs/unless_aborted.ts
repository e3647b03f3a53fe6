/**
 * A promise, or the reason of the signal when that is aborted first. Afterwards the signal holds
 * nothing of it: with `Promise.race` against one that lasts as long as a job, everything that was
 * waited for would stay until its end.
 */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
