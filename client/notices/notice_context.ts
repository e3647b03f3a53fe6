import { useEffect } from "react";
import { enterContext, leaveContext, noteAct } from "@/client/notices/notices.ts";

/**
 * Browser events that count as actions of the user.
 * A screen reader sends a click without a pointer event.
 */
const ACTS = ["pointerdown", "keydown", "click"] as const;

/**
 * Registers a form or dialog as the context of toasts that are shown while it is open.
 * Such toasts are closed when the user leaves the form, because their advice no longer applies.
 *
 * @param isContext  False for a question about a form, during which toasts belong to the form.
 */
export function useNoticeContext(isContext = true): void {
  useEffect(() => {
    if (!isContext) return;
    const context = enterContext(), note = () => noteAct();
    // listens before all other listeners, so that a toast counts as a result of the action
    for (const name of ACTS) addEventListener(name, note, { capture: true });
    return () => {
      leaveContext(context);
      for (const name of ACTS) removeEventListener(name, note, { capture: true });
    };
  }, [isContext]);
}
