import type { SentResults } from "@/model/schema/connections/connections.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";

type Sent = SentResults["results"][number];
/** The last correction of a series. */
export type Correction = NonNullable<ReportResponse["findings"]>["corrections"][number];

/** What a correction of a series does not change: the other series' segmentations, and what readers chose themselves. */
const UNTOUCHED: Record<Correction["series"], readonly string[]> = {
  t1: ["lesions", "changes", "key_images", "images"],
  t2: ["regions", "key_images", "images"],
};

/**
 * Results that other systems have from before a correction, the latest of each kind and system; what is about to be sent
 * again has the correction.
 *
 * @param results The newest first.
 */
export function sentBefore(results: readonly Sent[], corrections: readonly Correction[]): Sent[] {
  const latest = new Map<string, Sent>();
  for (const one of results) {
    const key = `${one.peer} ${one.kind}`;
    if (!latest.has(key)) latest.set(key, one);
  }
  return [...latest.values()].filter(({ state, sent_at, kind }) =>
    state === "sent" && sent_at !== null &&
    corrections.some(({ series, at }) =>
      !UNTOUCHED[series].includes(kind) && Date.parse(sent_at) < Date.parse(at)
    )
  );
}
