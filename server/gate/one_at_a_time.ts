/**
 * Skips calls while one is running, such as those of a timer on a slow machine.
 * Two concurrent writes of one file would conflict.
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
