/** ms in which a slow computer, too, has drawn a frame. */
const DRAWN_MS = 32;

/** Calls when the frame that is being made has been drawn; the returned function ends the wait. */
export function afterFrame(call: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const frame = requestAnimationFrame(() => timer = setTimeout(call, DRAWN_MS));
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}
