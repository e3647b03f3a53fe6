import { useEffect } from "react";
import type { ViewerSession } from "@/viewer/session/session.ts";

/** Handles letter keys outside text fields; `act` returns whether the key was used. */
export function useLetterKeys(
  session: ViewerSession,
  letters: string,
  act: (letter: string) => boolean,
): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (
        event.ctrlKey || event.metaKey || event.altKey || event.shiftKey ||
        session.isHelpOpen.peek()
      ) {
        return;
      }
      const target = event.target as Element | null, letter = event.key.toLowerCase();
      if (letter.length !== 1 || !letters.includes(letter)) return;
      if (
        target?.closest?.("input:not([type=range]), select, textarea, [contenteditable], [popover]")
      ) {
        return;
      }
      if (act(letter)) event.preventDefault();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  });
}
