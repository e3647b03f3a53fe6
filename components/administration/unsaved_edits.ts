import { useEffect } from "react";
import { confirmInModal } from "@/client/notices/present_error.ts";
import { hasUnsavedForm, keepUnsaved } from "@/client/page/unsaved_work.ts";

/** Makes the browser ask before the page is closed while a form has unsaved changes. */
export function useUnsavedEdits(isEdited: boolean): void {
  useEffect(() => isEdited ? keepUnsaved() : undefined, [isEdited]);
}

/** Asks before a part of the page with an unsaved form is removed; `true`: remove it. */
export const mayDiscardEdits = async (): Promise<boolean> =>
  !hasUnsavedForm() || await confirmInModal("changes.discard");
