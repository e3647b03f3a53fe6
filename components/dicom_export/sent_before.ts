import { isChangedBy } from "@/model/report/corrected_results.ts";
import type { SentResults } from "@/model/schema/connections/connections.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";

type Sent = SentResults["results"][number];
/** Most recent correction of a series: its author and time. */
export type Correction = NonNullable<ReportResponse["findings"]>["corrections"][number];

/** Results that other systems received before users of this site corrected them. */
export interface SentBefore {
  /** kinds with corrected results waiting to be sent */
  following: readonly Sent[];
  /** kinds with corrected results that failed to be sent, or are not sent automatically */
  left: readonly Sent[];
  /** kinds of which the correction left no result to send, so that the sent one is not replaced */
  gone: readonly Sent[];
}

const isOpen = ({ state }: Sent) => state === "waiting" || state === "sending";
const sentMs = ({ sent_at }: Sent) => sent_at === null ? -Infinity : Date.parse(sent_at);

/**
 * Results at each system that a correction has made outdated, by kind of result.
 *
 * @param results Deliveries, newest first.
 */
export function sentBefore(
  results: readonly Sent[],
  corrections: readonly Correction[],
): SentBefore {
  const following: Sent[] = [], left: Sent[] = [], gone: Sent[] = [];
  const kinds = new Map<string, Sent[]>();
  for (const sent of results) {
    const key = `${sent.peer} ${sent.kind}`;
    kinds.set(key, [...kinds.get(key) ?? [], sent]);
  }
  for (const ofKind of kinds.values()) {
    const latest = ofKind[0]!, sent = ofKind.reduce((a, b) => sentMs(b) > sentMs(a) ? b : a);
    // only the latest delivery counts: earlier ones contain an earlier state of the results
    const isBefore = sent.sent_at !== null &&
      corrections.some(({ series, at }) =>
        isChangedBy(series, latest.kind) && (sent !== latest || sentMs(sent) < Date.parse(at))
      );
    if (isBefore) {
      (isOpen(latest) ? following : latest.state === "nothing" ? gone : left).push(sent);
    }
  }
  return { following, left, gone };
}
