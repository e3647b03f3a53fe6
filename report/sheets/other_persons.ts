import type { ReportResponse } from "@/model/schema/report/report.ts";
import { differenceOf } from "@/model/schema/reading/comparables.ts";
import { textIn } from "@/model/text.ts";
import { trajectoryText as texts } from "@/model/text/report/report_trajectory.ts";
import type { Block } from "@/report/sheets/sheet.ts";

/** Maximum number of dates in a notice; for more studies it has the first dates and a count. */
const MOST_DATES = 8;

type Visit = NonNullable<ReportResponse["other_person_visits"]>[number];

function reasonOf(differs: Visit["differs"], shared: Visit["shared_id"]) {
  if (shared) return texts[shared === "placeholder" ? "placeholderId" : "sharedId"];
  return differs.length === 0 ? texts.unknownPerson : texts.otherPerson;
}

/**
 * Notices about studies with the same patient ID that are not compared, one for each reason:
 * their records contradict this study's record, or several people use the ID.
 */
export function otherPersonNotices(
  { other_person_visits, language }: Pick<ReportResponse, "other_person_visits" | "language">,
): Block[] {
  const byReason = Map.groupBy(
    other_person_visits ?? [],
    ({ differs, shared_id }) => shared_id ?? differenceOf(differs) ?? "",
  );
  return [...byReason.values()].map((visits) => {
    const [{ differs, shared_id }] = visits as [(typeof visits)[number]];
    const dates = visits.slice(0, MOST_DATES).map(({ study_date }) => study_date ?? "–").join(", ");
    const more = visits.length > MOST_DATES ? ` … (${visits.length})` : "";
    const recorded = texts[differenceOf(differs) ?? "birthdate"];
    return {
      kind: "notice",
      text: textIn(reasonOf(differs, shared_id), language, {
        dates: dates + more,
        recorded: textIn(recorded, language),
      }),
    } as const;
  });
}
