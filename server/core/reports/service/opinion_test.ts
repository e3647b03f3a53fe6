// covers: D1-7.10, D2-2.19, D2-3.7
import assert from "node:assert/strict";
import { MAX_OPINION_LENGTH, messageLength, OPINIONS } from "@/model/report/opinions.ts";
import { limitsOf, rankOfZ, zOfPercentile } from "@/model/norms/percentile_rank.ts";
import type { MainRowKey, ReportResponse } from "@/model/schema/report/report.ts";
import { opinionKeyOf, opinionOf } from "@/server/core/reports/service/opinion.ts";

type Wmh = NonNullable<ReportResponse["wmh"]>;
const THRESHOLDS = [5, 25];
/** A row at a percentile, measured with an error of `sd`. */
const row = (
  key: MainRowKey,
  np: number | null,
  volume_total: number | null = 1,
  sd = 0,
  thresholds: number[] = THRESHOLDS,
) => {
  const is_inverted = key === "lateral_ventricles",
    reading = { limits: limitsOf(thresholds), isInverted: is_inverted };
  const rank_total = np === null ? null : rankOfZ(zOfPercentile(np), sd, reading);
  return {
    key,
    rank_total,
    is_inverted,
    volume_total,
  } as ReportResponse["main_page"]["rows"][number];
};
const findings = (
  { hippocampus = 50, cortex = 50, ventricles = 50 }: Record<string, number | null>,
  wmh: Partial<Wmh> | null = null,
  sd = 0,
  grade: "A" | "B" | "C" = "A",
) => ({
  atrophy_score: null as ReportResponse["atrophy_score"],
  threshold_list: THRESHOLDS,
  qc: { grade } as ReportResponse["qc"],
  main_page: {
    rows: [
      row("cortex", cortex!, 1, sd),
      row("hippocampus", hippocampus!, 1, sd),
      row("lateral_ventricles", ventricles!, 1, sd),
    ],
    charts: [],
  },
  wmh: wmh && { is_minimal: false, is_low_confidence: false, ...wmh } as Wmh,
});
const NO_NORMS = { hippocampus: null, cortex: null, ventricles: null };

Deno.test("opinionKeyOf() takes the most specific finding, and none where norms do not apply", () => {
  assert.equal(opinionKeyOf(findings({})), "usual");
  assert.equal(
    opinionKeyOf(findings({ hippocampus: 4.9, cortex: 1, ventricles: 99 })),
    "hippocampus",
  );
  assert.equal(opinionKeyOf(findings({ cortex: 4.9, ventricles: 99 })), "cortex");
  assert.equal(opinionKeyOf(findings({ ventricles: 95.1 })), "ventricles");
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
  assert.equal(opinionKeyOf(flair({ is_low_confidence: true })), "flair_alone");
  // no negative from what is not sure
  assert.equal(opinionKeyOf(flair({ is_minimal: true, is_low_confidence: true })), "flair_alone");
  assert.equal(
    opinionKeyOf({ ...flair({ is_minimal: true }), qc: findings({}, null, 0, "C").qc }),
    "no_norms",
  );
  assert.equal(opinionKeyOf(findings({}, null, 0, "C")), "no_norms");
});

Deno.test("opinionKeyOf() says nothing usual and nothing low where the error leaves both open", () => {
  assert.equal(opinionKeyOf(findings({}, null, 0.5)), "usual");
  assert.equal(opinionKeyOf(findings({ hippocampus: 20 }, null, 0.8)), "uncertain");
  assert.equal(opinionKeyOf(findings({ hippocampus: 4 }, null, 0.8)), "possible");
  // lesions do not hide it
  assert.equal(opinionKeyOf(findings({ hippocampus: 0.3 }, {}, 0.8)), "possible");
  assert.equal(opinionKeyOf(findings({ ventricles: 99 }, {}, 0.8)), "possible");
  assert.equal(opinionKeyOf(findings({ hippocampus: 20 }, {}, 0.8)), "wmh");
  assert.equal(opinionKeyOf(findings({ hippocampus: 0.1 }, null, 0.4)), "hippocampus");
  // a value that is doubted is not usual, and another row that may be low is none either
  const usual = findings({}), [first, ...rest] = usual.main_page.rows;
  const doubted = { ...first!, rank_total: { ...first!.rank_total!, doubt: "sides" as const } };
  assert.equal(
    opinionKeyOf({ ...usual, main_page: { rows: [doubted, ...rest], charts: [] } }),
    "uncertain",
  );
  const thin = row("thickness", 3, 1, 0.8);
  assert.equal(
    opinionKeyOf({ ...usual, main_page: { rows: [...usual.main_page.rows, thin], charts: [] } }),
    "uncertain",
  );
});

Deno.test("opinionKeyOf() cannot contradict the score, the thresholds of the tables, or a row without a band", () => {
  const usual = findings({}), { rows } = usual.main_page;
  const scored = (np: number, sd = 0) => {
    const rank = rankOfZ(zOfPercentile(np), sd, {
      limits: limitsOf(THRESHOLDS),
      isInverted: false,
    });
    return opinionKeyOf({
      ...usual,
      atrophy_score: { score: 100 - np, level: rank.level, rank, items: [] },
    });
  };
  assert.equal(scored(50), "usual");
  assert.equal(scored(3), "other");
  assert.equal(scored(7, 0.5), "uncertain");
  assert.equal(scored(12, 1), "uncertain");
  // the lowest threshold of the tables is what the sentence goes by
  const at = (np: number, sd: number) => ({
    ...usual,
    threshold_list: [10],
    main_page: {
      rows: (["hippocampus", "cortex", "lateral_ventricles"] as const).map((key) =>
        key === "hippocampus" ? row(key, np, 1, sd, [10]) : row(key, 50, 1, 0, [10])
      ),
      charts: [],
    },
  });
  assert.equal(opinionKeyOf(at(11, 0.2)), "uncertain");
  assert.equal(opinionKeyOf(at(60, 0.2)), "usual");
  // what the sentence speaks of must have been judged
  for (const missing of [0, 1, 2]) {
    const without = rows.map((row, n) => n === missing ? { ...row, rank_total: null } : row);
    assert.equal(opinionKeyOf({ ...usual, main_page: { rows: without, charts: [] } }), "uncertain");
  }
});

Deno.test("opinionKeyOf() never says that nothing lies outside when a row of the table does", () => {
  const usual = findings({});
  const beside = (key: MainRowKey, np: number, wmh: Partial<Wmh> | null = null) =>
    opinionKeyOf({
      ...findings({}, wmh),
      main_page: { rows: [...usual.main_page.rows, row(key, np)], charts: [] },
    });
  for (const key of ["thalamus", "amygdala", "brain", "white_matter", "thickness"] as const) {
    assert.equal(beside(key, 3), "other", key);
    // lesions do not hide it
    assert.equal(beside(key, 3, {}), "other", key);
    assert.equal(beside(key, 20), "usual", key);
  }
  const { message } = OPINIONS.find(({ key }) => key === "other")!;
  assert.ok(Object.values(message).every((text) => text.length > 0));
});

Deno.test("opinionKeyOf() says nothing of lesions that a poor segmentation found", () => {
  assert.equal(opinionKeyOf(findings(NO_NORMS, {}, 0, "C")), "no_norms");
});

Deno.test("opinionOf() speaks the report's language and the reader's own words", () => {
  const usual = OPINIONS.find(({ key }) => key === "usual")!,
    ko = { ...findings({}), language: "ko" as const };
  const suggested = { opinion_id: usual.id.ko, message: usual.message.ko, is_suggested: true };
  assert.deepEqual(opinionOf(ko, []), suggested);
  const edits = [{ opinion_id: usual.id.ko, message: "이상 없음" }];
  assert.deepEqual(opinionOf(ko, edits), { ...edits[0], is_suggested: true });
  assert.equal(opinionOf({ ...ko, language: "en" }, edits).message, usual.message.en);
  // chosen beside the report
  const low = OPINIONS.find(({ key }) => key === "hippocampus")!;
  assert.deepEqual(opinionOf(ko, [], "hippocampus"), {
    opinion_id: low.id.ko,
    message: low.message.ko,
  });
  assert.deepEqual(opinionOf(ko, edits, "none"), { opinion_id: 0, message: "" });
  assert.deepEqual(opinionOf(ko, edits, "toString"), { ...edits[0], is_suggested: true });
});

Deno.test("every opinion fits and has an id of its own in each language", () => {
  const ids = OPINIONS.flatMap(({ id }) => [id.en, id.ko]);
  assert.equal(new Set(ids).size, 2 * OPINIONS.length);
  for (const { message } of OPINIONS) {
    assert.ok(
      messageLength(message.en) <= MAX_OPINION_LENGTH &&
        messageLength(message.ko) <= MAX_OPINION_LENGTH,
    );
  }
});
