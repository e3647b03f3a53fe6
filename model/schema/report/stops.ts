import * as z from "zod/mini";
import { driftGroup } from "@/model/schema/report/drift.ts";
import { isoDate, isoInstant } from "@/model/schema/studies/study.ts";
import { typedText } from "@/model/schema/typed_text.ts";

/** Decision about a stop: show percentiles again, or keep them withheld. */
export const stopDecision = z.enum(["release", "confirm"]);
export type StopDecision = z.infer<typeof stopDecision>;

/** State of a stop: undecided, decided by one person, or decided by two. */
export const stopState = z.enum(["stopped", "proposed", "released", "confirmed"]);

const scannerStop = z.object({
  id: z.number(),
  scanner: z.string(),
  /** protocol; empty if the headers do not name one */
  protocol: z.string(),
  /** first study date with withheld percentiles; `null`: every study */
  since: z.nullable(isoDate),
  moved: driftGroup.shape.moved,
  state: stopState,
  stopped_at: isoInstant,
  /** time at which `moved` or `since` last changed */
  changed_at: isoInstant,
  decision: z.nullable(stopDecision),
  reason: z.string(),
  proposed_at: z.nullable(isoInstant),
  /** e-mail address of the first person; `null`: undecided, or the account was deleted */
  proposed_by: z.nullable(z.string()),
  /** whether the caller proposed the decision */
  is_own: z.boolean(),
  decided_at: z.nullable(isoInstant),
  decided_by: z.nullable(z.string()),
});
export type ScannerStop = z.infer<typeof scannerStop>;

/** Response of `GET /stops`: scanners with withheld percentiles. */
export const scannerStops = z.object({
  /** all stops of scanners, newest first */
  stops: z.array(scannerStop),
});
export type ScannerStops = z.infer<typeof scannerStops>;

export const MAX_STOP_REASON = 500;
/** Request body of the first person's decision. */
export const stopProposal = z.object({
  decision: stopDecision,
  reason: z.string().check(typedText, z.trim(), z.minLength(1), z.maxLength(MAX_STOP_REASON)),
});
export type StopProposal = z.infer<typeof stopProposal>;

/**
 * Agreement of the second person with the proposal on that person's page.
 * Refused if the proposal was withdrawn or replaced, or further charts have signalled a change,
 * since that page was loaded.
 */
export const stopAgreement = z.object({
  decision: stopDecision,
  proposed_at: z.string().check(z.maxLength(40)),
  changed_at: z.string().check(z.maxLength(40)),
});
export type StopAgreement = z.infer<typeof stopAgreement>;
