import { useEffect } from "react";
import { enterContext, leaveContext, noteAct } from "@/client/notices/notices.ts";

/** Events of an act of the user; a screen reader's activation is a click without a pointer. */
const ACTS = ["pointerdown", "keydown", "click"] as const;

/**
 * Makes a form or dialog the context of the toasts that are shown while it is open: they go when
 * the user leaves it, because their advice no longer applies.
 *
 * @param isContext  Whether it is one; a question is part of the context that asks it.
 */
export function useNoticeContext(isContext = true): void {
  useEffect(() => {
    if (!isContext) return;
    const context = enterContext(), note = () => noteAct();
    // first of all listeners, so that a toast that the act shows counts as its result
    for (const name of ACTS) addEventListener(name, note, { capture: true });
    return () => {
      leaveContext(context);
      for (const name of ACTS) removeEventListener(name, note, { capture: true });
    };
  }, [isContext]);
}
