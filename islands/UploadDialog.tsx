import { useEffect, useRef, useState } from "react";
import { isErrorCode } from "@/model/errors.ts";
import { queryKeys } from "@/model/query_keys.ts";
import type { SeriesType } from "@/model/schema/study.ts";
import type { UploadResponse } from "@/model/schema/patients.ts";
import { textIn } from "@/model/text.ts";
import { commonText } from "@/model/text/actions.ts";
import { uploadToast, uploadToastTitle } from "@/model/text/upload.ts";
import { uploadDialogText } from "@/model/text/upload_dialog.ts";
import { Button } from "@/components/Button.tsx";
import { Dialog } from "@/components/Dialog.tsx";
import { DropZone } from "@/components/upload/DropZone.tsx";
import { RejectedFiles } from "@/components/upload/RejectedFiles.tsx";
import { SendingView } from "@/components/upload/SendingView.tsx";
import { SeriesTypeChoice } from "@/components/upload/SeriesTypeChoice.tsx";
import {
  type ChosenFile,
  DICOM_EXTENSIONS,
  filesOfDrop,
  filesOfInput,
  mergeSelections,
  selectDicomFiles,
  type Selection,
} from "@/client/file_selection.ts";
import { useLanguage, useText } from "@/client/language.ts";
import { messageOf } from "@/client/messages.ts";
import { askInModal, presentError, presentToast } from "@/client/present_error.ts";
import { queryClient } from "@/client/query.ts";
import { type UploadProgress, uploadStudies } from "@/client/upload.ts";

const NOTHING: Selection = { accepted: [], leftOut: 0 };
type Phase =
  | { name: "choosing"; isReading: boolean }
  | { name: "sending"; progress: UploadProgress }
  | { name: "done"; result: UploadResponse };

const sizeText = (bytes: number) =>
  bytes < 1e6
    ? `${Math.ceil(bytes / 1e3)} kB`
    : bytes < 1e9
    ? `${(bytes / 1e6).toFixed(1)} MB`
    : `${(bytes / 1e9).toFixed(2)} GB`;

/** Choosing DICOM files, sending them, and what became of each. */
export default function UploadDialog({ onClose }: { onClose: () => void }) {
  const language = useLanguage(), text = useText(uploadDialogText), common = useText(commonText);
  const [selection, setSelection] = useState(NOTHING);
  const [seriesType, setSeriesType] = useState<SeriesType | undefined>(undefined);
  const [phase, setPhase] = useState<Phase>({ name: "choosing", isReading: false });
  const upload = useRef<AbortController>(null);
  const [isAsked, setAsked] = useState(false);
  const isSending = phase.name === "sending";

  useEffect(() => {
    if (!isSending) return;
    const askFirst = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", askFirst);
    return () => removeEventListener("beforeunload", askFirst);
  }, [isSending]);

  const add = async (files: Promise<ChosenFile[]> | ChosenFile[]) => {
    setAsked(false);
    setPhase({ name: "choosing", isReading: true });
    try {
      const added = await selectDicomFiles(await files);
      setSelection((before) => mergeSelections(before, added));
    } catch (error) {
      presentError(error);
    }
    setPhase({ name: "choosing", isReading: false });
  };

  const tell = (result: UploadResponse) => {
    const { success, total } = result;
    const kind = success === 0 ? "error" : success < total ? "warning" : "success";
    const title = success === 0 ? "failed" : success < total ? "warning" : "completed";
    presentToast(
      kind,
      textIn(uploadToast.completion, language, { success, total }),
      textIn(uploadToastTitle[title], language),
    );
  };
  const start = async () => {
    setAsked(true);
    if (selection.accepted.length === 0) return;
    const controller = upload.current = new AbortController();
    const totalBytes = selection.accepted.reduce((sum, { file }) => sum + file.size, 0);
    setPhase({ name: "sending", progress: { sentBytes: 0, totalBytes, bytesPerSecond: 0 } });
    try {
      const result = await uploadStudies(selection.accepted, {
        seriesType,
        signal: controller.signal,
        onProgress: (progress) => setPhase({ name: "sending", progress }),
      });
      setPhase({ name: "done", result });
      setSelection(NOTHING);
      tell(result);
      void queryClient.invalidateQueries({ queryKey: queryKeys.patients });
    } catch (error) {
      setPhase({ name: "choosing", isReading: false });
      presentError(error);
    }
  };
  const cancel = async () => {
    const isSure = await askInModal({
      title: text("cancelTitle"),
      text: text("cancelText"),
      confirm: text("cancelUpload"),
      cancel: text("continueUpload"),
      isDangerous: true,
    });
    if (isSure) upload.current?.abort();
  };

  return (
    <Dialog
      title={text("title")}
      width="w-[640px]"
      closeLabel={common("close")}
      onClose={isSending ? cancel : onClose}
      footer={phase.name === "choosing"
        ? (
          <>
            <Button onClick={onClose}>{common("cancel")}</Button>
            <Button kind="primary" disabled={phase.isReading} onClick={start}>{text("start")}</Button>
          </>
        )
        : phase.name === "sending"
        ? <Button onClick={cancel}>{text("cancelUpload")}</Button>
        : (
          <>
            <Button
              onClick={() => {
                setAsked(false);
                setPhase({ name: "choosing", isReading: false });
              }}
            >
              {text("more")}
            </Button>
            <Button kind="primary" autoFocus onClick={onClose}>{text("done")}</Button>
          </>
        )}
    >
      {phase.name === "choosing" && (
        <>
          <DropZone
            label={text("drop")}
            labelWhileOver={text("dropNow")}
            hint={text("accepted")}
            chooseFolder={text("chooseFolder")}
            chooseFiles={text("chooseFiles")}
            accept={DICOM_EXTENSIONS.join(",")}
            onFiles={(list) => void add(filesOfInput(list))}
            onDrop={(transfer) => void add(filesOfDrop(transfer))}
          />
          <div className="min-h-[52px] pt-3" aria-live="polite">
            {phase.isReading && <p>{text("reading")}</p>}
            {!phase.isReading && isAsked && selection.accepted.length === 0 && (
              <p className="text-red-700">{textIn(uploadToast.noFile, language)}</p>
            )}
            {!phase.isReading && selection.accepted.length > 0 && (
              <p className="flex items-center gap-3 text-ink font-medium tabular">
                {text("selected", {
                  count: selection.accepted.length,
                  size: sizeText(selection.accepted.reduce((sum, { file }) => sum + file.size, 0)),
                })}
                <Button kind="quiet" size="small" onClick={() => setSelection(NOTHING)}>
                  {text("remove")}
                </Button>
              </p>
            )}
            {!phase.isReading && selection.leftOut > 0 && (
              <p className="text-amber-800">{text("leftOut", { count: selection.leftOut })}</p>
            )}
          </div>
          <SeriesTypeChoice language={language} value={seriesType} onChange={setSeriesType} />
        </>
      )}
      {phase.name === "sending" && <SendingView language={language} progress={phase.progress} />}
      {phase.name === "done" && (
        <>
          <p className="text-base font-medium text-ink">
            {text(
              phase.result.success === 0
                ? "resultNone"
                : phase.result.failed.length > 0
                ? "resultSome"
                : "resultAll",
            )}
          </p>
          <p className="mt-1">
            {text("resultCount", { success: phase.result.success, total: phase.result.total })}{" "}
            {phase.result.success > 0 && text("analysisFollows")}
          </p>
          {phase.result.failed.length > 0 && (
            <RejectedFiles
              failures={phase.result.failed}
              language={language}
              messageOf={(code) => messageOf(isErrorCode(code) ? code : "internal", {}, language)}
            />
          )}
        </>
      )}
    </Dialog>
  );
}
