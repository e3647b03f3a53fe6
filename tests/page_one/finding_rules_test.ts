// covers: S-190
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { FINDING_RULES } from "@/model/findings/finding_rules.ts";
import { studyFindingOf } from "@/server/core/analyses/service/finding.ts";
import { figuresOf } from "@/tests/one_truth/in_viewer.ts";
import { PATIENTS } from "@/tests/one_truth/patients.ts";
import { listedOf } from "@/tests/page_one/generated_studies.ts";

const COUNT = 120, DIGITS = 16;

Deno.test("the name of the rules changes with any finding of a generated study", () => {
  const findings = Array.from({ length: COUNT }, (_, n) => listedOf(n + 1));
  assert.ok(new Set(findings.map(({ first }) => first?.kind)).size > 4);
  const refused = studyFindingOf(figuresOf(PATIENTS["refused scanner"]!), { visits: null, pid: 1 });
  assert.equal(refused.is_refused, true);
  const name = createHash("sha256").update(JSON.stringify([findings, refused])).digest("hex");
  // if this fails, put the new name into finding_rules.ts: stored findings are then computed again
  assert.equal(FINDING_RULES, name.slice(0, DIGITS));
});
