// Export and Export All; loaded on demand. The file is generated in the background (client/tray).
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queryKeys } from "@/model/query_keys.ts";
import type { ExcelJobRequest, ExportColumns } from "@/model/schema/report/excel.ts";
import { LANGUAGES } from "@/model/text.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { excelText } from "@/model/text/worklist/excel.ts";
import { REPORT_TABLE } from "@/model/worklist/export_columns.ts";
import { estimateExcel } from "@/client/api/report/excel.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import type { ListScope } from "@/model/worklist/list_scope.ts";
import { startTable } from "@/client/tray/server_jobs.ts";
import { Button } from "@/components/Button.tsx";
import { Dialog } from "@/components/dialog/Dialog.tsx";
import { ColumnChoice } from "@/components/worklist/selection/ColumnChoice.tsx";
import { ExportScope } from "@/components/worklist/selection/ExportScope.tsx";
import { sizeText } from "@/components/worklist/upload/amounts.ts";

type Format = ExcelJobRequest["format"];
const FORMATS = [["xlsx", "xlsxText"], ["csv", "csvText"]] as const;

interface ExportDialogProps {
  /** the checked studies, or the list as filtered and sorted */
  of: Pick<ExcelJobRequest, "pid_list" | "filter">;
  /** number of studies in the export */
  count: number;
  /** description: names of the checked studies, or search and criteria of the list */
  scope: readonly string[] | ListScope;
  onClose: () => void;
}

export default function ExportDialog({ of, count, scope, onClose }: ExportDialogProps) {
  const text = useText(excelText), common = useText(commonText), page = useLanguage();
  const [format, setFormat] = useState<Format>("xlsx"), [language, setLanguage] = useState(page);
  const [columns, setColumns] = useState<ExportColumns>(REPORT_TABLE),
    [isBusy, setBusy] = useState(false);
  const isEmpty = columns.fields.length === 0 &&
    (columns.measures.length === 0 || columns.parts.length === 0);
  const start = async () => {
    setBusy(true);
    const isBegun = await startTable({ ...of, format, columns, language }, count);
    setBusy(false);
    if (isBegun) onClose();
  };
  return (
    <Dialog
      title={text(of.pid_list ? "title" : "titleAll")}
      width="w-[640px]"
      closeLabel={common("close")}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{common("cancel")}</Button>
          <Button
            kind="primary"
            data-autofocus
            disabled={isBusy || isEmpty}
            onClick={() => void start()}
          >
            {text("start")}
          </Button>
        </>
      }
    >
      <ExportScope count={count} scope={scope} />
      <fieldset className="mt-3">
        <legend className="mb-1 text-[13px] font-semibold text-ink">{text("format")}</legend>
        {FORMATS.map(([value, meaning]) => (
          <label key={value} className="flex items-center gap-3 h-8">
            <input
              type="radio"
              name="export-format"
              checked={format === value}
              onChange={() =>
                setFormat(value)}
              className="w-4 h-4 accent-brand-600"
            />
            <span className="w-12 font-medium text-ink">{text(value)}</span>
            {text(meaning)}
          </label>
        ))}
      </fieldset>
      <fieldset className="mt-3 flex items-center gap-5">
        <legend className="mb-1 text-[13px] font-semibold text-ink">{text("language")}</legend>
        {LANGUAGES.map((each) => (
          <label key={each} className="flex items-center gap-2 h-8">
            <input
              type="radio"
              name="export-language"
              checked={language === each}
              onChange={() => setLanguage(each)}
              className="w-4 h-4 accent-brand-600"
            />
            {text(each === "en" ? "headsEn" : "headsKo")}
          </label>
        ))}
      </fieldset>
      <ColumnChoice columns={columns} onChange={setColumns} />
      <p className="mt-3 min-h-[21px] font-medium text-ink tabular" role="status">
        {isEmpty ? text("noColumn") : <Estimate request={{ ...of, format, columns, language }} />}
      </p>
    </Dialog>
  );
}

/** Shows the estimated file size and duration before the user starts the export. */
function Estimate({ request }: { request: ExcelJobRequest }) {
  const text = useText(excelText);
  const { data, error } = useQuery({
    queryKey: queryKeys.exportEstimate(request),
    queryFn: ({ signal }) => estimateExcel(browserApi, request, signal),
    placeholderData: (before) => before,
  });
  if (error) return null;
  if (!data) return text("estimating");
  const { studies, columns, size_bytes, seconds } = data;
  const time = seconds < 5
    ? text("aMoment")
    : seconds < 90
    ? text("seconds", { n: seconds })
    : text("minutes", { n: Math.ceil(seconds / 60) });
  return text("estimate", {
    studies: studies.toLocaleString("en"),
    columns: columns.toLocaleString("en"),
    size: sizeText(size_bytes),
    time,
  });
}
