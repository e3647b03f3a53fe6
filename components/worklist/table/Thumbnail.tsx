import type { PatientRow } from "@/model/schema/studies/patients.ts";
import { type Language, textIn } from "@/model/text.ts";
import { findingText } from "@/model/text/worklist/finding.ts";
import { nameText } from "@/model/worklist/person_names.ts";
import { isReadable } from "@/model/worklist/worklist_row.ts";

interface ThumbnailProps {
  row: PatientRow;
  language: Language;
  /** side length in px, by a class */
  className: string;
}

/** A slice of a study with the result as overlay; without a result, an empty square. */
export function Thumbnail({ row, language, className }: ThumbnailProps) {
  if (!isReadable(row)) return <span className={`thumbnail ${className}`} aria-hidden="true" />;
  const version = [row.t1_analysis_date, row.t2_analysis_date].map((at) => at ? Date.parse(at) : 0)
    .join("-");
  return (
    <img
      src={`/api/v1/patients/${row.pid}/thumbnail?v=${version}`}
      alt={textIn(findingText.picture, language, {
        patient: nameText(row.patient_name, language) || row.patient_id,
      })}
      loading="lazy"
      decoding="async"
      onError={({ currentTarget }) => currentTarget.classList.add("no-picture")}
      className={`thumbnail ${className}`}
    />
  );
}
