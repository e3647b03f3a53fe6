import type { SeriesKind } from "@/model/dicom/classify.ts";
import type { Language } from "@/model/text.ts";
import type { UploadFailure } from "@/model/schema/studies/upload.ts";
import { isStudyReason, isUploadReason, reasonIn, wrongIn } from "@/model/text/worklist/upload.ts";
import type { StudyProgress } from "@/model/worklist/upload_progress.ts";
import { otherKinds, type SeriesOutcome, seriesOutcomes } from "@/model/worklist/upload_verdict.ts";
import { Button } from "@/components/Button.tsx";
import { textFor } from "@/components/worklist/upload/amounts.ts";

interface SeriesOutcomesProps {
  language: Language;
  progress: StudyProgress;
  /** uploads a single series as this kind (T1w or FLAIR); absent while not possible */
  onSendAs?: (seriesUid: string, kind: SeriesKind) => void;
}

const SHOWN_NAMES = 100;

/** Files of a series that were not used, by reason; the file names are shown on demand. */
function LostFiles({ language, lost }: { language: Language; lost: readonly UploadFailure[] }) {
  const say = textFor(language);
  return [...Map.groupBy(lost, ({ reason }) => reason)].map(([reason, files]) =>
    isUploadReason(reason) && (
      <details key={reason}>
        <summary className="cursor-pointer">
          {say("lostFiles", {
            count: files.length,
            reason: reasonIn(language, reason, files[0]!.details),
          })}
        </summary>
        <ul className="max-h-40 overflow-y-auto" tabIndex={0}>
          {files.slice(0, SHOWN_NAMES).map(({ file_name }) => (
            <li key={file_name} className="truncate">{file_name}</li>
          ))}
          {files.length > SHOWN_NAMES && (
            <li>{say("andMore", { count: files.length - SHOWN_NAMES })}</li>
          )}
        </ul>
      </details>
    )
  );
}

/** Series of an uploaded study: accepted series, and reasons for refused series. */
export function SeriesOutcomes({ language, progress, onSendAs }: SeriesOutcomesProps) {
  const say = textFor(language), outcomes = seriesOutcomes(progress);
  const title = ({ series: { description }, slices, usedSlices }: SeriesOutcome) =>
    usedSlices === null
      ? say("seriesTitle", { series: description || say("unnamedSeries"), slices })
      : say("seriesPart", {
        series: description || say("unnamedSeries"),
        slices: usedSlices,
        all: slices,
      });
  const mainOutcomes = outcomes.filter(({ takenAs, failure, isMinor }) =>
    takenAs !== null || failure && !isMinor
  );
  const minor = outcomes.filter(({ failure, isMinor }) => failure && isMinor);
  if (mainOutcomes.length + minor.length === 0) return null;
  const buttons = (outcome: SeriesOutcome) =>
    onSendAs && otherKinds(outcome, progress.taken).map((kind) => {
      const isSame = kind === outcome.kind,
        values = { kind: say(kind), series: title(outcome) };
      return (
        <Button
          key={kind}
          size="small"
          aria-label={say(isSame ? "useInsteadOf" : "sendAsOf", values)}
          onClick={() => onSendAs(outcome.series.seriesUid, kind)}
        >
          {say(isSame ? "useInstead" : "sendAs", values)}
        </Button>
      );
    });
  return (
    <ul className="mt-1 space-y-1 text-xs text-ink-soft">
      {mainOutcomes.map((outcome) => {
        const { series, takenAs, failure, kind, lost, usedSlices, instead } = outcome;
        const details = { ...failure?.details, ...instead === null ? {} : { instead } };
        const key = takenAs !== null ? "takenAs" : kind !== null ? "notTaken" : "notTakenAny";
        return (
          <li key={series.seriesUid} data-series={takenAs ?? "refused"}>
            <p className={takenAs !== null ? "text-emerald-800" : "font-medium text-amber-800"}>
              {say(key, { series: title(outcome), ...kind ? { kind: say(kind) } : {} })}
            </p>
            {failure && isUploadReason(failure.reason) && !isStudyReason(failure.reason) && (
              <p>{reasonIn(language, failure.reason, details)}</p>
            )}
            {usedSlices !== null && <p>{say("otherSlices")}</p>}
            <LostFiles language={language} lost={lost} />
            <div className="mt-1 flex flex-wrap gap-1">{buttons(outcome)}</div>
          </li>
        );
      })}
      {minor.length > 0 && (
        <li>
          <details>
            <summary className="cursor-pointer text-brand-700 w-max">
              {say("minorSeries", { count: minor.length })}
            </summary>
            <ul className="mt-1 space-y-1">
              {minor.map((outcome) => (
                <li key={outcome.series.seriesUid}>
                  {title(outcome)}
                  {isUploadReason(outcome.failure!.reason) &&
                    `: ${wrongIn(language, outcome.failure!.reason, outcome.failure!.details)}. `}
                  {buttons(outcome)}
                </li>
              ))}
            </ul>
          </details>
        </li>
      )}
    </ul>
  );
}
