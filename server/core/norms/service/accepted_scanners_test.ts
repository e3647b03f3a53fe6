import assert from "node:assert/strict";
import {
  decisionInForce,
  isAcceptedForPercentiles,
} from "@/server/core/norms/service/applied_norms.ts";
import type { StoredAcceptance } from "@/server/core/norms/storage/acceptances.ts";

const PLACE = { scanner: "Zeta MR 9", protocol: "MPRAGE", engineVersion: "1" };
/** An acceptance test with both signatures. */
const signed = (
  decision: StoredAcceptance["decision"],
  countersignedAt: string | null,
  revokedAt: string | null = null,
) => ({ ...PLACE, decision, countersignedAt, revokedAt }) as StoredAcceptance;

Deno.test("the decision that two people signed last is in force, until it is withdrawn", () => {
  const january = signed("percentiles", "2026-01-05T09:00:00.000Z");
  const june = signed("none", "2026-06-05T09:00:00.000Z");
  const cases: [StoredAcceptance[], StoredAcceptance["decision"]][] = [
    [[], null],
    [[january], "percentiles"],
    [[january, june], "none"],
    [[june, january], "none"],
    [[january, signed("none", null)], "percentiles"],
    [[january, signed("none", june.countersignedAt, "2026-06-06T09:00:00.000Z")], "percentiles"],
    [[{ ...january, engineVersion: "2" }], null],
  ];
  for (const [tests, decision] of cases) {
    assert.equal(decisionInForce(tests, PLACE), decision);
    assert.equal(isAcceptedForPercentiles(tests, PLACE), decision === "percentiles");
  }
});
