// Actions on checked studies; loaded when the first one is checked.
import { type ComponentType, Suspense, useEffect, useState } from "react";
import type { ErrorCode } from "@/model/errors.ts";
import type { DicomKind } from "@/model/schema/report/dicom.ts";
import { queryKeys } from "@/model/query_keys.ts";
import { reportPrintText } from "@/model/text/report/report_print.ts";
import { worklistSelectionText } from "@/model/text/worklist/worklist_selection.ts";
import { nameText } from "@/model/worklist/person_names.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { messageOf } from "@/client/notices/messages.ts";
import { askInModal, presentError } from "@/client/notices/present_error.ts";
import { startReportFile } from "@/client/tray/server_jobs.ts";
import { queryClient } from "@/client/page/query.ts";
import { lazyPart } from "@/components/page/lazy_part.ts";
import { loadAhead } from "@/client/page/when_idle.ts";
import { useMay, useUser } from "@/client/page/user.ts";
import { Button } from "@/components/Button.tsx";
import { chooseAnalyses, startChosen } from "@/components/worklist/selection/analyze_checked.ts";
import { binDays, deleteChecked } from "@/components/worklist/selection/delete_checked.ts";
import type { Selection } from "@/components/worklist/selection/use_selection.ts";

const ExportDialog = lazyPart(() => import("@/components/worklist/selection/ExportDialog.tsx"));
const LabelDialog = lazyPart(() => import("@/components/worklist/selection/LabelDialog.tsx"));

/** Maximum number of studies named in a question; with more, the question gives only the number. */
const NAMED = 5;

/** Props of the DICOM dialog. */
export interface DicomDialogProps {
  pid: number;
  patient?: string;
  kinds: readonly DicomKind[];
  onClose: () => void;
}

interface SelectionBarProps {
  selection: Selection;
  /**
   * whether the Delete key was pressed, possibly before this code was loaded
   * `onDelete` is called when the key press has been handled
   */
  isDeleteAsked: boolean;
  onDelete: () => void;
  DicomDialog: ComponentType<DicomDialogProps>;
  className: string;
}

/** Text with one line per study: patient, ID and date, and a note. */
function useStudyNames(selection: Selection) {
  const language = useLanguage(), text = useText(worklistSelectionText);
  return (
    pids: readonly number[],
    noteOf: (pid: number) => string | null = () => null,
  ): string[] => {
    const names = pids.slice(0, NAMED).map((pid) => {
      const { patient_id, patient_name = "", study_date } = selection.rowOf(pid) ?? {};
      const name =
        [patient_id, nameText(patient_name, language), study_date].filter(Boolean).join(" · ") ||
        text("number", { pid });
      const note = noteOf(pid);
      return note === null ? name : `${name}: ${note}`;
    });
    const more = pids.length - names.length;
    return more > 0 ? [...names, text("more", { n: more })] : names;
  };
}

/** Checked studies that colleagues are editing, each with the colleague's name. */
function useEditors(selection: Selection): () => Map<number, string> {
  const userId = useUser()?.user_id ?? null;
  return () =>
    new Map([...selection.checked].flatMap((pid) => {
      const { editing_user: user, editing_uid } = selection.rowOf(pid) ?? {};
      return user && editing_uid !== userId ? [[pid, user]] : [];
    }));
}

/** Actions on the checked studies; actions that delete data ask for a confirmation. */
function useSelectionActions(selection: Selection) {
  const language = useLanguage(), text = useText(worklistSelectionText);
  const [isBusy, setBusy] = useState(false);
  const checkedPids = [...selection.checked], namesOf = useStudyNames(selection);
  const editorsOfChecked = useEditors(selection);
  const reasonOf = (code: ErrorCode) => messageOf(code, {}, language);
  /**
   * Disables the buttons during an action, except while a modal is open:
   * a modal returns the focus to a button.
   */
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
  /**
   * Asks, deletes, and asks again about studies that a colleague began to edit after the rows were
   * shown.
   *
   * @param editors Names of colleagues who are editing, by study: a deletion loses their changes.
   */
  const remove = async (pids: readonly number[], editors: ReadonlyMap<number, string>) => {
    const n = pids.length, studies = text("studies", { n }), days = await binDays();
    const isRestorable = days > 0, isEdited = (pid: number) => editors.has(pid);
    const ordered = [...pids].sort((a, b) => Number(isEdited(b)) - Number(isEdited(a)));
    const noteOf = (pid: number) =>
      isEdited(pid) ? text("edited", { user: editors.get(pid)! }) : null;
    const { goesOn, text: why } = await askInModal(
      isRestorable ? "study.delete_to_bin" : "study.delete",
      { studies, n, days, lines: namesOf(ordered, noteOf) },
    );
    if (!goesOn) return;
    let keptEditors: ReadonlyMap<number, string> = new Map();
    await run(async () => {
      const asked = { edited: [...editors.keys()], why, isRestorable };
      const result = await deleteChecked(pids, asked, reasonOf);
      selection.drop(result.gone);
      keptEditors = result.editors;
    });
    if (keptEditors.size > 0) await remove([...keptEditors.keys()], keptEditors);
  };
  const analyze = async () => {
    const chosen = await chooseAnalyses(checkedPids, selection.rowOf);
    if (chosen === null) return;
    await run(async () => {
      await startChosen(chosen, reasonOf, selection.rowOf);
      selection.clear();
    });
  };
  return {
    isBusy,
    remove: () => remove(checkedPids, editorsOfChecked()),
    analyze,
    makeReports: () => run(() => startReportFile(checkedPids)),
  };
}

/** Which dialog is open over the list. */
type BarDialog = "labels" | "export" | "dicom";

export default function SelectionBar(
  { selection, isDeleteAsked, onDelete, DicomDialog, className }: SelectionBarProps,
) {
  const text = useText(worklistSelectionText), reports = useText(reportPrintText);
  const canEdit = useMay("edit"), canAnalyze = useMay("analyse"), canDelete = useMay("delete");
  const [opened, setOpened] = useState<BarDialog | null>(null);
  const { isBusy, remove, analyze, makeReports } = useSelectionActions(selection);
  const n = selection.checked.size;
  useEffect(() => loadAhead(ExportDialog.load), []);
  useEffect(() => {
    if (!isDeleteAsked) return;
    onDelete();
    if (!isBusy && canDelete) void remove();
  }, [isDeleteAsked]);
  return (
    <div role="toolbar" aria-label={text("bar")} className={className}>
      <span className="text-sm font-medium text-ink tabular" aria-live="polite">
        {text("count", { n })}
      </span>
      <button
        type="button"
        onClick={selection.clear}
        className="px-2 h-8 rounded text-[13px] text-brand-700 hover:underline"
      >
        {text("clear")}
      </button>
      <div className="flex-1" />
      {canEdit && (
        <Button disabled={isBusy} onClick={() => setOpened("labels")}>{text("labels")}</Button>
      )}
      {canAnalyze && (
        <Button disabled={isBusy} onClick={() => void analyze()}>{text("analyze")}</Button>
      )}
      <Button disabled={isBusy} onClick={() => void makeReports()}>{reports("action")}</Button>
      <Button disabled={isBusy} onClick={() => setOpened("export")}>{text("export")}</Button>
      <Button
        disabled={isBusy || n !== 1}
        title={text("deidentifyHint")}
        aria-haspopup="dialog"
        onClick={() => setOpened("dicom")}
      >
        {text("deidentify")}
      </Button>
      {canDelete && (
        <Button kind="danger" disabled={isBusy} onClick={() => void remove()}>
          {text("delete")}
        </Button>
      )}
      <BarDialogs
        opened={opened}
        selection={selection}
        DicomDialog={DicomDialog}
        onClose={() => setOpened(null)}
      />
    </div>
  );
}

interface BarDialogsProps extends Pick<SelectionBarProps, "selection" | "DicomDialog"> {
  opened: BarDialog | null;
  onClose: () => void;
}

function BarDialogs({ opened, selection, DicomDialog, onClose }: BarDialogsProps) {
  const pids = [...selection.checked], names = useStudyNames(selection)(pids);
  return (
    <Suspense>
      {opened === "export" && (
        <ExportDialog
          of={{ pid_list: pids }}
          count={pids.length}
          scope={names}
          onClose={onClose}
        />
      )}
      {opened === "dicom" && pids.length === 1 && (
        <DicomDialog pid={pids[0]!} patient={names[0]!} kinds={[]} onClose={onClose} />
      )}
      {opened === "labels" && <LabelDialog pids={pids} patient={names[0]!} onClose={onClose} />}
    </Suspense>
  );
}
