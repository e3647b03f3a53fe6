// Marks studies in a comparison if their acquisition is unknown or differs from the first study's.
import type { ReportVisit } from "@/model/schema/report/report.ts";
import { type Language, textIn } from "@/model/text.ts";
import { longitudinalPageText, protocolFieldText } from "@/model/text/report/pages/longitudinal.ts";
import { DASH } from "@/report/model/format.ts";
import type { Block } from "@/report/sheets/sheet.ts";

type Acquired = Pick<ReportVisit, "study_date" | "same_protocol" | "protocol_differences">;

/** Whether a study's acquisition is unknown; it then counts as equal, with a notice on the page. */
const isUnknown = ({ same_protocol, protocol_differences }: Acquired): boolean =>
  !same_protocol && protocol_differences.length === 0;

/**
 * Mark after a study's date if its acquisition differs from the first study's: "*", unknown: "†".
 */
export const acquisitionMark = (visits: readonly Acquired[], visit: Acquired): string =>
  visit === visits[0] || visit.same_protocol ? "" : isUnknown(visit) ? " †" : " *";

/** Notices that explain the marks "*" and "†" of {@link acquisitionMark}. */
export function acquisitionNotices(visits: readonly Acquired[], language: Language): Block[] {
  const marked = visits.slice(1).filter(({ same_protocol }) => !same_protocol);
  const reference = textIn(longitudinalPageText.firstStudy, language);
  const datesOf = (some: readonly Acquired[]) =>
    some.map(({ study_date }) => study_date).join(", ");
  const others = marked.filter((visit) => !isUnknown(visit)), unknown = marked.filter(isUnknown);
  const fields = [
    ...new Set(others.flatMap(({ protocol_differences }) => protocol_differences)),
  ].map((field) =>
    field in protocolFieldText
      ? textIn(protocolFieldText[field as keyof typeof protocolFieldText], language)
      : field
  );
  const notice = (text: Record<Language, string>, values: Record<string, string>): Block => ({
    kind: "notice",
    text: textIn(text, language, { reference, ...values }),
  });
  return [
    ...others.length === 0 ? [] : [notice(longitudinalPageText.otherAcquisition, {
      dates: datesOf(others),
      fields: fields.join(", ") || DASH,
    })],
    ...unknown.length === 0
      ? []
      : [notice(longitudinalPageText.unknownAcquisition, { dates: datesOf(unknown) })],
  ];
}
