/**
 * Leaves out the calls that come while one is under way, as a timer's on a machine that is held up:
 * two that write one file would take it from each other.
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
