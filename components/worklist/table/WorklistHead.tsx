import { memo, type PointerEvent } from "react";
import {
  type ColumnKey,
  type ListView,
  MAX_COLUMN_WIDTH,
  MIN_COLUMN_WIDTH,
} from "@/model/schema/worklist/list_view.ts";
import type { SortDirection, SortKey } from "@/model/schema/studies/study.ts";
import { type Language, textIn } from "@/model/text.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import { COLUMNS } from "@/components/worklist/table/columns.tsx";

interface WorklistHeadProps {
  language: Language;
  columns: ListView["columns"];
  /** whether the page's rows are checked: all, some or none, see `pageState` */
  page: "all" | "some" | "none";
  /** whether the list has rows that can be checked */
  isCheckable: boolean;
  onCheckAll: (isChecked: boolean) => void;
  sortKey: SortKey;
  sortDirection: SortDirection;
  onSort: (key: SortKey) => void;
  /** called when the pointer is on the button, for prefetching */
  onHoverSort: (key: SortKey) => void;
  onResize: (key: ColumnKey, width: number | null) => void;
  /** columns hidden for lack of space; the same array object until the columns change */
  hidden: readonly ColumnKey[];
  /** scrolls to the columns that are out of view */
  onMore: () => void;
}

/** Column heads, which sort the list; rendered again only if order, columns or checks change. */
export const WorklistHead = memo(function WorklistHead(props: WorklistHeadProps) {
  const { language, columns, page, isCheckable, onCheckAll, sortKey, sortDirection, hidden } =
    props;
  const say = (key: keyof typeof worklistText, values?: Record<string, string>) =>
    textIn(worklistText[key], language, values);
  return (
    <thead>
      <tr className="border-b border-line bg-white text-left text-ink-soft">
        <th scope="col" className="col-check">
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
        {columns.map(({ key }) => {
          const { sort } = COLUMNS[key], name = say(key);
          return (
            <HeadCell
              key={key}
              columnKey={key}
              name={name}
              sortTitle={sort === "attention"
                ? say("attentionFirst")
                : say("sortBy", { column: name })}
              widthLabel={say("columnWidth", { column: name })}
              sort={sort}
              direction={sort === sortKey ? sortDirection : null}
              onSort={props.onSort}
              onHoverSort={props.onHoverSort}
              onResize={props.onResize}
            />
          );
        })}
        {/* without the label its name would hold those of all hidden columns */}
        <th
          scope="col"
          aria-label={say("actions")}
          className="col-actions cell text-right font-semibold"
        >
          <span className="whitespace-nowrap">
            {hidden.length > 0 && (
              <button
                type="button"
                title={say("moreColumns", { names: hidden.map((key) => say(key)).join(", ") })}
                aria-label={say("moreColumns", { names: hidden.map((key) => say(key)).join(", ") })}
                onClick={props.onMore}
                data-count={hidden.length}
                className="more-columns hover:bg-brand-50"
              />
            )}
            {say("actions")}
          </span>
        </th>
      </tr>
    </thead>
  );
});

interface HeadCellProps extends Pick<WorklistHeadProps, "onSort" | "onHoverSort" | "onResize"> {
  columnKey: ColumnKey;
  name: string;
  sortTitle: string;
  widthLabel: string;
  sort: SortKey | undefined;
  /** sort direction; `null`: the list is sorted by another column */
  direction: SortDirection | null;
}

const HeadCell = memo(function HeadCell(props: HeadCellProps) {
  const { columnKey, name, sortTitle, widthLabel, sort, direction, onSort, onHoverSort, onResize } =
    props;
  return (
    <th
      scope="col"
      className={`col-${columnKey} cell font-semibold`}
      aria-sort={direction ? direction === "asc" ? "ascending" : "descending" : undefined}
    >
      {sort === undefined ? name : (
        <button
          type="button"
          title={sortTitle}
          aria-label={sort === "attention" ? `${name}: ${sortTitle}` : undefined}
          onPointerEnter={() => onHoverSort(sort)}
          onClick={() => onSort(sort)}
          className={`-mx-1 px-1 h-8 inline-flex items-center gap-1 rounded whitespace-nowrap font-semibold hover:text-brand-700 ${
            direction ? "text-brand-700" : ""
          }`}
        >
          {name}
          <svg
            viewBox="0 0 8 12"
            className="sort-arrows w-2 h-3 shrink-0"
            fill="currentColor"
            aria-hidden="true"
          >
            <path d="M4 0l3.5 5h-7z" fillOpacity={direction === "asc" ? 1 : .25} />
            <path d="M4 12L.5 7h7z" fillOpacity={direction === "desc" ? 1 : .25} />
          </svg>
        </button>
      )}
      <span
        aria-hidden="true"
        title={widthLabel}
        className="column-edge"
        onPointerDown={(event) => startDrag(event, (width) => onResize(columnKey, width))}
        onDoubleClick={() => onResize(columnKey, null)}
      />
    </th>
  );
});

const limited = (width: number): number =>
  Math.round(Math.min(Math.max(width, MIN_COLUMN_WIDTH), MAX_COLUMN_WIDTH));
const widthOf = (edge: HTMLElement): number => edge.parentElement!.getBoundingClientRect().width;

/**
 * Starts dragging a column's edge, which follows the pointer.
 * For keyboard use, widths can be typed (view/ViewDialog.tsx).
 */
function startDrag(event: PointerEvent<HTMLElement>, resize: (width: number) => void): void {
  if (event.button !== 0) return;
  event.preventDefault();
  const edge = event.currentTarget, from = event.clientX, before = widthOf(edge);
  edge.setPointerCapture(event.pointerId);
  edge.onpointermove = ({ clientX }) => resize(limited(before + clientX - from));
  edge.onpointerup = edge.onpointercancel = () => edge.onpointermove = edge.onpointerup = null;
}
