import { useEffect, useRef, useState } from "react";
import { queryKeys } from "@/model/query_keys.ts";
import type { SeriesType } from "@/model/schema/studies/study.ts";
import type { UploadFailure } from "@/model/schema/studies/patients.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { uploadDialogText } from "@/model/text/worklist/upload_dialog.ts";
import { AppError, type ErrorCode, isErrorCode } from "@/model/errors.ts";
import type { StudyProgress, UploadProgress, UploadStage } from "@/model/worklist/upload_progress.ts";
import { groupStudies, patientCount } from "@/model/worklist/upload_study.ts";
import { Button } from "@/components/Button.tsx";
import { Dialog } from "@/components/dialog/Dialog.tsx";
import { RejectedFiles } from "@/worklist/upload/RejectedFiles.tsx";
import { SendingView } from "@/worklist/upload/SendingView.tsx";
import { StudyProgressTable } from "@/worklist/upload/StudyProgressTable.tsx";
import { type Choice, type UploadCase, UploadChoice } from "@/worklist/upload/choice.tsx";
import { failureText, studyReason } from "@/worklist/upload/failures.ts";
import { browserApi } from "@/client/browser_api.ts";
import { scanSelection } from "@/client/dicom_scan/client.ts";
import { withoutArchives } from "@/client/dicom_scan/zip_files.ts";
import { type ChosenFile, couldBeDicom, isDicomdir, mergeFiles } from "@/client/dicom_scan/file_selection.ts";
import { SerialQueue } from "@/client/serial_queue.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { confirmInModal, presentError, presentToast } from "@/client/notices/present_error.ts";
import { collect } from "@/client/tray/server_jobs.ts";
import { putTask, removeTask, type TrayFailure } from "@/client/tray/tray.ts";
import { queryClient } from "@/client/page/query.ts";
import { sendPart } from "@/worklist/upload/upload_study.ts";
import { uploadResult, uploadToasts } from "@/worklist/upload/upload_outcome.ts";
import { UploadQueue } from "@/worklist/upload/upload_queue.ts";

const NOTHING: Choice = { chosen: [], studies: [], scanned: { files: [], failures: [], leftOut: 0 } };
/** The page is drawn anew at most this often while bytes go out. */
const DRAW_MS = 150;

/** Lets the page answer between two steps over thousands of files. */
const nextTask = () => new Promise((resolve) => setTimeout(resolve));

const repeatedFailure = ({ path }: { path: string }): UploadFailure => ({
  file_name: path,
  code: "upload.format_not_supported",
  reason: "duplicate_instance",
});

interface UploadDialogProps {
  /** it goes on in the tray, and is not shown */
  isMinimised: boolean;
  onMinimise: () => void;
  /** out of the tray */
  onShow: () => void;
  onClose: () => void;
}

/** In the tray. */
const TASK_ID = `upload ${crypto.getRandomValues(new Uint32Array(2)).join("")}`;

/** What a study that did not go in is to be found by in the tray. */
const failureOf = ({ study, code, pids }: StudyProgress): TrayFailure => ({
  pid: pids[0] === undefined ? null : Number(pids[0]),
  name: [study.patientName, study.patientId].filter(Boolean).join(" · "),
  code: isErrorCode(code ?? "") ? code as ErrorCode : "internal",
});

/** Choosing DICOM files, what is in them, sending them, and what became of each study. */
export default function UploadDialog({ isMinimised, onMinimise, onShow, onClose }: UploadDialogProps) {
  const language = useLanguage(), text = useText(uploadDialogText), common = useText(commonText);
  const [uploadCase, setCase] = useState<UploadCase>("single_case");
  const [choice, setChoice] = useState(NOTHING);
  const [excluded, setExcluded] = useState<ReadonlySet<string>>(new Set());
  const [seriesType, setSeriesType] = useState<SeriesType>("t1t2");
  const [reading, setReading] = useState<{ read: number; total: number } | null>(null);
  const [progress, setProgress] = useState<UploadProgress | null>(null);
  const [isAsked, setAsked] = useState(false), [isDicomdirAlone, setAlone] = useState(false);
  const [isAutomatic, setAutomatic] = useState<boolean | null>(null);
  const queue = useRef<UploadQueue>(null);
  /** paths of what was chosen and is not DICOM by its name */
  const otherFiles = useRef(new Set<string>());
  // a second folder may come while the first is read
  const [reader] = useState(() => new SerialQueue(() => setReading(null))), read = useRef(NOTHING);
  const isSending = progress !== null && progress.state !== "ended";

  useEffect(() => {
    if (!isSending) return;
    const askFirst = (event: BeforeUnloadEvent) => event.preventDefault();
    const hurry = () => queue.current?.hurry();
    addEventListener("beforeunload", askFirst);
    addEventListener("online", hurry);
    return () => {
      removeEventListener("beforeunload", askFirst);
      removeEventListener("online", hurry);
    };
  }, [isSending]);
  useEffect(() => () => {
    reader.stop();
    removeTask(TASK_ID);
  }, []);
  useEffect(() => {
    if (progress === null) return removeTask(TASK_ID);
    const { studies, sentBytes, totalBytes, state } = progress;
    putTask({
      id: TASK_ID,
      kind: "upload",
      count: studies.length,
      percent: totalBytes > 0 ? Math.floor(100 * sentBytes / totalBytes) : null,
      state: state === "running" ? "running" : state === "ended" ? "done" : "waiting",
      show: onShow,
      forget: onClose,
    });
  }, [progress]);
  // what is shown by itself need not be asked for
  const isGone = isMinimised && progress === null;
  useEffect(() => {
    if (isGone) onClose();
  }, [isGone]);

  const choose = (next: Choice) => {
    read.current = next;
    setChoice(next);
  };
  const add = (files: Promise<ChosenFile[]> | ChosenFile[]) => {
    setAsked(false);
    setReading((now) => now ?? { read: 0, total: 0 });
    // what cannot be listed is said when its turn comes
    Promise.resolve(files).catch(() => {});
    reader.add((signal) => readFiles(files, signal));
  };
  const readFiles = async (files: Promise<ChosenFile[]> | ChosenFile[], signal: AbortSignal) => {
    try {
      const added = await withoutArchives(await files, couldBeDicom, {
        signal,
        onProgress: (read, total) => setReading({ read, total }),
      });
      await nextTask();
      const usable = added.filter(couldBeDicom);
      // what was there before is read again: it costs little, and says if a file has changed
      const chosen = mergeFiles(read.current.chosen, usable);
      await nextTask();
      const scanned = await scanSelection(chosen, {
        signal,
        onProgress: (read, total) => setReading({ read, total }),
      });
      await nextTask();
      const { studies, repeated } = groupStudies(scanned.files);
      await nextTask();
      for (const file of added) {
        if (!couldBeDicom(file) && !isDicomdir(file)) otherFiles.current.add(file.path);
      }
      scanned.leftOut += otherFiles.current.size;
      scanned.failures.push(...repeated.map(repeatedFailure));
      choose({ chosen, studies, scanned });
      setAlone(studies.length === 0 && added.some(isDicomdir));
      if (studies.length === 0 && added.length > 0) {
        presentToast("upload.format_not_supported");
      }
    } catch (error) {
      if (signal.aborted) return;
      const archive = error instanceof AppError && error.details.reason === "archive" ? error : null;
      if (!archive) return presentError(error);
      const { chosen, studies, scanned } = read.current;
      const failure = {
        file_name: String(archive.details.file),
        code: archive.code,
        reason: "archive",
      };
      choose({ chosen, studies, scanned: { ...scanned, failures: [...scanned.failures, failure] } });
    }
  };
  const remove = () => {
    otherFiles.current.clear();
    choose(NOTHING);
    setExcluded(new Set());
  };

  const run = async () => {
    const current = queue.current;
    if (!current) return;
    try {
      await current.run();
    } catch (error) {
      presentError(error);
    }
    const { studies } = current.progress;
    for (const { code, values } of uploadToasts(studies)) presentToast(code, values);
    collect(studies.filter(({ stage }) => stage === "failed" || stage === "refused").map(failureOf));
    if (studies.some(({ stage }) => stage === "stored")) void checkNextStep();
    void queryClient.invalidateQueries({ queryKey: queryKeys.patients });
  };
  /** Whether what is stored is analysed by itself; not said when the settings cannot be read. */
  const checkNextStep = async () => {
    try {
      const { findSettings } = await import("@/client/api/site/settings.ts");
      const found = await findSettings(browserApi);
      if (found !== null && found !== "unknown") setAutomatic(found.individual.general.auto_analyze);
    } catch { /* the list shows it */ }
  };
  const start = () => {
    setAsked(true);
    const studies = choice.studies.filter(({ studyUid }) => !excluded.has(studyUid));
    if (studies.length === 0 || (uploadCase === "single_case" && patientCount(studies) > 1)) return;
    let drawnMs = 0, stages = "";
    queue.current = new UploadQueue(studies, choice.chosen, {
      api: browserApi,
      send: sendPart,
      seriesType,
      onChange: (next) => {
        // every change of a stage, but not every byte
        const now = performance.now();
        const key = next.state + next.studies.map(({ stage }) => stage[0]! + stage[2]!).join("");
        if (key === stages && now - drawnMs < DRAW_MS) return;
        [drawnMs, stages] = [now, key];
        setProgress(next);
      },
    });
    setProgress(queue.current.progress);
    void run();
  };
  const retry = (index: number) => {
    queue.current?.retry(index);
    // one that runs comes to it by itself
    if (!isSending) void run();
  };
  const cancel = async () => {
    const isSure = await confirmInModal("upload.cancel");
    if (isSure) queue.current?.cancelAll();
    return isSure;
  };
  const more = () => {
    setAsked(false);
    setProgress(null);
    remove();
  };

  const count = (which: UploadStage) => progress?.studies.filter(({ stage }) => stage === which).length ?? 0;
  const sent = count("stored"), stored = sent + count("known");
  const failures = progress === null
    ? []
    : [...choice.scanned.failures, ...progress.studies.flatMap(({ failures }) => failures)];
  if (isMinimised) return null;
  return (
    <Dialog
      title={text("title")}
      width="w-[960px]"
      closeLabel={common("close")}
      onClose={isSending ? onMinimise : onClose}
      footer={progress === null
        ? (
          <>
            <Button onClick={onClose}>{common("cancel")}</Button>
            <Button kind="primary" disabled={reading !== null} onClick={start}>{text("start")}</Button>
          </>
        )
        : isSending
        ? (
          <>
            <Button onClick={cancel}>{text("cancelUpload")}</Button>
            <Button onClick={onMinimise}>{text("minimise")}</Button>
            {progress.state === "paused"
              ? <Button kind="primary" onClick={() => queue.current?.resume()}>{text("resume")}</Button>
              // a double click on "Upload" is no pause
              : (
                <Button
                  autoFocus
                  onClick={({ detail }) => detail < 2 && queue.current?.pause()}
                >
                  {text("pause")}
                </Button>
              )}
          </>
        )
        : (
          <>
            <Button onClick={more}>{text("more")}</Button>
            <Button kind="primary" autoFocus onClick={onClose}>{text("done")}</Button>
          </>
        )}
    >
      {progress === null && (
        <UploadChoice
          language={language}
          uploadCase={uploadCase}
          onCase={setCase}
          choice={choice}
          reading={reading}
          onStopReading={() => {
            reader.stop();
            setReading(null);
          }}
          excluded={excluded}
          onExclude={setExcluded}
          seriesType={seriesType}
          onSeriesType={setSeriesType}
          onFiles={add}
          onRemove={remove}
          isEmptyAsked={isAsked}
          isDicomdirAlone={isDicomdirAlone}
        />
      )}
      {progress !== null && isSending && (
        <SendingView
          language={language}
          progress={progress}
          onHurry={() => queue.current?.hurry()}
        />
      )}
      {progress !== null && !isSending && (
        <div className="pb-4" aria-live="polite">
          <p className="text-base font-medium text-ink">
            {text(uploadResult(progress.studies, failures.length))}
          </p>
          <p>
            {text("resultCount", { success: stored, total: progress.studies.length })}{" "}
            {sent > 0 && isAutomatic !== null && text(isAutomatic ? "analysisFollows" : "analysisOff")}
          </p>
        </div>
      )}
      {progress !== null && (
        <>
          <StudyProgressTable
            language={language}
            studies={progress.studies}
            isPaused={progress.state === "paused"}
            reasonOf={(study) => studyReason(study, language)}
            onCancel={(index) => queue.current?.cancel(index)}
            onRetry={retry}
          />
          {failures.length > 0 && (
            <RejectedFiles failures={failures} language={language} messageOf={failureText(language)} />
          )}
        </>
      )}
    </Dialog>
  );
}
