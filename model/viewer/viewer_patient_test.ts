// covers: S-18
import assert from "node:assert/strict";
import type { AnalysisQuality, Patient } from "@/model/schema/studies/patients.ts";
import { qualityWarningText } from "@/model/text/quality.ts";
import { viewerPatientOf } from "@/model/viewer/viewer_patient.ts";

const notesOf = (
  t1_quality: AnalysisQuality | null,
  t2_quality: AnalysisQuality | null,
  language: "en" | "ko" = "en",
) => viewerPatientOf({ t1_quality, t2_quality } as Patient, language).quality_notes;

Deno.test("viewerPatientOf() puts into words what quality control says, and nothing when it is content", () => {
  assert.deepEqual(notesOf({ grade: "A", warnings: [] }, null), { t1: null, t2: null });
  assert.deepEqual(notesOf(null, { grade: "B", warnings: [] }), { t1: null, t2: null });
  const both = notesOf({ grade: "B", warnings: ["pair_unequal", "t1_lossy"] }, {
    grade: "B",
    warnings: ["flair_lossy"],
  });
  assert.equal(
    both.t1,
    "Segmentation quality B – check the segmentation on the images. " +
      `${qualityWarningText.pair_unequal.en}. ${qualityWarningText.t1_lossy.en}`,
  );
  assert.equal(both.t2, qualityWarningText.flair_lossy.en);
  assert.match(
    notesOf({ grade: "C", warnings: [] }, null, "ko").t1!,
    /^분할 품질 C – 신뢰할 수 없음/,
  );
  // the mark of a scanner that is not accepted is not a reason to check the segmentation
  assert.deepEqual(notesOf({ grade: "A", warnings: ["scanner_not_accepted"] }, null), {
    t1: null,
    t2: null,
    provisional: qualityWarningText.scanner_not_accepted.en,
  });
  assert.match(
    notesOf({ grade: "A", warnings: ["of another version"] }, null).t1!,
    /Unknown warning from another version/,
  );
});
