import { type KeyboardEvent, useRef, useState } from "react";
import { completeTypedDay, isDay, normaliseDay } from "@/model/time/day.ts";
import { type Language, textIn } from "@/model/text.ts";
import { dayText } from "@/model/text/day.ts";
import { Calendar } from "@/components/day/Calendar.tsx";

interface DayBoxProps {
  /** `YYYY-MM-DD`, empty, or incomplete input */
  value: string;
  /** date highlighted in the calendar, YYYY-MM-DD */
  today: string;
  name: string;
  language: Language;
  isBad?: boolean;
  /** id of the element with the error text */
  describedBy?: string;
  /** id of the input element */
  className: string;
  /** CSS class for the width of the field */
  width: string;
  /** called for a complete or empty date, and for any text when the field loses focus */
  onChange: (value: string) => void;
}

/**
 * A date field with a calendar, in the order year, month, day.
 * A native date input would follow the browser's locale.
 */
export function DayBox(
  { value, today, name, language, isBad = false, describedBy, className, width, onChange }:
    DayBoxProps,
) {
  const [typed, setTyped] = useState<string | null>(null), [isOpen, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const shownDay = typed ?? value;
  const leave = () => {
    if (typed === null) return;
    setTyped(null);
    if (normaliseDay(typed) !== value) onChange(normaliseDay(typed));
  };
  const type = (text: string) => {
    const day = completeTypedDay(text, shownDay);
    setTyped(day);
    if (day !== value && (day === "" || isDay(day))) onChange(day);
  };
  const byKey = (event: KeyboardEvent) => {
    // Enter submits the current text together with the form
    if (event.key === "Enter") leave();
    if (event.key !== "ArrowDown" || !event.altKey) return;
    event.preventDefault();
    setOpen(true);
  };
  return (
    <div className={`relative ${width}`}>
      <input
        ref={input}
        inputMode="numeric"
        autoComplete="off"
        value={shownDay}
        placeholder={textIn(dayText.form, language)}
        aria-label={name}
        aria-invalid={isBad}
        aria-describedby={describedBy}
        aria-keyshortcuts="Alt+ArrowDown"
        onChange={(event) => type(event.currentTarget.value)}
        onBlur={leave}
        onKeyDown={byKey}
        className={`${className} w-full tabular placeholder:text-ink-faint`}
      />
      <button
        type="button"
        aria-label={textIn(dayText.open, language, { field: name })}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="calendar-button absolute right-px top-px bottom-px w-7 rounded hover:bg-brand-100"
      />
      {isOpen && (
        <Calendar
          day={shownDay}
          today={today}
          language={language}
          anchor={input}
          onPick={(day) => {
            setTyped(null);
            setOpen(false);
            input.current?.focus();
            onChange(day);
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  );
}
