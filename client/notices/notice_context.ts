import { useEffect } from "react";
import { enterContext, leaveContext, noteAct } from "@/client/notices/notices.ts";

/** Events of an act of the user; a screen reader's activation is a click without a pointer. */
const ACTS = ["pointerdown", "keydown", "click"] as const;

/**
 * Makes a form or dialog the context of toasts shown while it is open. Such toasts are closed
 * when the user leaves the form, because their advice no longer applies.
 *
 * @param isContext  Whether this is a context; a question belongs to the context that asks it.
 */
export function useNoticeContext(isContext = true): void {
  useEffect(() => {
    if (!isContext) return;
    const context = enterContext(), note = () => noteAct();
    // the first of all listeners, so that a toast shown by the action counts as a result of it
    for (const name of ACTS) addEventListener(name, note, { capture: true });
    return () => {
      leaveContext(context);
      for (const name of ACTS) removeEventListener(name, note, { capture: true });
    };
  }, [isContext]);
}
