/** Calls when the frame that is being made has been drawn; the returned function ends the wait. */
export function afterFrame(call: () => void): () => void {
  let isOver = false;
  const frame = requestAnimationFrame(() => setTimeout(() => isOver || call()));
  return () => {
    isOver = true;
    cancelAnimationFrame(frame);
  };
}
