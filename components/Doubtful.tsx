import { type DoubtfulField, doubtsOf, isContradictory } from "@/model/patient/plausible.ts";
import { doubtText } from "@/model/text/doubts.ts";
import { type Language, textIn } from "@/model/text.ts";

interface DoubtfulProps {
  subject: Parameters<typeof doubtsOf>[0] & {
    study_date_source?: "series" | "acquisition" | undefined;
  };
  field: DoubtfulField;
  language: Language;
}

/** Shows a date or an age, with a mark if implausible; `-` if unknown. */
export function Doubtful({ subject, field, language }: DoubtfulProps) {
  const value = subject[field];
  if (value === null) return "-";
  if (!doubtsOf(subject).includes(field)) {
    return field === "study_date" && subject.study_date_source
      ? <StandIn date={String(value)} source={subject.study_date_source} language={language} />
      : value;
  }
  const isAge = field !== "study_date" && isContradictory(subject);
  const why = textIn(isAge ? doubtText.contradiction : doubtText[field], language);
  return (
    <span className="text-red-700 font-medium" title={why} suppressHydrationWarning>
      {value} <span aria-hidden="true">⚠</span>
      <span className="visually-hidden">{why}</span>
    </span>
  );
}

/** Shows a date taken from the images, with a mark, because the study date is missing. */
function StandIn(
  { date, source, language }: {
    date: string;
    source: "series" | "acquisition";
    language: Language;
  },
) {
  const why = textIn(doubtText[`date_of_${source}`], language);
  return (
    <span className="text-amber-800" title={why} suppressHydrationWarning>
      {date}
      <span aria-hidden="true">*</span>
      <span className="visually-hidden">{why}</span>
    </span>
  );
}
