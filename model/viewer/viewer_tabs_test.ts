// covers: D2-4.1
import assert from "node:assert/strict";
import { firstTab, type TabFacts, tabRefusal, VIEWER_TYPES } from "@/model/viewer/viewer_tabs.ts";

const BOTH: TabFacts = {
  is_t1_uploaded: true,
  is_t2_uploaded: true,
  t1_analysis_status: "completed",
  t2_analysis_status: "completed",
  t1w_file: "/a",
  t1w_mask_file: "/b",
  thick_mask_file: "/c",
  thickness_reason: null,
  t2w_file: "/d",
  t2w_mask_file: "/e",
  wmh_detail: {
    ratio_percent: 1,
    lesion_count: 1,
    is_low_confidence: false,
    is_minimal: false,
    tissue: "t1",
  },
};
const NO_T1 = {
  is_t1_uploaded: false,
  t1_analysis_status: null,
  t1w_file: null,
  t1w_mask_file: null,
  thick_mask_file: null,
} as const;
const NO_FLAIR = {
  is_t2_uploaded: false,
  t2_analysis_status: null,
  t2w_file: null,
  t2w_mask_file: null,
  wmh_detail: null,
} as const;
const refusals = (facts: Partial<TabFacts>) =>
  VIEWER_TYPES.map((type) => tabRefusal({ ...BOTH, ...facts }, type));

Deno.test("tabRefusal() opens what is analysed, and says why the rest stays closed", () => {
  assert.deepEqual(refusals({}), [null, null, null]);
  assert.deepEqual(refusals(NO_FLAIR), [null, null, "noFlair"]);
  assert.deepEqual(refusals(NO_T1), ["noT1", "noT1", null]);
  assert.deepEqual(refusals({ thick_mask_file: null }), [null, "noThickness", null]);
  const coarse = { thick_mask_file: null, thickness_reason: "voxels_too_large" } as const;
  assert.deepEqual(refusals(coarse), [null, "voxelsTooLarge", null]);
  for (
    const status of ["ready", "waiting", "processing", "pending", "failed", "no_response"] as const
  ) {
    assert.deepEqual(refusals({ t1_analysis_status: status }), [
      "t1NotAnalyzed",
      "t1NotAnalyzed",
      null,
    ]);
    assert.deepEqual(refusals({ t2_analysis_status: status }), [null, null, "flairNotAnalyzed"]);
  }
});

Deno.test("tabRefusal() refuses lesions on another grid than the panes'", () => {
  const alone = { ...BOTH.wmh_detail!, tissue: "flair" as const };
  assert.deepEqual(refusals({ wmh_detail: alone }), [null, null, "otherGrid"]);
  assert.deepEqual(refusals({ ...NO_T1, wmh_detail: alone }), ["noT1", "noT1", null]);
});

Deno.test("firstTab() opens a FLAIR-only study on WMH, and nothing without results", () => {
  assert.equal(firstTab(BOTH), "parcellation");
  assert.equal(firstTab({ ...BOTH, ...NO_T1 }), "wmh");
  assert.equal(firstTab({ ...BOTH, ...NO_T1, ...NO_FLAIR }), null);
  assert.equal(firstTab({ ...BOTH, ...NO_FLAIR, t1_analysis_status: "processing" }), null);
});
