import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";
import { type Language, textIn } from "@/model/text.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";

interface PaginationProps {
  language: Language;
  /** number of the current page, from 1 */
  page: number;
  pageSize: number;
  pageSizes: readonly number[];
  /** option for as many rows as fit the window; absent where not available */
  fit?: { isOn: boolean; onChoose: () => void };
  /** total number of rows on all pages */
  total: number;
  /**
   * number of rows before the first shown row, for pages that may begin anywhere
   * absent: every page has the same number of rows
   */
  offset?: number;
  /** whether the shown rows belong to the current page; `false`: outdated rows of another page */
  hasRange?: boolean;
  /** whether the requested page does not exist, which is announced */
  isEmpty?: boolean;
  onPage: (page: number) => void;
  /** called when the pointer is on a page's button, to prefetch that page */
  onHover?: (page: number) => void;
  /** called when the pointer is on the button for moving by a number of pages, for prefetching */
  onHoverStep?: (pages: number) => void;
  /** moves by a number of pages, counted from the last requested page while a list is loading */
  onStep?: (pages: number) => void;
  onPageSize: (size: number) => void;
  /** content shown next to the range of rows */
  notice?: ReactNode;
}

const SLOTS = 7;

/**
 * Page numbers that get a button, always the same number of them: first, last, around the current
 * page; `null` is a gap.
 */
export function pagesAround(page: number, count: number): (number | null)[] {
  const from = (first: number, n: number) => Array.from({ length: n }, (_, i) => first + i);
  if (count <= SLOTS) return from(1, count);
  if (page <= 4) return [...from(1, 5), null, count];
  if (page > count - 4) return [1, null, ...from(count - 4, 5)];
  return [1, null, page - 1, page, page + 1, null, count];
}

/** Maximum number of pages for which every page has a button. */
const MANY_PAGES = 5;

/** Input for a page number; invalid numbers are replaced by the nearest page. */
function PageJump(
  { count, isUseful, language, onPage }: Pick<PaginationProps, "language" | "onPage"> & {
    count: number;
    /** `false`: the bar is invisible, but keeps its space */
    isUseful: boolean;
  },
) {
  const name = textIn(worklistText.goToPage, language);
  const jump = (event: KeyboardEvent<HTMLInputElement>) => {
    const input = event.currentTarget, page = Math.round(Number(input.value));
    if (event.key !== "Enter" || !(page > 0)) return;
    input.value = "";
    onPage(Math.min(page, count));
  };
  return (
    <label className={`flex items-center gap-2 ${isUseful ? "" : "invisible"}`}>
      <span className="page-jump whitespace-nowrap">{name}</span>
      <input
        inputMode="numeric"
        maxLength={8}
        placeholder="1"
        onKeyDown={jump}
        className="h-8 w-16 rounded border border-line-strong bg-white px-2 text-ink placeholder:text-ink-faint tabular"
      />
    </label>
  );
}

const STEP =
  "w-8 h-8 rounded grid place-items-center text-ink-soft hover:bg-brand-50 disabled:opacity-40 disabled:pointer-events-none";

/** Bar with page buttons below a table. */
export function Pagination(
  {
    language,
    page,
    pageSize,
    pageSizes,
    fit,
    total,
    offset = (page - 1) * pageSize,
    hasRange = true,
    isEmpty = false,
    onPage,
    onHover,
    onHoverStep = (pages) => onHover?.(page + pages),
    onStep = (pages) => onPage(page + pages),
    onPageSize,
    notice,
  }: PaginationProps,
) {
  const say = (key: keyof typeof worklistText, values?: Record<string, string | number>) =>
    textIn(worklistText[key], language, values);
  // the selected option stays visible while the list of options is loading
  const sizes = useRef<HTMLSelectElement>(null), isStarted = useRef(false);
  const chosen = fit?.isOn ? "fit" : String(pageSize);
  const choose = (value: string) => value === "fit" ? fit?.onChoose() : onPageSize(Number(value));
  useEffect(() => {
    const { value } = sizes.current!, isOther = value !== chosen;
    // keeps an option that the user selected before hydration
    if (isOther && !isStarted.current) choose(value);
    else if (isOther) sizes.current!.value = chosen;
    isStarted.current = true;
  }, [chosen]);
  const written = (n: number) => n.toLocaleString(language);
  const count = Math.max(1, Math.ceil(total / pageSize));
  const range = {
    from: written(offset + 1),
    to: written(Math.min(total, offset + pageSize)),
    total: written(total),
  };
  return (
    <div className="list-pages relative -mt-px h-12 px-4 flex items-center gap-6 border-t border-line text-[13px] text-ink-soft">
      <span className="tabular" aria-live="polite">
        {hasRange && total > 0 && say("range", range)}
        {isEmpty && <span className="visually-hidden">{say("none")}</span>}
      </span>
      {notice}
      <label className="ml-auto flex items-center gap-2 whitespace-nowrap">
        {say("rowsPerPage")}
        <select
          ref={sizes}
          defaultValue={chosen}
          onChange={(event) => choose(event.currentTarget.value)}
          className="h-8 rounded border border-line-strong bg-white pl-2 pr-1 text-ink"
        >
          {(fit?.isOn || pageSizes.includes(pageSize) ? pageSizes : [...pageSizes, pageSize]).map((
            size,
          ) => <option key={size} value={size}>{size}</option>)}
          {fit && <option value="fit">{say("fitWindow")}</option>}
        </select>
      </label>
      <PageJump count={count} isUseful={count > MANY_PAGES} language={language} onPage={onPage} />
      {/* the arrows first: they stay under the pointer, however many pages follow */}
      <nav aria-label={say("pages")} className="page-numbers flex items-center gap-1">
        <button
          type="button"
          className={STEP}
          aria-label={say("previousPage")}
          disabled={offset <= 0}
          onPointerEnter={() => onHoverStep(-1)}
          onClick={() => onStep(-1)}
        >
          <svg
            viewBox="0 0 16 16"
            className="w-4 h-4"
            fill="none"
            stroke="currentColor"
            aria-hidden="true"
          >
            <path
              d="M10 3L5 8l5 5"
              strokeWidth="1.6"
              strokeLinecap="round"
              strokeLinejoin="round"
            />
          </svg>
        </button>
        <button
          type="button"
          className={STEP}
          aria-label={say("nextPage")}
          disabled={offset + pageSize >= total}
          onPointerEnter={() => onHoverStep(1)}
          onClick={() => onStep(1)}
        >
          <svg
            viewBox="0 0 16 16"
            className="w-4 h-4"
            fill="none"
            stroke="currentColor"
            aria-hidden="true"
          >
            <path d="M6 3l5 5-5 5" strokeWidth="1.6" strokeLinecap="round" strokeLinejoin="round" />
          </svg>
        </button>
        {pagesAround(page, count).map((n, slot) =>
          n === null ? <span key={slot} className="page-number text-center">…</span> : (
            <button
              key={slot}
              type="button"
              aria-label={say("page", { page: n })}
              aria-current={n === page ? "page" : undefined}
              onPointerEnter={() => onHover?.(n)}
              onClick={() => onPage(n)}
              className={`page-number h-8 px-1.5 rounded tabular ${
                n === page ? "bg-brand-600 text-white font-semibold" : "hover:bg-brand-50"
              }`}
            >
              {written(n)}
            </button>
          )
        )}
      </nav>
    </div>
  );
}
