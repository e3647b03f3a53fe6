import { QUIET_MINUTES } from "@/model/report/corrected_results.ts";
import type { DicomKind } from "@/model/schema/report/dicom.ts";
import { type Language, textIn } from "@/model/text.ts";
import { connectionText } from "@/model/text/site/connections.ts";
import { dicomText } from "@/model/text/dicom.ts";
import { correctionText } from "@/model/text/report/report_corrections.ts";
import { minuteIn } from "@/model/time/site_time.ts";
import { useTimeZone } from "@/client/page/time_zone.ts";
import { Button } from "@/components/Button.tsx";
import type { Correction, SentBefore } from "@/components/dicom_export/sent_before.ts";

interface DicomResultsProps {
  /** results of the study that can be exported */
  kinds: readonly DicomKind[];
  /** no percentile map, because the scanner is not accepted for percentiles */
  isMapLeftOut?: boolean;
  /** kind of the export in progress; `null` if none */
  busy: DicomKind | "results" | null;
  /** corrections that users made to the results; empty: none */
  corrections: readonly Correction[];
  /** results at other systems that are outdated since a correction */
  before: SentBefore;
  onSave: (what: DicomKind | "results") => void;
  language: Language;
}

/** List of a study's results, to be saved as DICOM individually or all together. */
export function DicomResults(
  { kinds, isMapLeftOut = false, busy, corrections, before, onSave, language }: DicomResultsProps,
) {
  const t = (key: keyof typeof dicomText, values?: Record<string, string>) =>
    textIn(dicomText[key], language, values);
  return (
    <section aria-labelledby="dicom-results">
      <h3 id="dicom-results" className="text-sm font-semibold text-ink">{t("resultsTitle")}</h3>
      <p className="mb-1">{t("identity")}</p>
      <Corrected corrections={corrections} before={before} language={language} />
      <ul>
        {kinds.map((kind) => (
          <li key={kind} className="flex items-center justify-between h-11 border-b border-line">
            <span className="text-ink">{t(kind)}</span>
            <Button
              size="small"
              aria-label={t("saveNamed", { what: t(kind) })}
              disabled={busy !== null}
              onClick={() =>
                onSave(kind)}
            >
              {busy === kind ? t("preparing") : t("saveOne")}
            </Button>
          </li>
        ))}
      </ul>
      {isMapLeftOut && <p className="pt-2">{t("mapLeftOut")}</p>}
      <div className="flex justify-end pt-3">
        <Button
          kind="primary"
          data-autofocus
          disabled={busy !== null}
          onClick={() => onSave("results")}
        >
          {busy === "results" ? t("preparing") : t("results")}
        </Button>
      </div>
    </section>
  );
}

/**
 * Author and date of corrections, as in the report, and a list of results without the corrections.
 */
function Corrected(
  { corrections, before, language }: Pick<DicomResultsProps, "corrections" | "before" | "language">,
) {
  const timeZone = useTimeZone(), minute = (at: string) => minuteIn(timeZone, Date.parse(at));
  if (corrections.length === 0) return null;
  const list = (sent: SentBefore["left"]) => (
    <ul>
      {sent.map(({ id, kind, peer, sent_at }) => {
        const what = connectionText[`result_${kind}` as keyof typeof connectionText];
        return (
          <li key={id}>
            {`${what ? textIn(what, language) : kind} → ${peer}, ${minute(sent_at!)}`}
          </li>
        );
      })}
    </ul>
  );
  const { following, left, gone } = before;
  return (
    <div
      role="note"
      className="my-2 rounded-md bg-amber-50 border border-amber-300 px-3 py-2 text-amber-900 break-words"
    >
      {corrections.map(({ series, by, at }) => (
        <p key={series}>
          {textIn(correctionText[series], language, { who: by || "–", when: minute(at) })}
        </p>
      ))}
      {following.length > 0 && (
        <>
          <p className="mt-1">
            {textIn(dicomText.following, language, { minutes: String(QUIET_MINUTES) })}
          </p>
          {list(following)}
        </>
      )}
      {gone.length > 0 && (
        <>
          <p className="mt-1 font-semibold">{textIn(dicomText.gone, language)}</p>
          {list(gone)}
        </>
      )}
      {left.length > 0 && (
        <>
          <p className="mt-1 font-semibold">{textIn(dicomText.sentBefore, language)}</p>
          {list(left)}
          <p>{textIn(dicomText.sendAgain, language)}</p>
        </>
      )}
    </div>
  );
}
