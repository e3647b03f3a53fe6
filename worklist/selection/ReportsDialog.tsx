// Reports of the checked studies as one PDF; loaded when they are asked for.
import { useEffect, useRef, useState } from "react";
import { AppError } from "@/model/errors.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { reportPrintText } from "@/model/text/report/report_print.ts";
import { useText } from "@/client/page/language.ts";
import { type GeneratedFile, saveFile } from "@/client/files/generated_file.ts";
import { presentError, presentToast } from "@/client/notices/present_error.ts";
import { printStudies } from "@/client/files/report_print.ts";
import { Button } from "@/components/Button.tsx";
import { Dialog } from "@/components/Dialog.tsx";
import { ProgressBar } from "@/components/ProgressBar.tsx";

interface ReportsDialogProps {
  pids: readonly number[];
  onClose: () => void;
}

export default function ReportsDialog({ pids, onClose }: ReportsDialogProps) {
  const text = useText(reportPrintText), common = useText(commonText);
  const [percent, setPercent] = useState(0), [count, setCount] = useState(pids.length);
  const [finished, setFinished] = useState<GeneratedFile>();
  const running = useRef<AbortController>(null);

  const print = async (signal: AbortSignal) => {
    try {
      const made = await printStudies(pids, {
        signal,
        onPercent: setPercent,
        onExcluded: (excluded) => {
          setCount(pids.length - excluded.length);
          presentToast("print.excluded", { n: excluded.length });
        },
      });
      running.current = null;
      saveFile(made.path);
      if (made.failedPids.length === 0) {
        presentToast("print.done");
        onClose();
      } else {
        presentToast("analysis.some_failed");
        setFinished(made);
      }
    } catch (error) {
      if (signal.aborted) return presentToast("print.canceled");
      const code = error instanceof AppError ? error.code : null;
      if (code === "study.not_analyzed") presentToast("report.not_analyzed");
      else if (code === "job.failed" || code === "internal") presentToast("print.failed");
      else presentError(error);
      onClose();
    }
  };
  useEffect(() => {
    const { signal } = running.current = new AbortController();
    void print(signal);
    return () => running.current?.abort();
  }, []);

  return (
    <Dialog
      title={text("title")}
      closeLabel={finished ? common("close") : text("cancel")}
      onClose={onClose}
      footer={
        <Button kind={finished ? "primary" : undefined} data-autofocus onClick={onClose}>
          {finished ? common("close") : text("cancel")}
        </Button>
      }
    >
      {finished
        ? (
          <div role="alert" className="pt-1">
            <p className="text-amber-800">{text("missing")}</p>
            <ul className="mt-2 max-h-40 overflow-y-auto tabular">
              {finished.failedPids.map((pid) => <li key={pid}>{text("study", { pid })}</li>)}
            </ul>
          </div>
        )
        : (
          <div className="py-3">
            <p className="mb-2 tabular" role="status">
              {text(count === 1 ? "runningOne" : "running", { n: count, percent })}
            </p>
            <ProgressBar label={text("progress")} percent={percent} />
            <p className="mt-3 text-[13px] text-ink-soft">{text("hint")}</p>
          </div>
        )}
    </Dialog>
  );
}
