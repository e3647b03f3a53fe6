// Rows that nobody sees: how long they are painted, which is what most of a turn to them would cost.
import { type RefObject, useEffect } from "react";
import { afterFrame } from "@/components/worklist/after_frame.ts";

/** Keys that press what has the focus. Every other key may search in the page, select, or go to the next control. */
const PRESSES: ReadonlySet<string> = new Set(["Enter", " "]);

/** Whether an event is that of a control which may show another list: a button, but not one of a row. */
const isOnControl = ({ target }: Event): boolean =>
  target instanceof Element && target.closest("button") !== null && target.closest("tbody") === null;

/**
 * Puts rows that are not seen at rest: laid out, but neither painted nor found nor reached by any key. Rows of a list
 * that is expected stay painted as long as the pointer is on a control and no key is pressed.
 *
 * @param changes What draws the rows anew.
 */
export function useRowsAtRest(
  body: RefObject<HTMLElement | null>,
  isFront: boolean,
  isExpected: boolean,
  changes: readonly unknown[],
): void {
  useEffect(() => {
    const { dataset } = body.current!;
    const wake = () => void delete dataset.atRest, rest = () => void (dataset.atRest = "");
    wake();
    if (isFront) return;
    // laid out in the frame that is being made
    if (!isExpected) return afterFrame(rest);
    const onPointer = (event: Event) => isOnControl(event) ? wake() : rest();
    const onKey = ({ key }: KeyboardEvent) => PRESSES.has(key) || rest();
    addEventListener("pointerover", onPointer);
    addEventListener("keydown", onKey, { capture: true });
    return () => {
      removeEventListener("pointerover", onPointer);
      removeEventListener("keydown", onKey, { capture: true });
    };
  }, [isFront, isExpected, ...changes]);
}
