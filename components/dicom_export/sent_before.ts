import { isChangedBy } from "@/model/report/corrected_results.ts";
import type { SentResults } from "@/model/schema/connections/connections.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";

type Sent = SentResults["results"][number];
/** The last correction of a series. */
export type Correction = NonNullable<ReportResponse["findings"]>["corrections"][number];

/** Results that other systems have from before a correction. */
export interface SentBefore {
  /** the corrected ones wait to be sent */
  following: readonly Sent[];
  /** nothing waits: it could not be sent, or is not sent there by itself */
  left: readonly Sent[];
  /** the corrected study has no such result that could take its place */
  gone: readonly Sent[];
}

const isOpen = ({ state }: Sent) => state === "waiting" || state === "sending";
const sentMs = ({ sent_at }: Sent) => sent_at === null ? -Infinity : Date.parse(sent_at);

/**
 * Results by kind that each system has from before a correction that changes them.
 *
 * @param results The newest first.
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
    // another entry than the latest is of an earlier state, however late it arrived
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
