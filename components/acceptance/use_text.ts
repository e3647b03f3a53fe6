import type { AcceptanceDecision } from "@/model/schema/report/acceptance.ts";
import type { acceptanceText } from "@/model/text/settings/acceptance.ts";

/** Names of the uses that a scanner can be accepted for. */
export const USE_TEXT = {
  percentiles: "percentiles",
  volumes: "onlyVolumes",
  none: "none",
} as const satisfies Record<AcceptanceDecision, keyof typeof acceptanceText>;
