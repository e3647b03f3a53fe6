import type { ReactNode } from "react";
import type { Language } from "@/model/text.ts";
import { textFor } from "@/components/worklist/upload/amounts.ts";

/** Number of studies per page of a table in the upload dialog. */
export const STUDIES_PER_PAGE = 10;

interface PagesProps {
  language: Language;
  /** total number of studies in the table */
  total: number;
  /** index of the displayed page, from 0 */
  page: number;
  onPage: (page: number) => void;
}

/** CSS class of a sticky header cell. */
export const HEAD_CELL =
  "sticky top-0 z-10 bg-canvas px-3 h-9 text-left text-xs font-semibold text-ink-soft";

interface PagedTableProps extends PagesProps {
  /** width class of each column; "": the remaining width */
  widths: readonly string[];
  /** cells of the table's header */
  head: ReactNode;
  /** table rows of the displayed page */
  children: ReactNode;
}

/** A paged table of studies in the upload dialog. */
export function PagedTable({ widths, head, children, ...pages }: PagedTableProps) {
  return (
    <>
      <div
        className="upload-table rounded-lg border border-line overflow-y-auto"
        tabIndex={0}
        role="group"
        aria-label={textFor(pages.language)("table")}
      >
        <table className="w-full table-fixed border-collapse text-[13px] text-ink">
          <colgroup>
            {widths.map((width, column) => <col key={column} className={width || undefined} />)}
          </colgroup>
          <thead>
            <tr>{head}</tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </div>
      <Pages {...pages} />
    </>
  );
}

/** Buttons for previous and next page; absent for a single page. */
function Pages({ language, total, page, onPage }: PagesProps) {
  const say = textFor(language), pages = Math.ceil(total / STUDIES_PER_PAGE);
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
