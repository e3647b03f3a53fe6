import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queryKeys } from "@/model/query_keys.ts";
import {
  EXPORT_FIELDS,
  EXPORT_MEASURES,
  type ExportColumns,
  type ExportSets,
  MAX_EXPORT_SET_NAME,
  MAX_EXPORT_SETS,
} from "@/model/schema/report/excel.ts";
import { textIn } from "@/model/text.ts";
import { excelText } from "@/model/text/worklist/excel.ts";
import { exportFieldText, exportHeadText } from "@/model/text/worklist/export_columns.ts";
import { partName } from "@/model/text/regions.ts";
import {
  EVERYTHING,
  EXPORT_PARTS,
  EXPORT_SUMS,
  REPORT_TABLE,
} from "@/model/worklist/export_columns.ts";
import { getExportSets, saveExportSets } from "@/client/api/report/excel.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { presentError } from "@/client/notices/present_error.ts";
import { queryClient } from "@/client/page/query.ts";
import { Button } from "@/components/Button.tsx";

interface ColumnChoiceProps {
  columns: ExportColumns;
  onChange: (columns: ExportColumns) => void;
}

const isSame = (a: ExportColumns, b: ExportColumns) => JSON.stringify(a) === JSON.stringify(b);
/** Selected keys, sorted in the order of all keys. */
const toggled = <T,>(all: readonly T[], chosen: readonly T[], one: T): T[] =>
  all.filter((each) => each === one ? !chosen.includes(one) : chosen.includes(each));

/** Form that selects a table's columns: a saved set, or single columns, which can become a set. */
export function ColumnChoice({ columns, onChange }: ColumnChoiceProps) {
  const text = useText(excelText),
    [isOpen, setOpen] = useState(false),
    [name, setName] = useState("");
  const { data } = useQuery({
    queryKey: queryKeys.exportSets,
    queryFn: ({ signal }) => getExportSets(browserApi, signal),
  });
  const ownSets = data?.sets ?? [];
  const sets = [
    { value: "report", label: text("reportTable"), columns: REPORT_TABLE },
    { value: "everything", label: text("everything"), columns: EVERYTHING },
    ...ownSets.map((set) => ({ value: `own ${set.name}`, label: set.name, columns: set.columns })),
  ];
  const current = sets.find((set) => isSame(set.columns, columns));
  const save = async (next: ExportSets["sets"]) => {
    try {
      queryClient.setQueryData(
        queryKeys.exportSets,
        await saveExportSets(browserApi, { sets: next }),
      );
    } catch (error) {
      presentError(error);
    }
  };
  const chosenSet = ownSets.find((set) => current?.value === `own ${set.name}`);
  return (
    <fieldset className="mt-3">
      <legend className="mb-1 text-[13px] font-semibold text-ink">{text("columns")}</legend>
      <div className="flex flex-wrap items-center gap-3">
        <select
          aria-label={text("columns")}
          value={current?.value ?? "custom"}
          onChange={({ currentTarget: { value } }) => {
            const set = sets.find((one) => one.value === value);
            if (set) onChange(set.columns);
          }}
          className="h-9 min-w-[220px] rounded-md border border-line-strong bg-white px-2 text-sm text-ink"
        >
          {sets.map(({ value, label }) => <option key={value} value={value}>{label}</option>)}
          {!current && <option value="custom">{text("custom")}</option>}
        </select>
        <Button size="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {text("change")}
        </Button>
        {chosenSet && (
          <Button
            kind="quiet"
            size="small"
            onClick={() => {
              void save(ownSets.filter((set) => set !== chosenSet));
              onChange(REPORT_TABLE);
            }}
          >
            {text("removeSet", { name: chosenSet.name })}
          </Button>
        )}
      </div>
      {isOpen && (
        <>
          <ColumnLists columns={columns} onChange={onChange} />
          {!current && ownSets.length < MAX_EXPORT_SETS && (
            <div className="mt-3 flex items-center gap-2">
              <input
                value={name}
                maxLength={MAX_EXPORT_SET_NAME}
                placeholder={text("setName")}
                aria-label={text("setName")}
                onChange={(event) => setName(event.currentTarget.value)}
                className="h-9 flex-1 rounded-md border border-line-strong bg-white px-3 text-sm text-ink placeholder:text-ink-faint"
              />
              <Button
                disabled={name.trim() === ""}
                onClick={() => {
                  const otherSets = ownSets.filter((set) => set.name !== name.trim());
                  void save([...otherSets, { name: name.trim(), columns }]);
                  setName("");
                }}
              >
                {text("saveSet")}
              </Button>
            </div>
          )}
        </>
      )}
    </fieldset>
  );
}

/** Check boxes for all fields of a study, all measures and all parts. */
function ColumnLists({ columns, onChange }: ColumnChoiceProps) {
  const language = useLanguage(), text = useText(excelText), { fields, measures, parts } = columns;
  const isSum = (part: string): part is (typeof EXPORT_SUMS)[number] =>
    (EXPORT_SUMS as readonly string[]).includes(part);
  const nameOf = (part: string) =>
    isSum(part) ? textIn(exportHeadText[part], language) : partName(part, language);
  const box = (key: string, label: string, isChecked: boolean, onToggle: () => void) => (
    <label key={key} className="flex items-start gap-2 py-1 leading-5 break-inside-avoid">
      <input
        type="checkbox"
        checked={isChecked}
        onChange={onToggle}
        className="mt-0.5 w-4 h-4 shrink-0 accent-brand-600"
      />
      {/* heads of columns have plain spaces, see export_columns.ts */}
      <span className="min-w-0">{label.replace(/(?<=\d) (?=mm|%)/g, "\u00a0")}</span>
    </label>
  );
  return (
    <div className="mt-2 rounded-lg border border-line p-3 text-[13px]">
      <h3 className="font-semibold text-ink">{text("fields")}</h3>
      <div className="columns-2 gap-4">
        {EXPORT_FIELDS.map((field) =>
          box(field, textIn(exportFieldText[field], language), fields.includes(field), () =>
            onChange({ ...columns, fields: toggled(EXPORT_FIELDS, fields, field) }))
        )}
      </div>
      <h3 className="mt-3 font-semibold text-ink">{text("measures")}</h3>
      <div className="columns-2 gap-4">
        {EXPORT_MEASURES.map((measure) =>
          box(measure, text(measure), measures.includes(measure), () =>
            onChange({ ...columns, measures: toggled(EXPORT_MEASURES, measures, measure) }))
        )}
      </div>
      <div className="mt-3 flex items-center gap-2">
        <h3 className="font-semibold text-ink">
          {text("parts", { n: parts.length, all: EXPORT_PARTS.length })}
        </h3>
        <Button
          kind="quiet"
          size="small"
          onClick={() =>
            onChange({ ...columns, parts: [...EXPORT_PARTS] })}
        >
          {text("all")}
        </Button>
        <Button
          kind="quiet"
          size="small"
          onClick={() =>
            onChange({ ...columns, parts: [] })}
        >
          {text("none")}
        </Button>
      </div>
      <div
        className="max-h-48 overflow-y-auto"
        tabIndex={0}
        role="group"
        aria-label={text("columns")}
      >
        {/* columns of a limited height would go on to the right */}
        <div className="columns-2 gap-4">
          {EXPORT_PARTS.map((part) =>
            box(part, nameOf(part), parts.includes(part), () =>
              onChange({ ...columns, parts: toggled(EXPORT_PARTS, parts, part) }))
          )}
        </div>
      </div>
    </div>
  );
}
