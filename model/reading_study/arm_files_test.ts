// covers: S-252
import assert from "node:assert/strict";
import { filesOfArm } from "@/model/reading_study/arm_files.ts";
import { blindedPatient } from "@/model/reading_study/blinded_patient.ts";
import type { NextReading } from "@/model/schema/reading/reading_studies.ts";
import type { WmhDetail } from "@/model/schema/studies/patients.ts";
import { firstTab, tabRefusal, VIEWER_TYPES } from "@/model/viewer/viewer_tabs.ts";

const NONE = {
  t1w_file: null,
  t2w_file: null,
  t1w_mask_file: null,
  thick_mask_file: null,
  t2w_mask_file: null,
  icv_mask_file: null,
  wmh_detail: null,
};
const T1 = { t1w_file: "a", t1w_mask_file: "b", thick_mask_file: "c", icv_mask_file: "d" };
const FLAIR = { t2w_file: "e", t2w_mask_file: "f" };
const detail = (tissue: WmhDetail["tissue"]): WmhDetail => ({
  ratio_percent: null,
  lesion_count: 0,
  is_low_confidence: false,
  is_minimal: false,
  tissue,
});
const readingOf = (patient: Parameters<typeof filesOfArm>[0], arm: NextReading["arm"]) =>
  blindedPatient(
    {
      place: 3,
      arm,
      volume: { affine: [], shape: [1, 1, 1], spacing_mm: [1, 1, 1] },
      files: filesOfArm(patient, arm),
      results: null,
    },
    (file) => `/x/${file}`,
    "en",
  );
const tabsOf = (...reading: Parameters<typeof readingOf>) => {
  const patient = readingOf(...reading);
  return VIEWER_TYPES.filter((type) => tabRefusal(patient, type) === null);
};

Deno.test("filesOfArm() gives images alone in the arm without results, all maps in the other", () => {
  const both = { ...NONE, ...T1, ...FLAIR, wmh_detail: detail("t1") };
  assert.deepEqual(filesOfArm(both, "without"), ["t1w_file", "t2w_file"]);
  assert.equal(filesOfArm(both, "with").length, 6);
  assert.deepEqual(filesOfArm({ ...NONE, ...FLAIR }, "without"), ["t2w_file"]);
  assert.deepEqual(filesOfArm(NONE, "with"), []);
});

Deno.test("filesOfArm() leaves out a FLAIR on a grid of its own, in both arms", () => {
  const other = { ...NONE, ...T1, ...FLAIR, wmh_detail: detail("flair") };
  assert.deepEqual(filesOfArm(other, "without"), ["t1w_file"]);
  assert.ok(!filesOfArm(other, "with").some((file) => file.startsWith("t2w")));
  const alone = { ...NONE, ...FLAIR, wmh_detail: detail("flair") };
  assert.deepEqual(filesOfArm(alone, "with"), ["t2w_file", "t2w_mask_file"]);
});

Deno.test("blindedPatient() has no identity, and tabs for its images alone", () => {
  const both = { ...NONE, ...T1, ...FLAIR, wmh_detail: detail("t1") };
  assert.deepEqual(tabsOf(both, "without"), ["parcellation", "wmh"]);
  assert.deepEqual(tabsOf({ ...NONE, ...FLAIR }, "without"), ["wmh"]);
  assert.deepEqual(tabsOf({ ...NONE, ...T1 }, "without"), ["parcellation"]);
  assert.equal(firstTab(readingOf({ ...NONE, ...FLAIR }, "without")), "wmh");
  assert.deepEqual(tabsOf(both, "with"), [...VIEWER_TYPES]);
  const { pid, patient_id, patient_name, patient_sex, patient_age, study_date, blinded } =
    readingOf(both, "without");
  assert.deepEqual(
    [pid, patient_id, patient_name, patient_sex, patient_age, study_date, blinded],
    [0, "", "", null, null, null, "images"],
  );
});
