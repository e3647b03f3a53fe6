// The two parts of a conclusion that no region gives: the Atrophy Score, and the intracranial
// volume by which regions are compared.
// covers: D2-1.1
import assert from "node:assert/strict";
import { concludeStudy } from "@/model/findings/findings.ts";
import { sentencesOf } from "@/model/findings/sentences.ts";
import { simulatedFigures, simulatedHead } from "@/model/findings/simulated_heads_fixture.ts";
import { measureStudy } from "@/model/measured/measured_study.ts";
import { PLAIN_METHOD } from "@/model/norms/percentile_rank.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";
import { LANGUAGES, textIn } from "@/model/text.ts";
import { conclusionText } from "@/model/text/report/conclusion.ts";

const uncompared = { normReason: null, hasT1: true, hasIcv: true };
/** Rank of a score that exceeds as many thresholds. */
const scoreAt = (percentile: number, level: number) => {
  const rank: PercentileRank = {
    percentile,
    low: percentile - 1,
    high: percentile + 1,
    level,
    possible_level: level,
    is_usual: level === 0,
    has_bands: true,
    doubt: null,
  };
  return { score: percentile, level, rank };
};

Deno.test("an Atrophy Score beyond the low limit is a firm finding in both languages, and alone keeps a head from being usual", () => {
  const head = simulatedHead({ seed: 1, variation: 0, error: 0 });
  assert.equal(concludeStudy(head).state, "usual");
  for (
    const [percentile, level, isFinding] of [
      [60, 0, false],
      // beyond the 75th alone, which a quarter of healthy people are
      [80, 1, false],
      [97.5, 2, true],
    ] as const
  ) {
    const score = scoreAt(percentile, level), concluded = concludeStudy(head, { score });
    assert.equal(concluded.state, isFinding ? "findings" : "usual", String(percentile));
    assert.deepEqual(
      concluded.findings,
      isFinding ? [{ kind: "score", certainty: "firm", score: percentile, rank: score.rank }] : [],
    );
    for (const language of LANGUAGES) {
      const sentences = sentencesOf(concluded, uncompared, language);
      const said = textIn(conclusionText.score, language, { score: String(percentile) });
      assert.equal(sentences.includes(said), isFinding, sentences.join(" "));
      assert.equal(sentences.includes(conclusionText.usual[language]), !isFinding);
    }
  }
  assert.deepEqual(concludeStudy(head, { score: null }).findings, []);
});

Deno.test("a score is behind a hippocampus that is as low, and before a single small part", () => {
  const score = scoreAt(97.5, 2);
  const kinds = (z: number, part: number[]) =>
    concludeStudy(
      simulatedHead({
        seed: 1,
        variation: 0,
        error: 0,
        pattern: (label) => part.includes(label) ? z : 0,
      }),
      { score },
    ).findings.map((finding) => "part" in finding ? finding.part : finding.kind);
  assert.deepEqual(kinds(-5, [19, 20]).slice(0, 2), ["Hippocampus", "score"]);
  const other = kinds(-2.9, [23, 24]);
  assert.equal(other[0], "score", other.join());
  assert.ok(other.length > 1);
});

Deno.test("a head with an implausible intracranial volume is not determined, and the volume is named, in both languages", () => {
  const patient = {
    patient_birthdate: null,
    study_date: null,
    patient_age: 70,
    patient_sex: "female" as const,
  };
  const figures = simulatedFigures({ seed: 1, variation: 0, error: 0 });
  const studyAt = (icvMm3: number) =>
    measureStudy({
      patient,
      t1: { ...figures, icvMm3, quality: { grade: "A", warnings: [] } },
      flair: null,
    });
  // a skull that was not found on one side, or with the neck
  for (const icvMm3 of [900_000, 2_000_000]) {
    const study = studyAt(icvMm3), concluded = concludeStudy(study);
    assert.equal(study.icvRank?.doubt, "value");
    assert.equal(concluded.state, "not_determined", String(icvMm3));
    assert.equal(concluded.open_parts[0], "icv");
    for (const language of LANGUAGES) {
      const text = sentencesOf(concluded, { ...uncompared, hasIcv: false }, language).join(" ");
      assert.ok(text.includes(conclusionText.icv[language]), text);
      assert.ok(!text.includes(conclusionText.usualWithoutIcv[language]), text);
    }
  }
  const plausible = concludeStudy(studyAt(figures.icvMm3));
  assert.equal(plausible.state, "usual");
  assert.deepEqual(plausible.open_parts, []);
});

Deno.test("a stop of the scanner leaves the grade that an odd ICV gives, and names the ICV", () => {
  const figures = simulatedFigures({ seed: 1, variation: 0, error: 0 });
  for (const [icvMm3, grade] of [[2_000_000, "B"], [figures.icvMm3, "A"]] as const) {
    for (const stop of [{}, { isStopped: true as const }]) {
      const study = measureStudy({
        patient: {
          patient_birthdate: null,
          study_date: null,
          patient_age: 70,
          patient_sex: "female",
        },
        t1: { ...figures, icvMm3, quality: { grade: "A", warnings: [] } },
        flair: null,
        method: { ...PLAIN_METHOD, ...stop },
      });
      assert.equal(study.quality?.grade, grade);
      assert.equal(study.quality.warnings.some((one) => one.startsWith("icv_")), grade === "B");
    }
  }
});
