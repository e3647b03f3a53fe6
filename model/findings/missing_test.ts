// A structure that the label map does not contain is named on page one, with norms and without.
// covers: S-192
import assert from "node:assert/strict";
import { concludeStudy } from "@/model/findings/findings.ts";
import { missingParts } from "@/model/findings/missing.ts";
import { partInSentence, sentencesOf } from "@/model/findings/sentences.ts";
import { simulatedFigures } from "@/model/findings/simulated_heads_fixture.ts";
import { type MeasuredStudy, measureStudy } from "@/model/measured/measured_study.ts";
import { hasPercentile, PARTS, regionOf } from "@/model/regions/regions.ts";
import { LANGUAGES } from "@/model/text.ts";
import { conclusionText } from "@/model/text/report/conclusion.ts";

const SUBJECT = { seed: 5, age: 50, sex: "male" as const, variation: 0, error: 0 };
const HEALTHY = simulatedFigures({
  ...SUBJECT,
  pattern: (label) => regionOf(label)?.group === "ventricle" ? -1 : 1,
});

interface Patient {
  grade?: "A" | "C";
  age?: number | null;
}

/** A healthy head in which some labels keep only a fraction of their volume. */
function headWith(
  kept: (label: number) => number,
  { grade = "A", age = 50 }: Patient = {},
): MeasuredStudy {
  const volumesMm3 = HEALTHY.volumesMm3.map((mm3, label) => mm3 * kept(label));
  return measureStudy({
    patient: {
      patient_birthdate: null,
      study_date: "2026-01-01",
      patient_age: age,
      patient_sex: "male",
    },
    t1: { ...HEALTHY, volumesMm3, quality: { grade, warnings: [] } },
    flair: null,
  });
}

const pageOne = (study: MeasuredStudy, language: "en" | "ko") =>
  sentencesOf(
    concludeStudy(study),
    { normReason: study.normReason, hasT1: true, hasIcv: true },
    language,
  );
/** Words of the sentence about missing structures on each side. */
const INTRODUCED = {
  L: { en: "far too small on the left", ko: "좌측에서 분할되지 않았거나" },
  R: { en: "far too small on the right", ko: "우측에서 분할되지 않았거나" },
  both: { en: "far too small on both sides", ko: "양측에서 분할되지 않았거나" },
  "": { en: "Missing or far too small, check", ko: "분할되지 않았거나" },
} as const;
const isNamed = (study: MeasuredStudy, part: string, side: keyof typeof INTRODUCED) =>
  LANGUAGES.every((language) =>
    pageOne(study, language).some((sentence) =>
      sentence.includes(INTRODUCED[side][language]) &&
      sentence.includes(partInSentence(part, language))
    )
  );

// a closed temporal horn is normal
const LOSABLE = PARTS.filter(({ part, labels }) =>
  hasPercentile(labels[0]) && part !== "Inferior lateral ventricle"
);

Deno.test("each structure that vanished on one side is named, of each grade and without norms", () => {
  const missed: string[] = [];
  let cases = 0;
  for (const { part, labels } of LOSABLE) {
    for (const side of labels.length === 1 ? [""] as const : ["L", "R", "both"] as const) {
      const isLost = (label: number) =>
        regionOf(label)?.part === part &&
        (side === "" || side === "both" || regionOf(label)?.hemisphere === side);
      for (const kept of [0, 1e-4]) {
        for (const patient of [{}, { grade: "C" }, { age: null }, { age: 7 }] as const) {
          const study = headWith((label) => isLost(label) ? kept : 1, patient);
          const { state, findings } = concludeStudy(study);
          cases++;
          if (
            state === "usual" || findings[0]?.kind !== "missing" || !isNamed(study, part, side)
          ) missed.push(`${part} ${side} ${kept} ${JSON.stringify(patient)}: ${state}`);
        }
      }
    }
  }
  assert.ok(cases > 900, `${cases}`);
  assert.deepEqual(missed, []);
});

Deno.test("an asymmetry of 100 % and more of any tissue asks to check it, less does not", () => {
  const wrong: string[] = [];
  for (const { part, labels, group } of LOSABLE) {
    if (labels.length === 1 || group === "ventricle") continue;
    const [left, right] = labels.map((label) => HEALTHY.volumesMm3[label]!) as [number, number];
    for (const [fraction, isExpected] of [[0.32, true], [0.36, false]] as const) {
      for (const [label, other, side] of [[labels[0], right, "L"], [labels[1], left, "R"]]) {
        const kept = fraction * Number(other) / HEALTHY.volumesMm3[Number(label)]!;
        for (const patient of [{}, { grade: "C" }] as const) {
          const study = headWith((one) => one === label ? kept : 1, patient);
          const isSaid = isNamed(study, part, side as "L");
          if (isSaid !== isExpected) {
            wrong.push(`${part} ${side} ${fraction} ${JSON.stringify(patient)}`);
          }
        }
      }
    }
  }
  assert.deepEqual(wrong, []);
});

Deno.test("a lost hemisphere or lobe is named as a whole, before its consequences", () => {
  const isCerebellum = (label: number) => regionOf(label)?.group === "cerebellum";
  for (const side of ["L", "R"] as const) {
    for (const patient of [{}, { grade: "C" }] as const) {
      const isOfSide = (label: number) => regionOf(label)?.hemisphere === side;
      const hemisphere = headWith(
        (label) => isOfSide(label) && !isCerebellum(label) ? 0 : 1,
        patient,
      );
      assert.ok(isNamed(hemisphere, "hemisphere", side));
      assert.deepEqual(
        concludeStudy(hemisphere).findings.filter(({ kind }) => kind === "missing").map((
          finding,
        ) => [finding.kind === "missing" && finding.part, finding.certainty]),
        [["hemisphere", "firm"]],
      );
      const lobe = headWith(
        (label) => isOfSide(label) && regionOf(label)?.group === "temporal" ? 0.01 : 1,
        patient,
      );
      assert.ok(isNamed(lobe, "temporal", side));
      const named = concludeStudy(lobe).findings.filter(({ kind }) => kind === "missing");
      assert.deepEqual(named.map((one) => "part" in one && one.part), ["temporal"]);
    }
  }
});

Deno.test("a missing part is not named again as low, on its side or in the total of both", () => {
  const isLeft = (label: number) => regionOf(label)?.hemisphere === "L";
  const cases: [name: string, isLost: (label: number) => boolean, parts: readonly string[]][] = [
    ["hippocampus", (label) => label === 17 || label === 19, ["Hippocampus"]],
    ...LOSABLE.filter(({ labels }) => labels.length === 2).map(({ part, labels }) =>
      [part, (label: number) => label === labels[0], [
        part,
      ]] as const satisfies (typeof cases)[number]
    ),
    [
      "temporal lobe",
      (label) => isLeft(label) && regionOf(label)?.group === "temporal",
      PARTS.filter(({ group }) => group === "temporal").map(({ part }) => part),
    ],
  ];
  for (const [name, isLost, parts] of cases) {
    const { findings } = concludeStudy(headWith((label) => isLost(label) ? 0 : 1));
    assert.equal(findings[0]?.kind, "missing", name);
    const again = findings.filter((one) =>
      (one.kind === "low" || one.kind === "asymmetry") && parts.includes(one.part)
    );
    assert.deepEqual(again, [], name);
  }
  // a thin cortex, the other side and the brain stem are findings of their own
  const both = headWith((label) => isLeft(label) && label !== 4 ? 0 : label === 48 ? 1 : 0.5);
  assert.ok(concludeStudy(both).findings.length > 1);
});

Deno.test("no sentence calls the lobes kept where one is missing", () => {
  const study = headWith((label) =>
    label === 15 || label === 16 ? 8 : regionOf(label)?.group === "occipital" ? 0 : 1
  );
  for (const language of LANGUAGES) {
    const sentences = pageOne(study, language);
    assert.ok(sentences.some((sentence) => /ventricle|측뇌실/.test(sentence)));
    assert.ok(!sentences.includes(conclusionText.lobesKept[language]), sentences.join("\n"));
  }
});

Deno.test("healthy heads have no missing structure, and small slit ventricles neither", () => {
  let named = 0;
  const heads = 1500;
  for (let seed = 1; seed <= heads; seed++) {
    const figures = simulatedFigures({ seed, age: 18 + seed % 75 });
    if (missingParts(figures.volumesMm3).length > 0) named++;
  }
  assert.ok(named <= heads / 200, `${named} of ${heads}`);
  const slit = headWith((label) => regionOf(label)?.group === "ventricle" ? 0.1 : 1);
  assert.deepEqual(concludeStudy(slit).findings, []);
});

Deno.test("every value that a table asks to check is named, beside other findings too", () => {
  // the left thalamus is implausibly large, and the hippocampi are low
  const study = headWith((label) =>
    label === 7 ? 1.9 : regionOf(label)?.part === "Hippocampus" ? 0.5 : 1
  );
  assert.equal(concludeStudy(study).state, "findings");
  for (const language of LANGUAGES) {
    const last = pageOne(study, language).findLast((sentence) =>
      sentence.startsWith({ en: "Check the segmentation", ko: "영상에서 분할 결과" }[language])
    );
    assert.match(last ?? "", { en: /thalamus/, ko: /시상/ }[language]);
  }
});
