import type { Tool, ToolState } from "@/viewer/session/tool_state.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";

const KEYS: Readonly<Record<string, Tool>> = { s: "scroll", m: "ruler", a: "angle" };

/** Actions of tool keys that change more than the tool state. */
interface ToolActions {
  save(): void;
  toggleFullscreen(): void;
}

/** Keys of the tools. Escape ends one action at a time, before the viewer's Escape key acts. */
export function listenToToolKeys(
  session: ViewerSession,
  state: ToolState,
  actions: ToolActions,
): () => void {
  const stop = new AbortController();
  const act = (event: KeyboardEvent): boolean => {
    const key = event.key.toLowerCase();
    if (event.key === "Escape") return leave(session, state);
    if (key === "f" && event.shiftKey) actions.toggleFullscreen();
    else if (event.shiftKey) return false;
    else if (KEYS[key]) {
      state.discardUnfinished();
      state.tool.value = state.tool.peek() === KEYS[key] ? "crosshair" : KEYS[key];
    } else if (key === "g") {
      session.mosaic.value = session.mosaic.peek() === null ? session.activePane.peek() : null;
    } else if (key === "e") session.isOutlined.value = !session.isOutlined.peek();
    else if (key === "w") session.isReadingOpen.value = !session.isReadingOpen.peek();
    else if (key === "v") session.isComparing.value = !session.isComparing.peek();
    else if (key === "c") state.isPlaying.value = !state.isPlaying.peek();
    else if (event.key === "Delete" || event.key === "Backspace") return state.undo();
    else return false;
    return true;
  };
  document.addEventListener("keydown", (event) => {
    if (event.altKey || session.isHelpOpen.peek()) return;
    const target = event.target as Element | null;
    if (target?.closest("input, select, textarea, [contenteditable], [popover]")) return;
    const isSave = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s";
    const isUndo = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" &&
      !event.shiftKey;
    if (isSave) actions.save();
    // while labels are corrected, the undo key undoes brush strokes instead of measurements
    else if (isUndo && state.brush.peek() === null) {
      if (!state.undoMove()) return;
    } else if (event.ctrlKey || event.metaKey || !act(event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, { signal: stop.signal, capture: true });
  return () => stop.abort();
}

/** Ends the tool's current action. @returns false if there is no action to end. */
function leave(session: ViewerSession, state: ToolState): boolean {
  if (session.mosaic.peek() !== null) session.mosaic.value = null;
  else if (state.isPlaying.peek()) state.isPlaying.value = false;
  else if (state.tool.peek() !== "crosshair") {
    state.discardUnfinished();
    state.tool.value = "crosshair";
  } else return false;
  return true;
}
