import type { ReactNode } from "react";

/** Text in place of an empty list: why it is empty, and the next step. */
export function EmptyState(
  { title, text, children }: { title: string; text?: string; children?: ReactNode },
) {
  return (
    <div className="min-h-[260px] grid place-items-center px-6 py-12 text-center">
      <div>
        <svg
          viewBox="0 0 64 64"
          className="w-14 h-14 mx-auto text-brand-300"
          fill="none"
          aria-hidden="true"
        >
          <rect x="9" y="12" width="46" height="40" rx="6" stroke="currentColor" strokeWidth="2" />
          <path
            d="M9 24h46M20 34h24M20 42h14"
            stroke="currentColor"
            strokeWidth="2"
            strokeLinecap="round"
          />
        </svg>
        <h2 className="mt-4 text-base font-semibold text-ink">{title}</h2>
        {text && <p className="mt-1 mb-5 text-sm text-ink-soft">{text}</p>}
        {children}
      </div>
    </div>
  );
}
