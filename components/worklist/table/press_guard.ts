import { useState } from "react";

/** Fields of a mouse or pointer event that the guard uses. */
interface PressEvent {
  target: unknown;
  detail: number;
  preventDefault(): void;
  stopPropagation(): void;
}

/** Number of the study in the row under the event; `null`: none. */
const pressOf = ({ target }: PressEvent): string | null =>
  (target as Partial<Element> | null)?.closest?.("[data-pid]")?.getAttribute("data-pid") ?? null;

/**
 * Whether an event belongs to a button or check box within a row:
 * a double click on it must not act on the row.
 */
const isOnControl = ({ target }: PressEvent): boolean =>
  !!(target as Partial<Element> | null)?.closest?.("button, a, input, select");

/** Handlers of {@link usePressGuard}. */
export function pressGuard() {
  let press: string | null = null;
  /** studies of the last two clicks; only two clicks on the same study are a double click */
  let clicked: (string | null)[] = [null, null];
  const stopIfAnother = (event: PressEvent, before: (string | null)[]) => {
    const press = pressOf(event);
    if (press === null || !before.some((each) => each !== null && each !== press)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return {
    onPointerDownCapture: (event: PressEvent) => void (press = pressOf(event)),
    onClickCapture: (event: PressEvent) => {
      // `detail` is 0 for a click by the keyboard or by a script
      if (event.detail > 0) stopIfAnother(event, [press]);
      clicked = [clicked[1]!, press];
      press = null;
    },
    onDoubleClickCapture: (event: PressEvent) => {
      if (isOnControl(event)) event.stopPropagation();
      else stopIfAnother(event, clicked);
    },
  };
}

/**
 * Handlers for the element around the rows. A click counts only for the study on which the press
 * began. If another list appears between press and release, nothing happens. A double click on a
 * button in a row does not count as one on the row.
 */
export const usePressGuard = () => useState(pressGuard)[0];
