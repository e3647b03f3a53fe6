import type { Language } from "@/model/text.ts";
import { sayIn } from "@/components/upload/amounts.ts";

/** Studies on one page of a table in the upload dialog. */
export const STUDIES_PER_PAGE = 10;

interface PagesProps {
  language: Language;
  /** number of studies */
  total: number;
  /** from 0 */
  page: number;
  onPage: (page: number) => void;
}

/** Previous and next page; nothing when there is only one. */
export function Pages({ language, total, page, onPage }: PagesProps) {
  const say = sayIn(language), pages = Math.ceil(total / STUDIES_PER_PAGE);
  if (pages <= 1) return null;
  const step = (to: number, label: string, path: string) => (
    <button
      type="button"
      aria-label={label}
      disabled={to < 0 || to >= pages}
      onClick={() => onPage(to)}
      className="w-8 h-8 rounded-md grid place-items-center text-ink-soft hover:bg-brand-50 disabled:opacity-40"
    >
      <svg viewBox="0 0 16 16" className="w-4 h-4" aria-hidden="true">
        <path d={path} fill="none" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" />
      </svg>
    </button>
  );
  return (
    <div className="flex items-center justify-end gap-1 pt-2 text-[13px] tabular">
      {step(page - 1, say("previousPage"), "M10 3L5 8l5 5")}
      <span>{say("pageOf", { page: page + 1, pages })}</span>
      {step(page + 1, say("nextPage"), "M6 3l5 5-5 5")}
    </div>
  );
}
