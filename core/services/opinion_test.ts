import assert from "node:assert/strict";
import { MAX_OPINION_LENGTH, messageLength, OPINIONS } from "@/model/opinions.ts";
import type { MainRowKey, ReportResponse } from "@/model/schema/report.ts";
import { opinionKeyOf, opinionOf } from "@/core/services/opinion.ts";

type Wmh = NonNullable<ReportResponse["wmh"]>;
const row = (key: MainRowKey, np_total: number | null, volume_total: number | null = 1) =>
  ({ key, np_total, volume_total }) as ReportResponse["main_page"]["rows"][number];
const findings = (
  { hippocampus = 50, cortex = 50, ventricles = 50 }: Record<string, number | null>,
  wmh: Partial<Wmh> | null = null,
  grade: "A" | "B" | "C" = "A",
) => ({
  qc: { grade } as ReportResponse["qc"],
  main_page: {
    rows: [row("cortex", cortex!), row("hippocampus", hippocampus!), row("lateral_ventricles", ventricles!)],
    charts: [],
  },
  wmh: wmh && { is_minimal: false, is_low_confidence: false, ...wmh } as Wmh,
});
const NO_NORMS = { hippocampus: null, cortex: null, ventricles: null };

Deno.test("opinionKeyOf() takes the most specific finding, and none where norms do not apply", () => {
  assert.equal(opinionKeyOf(findings({})), "usual");
  assert.equal(opinionKeyOf(findings({ hippocampus: 5, cortex: 1, ventricles: 99 })), "hippocampus");
  assert.equal(opinionKeyOf(findings({ cortex: 4.9, ventricles: 99 })), "cortex");
  assert.equal(opinionKeyOf(findings({ ventricles: 95 })), "ventricles");
  assert.equal(opinionKeyOf(findings({}, {})), "wmh");
  assert.equal(opinionKeyOf(findings({}, { is_minimal: true })), "usual");
  assert.equal(opinionKeyOf(findings({}, { is_low_confidence: true })), "usual");
  assert.equal(opinionKeyOf(findings(NO_NORMS)), "no_norms");
  assert.equal(opinionKeyOf(findings(NO_NORMS, { is_minimal: true })), "no_norms");
  const flair = (wmh: Partial<Wmh>) => ({
    ...findings(NO_NORMS, wmh),
    main_page: { rows: [row("cortex", null, null)], charts: [] },
  });
  assert.equal(opinionKeyOf(flair({ is_minimal: true })), "no_wmh");
  assert.equal(opinionKeyOf(flair({})), "wmh");
  assert.equal(opinionKeyOf(flair({ is_low_confidence: true })), "no_norms");
  // no negative from what is not sure
  assert.equal(opinionKeyOf(flair({ is_minimal: true, is_low_confidence: true })), "no_norms");
  assert.equal(opinionKeyOf({ ...flair({ is_minimal: true }), qc: findings({}, null, "C").qc }), "no_norms");
  assert.equal(opinionKeyOf(findings({}, null, "C")), "no_norms");
});

Deno.test("opinionOf() speaks the report's language and the reader's own words", () => {
  const usual = OPINIONS.find(({ key }) => key === "usual")!,
    ko = { ...findings({}), language: "ko" as const };
  assert.deepEqual(opinionOf(ko, []), { opinion_id: usual.id.ko, message: usual.message.ko });
  const edits = [{ opinion_id: usual.id.ko, message: "이상 없음" }];
  assert.deepEqual(opinionOf(ko, edits), edits[0]);
  assert.equal(opinionOf({ ...ko, language: "en" }, edits).message, usual.message.en);
  // chosen beside the report
  const low = OPINIONS.find(({ key }) => key === "hippocampus")!;
  assert.deepEqual(opinionOf(ko, [], "hippocampus"), { opinion_id: low.id.ko, message: low.message.ko });
  assert.deepEqual(opinionOf(ko, edits, "none"), { opinion_id: 0, message: "" });
  assert.deepEqual(opinionOf(ko, edits, "toString"), edits[0]);
});

Deno.test("every opinion fits and has an id of its own in each language", () => {
  const ids = OPINIONS.flatMap(({ id }) => [id.en, id.ko]);
  assert.equal(new Set(ids).size, 2 * OPINIONS.length);
  for (const { message } of OPINIONS) {
    assert.ok(
      messageLength(message.en) <= MAX_OPINION_LENGTH && messageLength(message.ko) <= MAX_OPINION_LENGTH,
    );
  }
});
