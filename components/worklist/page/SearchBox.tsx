import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { CloseIcon } from "@/components/dialog/CloseIcon.tsx";

/** Pause in typing after which the search starts, ms. */
const DEBOUNCE_MS = 150;

interface SearchBoxProps {
  value: string;
  label: string;
  clearLabel: string;
  /** called at each key press: must apply the search, or keep the previous search */
  onBegin: (go: () => void, stay: () => void) => void;
  /**
   * called after a pause in typing, on Enter and when cleared;
   * must apply the search, or keep the previous one
   */
  onSearch: (text: string, stay: () => void) => void;
}

/** Search field that searches while the user types. */
export function SearchBox({ value, label, clearLabel, onBegin, onSearch }: SearchBoxProps) {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const input = useRef<HTMLInputElement>(null), latest = useRef(onSearch), sent = useRef(value);
  latest.current = onSearch;
  // sets the text in the same task as the list, not a task later
  useLayoutEffect(() => {
    // keeps the input if the list of an earlier search arrives after more was typed
    if (value === sent.current) return;
    sent.current = value;
    setText(value);
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const search = (next: string, delayMs: number) => {
    setText(next);
    clearTimeout(timer.current);
    const wanted = next.trim();
    if (wanted === sent.current) return;
    const send = () => {
      const previousText = sent.current;
      sent.current = wanted;
      latest.current(wanted, () => {
        sent.current = previousText;
        setText(previousText);
      });
    };
    onBegin(() => {
      clearTimeout(timer.current);
      timer.current = setTimeout(send, delayMs);
    }, () => setText(sent.current));
  };
  // keeps text that the user typed before hydration
  useEffect(() => {
    const typed = input.current!.value;
    if (typed !== value) search(typed, DEBOUNCE_MS);
  }, []);
  return (
    <div className="relative" role="search">
      <svg
        viewBox="0 0 20 20"
        className="absolute left-3 top-3 w-4 h-4 text-ink-faint pointer-events-none"
        fill="none"
        stroke="currentColor"
        aria-hidden="true"
      >
        <circle cx="9" cy="9" r="5.5" strokeWidth="1.6" />
        <path d="M13.2 13.2L17 17" strokeWidth="1.6" strokeLinecap="round" />
      </svg>
      <input
        ref={input}
        type="search"
        value={text}
        maxLength={100}
        aria-label={label}
        placeholder={label}
        onChange={(event) => search(event.currentTarget.value, DEBOUNCE_MS)}
        onKeyDown={(event) => {
          if (event.key === "Enter") search(text, 0);
          if (event.key === "Escape" && text !== "") search("", 0);
        }}
        className="search-input h-10 w-[300px] rounded-md border border-line-strong bg-white pl-9 pr-9 text-sm text-ink placeholder:text-ink-faint"
      />
      {text !== "" && (
        <button
          type="button"
          aria-label={clearLabel}
          onClick={() => search("", 0)}
          className="absolute right-1 top-1 w-8 h-8 rounded grid place-items-center text-ink-faint hover:bg-canvas"
        >
          <CloseIcon />
        </button>
      )}
    </div>
  );
}
