import { useEffect, useState } from "react";
import type { SeriesType } from "@/model/schema/studies/study.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { uploadDialogText } from "@/model/text/worklist/upload_dialog.ts";
import type { UploadStage } from "@/model/worklist/upload_progress.ts";
import { patientCount } from "@/model/worklist/upload_study.ts";
import { Button } from "@/components/Button.tsx";
import { Dialog } from "@/components/dialog/Dialog.tsx";
import { RejectedFiles } from "@/components/worklist/upload/RejectedFiles.tsx";
import { SendingView } from "@/components/worklist/upload/SendingView.tsx";
import { StudyProgressTable } from "@/components/worklist/upload/StudyProgressTable.tsx";
import { type UploadCase, UploadChoice } from "@/components/worklist/upload/choice.tsx";
import { failureText, studyReason } from "@/components/worklist/upload/failures.ts";
import { uploadResult } from "@/components/worklist/upload/upload_outcome.ts";
import { isPartly } from "@/model/worklist/upload_verdict.ts";
import { useIncluded } from "@/components/worklist/upload/use_included.ts";
import { useChosenFiles } from "@/components/worklist/upload/use_chosen_files.ts";
import { useSending } from "@/components/worklist/upload/use_sending.ts";
import type { ChosenFile } from "@/client/dicom_scan/file_selection.ts";
import { useLanguage, useText } from "@/client/page/language.ts";

interface UploadDialogProps {
  /** whether the dialog is hidden while the upload continues in the tray */
  isMinimised: boolean;
  /** files dropped on the page, which are added to the selection when this promise changes */
  dropped: Promise<ChosenFile[]> | null;
  onMinimise: () => void;
  /** restores the dialog from the tray */
  onShow: () => void;
  onClose: () => void;
}

type Sending = ReturnType<typeof useSending>;

function SendingButtons({ sending, onMinimise }: { sending: Sending; onMinimise: () => void }) {
  const text = useText(uploadDialogText), { progress, cancelAll, pause, resume } = sending;
  return (
    <>
      <Button onClick={cancelAll}>{text("cancelUpload")}</Button>
      <Button onClick={onMinimise}>{text("minimise")}</Button>
      {progress?.state === "paused"
        ? <Button kind="primary" onClick={resume}>{text("resume")}</Button>
        // ignores the second click of a double click on "Upload", which would hit this button
        : <Button autoFocus onClick={({ detail }) => detail < 2 && pause()}>{text("pause")}
        </Button>}
    </>
  );
}

/** Upload result by study, and rejected files. */
function Outcome(
  { sending, rejected }: {
    sending: Sending;
    rejected: Parameters<typeof RejectedFiles>[0]["failures"];
  },
) {
  const language = useLanguage(), text = useText(uploadDialogText);
  const { progress, isSending, isAutomatic, hurry, cancel, retry, sendSeriesAs } = sending;
  if (progress === null) return null;
  const { studies } = progress;
  const count = (which: UploadStage) => studies.filter(({ stage }) => stage === which).length;
  const sent = count("stored"), stored = sent + count("known");
  const refused = studies.flatMap(({ failures }) => failures), isShort = studies.some(isPartly);
  // unused series are omitted, because the row of the study shows the reason
  const failures = [
    ...rejected,
    ...refused.filter(({ series }) => series?.series_uid === undefined),
  ];
  return (
    <>
      {isSending
        ? <SendingView language={language} progress={progress} onHurry={hurry} />
        : (
          <div className="pb-4" aria-live="polite">
            <p className="text-base font-medium text-ink">
              {text(uploadResult(studies, isShort ? refused.length : failures.length))}
            </p>
            <p>
              {text("resultCount", { success: stored, total: studies.length })}{" "}
              {sent > 0 && isAutomatic !== null &&
                text(isAutomatic ? "analysisFollows" : "analysisOff")}
            </p>
          </div>
        )}
      <StudyProgressTable
        language={language}
        studies={studies}
        isPaused={progress.state === "paused"}
        reasonOf={(study) => studyReason(study, language)}
        onCancel={cancel}
        onRetry={retry}
        onSendAs={sendSeriesAs}
      />
      {failures.length > 0 && (
        <RejectedFiles failures={failures} language={language} messageOf={failureText(language)} />
      )}
    </>
  );
}

/** Dialog for choosing DICOM files, selecting studies, uploading them and showing the result. */
export default function UploadDialog(
  { isMinimised, dropped, onMinimise, onShow, onClose }: UploadDialogProps,
) {
  const language = useLanguage(), text = useText(uploadDialogText), common = useText(commonText);
  const [uploadCase, setCase] = useState<UploadCase>("single_case");
  const [seriesType, setSeriesType] = useState<SeriesType>("t1t2");
  const [isAsked, setAsked] = useState(false);
  const files = useChosenFiles(), sending = useSending({ onShow, onClose });
  const { choice, reading } = files, { progress, isSending } = sending;
  const { rules, excluded, unused, exclude, forget } = useIncluded(choice.studies, seriesType);

  // closes a minimised dialog that has no upload and would therefore be invisible
  const isGone = isMinimised && progress === null;
  useEffect(() => {
    if (isGone) onClose();
  }, [isGone]);

  const add = (added: Promise<ChosenFile[]> | ChosenFile[]) => {
    setAsked(false);
    files.add(added);
  };
  useEffect(() => {
    if (dropped !== null && progress === null) add(dropped);
  }, [dropped]);
  const remove = () => {
    files.clear();
    forget();
  };
  const start = () => {
    setAsked(true);
    const studies = choice.studies.filter(({ studyUid }) => !excluded.has(studyUid));
    if (studies.length === 0 || (uploadCase === "single_case" && patientCount(studies) > 1)) return;
    sending.start(studies, choice.chosen, seriesType);
  };
  const more = () => {
    setAsked(false);
    sending.clear();
    remove();
  };

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
            <Button kind="primary" disabled={reading !== null} onClick={start}>
              {text("start")}
            </Button>
          </>
        )
        : isSending
        ? <SendingButtons sending={sending} onMinimise={onMinimise} />
        : (
          <>
            <Button onClick={more}>{text("more")}</Button>
            <Button kind="primary" autoFocus onClick={onClose}>{text("done")}</Button>
          </>
        )}
    >
      {progress === null
        ? (
          <UploadChoice
            language={language}
            uploadCase={uploadCase}
            onCase={setCase}
            choice={choice}
            reading={reading}
            onStopReading={files.stop}
            excluded={excluded}
            onExclude={exclude}
            unused={unused}
            rules={rules}
            seriesType={seriesType}
            onSeriesType={setSeriesType}
            onFiles={add}
            onRemove={remove}
            isEmptyAsked={isAsked}
            isDicomdirAlone={files.isDicomdirAlone}
          />
        )
        : <Outcome sending={sending} rejected={choice.scanned.failures} />}
    </Dialog>
  );
}
