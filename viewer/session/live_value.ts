import type { ReadonlySignal } from "@preact/signals-react";
import { useEffect, useRef } from "react";

/**
 * Shows a signal's text in an input or output element without a React render.
 * A field in which the user types is not changed.
 */
export function useLiveText<E extends HTMLInputElement | HTMLOutputElement, T>(
  source: ReadonlySignal<T>,
  wordsOf: (value: T) => string,
) {
  const element = useRef<E>(null), words = useRef(wordsOf);
  words.current = wordsOf;
  useEffect(() =>
    source.subscribe((value) => {
      const { current } = element;
      if (current && (current.type === "output" || current !== document.activeElement)) {
        current.value = words.current(value);
      }
    }), [source]);
  return element;
}

/** A slider that follows a signal even while focused. */
export function useLiveSlider<T>(source: ReadonlySignal<T>, numberOf: (value: T) => number) {
  const element = useRef<HTMLInputElement>(null), number = useRef(numberOf);
  number.current = numberOf;
  useEffect(() =>
    source.subscribe((value) => {
      const position = number.current(value);
      if (element.current && element.current.valueAsNumber !== position) {
        element.current.value = String(position);
      }
    }), [source]);
  return element;
}
