/**
 * Skips calls of a function while a call is running, such as calls of a timer on a slow machine:
 * two concurrent writes of one file would conflict.
 */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let isUnderWay = false;
  return async () => {
    if (isUnderWay) return;
    isUnderWay = true;
    try {
      await work();
    } finally {
      isUnderWay = false;
    }
  };
}
