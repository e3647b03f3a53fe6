// covers: S-260
import assert from "node:assert/strict";
import { type ResultHistory, resultStatus } from "@/model/report/result_status.ts";

const NEVER: ResultHistory = {
  isEverSigned: false,
  isSigned: false,
  finalAt: null,
  correctedAt: null,
};
const FINAL = "2026-01-02T00:00:00.000Z", LATER = "2026-01-03T00:00:00.000Z";

Deno.test("resultStatus() is preliminary as long as no physician has signed", () => {
  assert.equal(resultStatus(NEVER), "preliminary");
  assert.equal(resultStatus({ ...NEVER, correctedAt: LATER }), "preliminary");
  // an earlier version sent unsigned results as final
  assert.equal(resultStatus({ ...NEVER, finalAt: FINAL }), "preliminary");
});

Deno.test("resultStatus() is final once, and afterwards says that final results have changed", () => {
  const signed = { ...NEVER, isEverSigned: true, isSigned: true };
  assert.equal(resultStatus(signed), "final");
  assert.equal(resultStatus({ ...signed, correctedAt: FINAL }), "final");
  assert.equal(resultStatus({ ...signed, finalAt: FINAL }), "amended");
  assert.equal(resultStatus({ ...signed, finalAt: FINAL, correctedAt: LATER }), "corrected");
  assert.equal(resultStatus({ ...signed, finalAt: LATER, correctedAt: FINAL }), "amended");
});

Deno.test("resultStatus() of an outdated or withdrawn signature depends on what the system has", () => {
  const outdated = { ...NEVER, isEverSigned: true };
  assert.equal(resultStatus(outdated), "preliminary");
  assert.equal(resultStatus({ ...outdated, finalAt: FINAL }), "amended");
  assert.equal(resultStatus({ ...outdated, finalAt: FINAL, correctedAt: LATER }), "corrected");
});
