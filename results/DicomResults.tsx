import type { DicomKind } from "@/model/schema/report/dicom.ts";
import { type Language, textIn } from "@/model/text.ts";
import { dicomText } from "@/model/text/dicom.ts";
import { Button } from "@/components/Button.tsx";

interface DicomResultsProps {
  /** what the study has */
  kinds: readonly DicomKind[];
  /** what is being made */
  busy: DicomKind | "results" | null;
  onSave: (what: DicomKind | "results") => void;
  language: Language;
}

/** Results of a study to be saved as DICOM, one by one or all together. */
export function DicomResults({ kinds, busy, onSave, language }: DicomResultsProps) {
  const t = (key: keyof typeof dicomText, values?: Record<string, string>) =>
    textIn(dicomText[key], language, values);
  return (
    <section aria-labelledby="dicom-results">
      <h3 id="dicom-results" className="text-sm font-semibold text-ink">{t("resultsTitle")}</h3>
      <p className="mb-1">{t("identity")}</p>
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
      <div className="flex justify-end pt-3">
        <Button kind="primary" data-autofocus disabled={busy !== null} onClick={() => onSave("results")}>
          {busy === "results" ? t("preparing") : t("results")}
        </Button>
      </div>
    </section>
  );
}
