import { useEffect, useRef, useState } from "react";
import { type ErrorCode, isErrorCode } from "@/model/errors.ts";
import { queryKeys } from "@/model/query_keys.ts";
import type { SeriesKind } from "@/model/dicom/classify.ts";
import type { SeriesType } from "@/model/schema/studies/study.ts";
import type { StudyProgress, UploadProgress } from "@/model/worklist/upload_progress.ts";
import { browserApi } from "@/client/browser_api.ts";
import { confirmInModal, presentError, presentToast } from "@/client/notices/present_error.ts";
import { queryClient } from "@/client/page/query.ts";
import { collect } from "@/client/tray/server_jobs.ts";
import { putTask, removeTask, type TrayFailure, watchAnalyses } from "@/client/tray/tray.ts";
import type { Choice } from "@/components/worklist/upload/choice.tsx";
import { uploadToasts } from "@/components/worklist/upload/upload_outcome.ts";
import { UploadQueue } from "@/components/worklist/upload/upload_queue.ts";
import { sendPart } from "@/components/worklist/upload/upload_study.ts";

/** Minimum interval between renders while bytes are being sent. */
const DRAW_MS = 150;

/** Id of this page's upload among the tasks of the tray. */
const TASK_ID = `upload ${crypto.getRandomValues(new Uint32Array(2)).join("")}`;

/** Tray entry about a study that was not uploaded. */
const failureOf = ({ study, code, pids }: StudyProgress): TrayFailure => ({
  pid: pids[0] === undefined ? null : Number(pids[0]),
  name: [study.patientName, study.patientId].filter(Boolean).join(" · "),
  code: isErrorCode(code ?? "") ? code as ErrorCode : "internal",
});

const storedPids = ({ studies }: UploadProgress): number[] =>
  studies.flatMap(({ stage, pids }) => stage === "stored" ? pids.map(Number) : []);

/** Shows the upload in the tray, and asks before the page is left. */
function useTray(progress: UploadProgress | null, { onShow, onClose, hurry }: {
  onShow: () => void;
  onClose: () => void;
  hurry: () => void;
}): void {
  const isSending = progress !== null && progress.state !== "ended";
  useEffect(() => {
    if (!isSending) return;
    const askFirst = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", askFirst);
    addEventListener("online", hurry);
    return () => {
      removeEventListener("beforeunload", askFirst);
      removeEventListener("online", hurry);
    };
  }, [isSending]);
  useEffect(() => () => removeTask(TASK_ID), []);
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
}

/** Studies being uploaded, from the first byte to the results. */
export function useSending(shown: { onShow: () => void; onClose: () => void }) {
  const [progress, setProgress] = useState<UploadProgress | null>(null);
  const [isAutomatic, setAutomatic] = useState<boolean | null>(null);
  const queue = useRef<UploadQueue>(null);
  const isSending = progress !== null && progress.state !== "ended";
  const hurry = () => queue.current?.hurry();
  useTray(progress, { ...shown, hurry });

  /**
   * Whether stored studies are analysed automatically; unknown when the settings cannot be loaded.
   */
  const checkNextStep = async () => {
    try {
      const { findSettings } = await import("@/client/api/site/settings.ts");
      const siteSettings = await findSettings(browserApi);
      if (siteSettings !== null && siteSettings !== "unknown") {
        setAutomatic(siteSettings.individual.general.auto_analyze);
      }
    } catch { /* the list shows it */ }
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
    collect(
      studies.filter(({ stage }) => stage === "failed" || stage === "refused").map(failureOf),
    );
    if (studies.some(({ stage }) => stage === "stored")) void checkNextStep();
    void queryClient.invalidateQueries({ queryKey: queryKeys.patients });
  };
  return {
    progress,
    isSending,
    /** whether stored studies are analysed automatically; `null` when unknown */
    isAutomatic,
    hurry,
    start(studies: Choice["studies"], chosen: Choice["chosen"], seriesType: SeriesType): void {
      let drawnMs = 0, stages = "";
      queue.current = new UploadQueue(studies, chosen, {
        api: browserApi,
        send: sendPart,
        seriesType,
        onChange: (next) => {
          // renders for each change of a stage, but not for each byte
          const nowMs = performance.now();
          const key = next.state + next.studies.map(({ stage }) => stage[0]! + stage[2]!).join("");
          if (key === stages && nowMs - drawnMs < DRAW_MS) return;
          // follows the automatic analysis of a stored study, to report its failure
          if (key !== stages) watchAnalyses(storedPids(next));
          [drawnMs, stages] = [nowMs, key];
          setProgress(next);
        },
      });
      setProgress(queue.current.progress);
      void run();
    },
    /** Uploads a single series of a study separately, as this kind (T1w or FLAIR). */
    sendSeriesAs(index: number, seriesUid: string, kind: SeriesKind): void {
      queue.current?.sendSeriesAs(index, seriesUid, kind);
      if (!isSending) void run();
    },
    retry(index: number): void {
      queue.current?.retry(index);
      // no new run needed: the running upload also processes the added study
      if (!isSending) void run();
    },
    /** Cancels the upload of one study. */
    cancel: (index: number) => queue.current?.cancel(index),
    /** Cancels all uploads that are not stored yet, after confirmation. */
    async cancelAll(): Promise<void> {
      if (await confirmInModal("upload.cancel")) queue.current?.cancelAll();
    },
    pause: () => queue.current?.pause(),
    resume: () => queue.current?.resume(),
    clear: () => setProgress(null),
  };
}
