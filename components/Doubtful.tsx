import { type DoubtfulField, doubtsOf, isContradictory } from "@/model/patient/plausible.ts";
import { doubtText } from "@/model/text/doubts.ts";
import { type Language, textIn } from "@/model/text.ts";

interface DoubtfulProps {
  subject: Parameters<typeof doubtsOf>[0];
  field: DoubtfulField;
  language: Language;
}

/** A date or an age, marked when it is outside reason; `-` when there is none. */
export function Doubtful({ subject, field, language }: DoubtfulProps) {
  const value = subject[field];
  if (value === null) return "-";
  if (!doubtsOf(subject).includes(field)) return value;
  const isAge = field !== "study_date" && isContradictory(subject);
  const why = textIn(isAge ? doubtText.contradiction : doubtText[field], language);
  return (
    <span className="text-red-700 font-medium" title={why} suppressHydrationWarning>
      {value} <span aria-hidden="true">⚠</span>
      <span className="visually-hidden">{why}</span>
    </span>
  );
}
