import type { ClassifyRules } from "@/model/dicom/classify.ts";
import type { Language } from "@/model/text.ts";
import type { SeriesType } from "@/model/schema/studies/study.ts";
import { refusalText } from "@/model/text/worklist/refusals.ts";
import { textIn } from "@/model/text.ts";
import { type FoundStudy, patientCount } from "@/model/worklist/upload_study.ts";
import { Button } from "@/components/Button.tsx";
import { ProgressBar } from "@/components/ProgressBar.tsx";
import { sizeText, textFor } from "@/components/worklist/upload/amounts.ts";
import { DropZone } from "@/components/worklist/upload/DropZone.tsx";
import { RejectedFiles } from "@/components/worklist/upload/RejectedFiles.tsx";
import { SeriesTypeChoice } from "@/components/worklist/upload/SeriesTypeChoice.tsx";
import { StudyTable } from "@/components/worklist/upload/StudyTable.tsx";
import { failureText } from "@/components/worklist/upload/failures.ts";
import type { ChosenFile } from "@/client/dicom_scan/file_selection.ts";
import { DICOM_EXTENSIONS, filesOfDrop, filesOfInput } from "@/client/dicom_scan/file_selection.ts";
import type { ScanSummary } from "@/client/dicom_scan/client.ts";

/** Modes of the upload. Single Case: one patient. Multi Case: all patients in a folder. */
export type UploadCase = "single_case" | "multi_case";
const CASES: readonly UploadCase[] = ["single_case", "multi_case"];

/** Selected files, and the studies in these files. */
export interface Choice {
  chosen: readonly ChosenFile[];
  studies: readonly FoundStudy[];
  scanned: ScanSummary;
}

interface UploadChoiceProps {
  language: Language;
  uploadCase: UploadCase;
  onCase: (uploadCase: UploadCase) => void;
  choice: Choice;
  /** number of files read so far; absent when none are being read */
  reading: { read: number; total: number } | null;
  onStopReading: () => void;
  excluded: ReadonlySet<string>;
  onExclude: (excluded: ReadonlySet<string>) => void;
  /** excluded studies, which the server is expected to refuse */
  unused: number;
  rules: ClassifyRules;
  seriesType: SeriesType;
  onSeriesType: (seriesType: SeriesType) => void;
  onFiles: (files: Promise<ChosenFile[]> | ChosenFile[]) => void;
  onRemove: () => void;
  /** whether the user started the upload without a selection */
  isEmptyAsked: boolean;
  /** whether the user selected only the index file of a CD */
  isDicomdirAlone: boolean;
}

/** Selection of files and folders, and the table of the studies found. */
export function UploadChoice(props: UploadChoiceProps) {
  const { language, uploadCase, onCase, choice, reading, excluded, isEmptyAsked } = props;
  const say = textFor(language), { studies, scanned } = choice;
  const included = studies.filter(({ studyUid }) => !excluded.has(studyUid));
  const patients = patientCount(included);
  const isSomething = studies.length > 0 || scanned.failures.length > 0;
  return (
    <>
      <div role="tablist" aria-label={say("tabs")} className="flex gap-1 border-b border-line mb-3">
        {CASES.map((name) => (
          <button
            key={name}
            id={`upload_${name}`}
            type="button"
            role="tab"
            aria-selected={name === uploadCase}
            aria-controls="upload_panel"
            tabIndex={name === uploadCase ? 0 : -1}
            onClick={() => onCase(name)}
            onKeyDown={(event) => {
              if (!["ArrowLeft", "ArrowRight"].includes(event.key)) return;
              const otherCase = CASES.find((one) => one !== name)!;
              onCase(otherCase);
              document.getElementById(`upload_${otherCase}`)?.focus();
            }}
            className={`h-10 px-4 -mb-px border-b-2 font-medium ${
              name === uploadCase
                ? "border-brand-600 text-brand-700"
                : "border-transparent text-ink-soft hover:text-ink"
            }`}
          >
            {say(name)}
          </button>
        ))}
      </div>
      <div id="upload_panel" role="tabpanel" aria-labelledby={`upload_${uploadCase}`}>
        <DropZone
          label={say("drop")}
          labelWhileOver={say("dropNow")}
          hint={`${say(uploadCase === "single_case" ? "singleHint" : "multiHint")} ${
            say("accepted")
          }`}
          chooseFolder={say("chooseFolder")}
          chooseFiles={say("chooseFiles")}
          accept={[...DICOM_EXTENSIONS, ".zip"].join(",")}
          isCompact={isSomething || reading !== null}
          onFiles={(list) => props.onFiles(filesOfInput(list))}
          onDrop={(transfer) => props.onFiles(filesOfDrop(transfer))}
        />
        <div className="min-h-[44px] py-2" aria-live="polite">
          {reading && (
            <div className="flex items-center gap-4 py-6">
              <div className="flex-1">
                <p className="mb-2 tabular">
                  {reading.total === 0 ? say("reading") : say("readingCount", reading)}
                </p>
                <ProgressBar
                  label={say("reading")}
                  percent={reading.total === 0
                    ? null
                    : Math.floor(reading.read / reading.total * 100)}
                />
              </div>
              <Button size="small" onClick={props.onStopReading}>{say("stopReading")}</Button>
            </div>
          )}
          {!reading && props.isDicomdirAlone && (
            <p className="text-amber-800">{say("dicomdirAlone")}</p>
          )}
          {!reading && isEmptyAsked && included.length === 0 && (
            <p className="text-red-700">{textIn(refusalText.noFile, language)}</p>
          )}
          {!reading && studies.length > 0 && (
            <p className="flex items-center gap-4 text-ink font-medium tabular">
              <span>
                {say("selectedStudies", { studies: included.length, all: studies.length })}
              </span>
              <span>
                {say("selected", {
                  count: included.reduce((sum, { files }) => sum + files.length, 0),
                  size: sizeText(included.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)),
                })}
              </span>
            </p>
          )}
          {!reading && uploadCase === "single_case" && patients > 1 && (
            <p className="mt-1 flex items-center justify-between rounded-md bg-amber-50 px-3 py-1 text-amber-900">
              {say("severalPatients", { count: patients })}
              <Button size="small" onClick={() => onCase("multi_case")}>{say("useMulti")}</Button>
            </p>
          )}
          {!reading && props.unused > 0 && (
            <p className="text-amber-800">{say("unusedPreselected", { count: props.unused })}</p>
          )}
          {!reading && scanned.leftOut > 0 && (
            <p className="text-amber-800">{say("leftOut", { count: scanned.leftOut })}</p>
          )}
        </div>
        {!reading && studies.length > 0 && (
          <StudyTable
            language={language}
            studies={studies}
            excluded={excluded}
            onExclude={props.onExclude}
            rules={props.rules}
          />
        )}
        {!reading && scanned.failures.length > 0 && (
          <RejectedFiles
            failures={scanned.failures}
            language={language}
            messageOf={failureText(language)}
          />
        )}
        {!reading && (
          <div className="mt-4 flex items-center justify-between">
            <SeriesTypeChoice
              language={language}
              value={props.seriesType}
              onChange={props.onSeriesType}
            />
            {isSomething && <Button kind="quiet" onClick={props.onRemove}>{say("remove")}</Button>}
          </div>
        )}
      </div>
    </>
  );
}
