// Signs that a control is about to be pressed.
import type { PointerEvent } from "react";

/** A pointer that rests on a control for so long presses it in half of all cases (instant.page). */
const DWELL_MS = 65;

let dwell: ReturnType<typeof setTimeout> | undefined;

/**
 * Handlers of a control that does `act` when it is pressed. They call `expect` when a mouse rests on it, when it is down,
 * and after it was pressed: who goes to the next page often goes on.
 */
export function expecting(expect: () => void, act: () => void) {
  const wait = () => {
    clearTimeout(dwell);
    dwell = setTimeout(expect, DWELL_MS);
  };
  return {
    onPointerEnter: ({ pointerType }: PointerEvent) => pointerType === "mouse" && wait(),
    onPointerLeave: () => clearTimeout(dwell),
    onPointerDown: () => {
      clearTimeout(dwell);
      expect();
    },
    onClick: () => {
      act();
      wait();
    },
  };
}
