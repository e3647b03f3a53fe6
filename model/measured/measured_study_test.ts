// covers: D2-1.1
import assert from "node:assert/strict";
import { measureStudy, type StudySource } from "@/model/measured/measured_study.ts";
import { normOf, valueAt } from "@/model/norms/norms.ts";
import { methodErrorOf } from "@/model/norms/method_error.ts";
import { methodOf } from "@/model/norms/percentile_rank.ts";
import { formatRank, intervalText } from "@/model/norms/rank_format.ts";

const SUBJECT = { age: 70, sex: "female", icvMl: 1409 } as const;
const PATIENT = {
  patient_birthdate: "1955-05-05",
  study_date: "2026-01-01",
  patient_age: 70,
  patient_sex: "female",
} as const;
const LESIONS = {
  periMm3: 6000,
  deepMm3: 6000,
  whiteMatterMm3: 400_000,
  lesionCount: 12,
  isLowConfidence: false,
  tissue: "t1" as const,
};
const volumesAt = (z: number) =>
  Array.from({ length: 105 }, (_, label) => {
    const norm = label === 0 ? null : normOf(label, "volume", SUBJECT);
    return norm
      ? Math.exp(methodErrorOf(String(label), "volume")?.bias ?? 0) * valueAt(z, norm)
      : 1000;
  });
const source = (change: Partial<StudySource> = {}, z = 0): StudySource => ({
  patient: PATIENT,
  t1: { volumesMm3: volumesAt(z), icvMm3: 1_409_000, quality: { grade: "A", warnings: [] } },
  flair: null,
  ...change,
});

Deno.test("measureStudy() gives each figure with the grade, the age and the method of the study", () => {
  const study = measureStudy(source());
  assert.deepEqual([study.normReason, study.subject.age, study.normSubject?.icvMl], [
    null,
    70,
    1409,
  ]);
  assert.ok(study.regions.length > 40 && study.aggregates.length === 8);
  assert.ok(
    study.regions.every(({ rank_icv_total: rank }) => !rank || Math.abs(rank.percentile - 50) < 25),
  );
  // a birth date after the study: no percentile by that age
  const wrong = measureStudy(source({ patient: { ...PATIENT, patient_birthdate: "2027-01-01" } }));
  assert.deepEqual([wrong.normReason, wrong.normSubject], ["age_unknown", null]);
  assert.ok(wrong.regions.every(({ rank_icv_total: rank }) => rank === null));
});

Deno.test("measureStudy() derives no grade of lesions from a poor segmentation, of either series", () => {
  const grade = (t1: string, flair: string) => {
    const { t1: figures } = source();
    return measureStudy(source({
      t1: { ...figures!, quality: { grade: t1, warnings: [] } },
      flair: { ...LESIONS, grade: flair },
    })).fazekasEquivalent;
  };
  assert.deepEqual([grade("A", "A"), grade("C", "A"), grade("A", "C")], [2, null, null]);
});

Deno.test("measureStudy() adds the doubts of every printed rank to the warnings, of sums too", () => {
  const { quality, normWarnings } = measureStudy(source({}, -6));
  assert.ok(normWarnings.includes("value_beyond_norms"));
  assert.deepEqual(quality?.warnings, normWarnings);
  assert.deepEqual(measureStudy(source()).normWarnings, []);
});

Deno.test("measureStudy() of a FLAIR series alone has lesions and no percentiles", () => {
  const study = measureStudy(source({ t1: null, flair: { ...LESIONS, icvMm3: 1_500_000 } }));
  assert.deepEqual([study.regions, study.quality, study.normReason, study.icvMm3], [
    [],
    null,
    null,
    1_500_000,
  ]);
  assert.deepEqual([study.lesions?.wmh, study.fazekasEquivalent], [12, 2]);
});

Deno.test("measureStudy() withholds the percentile of a region with uncertain borders, and of no other", () => {
  const dice = Array.from({ length: 105 }, (_, label) => label === 19 ? 0.3 : 0.99);
  const read = {
    deepStructures: { isUsed: true },
    regionAgreement: { deepStructures: dice },
  };
  const plain = measureStudy(source()), { t1 } = source();
  const study = measureStudy(source({ t1: { ...t1!, ...read } }));
  assert.deepEqual(study.regions, measureStudy(source({ method: methodOf(read) })).regions);
  const row = study.regions.find(({ part_index }) => part_index[0] === 19)!;
  const ranks = [
    row.rank_icv_left,
    row.rank_icv_total,
    row.rank_volume_left,
    row.rank_volume_total,
  ];
  for (const rank of ranks) {
    assert.deepEqual([rank!.doubt, rank!.has_bands, formatRank(rank!, "en")], [
      "region",
      false,
      "not determined",
    ]);
    assert.match(intervalText(rank!, "en"), /borders of the region are uncertain/);
  }
  assert.deepEqual([row.np_icv_left, row.np_volume_left, row.np_icv_total], [null, null, null]);
  assert.equal(row.volume_left, plain.regions.find((r) => r.part_index[0] === 19)!.volume_left);
  // the other side, the other regions and the sums are as they were
  const [others, plainOthers] = [study, plain].map((of) =>
    of.regions.map((r) => r.part_index[0] === 19 ? [r.rank_icv_right, r.rank_volume_right] : r)
  );
  assert.deepEqual(others, plainOthers);
  assert.deepEqual([study.aggregates, study.brain], [plain.aggregates, plain.brain]);
  assert.deepEqual([plain.normWarnings, study.normWarnings], [[], ["region_disagreement"]]);
});
