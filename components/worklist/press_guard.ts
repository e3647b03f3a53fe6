import { type MouseEvent, type PointerEvent, useRef } from "react";

const pidAt = ({ target }: { target: EventTarget }): string | null | undefined =>
  target instanceof Element ? target.closest("[data-pid]")?.getAttribute("data-pid") : null;

/**
 * Handlers of the element around the rows: a click counts for the study that was pressed. When another list comes
 * between press and release, the same element has become another study, and nothing happens.
 */
export function usePressGuard() {
  // of the last press and the one before: a double click is two
  const pressed = useRef<[before: unknown, last: unknown]>([null, null]);
  const stop = (event: MouseEvent) => {
    event.preventDefault();
    event.stopPropagation();
  };
  return {
    onPointerDownCapture: (event: PointerEvent) => {
      pressed.current = [pressed.current[1], pidAt(event)];
    },
    onClickCapture: (event: MouseEvent) => {
      // 0: by keyboard, or by a program
      if (event.detail > 0 && pressed.current[1] !== pidAt(event)) stop(event);
    },
    onDoubleClickCapture: (event: MouseEvent) => {
      const pid = pidAt(event);
      if (pressed.current.some((each) => each !== pid)) stop(event);
    },
  };
}
