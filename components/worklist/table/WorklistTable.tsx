import {
  Fragment,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import type { ColumnKey, ListView } from "@/model/schema/worklist/list_view.ts";
import type { SortDirection, SortKey } from "@/model/schema/studies/study.ts";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import { type Language, textIn } from "@/model/text.ts";
import { BETWEEN_FORMS } from "@/model/worklist/person_names.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import { isCheckable, pageState } from "@/model/worklist/worklist_selection.ts";
import { useStableCalls } from "@/client/stable_calls.ts";
import { usePressGuard } from "@/components/worklist/table/press_guard.ts";
import { WorklistHead } from "@/components/worklist/table/WorklistHead.tsx";
import { type RowActions, WorklistRow } from "@/components/worklist/table/WorklistRow.tsx";

/**
 * Number of rows in view, which are rendered first in a new list.
 * The remaining rows are rendered after the first rows are painted.
 */
const FIRST = 16;
/** Row height in px; static/css/worklist.css sets the same value. */
const ROW_HEIGHT = 52;
/** Maximum length of an ID for which the column is widened, as in static/css/worklist.css. */
const MAX_ID_CHARS = 32;

interface WorklistTableProps {
  /** key of the list: a list with another key has other rows */
  listKey: string;
  rows: readonly PatientRow[];
  /** page size of the requested page, which determines the table's height */
  pageSize: number;
  language: Language;
  view: ListView;
  onResize: (key: ColumnKey, width: number | null) => void;
  sortKey: SortKey;
  sortDirection: SortDirection;
  onSort: (key: SortKey) => void;
  /** called when the pointer is on a column's name, for prefetching */
  onHoverSort: (key: SortKey) => void;
  checked: ReadonlySet<number>;
  onCheckAll: (isChecked: boolean) => void;
  /** number of the row with an expanded history */
  activePid: number | null;
  /** functions that never change while the table exists */
  actions: RowActions;
  /** replaces the row being edited */
  editorOf: (row: PatientRow) => ReactNode | null;
  /** id of the current user: other users who edit are named */
  userId: number | null;
  /** number of placeholder rows while loading */
  skeletonRows: number;
  /** content below the header when there are no rows */
  empty: ReactNode;
}

/**
 * Whether the first rows of a list have been painted; the server renders those of the first list.
 */
function usePainted(listKey: string): boolean {
  const [painted, setPainted] = useState(listKey);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const frame = requestAnimationFrame(() => timer = setTimeout(() => setPainted(listKey)));
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, [listKey]);
  return painted === listKey;
}

/** Draws the worklist as a table. */
export function WorklistTable(props: WorklistTableProps) {
  const { rows, language, view, checked, activePid, actions, editorOf, userId, skeletonRows } =
    props;
  const head = useStableCalls({
    onSort: props.onSort,
    onHoverSort: props.onHoverSort,
    onCheckAll: props.onCheckAll,
    onResize: props.onResize,
    onMore: () => {
      const list = scroller.current!, end = list.scrollWidth - list.clientWidth;
      list.scrollTo({ left: list.scrollLeft < end - 1 ? end : 0, behavior: "smooth" });
    },
  });
  const scroller = useRef<HTMLDivElement>(null);
  const { hidden, cut } = useHiddenColumns(scroller, view.columns);
  useColumnWidths(scroller, view.columns);
  const guard = usePressGuard(), isWhole = usePainted(props.listKey);
  const isOwnWidth = (column: ColumnKey) =>
    view.columns.some(({ key, width }) => key === column && width !== null);
  const widthClasses = [
    isOwnWidth("name") ? "own-name-width" : nameWidthClass(rows),
    isOwnWidth("patientId") ? "own-id-width" : idWidthClass(rows),
  ].join(" ");
  const isEmpty = rows.length === 0 && skeletonRows === 0;
  return (
    <div
      ref={scroller}
      className={`worklist-scroll ${view.is_fit ? "" : `rows-${props.pageSize}`} ${
        view.density === "compact" ? "compact-rows" : ""
      } ${isEmpty ? "no-rows" : ""} ${cut === "" ? "" : `cut-${cut}`} ${widthClasses}`}
    >
      <table
        className="worklist text-[13px]"
        aria-label={textIn(worklistText.title, language)}
        {...guard}
      >
        <WorklistHead
          language={language}
          columns={view.columns}
          page={pageState(checked, rows)}
          isCheckable={rows.some(isCheckable)}
          sortKey={props.sortKey}
          sortDirection={props.sortDirection}
          hidden={hidden}
          {...head}
        />
        <tbody style={isWhole ? undefined : { minHeight: rows.length * ROW_HEIGHT }}>
          {(isWhole ? rows : rows.slice(0, FIRST)).map((row) => {
            const editor = editorOf(row);
            return editor !== null ? <Fragment key={row.pid}>{editor}</Fragment> : (
              <WorklistRow
                key={row.pid}
                row={row}
                language={language}
                columns={view.columns}
                isChecked={checked.has(row.pid)}
                isActive={row.pid === activePid}
                userId={userId}
                actions={actions}
              />
            );
          })}
          {rows.length === 0 && Array.from(
            { length: skeletonRows },
            (_, n) => <SkeletonRow key={n} columns={view.columns} />,
          )}
        </tbody>
      </table>
      {isEmpty && props.empty}
    </div>
  );
}

/** Applies column widths set by the user through the CSSOM: the policy forbids inline styles. */
function useColumnWidths(
  scroller: { readonly current: HTMLElement | null },
  columns: ListView["columns"],
): void {
  useLayoutEffect(() => {
    const { style } = scroller.current!;
    for (const { key, width } of columns) {
      if (width === null) style.removeProperty(`--w-${key}`);
      else style.setProperty(`--w-${key}`, `${width}px`);
    }
  }, [columns]);
}

/** CSS class that makes the ID column as wide as the longest patient ID on the page. */
const idWidthClass = (rows: readonly PatientRow[]): string =>
  `id-chars-${Math.min(MAX_ID_CHARS, Math.max(0, ...rows.map((row) => row.patient_id.length)))}`;

/** Name lengths, in letters, above which the name column gets wider (static/css/worklist.css). */
const LONG_NAME = 28, LONGEST_NAME = 48;

/** CSS class for a wider name column on a page with long names; empty without long names. */
function nameWidthClass(rows: readonly PatientRow[]): string {
  const forms = rows.flatMap(({ patient_name }) => patient_name.split(BETWEEN_FORMS));
  const longest = Math.max(0, ...forms.map((form) => form.length));
  return longest > LONGEST_NAME ? "longest-names" : longest > LONG_NAME ? "long-names" : "";
}

/**
 * Columns covered by the buttons at the right edge in a narrow window. A column that is covered in
 * part is left empty: half a date or a number could be read as another value.
 */
function useHiddenColumns(
  scroller: { readonly current: HTMLElement | null },
  columns: ListView["columns"],
): { hidden: readonly ColumnKey[]; cut: string } {
  const [keys, setKeys] = useState(""), [cut, setCut] = useState("");
  useEffect(() => {
    const list = scroller.current!;
    const look = () => {
      const edge = list.querySelector("th.col-actions")?.getBoundingClientRect().left ?? Infinity;
      const covered = columns.flatMap(({ key }) => {
        const head = list.querySelector(`th.col-${key}`)?.getBoundingClientRect();
        return head && head.right > edge + 1 ? [{ key, isPart: head.left < edge - 1 }] : [];
      });
      setKeys(covered.map(({ key }) => key).join());
      setCut(covered.find(({ key, isPart }) => isPart && key !== "name")?.key ?? "");
    };
    const observer = new ResizeObserver(look);
    observer.observe(list);
    // the ID column is wider on a page with longer IDs
    observer.observe(list.querySelector("table")!);
    list.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      list.removeEventListener("scroll", look);
    };
  }, [columns]);
  const hidden = useMemo(
    () => columns.map(({ key }) => key).filter((key) => keys.split(",").includes(key)),
    [keys],
  );
  return { hidden, cut };
}

const SkeletonRow = ({ columns }: Pick<ListView, "columns">) => (
  <tr className="border-b border-line" aria-hidden="true">
    <td className="col-check" />
    {[
      ...columns.map(({ key }) =>
        key
      ),
      "actions",
    ].map((key) => (
      <td key={key} className={`col-${key} cell`}>
        <div className="skeleton h-3.5 w-4/5" />
      </td>
    ))}
  </tr>
);
