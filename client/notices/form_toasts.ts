import { useEffect } from "react";
import { type NoticeCode, removeToasts } from "@/client/notices/notices.ts";

/**
 * Removes toasts about a form or a dialog when it closes: their advice can no longer be followed.
 *
 * @param codes Of toasts about its fields; the outcome of a save is none, since saving closes it.
 */
export function useFormToasts(codes: readonly NoticeCode[]): void {
  useEffect(() => () => removeToasts(codes), [codes]);
}
