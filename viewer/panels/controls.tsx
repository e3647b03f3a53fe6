// Small controls used in all toolbars of the viewer.
import type { ReadonlySignal, Signal } from "@preact/signals-react";
import { useSignals } from "@preact/signals-react/runtime";
import { type ReactNode, useMemo } from "react";
import { useLiveSlider, useLiveText } from "@/viewer/session/live_value.ts";

export const BUTTON =
  "inline-flex items-center justify-center gap-1.5 h-8 shrink-0 rounded border text-sm whitespace-nowrap disabled:opacity-40 focus-visible:ring-2 ring-cyan-400 outline-none";
export const OFF = "border-gray-700 text-gray-200 hover:bg-gray-800";
export const ON = "border-cyan-500 bg-cyan-900 text-white";
export const FIELD =
  "h-8 bg-gray-800 border border-gray-500 rounded text-sm text-gray-100 px-2 outline-none focus-visible:ring-2 ring-cyan-400 disabled:opacity-40";

/** Separator between groups of controls, shown if there is enough width. */
export const Divider = () => <div className="hidden xl:block w-px h-6 bg-gray-700 shrink-0" />;

interface ToggleProps {
  /** called on a click instead of toggling `state` */
  onToggle?: () => void;
  state: Signal<boolean>;
  text: string;
  hint?: string;
  isReady: boolean;
  /** icon before the text; without `isTextShown`, only the icon */
  mark?: ReactNode;
  isTextShown?: boolean;
}

/** Button that turns a signal on and off. */
export function Toggle(
  { state, onToggle, text, hint = text, isReady, mark, isTextShown = true }: ToggleProps,
) {
  useSignals();
  return (
    <button
      type="button"
      aria-pressed={state.value}
      aria-label={isTextShown ? undefined : text}
      title={hint}
      disabled={!isReady}
      onClick={onToggle ?? (() => state.value = !state.value)}
      className={`${BUTTON} ${isTextShown ? "px-2.5" : "w-8"} ${state.value ? ON : OFF}`}
    >
      {mark}
      {isTextShown && text}
    </button>
  );
}

interface SliderProps {
  /** visible text; `name` is the longer text for screen readers, if different */
  text?: string;
  name?: string;
  source: ReadonlySignal<number>;
  onValue: (value: number) => void;
  wordsOf: (value: number) => string;
  min: number;
  max: number;
  step: number;
  isReady: boolean;
  /** CSS class names of the slider and of the number beside it */
  width?: string;
  numberWidth?: string;
}

/** A slider with a number; moving the slider triggers no React render. */
export function Slider(
  { text, name, source, onValue, wordsOf, isReady, width = "w-24", numberWidth = "w-11", ...range }:
    SliderProps,
) {
  const input = useLiveSlider(source, (value) => value);
  const output = useLiveText<HTMLOutputElement, number>(source, wordsOf);
  const start = useMemo(() => source.peek(), [source]);
  return (
    <label className="flex items-center gap-2 text-sm whitespace-nowrap">
      {text}
      <input
        ref={input}
        type="range"
        {...range}
        defaultValue={start}
        disabled={!isReady}
        aria-label={name}
        className={`${width} accent-cyan-500 disabled:opacity-40`}
        onInput={(event) => onValue(event.currentTarget.valueAsNumber)}
      />
      <output ref={output} className={`${numberWidth} text-right tabular-nums text-gray-100`}>
        {wordsOf(start)}
      </output>
    </label>
  );
}

interface ChoiceProps<T extends string> {
  name: string;
  value: T;
  options: readonly {
    value: T;
    text: string;
    hint?: string;
    mark?: ReactNode;
    words?: ReactNode;
    isDisabled?: boolean;
  }[];
  onChoose: (value: T) => void;
  isReady?: boolean;
}

/**
 * Exclusive options side by side. An option with an icon uses its text as the accessible name only.
 * `words` replaces both the visible text and the accessible name of an option.
 */
export function Choice<T extends string>(
  { name, value, options, onChoose, isReady = true }: ChoiceProps<T>,
) {
  return (
    <div
      role="group"
      aria-label={name}
      className="flex shrink-0 rounded border border-gray-700 overflow-hidden"
    >
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={value === option.value}
          aria-label={option.mark ? option.text : undefined}
          title={option.hint ?? (option.mark ? option.text : undefined)}
          disabled={!isReady || option.isDisabled}
          onClick={() => onChoose(option.value)}
          className={`inline-flex items-center h-[30px] px-1.5 xl:px-2 text-sm whitespace-nowrap outline-none focus-visible:ring-2 ring-inset ring-cyan-400 disabled:opacity-40 ${
            value === option.value ? "bg-gray-700 text-white" : "text-gray-300 hover:bg-gray-800"
          }`}
        >
          {option.mark ?? option.words ?? option.text}
        </button>
      ))}
    </div>
  );
}

/** Draws a 16 × 16 icon in the colour of the text. */
export const Icon = ({ path }: { path: string }) => (
  <svg viewBox="0 0 16 16" className="w-4 h-4" aria-hidden="true">
    <path d={path} fill="none" stroke="currentColor" strokeWidth="1.4" />
  </svg>
);
