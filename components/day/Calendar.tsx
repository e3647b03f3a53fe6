import {
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { addDays, addMonths, isDay, weeksOfMonth } from "@/model/time/day.ts";
import { type Language, textIn } from "@/model/text.ts";
import { dayText } from "@/model/text/day.ts";

interface CalendarProps {
  /** initial month and selected day; the current month for an incomplete or out-of-range date */
  day: string;
  /** today's date, which the calendar highlights, YYYY-MM-DD */
  today: string;
  language: Language;
  /** element below which the calendar is shown; above if there is no space below */
  anchor: RefObject<HTMLElement | null>;
  onPick: (day: string) => void;
  /** called after a click elsewhere, or Escape */
  onClose: () => void;
}

/** Day to which a pressed key moves the focus. */
const STEPS: Record<string, (day: string, isShifted: boolean) => string> = {
  ArrowLeft: (day) => addDays(day, -1),
  ArrowRight: (day) => addDays(day, 1),
  ArrowUp: (day) => addDays(day, -7),
  ArrowDown: (day) => addDays(day, 7),
  PageUp: (day, isShifted) => addMonths(day, isShifted ? -12 : -1),
  PageDown: (day, isShifted) => addMonths(day, isShifted ? 12 : 1),
};
const isInReach = (day: string) => day >= "1800-01-01" && day <= "2199-12-31";
/** minimum distance between calendar and field, and between calendar and window edge, px */
const GAP = 4;

/** Calendar of one month in the language of the page. */
export function Calendar({ day, today, language, anchor, onPick, onClose }: CalendarProps) {
  const element = useRef<HTMLDivElement>(null), hasFocus = useRef(true);
  const [at, setAt] = useState(isDay(day) && isInReach(day) ? day : today);
  const say = (key: keyof typeof dayText) => textIn(dayText[key], language);
  const written = (each: string, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, { ...options, timeZone: "UTC" }).format(
      new Date(`${each}T00:00Z`),
    );
  useLayoutEffect(() => {
    const calendar = element.current!, box = anchor.current!.getBoundingClientRect();
    calendar.showPopover();
    const { offsetWidth, offsetHeight } = calendar;
    const isBelow = box.bottom + GAP + offsetHeight <= innerHeight;
    calendar.style.left = `${Math.max(GAP, Math.min(box.left, innerWidth - offsetWidth - GAP))}px`;
    calendar.style.top = `${
      isBelow ? box.bottom + GAP : Math.max(GAP, box.top - GAP - offsetHeight)
    }px`;
  }, []);
  useEffect(() => {
    if (hasFocus.current) {
      element.current?.querySelector<HTMLElement>(`[data-day="${at}"]`)?.focus();
    }
  }, [at]);

  const go = (next: string, isByKey: boolean) => {
    hasFocus.current = isByKey;
    if (isInReach(next)) setAt(next);
  };
  const byKey = (event: KeyboardEvent) => {
    // stops the event, because the keys must not reach the surrounding form
    event.stopPropagation();
    const step = STEPS[event.key];
    if (!step || !(event.target as HTMLElement).dataset.day) return;
    event.preventDefault();
    go(step(at, event.shiftKey), true);
  };
  const turn = (
    key: "yearBefore" | "monthBefore" | "monthAfter" | "yearAfter",
    months: number,
    sign: string,
  ) => (
    <button
      type="button"
      aria-label={say(key)}
      title={say(key)}
      onClick={() => go(addMonths(at, months), false)}
      className="w-8 h-8 rounded text-ink-soft hover:bg-brand-100"
    >
      {sign}
    </button>
  );
  return (
    <div
      ref={element}
      popover="auto"
      role="dialog"
      aria-label={say("calendar")}
      onToggle={(event) => event.newState === "closed" && onClose()}
      onKeyDown={byKey}
      className="calendar rounded-lg border border-line-strong bg-white p-2 shadow-card text-[13px] text-ink"
    >
      <div className="flex items-center">
        {turn("yearBefore", -12, "«")}
        {turn("monthBefore", -1, "‹")}
        <div aria-live="polite" className="flex-1 text-center font-semibold">
          {written(at, { year: "numeric", month: "long" })}
        </div>
        {turn("monthAfter", 1, "›")}
        {turn("yearAfter", 12, "»")}
      </div>
      <div className="grid grid-cols-7 text-center">
        {weeksOfMonth("2023-01-01")[0]!.map((each) => (
          <span key={each} aria-hidden="true" className="w-8 h-7 leading-7 text-xs text-ink-faint">
            {written(each!, { weekday: "short" })}
          </span>
        ))}
        {weeksOfMonth(at).flat().map((each, place) =>
          each === null ? <span key={place} /> : (
            <button
              key={place}
              type="button"
              data-day={each}
              tabIndex={each === at ? 0 : -1}
              aria-label={written(each, { dateStyle: "full" })}
              aria-pressed={each === day}
              aria-current={each === today ? "date" : undefined}
              onClick={() => onPick(each)}
              className={`w-8 h-8 rounded tabular ${
                each === day ? "bg-brand-600 text-white" : "hover:bg-brand-100"
              } ${each === today ? "font-bold underline" : ""}`}
            >
              {Number(each.slice(8))}
            </button>
          )
        )}
      </div>
    </div>
  );
}
