// What can be done with the checked studies; loaded when the first one is checked.
import { Suspense, useEffect, useRef, useState } from "react";
import { isErrorCode } from "@/model/errors.ts";
import { queryKeys } from "@/model/query_keys.ts";
import type { PatientRow } from "@/model/schema/patients.ts";
import { reportPrintText } from "@/model/text/report_print.ts";
import { worklistSelectionText } from "@/model/text/worklist_selection.ts";
import { isReadable } from "@/model/worklist_row.ts";
import { deletePatients, startAnalyses, startReanalysis } from "@/client/api/patients.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useLanguage, useText } from "@/client/language.ts";
import { messageOf } from "@/client/messages.ts";
import { askInModal, chooseInModal, presentError, presentToast } from "@/client/present_error.ts";
import { queryClient } from "@/client/query.ts";
import { lazyPart } from "@/client/stale_page.ts";
import { Button } from "@/components/Button.tsx";

const ExportDialog = lazyPart(() => import("@/islands/worklist_export.tsx"));
const ReportsDialog = lazyPart(() => import("@/islands/worklist_reports.tsx"));
const DicomDialog = lazyPart(() => import("@/islands/dicom_dialog.tsx"));
const LabelDialog = lazyPart(() => import("@/islands/worklist_labels.tsx"));

/** Studies that a question names; of more than these it says how many. */
const NAMED = 5;

interface SelectionBarProps {
  checked: ReadonlySet<number>;
  /** what the page shows, of which some are checked */
  rows: readonly PatientRow[];
  /** the key was pressed, perhaps before this was loaded; `onDelete` is called when that is taken up */
  isDeleteAsked: boolean;
  onDelete: () => void;
  onClear: () => void;
  /** takes away what was deleted */
  onGone: (pids: readonly number[]) => void;
}

export default function SelectionBar(
  { checked, rows, isDeleteAsked, onDelete, onClear, onGone }: SelectionBarProps,
) {
  const language = useLanguage(), text = useText(worklistSelectionText), reports = useText(reportPrintText);
  const [isBusy, setBusy] = useState(false), [isLabelling, setLabelling] = useState(false);
  const [isExporting, setExporting] = useState(false), [isPrinting, setPrinting] = useState(false);
  const [isMasking, setMasking] = useState(false);
  const pids = [...checked], n = pids.length;
  /** checks outlast their page */
  const seen = useRef(new Map<number, PatientRow>());
  for (const row of rows) if (checked.has(row.pid)) seen.current.set(row.pid, row);
  const reason = (code: string) => messageOf(isErrorCode(code) ? code : "internal", {}, language);
  /** The buttons rest meanwhile; not while a modal asks: it gives the focus back to one of them. */
  const run = async (action: () => Promise<void>) => {
    setBusy(true);
    try {
      await action();
    } catch (error) {
      presentError(error, "worklist.some_error");
    } finally {
      await queryClient.invalidateQueries({ queryKey: queryKeys.patients });
      setBusy(false);
    }
  };

  /** Which they are, a line each. */
  const namesOf = (pids: readonly number[]): string[] => {
    const names = pids.slice(0, NAMED).map((pid) => {
      const { patient_id, patient_name, study_date } = seen.current.get(pid) ?? {};
      return [patient_id, patient_name, study_date].filter(Boolean).join(" · ") || text("number", { pid });
    });
    const more = pids.length - names.length;
    return more > 0 ? [...names, text("more", { n: more })] : names;
  };
  const remove = async () => {
    const studies = text(n === 1 ? "oneStudy" : "studies", { n });
    const goesOn = await askInModal("study.delete", { studies, lines: namesOf(pids) });
    if (goesOn) await run(removeChecked);
  };
  const removeChecked = async () => {
    const { deleted, excluded } = await deletePatients(browserApi, pids);
    // somebody else was faster: it is gone all the same
    const isGone = ({ code }: { code: string }) => code === "study.deleted" || code === "entity.not_found";
    const gone = [...deleted, ...excluded.filter(isGone).map(({ pid }) => pid)];
    const refused = excluded.filter((each) => !isGone(each)).map(({ code }) => code);
    onGone(gone);
    if (gone.length > 0) presentToast("study.removed", { n: gone.length });
    if (refused.length > 0) {
      presentToast("study.remove_failed", { failed: refused.length, n, reason: reason(refused[0]!) });
    }
  };

  useEffect(() => {
    if (!isDeleteAsked) return;
    onDelete();
    if (!isBusy) void remove();
  }, [isDeleteAsked]);

  const analyze = async () => {
    // also those of other pages; the server leaves out what has been finished since, or was never shown
    const isDone = (pid: number) => {
      const row = seen.current.get(pid);
      return row !== undefined && isReadable(row);
    };
    const done = pids.filter(isDone), others = pids.filter((pid) => !isDone(pid));
    const n = done.length;
    const answer = n === 0
      ? "alternative"
      : await chooseInModal(others.length > 0 ? "analysis.again_some" : "analysis.again", { n });
    if (answer === "cancel") return;
    await run(() => analyzeChecked(others, answer === "confirm" ? done : [], n));
  };
  const analyzeChecked = async (others: number[], again: number[], done: number) => {
    const answers = [
      ...others.length > 0 ? [await startAnalyses(browserApi, others)] : [],
      ...await Promise.all(again.map((pid) => startReanalysis(browserApi, pid))),
    ];
    const isFinished = ({ code }: { code: string }) => code === "study.already_analyzed";
    const accepted = answers.flatMap((answer) => answer.accepted);
    const left = answers.flatMap((answer) => answer.excluded);
    const excluded = left.filter((each) => !isFinished(each));
    if (accepted.length > 0) presentToast("analysis.started", { n: accepted.length });
    if (again.length < done || left.some(isFinished)) presentToast("analysis.analyzed_excluded");
    if (excluded.length > 0) {
      presentToast("analysis.excluded", { n: excluded.length, reason: reason(excluded[0]!.code) });
    }
    onClear();
  };

  return (
    <div
      role="toolbar"
      aria-label={text("bar")}
      className="flex items-center gap-2 h-12 px-4 xl:px-5 border-b border-line bg-brand-50 rounded-t-xl"
    >
      <span className="text-sm font-medium text-ink tabular" aria-live="polite">{text("count", { n })}</span>
      <button
        type="button"
        onClick={onClear}
        className="px-2 h-8 rounded text-[13px] text-brand-700 hover:underline"
      >
        {text("clear")}
      </button>
      <div className="flex-1" />
      <Button disabled={isBusy} onClick={() => setLabelling(true)}>{text("labels")}</Button>
      <Button disabled={isBusy} onClick={() => void analyze()}>{text("analyze")}</Button>
      <Button disabled={isBusy} onClick={() => setPrinting(true)}>{reports("action")}</Button>
      <Button disabled={isBusy} onClick={() => setExporting(true)}>{text("export")}</Button>
      <Button
        disabled={isBusy || n !== 1}
        title={text("deidentifyHint")}
        aria-haspopup="dialog"
        onClick={() => setMasking(true)}
      >
        {text("deidentify")}
      </Button>
      <Button kind="danger" disabled={isBusy} onClick={() => void remove()}>{text("delete")}</Button>
      {isExporting && (
        <Suspense>
          <ExportDialog of={{ pid_list: pids }} count={n} onClose={() => setExporting(false)} />
        </Suspense>
      )}
      {isPrinting && (
        <Suspense>
          <ReportsDialog pids={pids} onClose={() => setPrinting(false)} />
        </Suspense>
      )}
      {isMasking && n === 1 && (
        <Suspense>
          <DicomDialog
            pid={pids[0]!}
            patient={namesOf(pids)[0]!}
            kinds={[]}
            onClose={() => setMasking(false)}
          />
        </Suspense>
      )}
      {isLabelling && (
        <Suspense>
          <LabelDialog pids={pids} patient={namesOf(pids)[0]!} onClose={() => setLabelling(false)} />
        </Suspense>
      )}
    </div>
  );
}
