import { useEffect, useRef } from "react";
import { CloseIcon } from "@/components/dialog/CloseIcon.tsx";

interface ToastItem {
  id: number;
  kind: "success" | "info" | "warning" | "error";
  title: string;
  text: string;
  /** text on the toast's button */
  action?: string | undefined;
}
const MARKS = {
  success: { className: "text-emerald-700 border-l-emerald-600", path: "M3.5 8.5l3 3 6-7" },
  info: { className: "text-brand-600 border-l-brand-500", path: "M8 7.2v4.5M8 4.3v.4" },
  warning: { className: "text-amber-700 border-l-amber-500", path: "M8 3.8v5M8 11.6v.4" },
  error: { className: "text-red-700 border-l-red-600", path: "M4.5 4.5l7 7M11.5 4.5l-7 7" },
} as const;

/** Joins numbers by non-breaking spaces, so that "2 / 2" stays on one line. */
const withFigures = (text: string) => text.replace(/(?<=\d) \/ (?=\d)/g, "\u00a0/\u00a0");

interface ToastListProps {
  toasts: readonly ToastItem[];
  closeLabel: string;
  onClose: (id: number) => void;
  /** called when the button of a toast is clicked */
  onAction: (id: number) => void;
  /** called when pointer or focus is on the toasts, which then stay */
  onHold: (isHeld: boolean) => void;
}

/**
 * Toasts at the top of the page, announced by a live region. The list is a popover, shown again for
 * each toast, so that the toasts are above the backdrop of a dialog too.
 */
export function ToastList({ toasts, closeLabel, onClose, onAction, onHold }: ToastListProps) {
  const list = useRef<HTMLDivElement>(null);
  const newest = toasts.at(-1);
  useEffect(() => {
    const element = list.current;
    if (element?.matches(":popover-open")) element.hidePopover();
    // shows the popover again, because the dialog that contained it may have been removed
    if (newest && element?.isConnected) element.showPopover();
    // resets the hover state: a removed element sends no event when pointer or focus leave it
    return () => onHold(false);
  }, [newest?.id]);
  return (
    <>
      <div role="status" className="visually-hidden">
        {newest && `${newest.title}: ${newest.text}`}
      </div>
      <div
        ref={list}
        popover="manual"
        role="region"
        aria-label={newest?.title}
        className="toasts"
        onPointerEnter={() => onHold(true)}
        onPointerLeave={() => onHold(false)}
        onFocus={() => onHold(true)}
        onBlur={() => onHold(false)}
      >
        {toasts.map(({ id, kind, title, text, action }) => (
          <div
            key={id}
            className={`toast pointer-events-auto flex items-center gap-3 rounded-lg border border-line border-l-4 bg-white shadow-dialog pl-3 pr-2 py-1 ${
              MARKS[kind].className
            }`}
          >
            <svg viewBox="0 0 16 16" className="w-5 h-5 shrink-0" aria-hidden="true">
              <circle cx="8" cy="8" r="7.2" fill="currentColor" opacity=".12" />
              <path
                d={MARKS[kind].path}
                fill="none"
                stroke="currentColor"
                strokeWidth="1.7"
                strokeLinecap="round"
              />
            </svg>
            <div className="flex-1 min-w-0">
              <p className="toast-text text-ink-soft break-words" title={`${title} ${text}`}>
                <span className="font-semibold text-ink">{title}</span>{" "}
                <span>{withFigures(text)}</span>
              </p>
            </div>
            {action && (
              <button
                type="button"
                onClick={() => onAction(id)}
                className="h-7 px-2 shrink-0 rounded border border-line-strong text-[13px] font-medium text-brand-700 hover:bg-brand-50"
              >
                {action}
              </button>
            )}
            <button
              type="button"
              aria-label={closeLabel}
              onClick={() => onClose(id)}
              className="w-7 h-7 -mr-1 rounded grid place-items-center text-ink-faint hover:bg-canvas"
            >
              <CloseIcon />
            </button>
          </div>
        ))}
      </div>
    </>
  );
}
