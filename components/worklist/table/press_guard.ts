import { useState } from "react";

/** Fields that the guard reads of an event of the mouse or the pointer. */
interface PressEvent {
  target: unknown;
  detail: number;
  preventDefault(): void;
  stopPropagation(): void;
}

/** Number of the study that is pressed; `null`: none. */
const pressOf = ({ target }: PressEvent): string | null =>
  (target as Partial<Element> | null)?.closest?.("[data-pid]")?.getAttribute("data-pid") ?? null;

/**
 * Whether an event is a button's or a box's within a row: pressed twice, it still does its own work
 * only.
 */
const isOnControl = ({ target }: PressEvent): boolean =>
  !!(target as Partial<Element> | null)?.closest?.("button, a, input, select");

/** Handlers of {@link usePressGuard}. */
export function pressGuard() {
  let press: string | null = null;
  /** presses of the last two clicks: a double click is two */
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
      // 0: by keyboard, or by a program
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
 * Handlers of the element around the rows: a click counts for the study that was pressed. When
 * another list comes between press and release, another study is in its place, and nothing happens.
 * A double click on a button in a row is none on the row.
 */
export const usePressGuard = () => useState(pressGuard)[0];
