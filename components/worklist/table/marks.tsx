// Marks of a study, equal in table, cards and history.
import type { PatientRow, QualityGrade } from "@/model/schema/studies/patients.ts";
import { type Language, textIn } from "@/model/text.ts";
import { dayIn } from "@/model/time/site_time.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";

/** Mark before the name of a study with a result that this user has not opened. */
export function UnreadMark({ row, language }: { row: PatientRow; language: Language }) {
  return row.is_unread && (
    <span
      role="img"
      aria-label={textIn(worklistText.unread, language)}
      title={textIn(worklistText.unread, language)}
      className="dot inline-block w-2 h-2 mr-1.5 shrink-0 rounded-full text-brand-600"
    />
  );
}

/**
 * Mark for a missing name. Without an ID too, a study is easily mistaken for another patient's.
 */
export function NamelessMark({ row, language }: { row: PatientRow; language: Language }) {
  if (row.patient_id !== "") {
    return (
      <span className="font-normal text-ink-soft">{textIn(worklistText.noName, language)}</span>
    );
  }
  return (
    <span className="font-medium text-amber-800">
      <span aria-hidden="true">⚠</span> {textIn(worklistText.noNameNoId, language)}
    </span>
  );
}

/** Mark that a physician has signed the report's text, and whether results changed since. */
export function SignedMark({ row, language }: { row: PatientRow; language: Language }) {
  const { signed } = row;
  if (!signed) return null;
  const isOutdated = signed === "outdated";
  return (
    <span
      data-signed={signed}
      title={textIn(worklistText[isOutdated ? "signedHint_outdated" : "signedHint"], language)}
      className={isOutdated ? "font-medium text-amber-800" : "text-emerald-800"}
    >
      <span aria-hidden="true">{isOutdated ? "⚠ " : "✓ "}</span>
      {textIn(worklistText[isOutdated ? "signed_outdated" : "signed"], language)}
    </span>
  );
}

/** Name of another user who is editing the record, as text; `null`: none. */
export const editingText = (
  row: PatientRow,
  userId: number | null,
  language: Language,
): string | null =>
  row.editing_user && row.editing_uid !== userId
    ? textIn(worklistText.editing, language, { user: row.editing_user })
    : null;

const GRADE_COLOURS = {
  A: "bg-emerald-50 text-emerald-800",
  B: "bg-amber-50 text-amber-800",
  C: "bg-red-50 text-red-700",
} as const;

/** Quality grade of a result as a letter with a colour. */
export function GradeMark({ grade, language }: { grade: QualityGrade | null; language: Language }) {
  if (grade === null) return "-";
  return (
    <span
      title={textIn(worklistText.gradeOf, language, { grade })}
      className={`inline-block w-6 rounded text-center font-semibold ${GRADE_COLOURS[grade]}`}
    >
      {grade}
    </span>
  );
}

/** Mark that the report was printed; other colour and text if the patient record changed since. */
export function ReportedMark(
  { row, language, className = "" }: { row: PatientRow; language: Language; className?: string },
) {
  if (row.is_report_outdated) {
    return (
      <span className={`${className} text-amber-800`}>
        {textIn(worklistText.reportOlder, language)}
      </span>
    );
  }
  if (!row.is_reported) return null;
  return (
    <span className={`${className} text-ink-soft`}>{textIn(worklistText.reported, language)}</span>
  );
}

/** Mark that an order or study with the same accession number is of another patient. */
export function AccessionMark({ row, language }: { row: PatientRow; language: Language }) {
  return row.is_accession_doubted && (
    <span
      className="accession-mark block text-[11px] leading-tight font-medium text-amber-800"
      title={textIn(worklistText.accessionDoubtedWhy, language)}
    >
      <span aria-hidden="true">⚠</span> {textIn(worklistText.accessionDoubted, language)}
    </span>
  );
}

/** Mark that the hospital's system, not a user, last changed who the patient is. */
export function HospitalMark(
  { row, language, timeZone }: { row: PatientRow; language: Language; timeZone: string },
) {
  if (row.hospital_at === undefined || (row.edited_at ?? "") > row.hospital_at) return null;
  const day = dayIn(timeZone, Date.parse(row.hospital_at));
  return (
    <span
      className="block text-[11px] leading-tight text-ink-soft"
      title={textIn(worklistText.byHospitalWhy, language, { day })}
      suppressHydrationWarning
    >
      {textIn(worklistText.byHospital, language)}
    </span>
  );
}
