// Export and Export All; loaded when one of them is asked for.
import { useEffect, useRef, useState } from "react";
import { AppError } from "@/model/errors.ts";
import type { ExcelJobRequest } from "@/model/schema/excel.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { excelText } from "@/model/text/worklist/excel.ts";
import { useText } from "@/client/page/language.ts";
import { exportStudies } from "@/client/files/excel_export.ts";
import { type GeneratedFile, saveFile } from "@/client/files/generated_file.ts";
import { presentError, presentToast } from "@/client/notices/present_error.ts";
import { Button } from "@/components/Button.tsx";
import { Dialog } from "@/components/Dialog.tsx";
import { ProgressBar } from "@/components/ProgressBar.tsx";

type Format = ExcelJobRequest["format"];
const FORMATS = [["csv", "csvText"], ["xlsx", "xlsxText"]] as const;

interface ExportDialogProps {
  /** the checked studies, or the list as it is filtered and sorted */
  of: Pick<ExcelJobRequest, "pid_list" | "filter">;
  /** how many that are */
  count: number;
  onClose: () => void;
}

export default function ExportDialog({ of, count, onClose }: ExportDialogProps) {
  const text = useText(excelText), common = useText(commonText);
  const [format, setFormat] = useState<Format>("csv");
  const [percent, setPercent] = useState<number | null>(null),
    [finished, setFinished] = useState<GeneratedFile>();
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);

  const start = async () => {
    const { signal } = running.current = new AbortController();
    setPercent(0);
    try {
      const made = await exportStudies({ ...of, format }, { signal, onPercent: setPercent });
      running.current = null;
      saveFile(made.path);
      presentToast("export.done", { file: format.toUpperCase() });
      if (made.failedPids.length === 0) onClose();
      else {
        presentToast("export.some_failed", { pids: made.failedPids.join(", ") });
        setFinished(made);
      }
    } catch (error) {
      if (signal.aborted) return presentToast("export.canceled");
      setPercent(null);
      if (error instanceof AppError && (error.code === "storage.full" || error.status === 401)) {
        presentError(error);
      } else presentToast(format === "csv" ? "export.csv_failed" : "export.xlsx_failed");
    }
  };
  const cancel = () => {
    running.current?.abort();
    onClose();
  };
  const isRunning = percent !== null && !finished;
  return (
    <Dialog
      title={text(of.pid_list ? "title" : "titleAll")}
      closeLabel={isRunning ? text("cancel") : common("close")}
      onClose={cancel}
      footer={isRunning
        ? <Button data-autofocus onClick={cancel}>{text("cancel")}</Button>
        : finished
        ? <Button kind="primary" data-autofocus onClick={onClose}>{common("close")}</Button>
        : (
          <>
            <Button onClick={onClose}>{common("cancel")}</Button>
            <Button kind="primary" data-autofocus onClick={() => void start()}>{text("start")}</Button>
          </>
        )}
    >
      {finished
        ? (
          <div role="alert" className="pt-1">
            <p className="text-amber-800">{text("someFailed", { n: finished.failedPids.length })}</p>
            <ul className="mt-2 max-h-40 overflow-y-auto tabular">
              {finished.failedPids.map((pid) => <li key={pid}>{text("study", { pid })}</li>)}
            </ul>
          </div>
        )
        : isRunning
        ? (
          <div className="py-3">
            <p className="mb-2 tabular" role="status">{text("running", { percent })}</p>
            <ProgressBar label={text("progress")} percent={percent} />
          </div>
        )
        : (
          <>
            <p className="pt-1">{text(of.pid_list ? "checked" : "filtered", { n: count })}</p>
            <fieldset className="mt-4">
              <legend className="mb-1 text-[13px] font-semibold text-ink">{text("format")}</legend>
              {FORMATS.map(([value, meaning]) => (
                <label key={value} className="flex items-center gap-3 h-9">
                  <input
                    type="radio"
                    name="export-format"
                    checked={format === value}
                    onChange={() => setFormat(value)}
                    className="w-4 h-4 accent-brand-600"
                  />
                  <span className="w-12 font-medium text-ink">{text(value)}</span>
                  {text(meaning)}
                </label>
              ))}
            </fieldset>
          </>
        )}
    </Dialog>
  );
}
