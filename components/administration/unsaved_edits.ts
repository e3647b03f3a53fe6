import { useEffect } from "react";
import { confirmInModal } from "@/client/notices/present_error.ts";

/** Forms of the page with unsaved changes. */
const edited = new Set<symbol>();
const askFirst = (event: BeforeUnloadEvent) => event.preventDefault();

/** Makes the browser ask before the page is closed while a form has unsaved changes. */
export function useUnsavedEdits(isEdited: boolean): void {
  useEffect(() => {
    if (!isEdited) return;
    const form = Symbol();
    edited.add(form);
    addEventListener("beforeunload", askFirst);
    return () => {
      edited.delete(form);
      removeEventListener("beforeunload", askFirst);
    };
  }, [isEdited]);
}

/** Asks before a part of the page with an unsaved form is removed; `true`: it may be removed. */
export const mayDiscardEdits = async (): Promise<boolean> =>
  edited.size === 0 || await confirmInModal("changes.discard");
