// Dialog for columns and density of the worklist; loaded on demand.
import {
  type ColumnKey,
  columnKey,
  DEFAULT_LIST_VIEW,
  type ListView,
  MAX_COLUMN_WIDTH,
  MIN_COLUMN_WIDTH,
} from "@/model/schema/worklist/list_view.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { listViewText } from "@/model/text/worklist/list_view.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import { useText } from "@/client/page/language.ts";
import { Button } from "@/components/Button.tsx";
import { Dialog } from "@/components/dialog/Dialog.tsx";
import { IconButton } from "@/components/IconButton.tsx";

interface ViewDialogProps {
  view: ListView;
  onChange: (change: Partial<ListView>) => void;
  onClose: () => void;
}

/** Visible columns after the user added, removed or moved a column. */
function withColumn(columns: ListView["columns"], key: ColumnKey, isShown: boolean) {
  if (!isShown) return columns.filter((column) => column.key !== key);
  return columns.some((column) => column.key === key)
    ? columns
    : [...columns, { key, width: null }];
}
function movedColumn(
  columns: ListView["columns"],
  key: ColumnKey,
  by: -1 | 1,
): ListView["columns"] {
  const from = columns.findIndex((column) => column.key === key), to = from + by;
  if (from < 0 || to < 0 || to >= columns.length) return columns;
  return columns.with(from, columns[to]!).with(to, columns[from]!);
}

/** Dialog for the table's columns, their order and density; changes show immediately behind it. */
export default function ViewDialog({ view, onChange, onClose }: ViewDialogProps) {
  const text = useText(listViewText), common = useText(commonText), names = useText(worklistText);
  const { columns, density } = view, shown = columns.map(({ key }) => key);
  const allColumns = [...shown, ...columnKey.options.filter((key) => !shown.includes(key))];
  const move = (key: ColumnKey, by: -1 | 1) => onChange({ columns: movedColumn(columns, key, by) });
  const setWidth = (key: ColumnKey, typed: string) => {
    const width = typed === "" ? null : Number(typed);
    if (
      width !== null &&
      !(Number.isInteger(width) && width >= MIN_COLUMN_WIDTH && width <= MAX_COLUMN_WIDTH)
    ) return;
    onChange({ columns: columns.map((column) => column.key === key ? { key, width } : column) });
  };
  return (
    <Dialog
      title={text("title")}
      closeLabel={common("close")}
      onClose={onClose}
      footer={
        <>
          <Button
            onClick={() =>
              onChange({ columns: DEFAULT_LIST_VIEW.columns, density: DEFAULT_LIST_VIEW.density })}
          >
            {text("reset")}
          </Button>
          <Button kind="primary" data-autofocus onClick={onClose}>{common("close")}</Button>
        </>
      }
    >
      <fieldset className="flex items-center gap-5 pt-1">
        <legend className="mb-1 text-[13px] font-semibold text-ink">{text("density")}</legend>
        {(["comfortable", "compact"] as const).map((each) => (
          <label key={each} className="flex items-center gap-2 h-8">
            <input
              type="radio"
              name="list-density"
              checked={density === each}
              onChange={() =>
                onChange({ density: each })}
              className="w-4 h-4 accent-brand-600"
            />
            {text(each)}
          </label>
        ))}
      </fieldset>
      <h3 className="mt-3 mb-1 text-[13px] font-semibold text-ink">{text("columns")}</h3>
      <ul>
        {allColumns.map((key) => {
          const at = shown.indexOf(key), name = names(key);
          return (
            <li key={key} className="flex items-center gap-1 h-8">
              <label className="flex flex-1 items-center gap-2">
                <input
                  type="checkbox"
                  checked={at >= 0}
                  disabled={key === "name"}
                  onChange={(event) =>
                    onChange({ columns: withColumn(columns, key, event.currentTarget.checked) })}
                  className="w-4 h-4 accent-brand-600"
                />
                {name}
              </label>
              {at >= 0 && (
                <input
                  type="number"
                  min={MIN_COLUMN_WIDTH}
                  max={MAX_COLUMN_WIDTH}
                  step={8}
                  value={columns[at]!.width ?? ""}
                  placeholder={text("automatic")}
                  aria-label={names("columnWidth", { column: name })}
                  onChange={(event) => setWidth(key, event.currentTarget.value)}
                  className="h-7 w-24 rounded border border-line-strong bg-white px-2 text-[13px] text-ink placeholder:text-ink-faint tabular"
                />
              )}
              <IconButton
                icon="up"
                label={text("earlier", { column: name })}
                isDisabled={at <= 0}
                onClick={() => move(key, -1)}
              />
              <IconButton
                icon="down"
                label={text("later", { column: name })}
                isDisabled={at < 0 || at === shown.length - 1}
                onClick={() => move(key, 1)}
              />
            </li>
          );
        })}
      </ul>
      <p className="mt-2 text-xs">{text("widthHint")}</p>
    </Dialog>
  );
}
