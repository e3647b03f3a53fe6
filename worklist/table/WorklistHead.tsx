import { memo } from "react";
import type { SortDirection, SortKey } from "@/model/schema/study.ts";
import { type Language, textIn } from "@/model/text.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";

/** Widths, and the heights of D1 §9, are in static/css/worklist.css. */
export const COLUMNS: readonly { key: keyof typeof worklistText; sort?: SortKey }[] = [
  { key: "number", sort: "pid" },
  { key: "status" },
  { key: "patientId", sort: "patient_id" },
  { key: "name", sort: "patient_name" },
  { key: "sex", sort: "patient_sex" },
  { key: "age", sort: "patient_age" },
  { key: "birth", sort: "patient_birthdate" },
  { key: "study", sort: "study_date" },
  { key: "series" },
  { key: "analysis", sort: "analysis_date" },
  { key: "labels", sort: "label_list" },
  { key: "actions" },
];

interface WorklistHeadProps {
  language: Language;
  /** how many of the page's rows are checked, see `pageState` */
  page: "all" | "some" | "none";
  /** there are rows to check */
  isCheckable: boolean;
  onCheckAll: (isChecked: boolean) => void;
  sortKey: SortKey;
  sortDirection: SortDirection;
  onSort: (key: SortKey) => void;
  /** the pointer is on the button */
  onHoverSort: (key: SortKey) => void;
}

/** Names of the columns, which sort by them. Drawn again only for another order or other checks. */
export const WorklistHead = memo(function WorklistHead(
  { language, page, isCheckable, onCheckAll, sortKey, sortDirection, onSort, onHoverSort }: WorklistHeadProps,
) {
  const say = (key: keyof typeof worklistText, values?: Record<string, string>) =>
    textIn(worklistText[key], language, values);
  return (
    <thead role="rowgroup">
      <tr role="row" className="border-b border-line text-left text-ink-soft">
        <th role="columnheader" scope="col" className="pl-4 xl:pl-5">
          <input
            type="checkbox"
            aria-label={say("selectPage")}
            checked={page === "all"}
            ref={(box) => {
              if (box) box.indeterminate = page === "some";
            }}
            disabled={!isCheckable}
            onChange={(event) => onCheckAll(event.currentTarget.checked)}
            className="w-4 h-4 block accent-brand-600"
          />
        </th>
        {COLUMNS.map(({ key, sort }) => (
          <Column
            key={key}
            name={say(key)}
            title={sort && say("sortBy", { column: say(key) })}
            sort={sort}
            direction={sort === sortKey ? sortDirection : null}
            onSort={onSort}
            onHoverSort={onHoverSort}
          />
        ))}
      </tr>
    </thead>
  );
});

interface ColumnProps {
  name: string;
  title: string | undefined;
  sort: SortKey | undefined;
  /** `null`: the list is sorted by another */
  direction: SortDirection | null;
  onSort: (key: SortKey) => void;
  /** the pointer is on the button */
  onHoverSort: (key: SortKey) => void;
}

const Column = memo(function Column({ name, title, sort, direction, onSort, onHoverSort }: ColumnProps) {
  return (
    <th
      role="columnheader"
      scope="col"
      className="px-1.5 xl:px-2 last:pr-4 xl:last:pr-5 last:text-right font-semibold"
      aria-sort={direction ? direction === "asc" ? "ascending" : "descending" : undefined}
    >
      {sort === undefined ? name : (
        <button
          type="button"
          title={title}
          onPointerEnter={() => onHoverSort(sort)}
          onClick={() => onSort(sort)}
          className={`-mx-1 px-1 h-8 inline-flex items-center gap-1 rounded whitespace-nowrap font-semibold hover:text-brand-700 ${
            direction ? "text-brand-700" : ""
          }`}
        >
          {name}
          <svg viewBox="0 0 8 12" className="w-2 h-3 shrink-0" fill="currentColor" aria-hidden="true">
            <path d="M4 0l3.5 5h-7z" fillOpacity={direction === "asc" ? 1 : .25} />
            <path d="M4 12L.5 7h7z" fillOpacity={direction === "desc" ? 1 : .25} />
          </svg>
        </button>
      )}
    </th>
  );
});
