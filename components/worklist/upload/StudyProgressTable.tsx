import { useState } from "react";
import type { SeriesKind } from "@/model/dicom/classify.ts";
import type { Language } from "@/model/text.ts";
import { type StudyProgress, type UploadStage } from "@/model/worklist/upload_progress.ts";
import { isPartly } from "@/model/worklist/upload_verdict.ts";
import { ProgressBar } from "@/components/ProgressBar.tsx";
import { Button } from "@/components/Button.tsx";
import { sizeText, textFor } from "@/components/worklist/upload/amounts.ts";
import { SeriesOutcomes } from "@/components/worklist/upload/SeriesOutcomes.tsx";
import {
  HEAD_CELL,
  PagedTable,
  STUDIES_PER_PAGE,
} from "@/components/worklist/upload/PagedTable.tsx";

const STAGE_COLOURS: Record<UploadStage, string> = {
  waiting: "text-ink-faint",
  sending: "text-brand-700",
  checking: "text-brand-700",
  stored: "text-emerald-800",
  known: "text-emerald-800",
  refused: "text-amber-800",
  failed: "text-red-700",
  canceled: "text-ink-faint",
};

const CheckMark = () => (
  <svg className="inline w-4 h-4 mr-1" viewBox="0 0 16 16" fill="none" aria-hidden="true">
    <path d="M3 8.5 6.5 12 13 4.5" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
  </svg>
);

interface StudyProgressTableProps {
  language: Language;
  studies: readonly StudyProgress[];
  /** whether the user has paused the upload */
  isPaused?: boolean;
  /** reason why a study was not stored */
  reasonOf: (progress: StudyProgress) => string | null;
  onCancel: (index: number) => void;
  onRetry: (index: number) => void;
  /** uploads a single series of a study separately; absent where not offered */
  onSendAs?: (index: number, seriesUid: string, kind: SeriesKind) => void;
}

/** All studies of an upload with progress and actions. */
export function StudyProgressTable(props: StudyProgressTableProps) {
  const { language, studies, isPaused = false, reasonOf, onCancel, onRetry, onSendAs } = props;
  const say = textFor(language), [chosen, setPage] = useState<number | null>(null);
  const indexOf = (...stages: UploadStage[]) =>
    studies.findIndex(({ stage }) => stages.includes(stage));
  // shows the page with the study being sent, until the user changes the page; then failed studies
  const followedIndex = [
    indexOf("sending", "checking"),
    indexOf("waiting"),
    indexOf("failed", "refused"),
    0,
  ]
    .find((index) => index >= 0)!;
  const page = chosen ?? Math.floor(followedIndex / STUDIES_PER_PAGE);
  return (
    <PagedTable
      language={language}
      total={studies.length}
      page={page}
      onPage={setPage}
      widths={["w-40", "w-44", "w-24", "", "w-28"]}
      head={
        <>
          <th className={HEAD_CELL} scope="col">{say("pid")}</th>
          <th className={HEAD_CELL} scope="col">{say("patientName")}</th>
          <th className={`${HEAD_CELL} text-right`} scope="col">{say("size")}</th>
          <th className={HEAD_CELL} scope="col">{say("stage")}</th>
          <th className={HEAD_CELL} scope="col">
            <span className="visually-hidden">{say("action")}</span>
          </th>
        </>
      }
    >
      {studies.slice(page * STUDIES_PER_PAGE, (page + 1) * STUDIES_PER_PAGE).map(
        (progress, row) => {
          const { study, stage, sentBytes } = progress, index = page * STUDIES_PER_PAGE + row;
          const name = study.patientId || study.patientName || say("noPid");
          const percent = study.sizeBytes > 0 ? Math.floor(sentBytes / study.sizeBytes * 100) : 0;
          const reason = reasonOf(progress), isShort = isPartly(progress);
          const isDone = (stage === "stored" || stage === "known") && !isShort;
          return (
            <tr
              key={index}
              className={`border-t border-line ${
                isDone ? "bg-emerald-50" : isShort ? "bg-amber-50" : ""
              }`}
              data-stage={stage}
            >
              <td className="px-3 py-2 align-top truncate font-medium" title={study.patientId}>
                {study.patientId || say("noPid")}
                {study.studyDate && (
                  <span className="block text-xs font-normal text-ink-faint tabular">
                    {study.studyDate}
                  </span>
                )}
              </td>
              <td className="px-3 py-2 align-top truncate" title={study.patientName}>
                {study.patientName || "-"}
              </td>
              <td className="px-3 py-2 align-top text-right tabular">
                {sizeText(study.sizeBytes)}
              </td>
              <td className="px-3 py-2 align-top">
                <span
                  className={`font-medium ${isShort ? "text-amber-800" : STAGE_COLOURS[stage]}`}
                >
                  {isDone && <CheckMark />}
                  {say(
                    isPaused && stage === "sending"
                      ? "paused"
                      : isShort
                      ? "stage_partly"
                      : `stage_${stage}`,
                  )}
                  {stage === "sending" && <span className="tabular">{` ${percent}\u00a0%`}</span>}
                </span>
                {(stage === "sending" || stage === "checking") && (
                  <div className="mt-1">
                    <ProgressBar
                      label={say("progressOf", { name })}
                      percent={stage === "sending" ? percent : null}
                    />
                  </div>
                )}
                {reason !== null && <span className="block text-xs text-ink-soft">{reason}</span>}
                <SeriesOutcomes
                  language={language}
                  progress={progress}
                  {...onSendAs
                    ? {
                      onSendAs: (seriesUid: string, kind: SeriesKind) =>
                        onSendAs(index, seriesUid, kind),
                    }
                    : {}}
                />
              </td>
              <td className="px-2 py-1 align-top text-right">
                {(stage === "waiting" || stage === "sending") && (
                  <Button
                    kind="quiet"
                    size="small"
                    aria-label={say("cancelOf", { name })}
                    onClick={() => onCancel(index)}
                  >
                    {say("cancelStudy")}
                  </Button>
                )}
                {(stage === "failed" || stage === "canceled") && (
                  <Button
                    size="small"
                    aria-label={say("retryOf", { name })}
                    onClick={() => onRetry(index)}
                  >
                    {say("retry")}
                  </Button>
                )}
              </td>
            </tr>
          );
        },
      )}
    </PagedTable>
  );
}
