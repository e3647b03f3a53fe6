import assert from "node:assert/strict";
import {
  decisionInForce,
  isAcceptedForPercentiles,
} from "@/server/core/norms/service/applied_norms.ts";
import { NORMS_NAME } from "@/model/norms/norms_source.ts";
import type { StoredAcceptance } from "@/server/core/norms/storage/acceptances.ts";

const PLACE = { scanner: "Zeta MR 9", protocol: "MPRAGE", engineVersion: "1" };
/** An acceptance test with both signatures. */
const signed = (
  decision: StoredAcceptance["decision"],
  countersignedAt: string | null,
  revokedAt: string | null = null,
) =>
  ({
    ...PLACE,
    decision,
    signedAt: countersignedAt,
    countersignedAt,
    revokedAt,
    norms: { published: NORMS_NAME, local: [null] },
  }) as StoredAcceptance;

Deno.test("the decision of the newest test with two signatures is in force, until it is withdrawn", () => {
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
    // the second signature of an older test was given after the newer refusal
    [[{ ...january, countersignedAt: "2026-07-05T09:00:00.000Z" }, june], "none"],
  ];
  for (const [tests, decision] of cases) {
    assert.equal(decisionInForce(tests, PLACE), decision);
    assert.equal(isAcceptedForPercentiles(tests, PLACE, null), decision === "percentiles");
  }
});

Deno.test("an acceptance is of the norms that it was tested with", () => {
  const norm = (id: number, acceptedAt = "2026-02-01T00:00:00.000Z") => ({ id, acceptedAt });
  const test = (month: number, local: (number | null)[], published = NORMS_NAME) => ({
    ...signed("percentiles", `2026-0${month}-05T09:00:00.000Z`),
    norms: { published, local },
  });
  const none = signed("none", "2026-05-05T09:00:00.000Z");
  const before = { ...signed("percentiles", "2026-01-05T09:00:00.000Z"), norms: null };
  const old = { ...before, startedAt: "2026-01-05T09:00:00.000Z" };
  const cases: [StoredAcceptance[], ReturnType<typeof norm> | null, boolean][] = [
    [[test(1, [null])], null, true],
    [[test(1, [null])], norm(3), false],
    [[test(1, [3])], norm(3), true],
    [[test(1, [3])], norm(4), false],
    // the local norms were revoked
    [[test(1, [3])], null, false],
    [[test(1, [null, 3])], null, true],
    [[test(1, [null], "NOMIS 1")], null, false],
    // a second test for other norms leaves the first, a decision against percentiles ends it
    [[test(6, [3]), test(1, [null])], null, true],
    [[test(6, [3]), none, test(1, [null])], null, false],
    [[test(6, [3]), none, test(1, [null])], norm(3), true],
    // a test of a version that did not record norms
    [[old], null, true],
    [[old], norm(3, "2025-12-01T00:00:00.000Z"), true],
    [[old], norm(3), false],
  ];
  cases.forEach(([tests, applied, isAccepted], n) =>
    assert.equal(isAcceptedForPercentiles(tests, PLACE, applied), isAccepted, `case ${n}`)
  );
});
