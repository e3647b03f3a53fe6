import { useEffect } from "react";
import { type NoticeCode, removeToasts } from "@/client/notices/notices.ts";

/**
 * Removes toasts about a form or dialog when the form closes,
 * because their advice no longer applies.
 *
 * @param codes Error codes about the fields of the form;
 * save results are excluded, since saving closes the form.
 */
export function useFormToasts(codes: readonly NoticeCode[]): void {
  useEffect(() => () => removeToasts(codes), [codes]);
}
