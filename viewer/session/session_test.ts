import assert from "node:assert/strict";
import { ViewerSession } from "@/viewer/session/session.ts";
import { REGIONS } from "@/model/regions/regions.ts";
import type { RegionData } from "@/model/schema/studies/patients.ts";
import { rankAt } from "@/model/norms/rank_fixture.ts";
import type { ViewerPatient } from "@/model/viewer/viewer_patient.ts";

const row: RegionData = {
  part_index: [19, 20],
  brain_regions: "Hippocampus",
  volume_total: 7,
  volume_left: 3,
  volume_right: 4,
  np_volume_total: 20,
  np_volume_left: 4,
  np_volume_right: 60,
  np_icv_total: 30,
  np_icv_left: 30,
  np_icv_right: 12,
  rank_volume_total: rankAt(20),
  rank_volume_left: rankAt(4),
  rank_volume_right: rankAt(60),
  rank_icv_total: rankAt(30),
  rank_icv_left: rankAt(30),
  rank_icv_right: rankAt(12),
};
const patient: ViewerPatient = {
  pid: 7,
  patient_id: "P",
  patient_name: "P",
  patient_sex: "male",
  patient_age: 70,
  study_date: null,
  is_t1_uploaded: true,
  is_t2_uploaded: false,
  t1_analysis_status: "completed",
  t2_analysis_status: null,
  t1w_file: "/1",
  t1w_mask_file: "/2",
  thick_mask_file: "/3",
  thickness_reason: null,
  t1w_np_mask_file: null,
  t2w_file: null,
  t2w_mask_file: null,
  surface_files: null,
  t1_result: [row],
  t1_thick_result: null,
  aggregates: null,
  wm: null,
  wmh: null,
  deep_wmh: null,
  peri_wmh: null,
  wmh_detail: null,
  icv: 1500,
  norm_reason: null,
  quality_notes: { t1: null, t2: null },
};
const AFFINE = [2, 0, 0, -20, 0, 2, 0, -30, 0, 0, 2, -40, 0, 0, 0, 1];
const open = (changes: Partial<ViewerPatient> = {}) =>
  new ViewerSession(
    { ...patient, ...changes },
    { affine: AFFINE, shape: [20, 30, 40], spacing_mm: [2, 2, 2] },
    (plane) => plane,
  );
const shown = ({ shownRegions }: ViewerSession) =>
  [...shownRegions.value.keys()].filter((label) => shownRegions.value[label] === 1);

// covers: D2-2.9, D2-3.2
Deno.test("ViewerSession starts as the document says", () => {
  const session = open();
  assert.deepEqual(
    Object.entries(session.overlays).map((
      [type, o],
    ) => [type, o.isVisible.value, o.opacityPercent.value]),
    [["parcellation", false, 100], ["corticalThickness", false, 100], ["wmh", true, 100]],
  );
  assert.deepEqual([session.isDeepVisible.value, session.isPeriVisible.value], [false, false]);
  assert.deepEqual([session.threshold.value, session.isThresholdOn.value, session.basis.value], [
    20,
    true,
    "icv",
  ]);
  assert.deepEqual(session.thicknessRange.value, { low: 0, high: 5 });
  assert.deepEqual([session.division.value, session.type.value, session.loading.value.kind], [
    4,
    "parcellation",
    "loading",
  ]);
  assert.deepEqual(session.voxelAtCrosshair, [10, 15, 20], "stacks start at the middle frame");
});

// covers: D2-2.11, D2-5.4, D2-9.2
Deno.test("ViewerSession shows regions by threshold, mask type and list", () => {
  const session = open();
  assert.deepEqual(shown(session), [20]);
  session.basis.value = "region";
  assert.deepEqual(shown(session), [19]);
  session.basis.value = "icv";
  session.setThreshold(11.4);
  assert.deepEqual([session.threshold.value, shown(session)], [11, []]);
  session.setThreshold(99);
  assert.equal(session.threshold.value, 20);
  session.isThresholdOn.value = false;
  assert.equal(session.shownCount.value, 104);
  session.setHidden([1, 2], true);
  assert.equal(session.shownCount.value, 102);
  session.solo([19, 20]);
  assert.deepEqual(shown(session), [19, 20]);
  session.setAllHidden(true);
  assert.deepEqual(shown(session), []);
  session.setAllHidden(false);
  assert.equal(session.shownCount.value, REGIONS.length);
});

Deno.test("ViewerSession has no threshold where no region has a norm", () => {
  const none = { rank_volume_total: null, rank_volume_left: null, rank_volume_right: null };
  const session = open({ t1_result: [{ ...row, ...none }], norm_reason: "age_outside_norms" });
  session.basis.value = "region";
  assert.deepEqual([session.hasNorms.value, session.activeThreshold.value], [false, null]);
  assert.equal(session.shownCount.value, 104);
  session.basis.value = "icv";
  assert.deepEqual([session.hasNorms.value, session.activeThreshold.value], [true, 20]);
});

Deno.test("ViewerSession keeps a step inside the volume and the controls inside their limits", () => {
  const session = open();
  const before = [...session.scene.crosshairMm];
  session.nudge(0, 1000);
  assert.deepEqual([...session.scene.crosshairMm], before);
  assert.ok(!session.goToMm([0, 0, 999]) && session.goToMm([1, 2, 3]));
  assert.deepEqual([...session.scene.crosshairMm], [1, 2, 3]);
  session.setOpacity(120);
  assert.equal(session.overlays.parcellation.opacityPercent.value, 100);
  session.setThickness(3.21, 9);
  assert.deepEqual(session.thicknessRange.value, { low: 3.2, high: 5 });
  session.toggleOverlay();
  assert.ok(session.overlays.parcellation.isVisible.value);
});

// covers: D2-2.13
Deno.test("ViewerSession opens a FLAIR-only study on WMH, whose two switches are one key", () => {
  const session = open({
    is_t1_uploaded: false,
    t1_analysis_status: null,
    t1w_file: null,
    is_t2_uploaded: true,
    t2_analysis_status: "completed",
    t2w_file: "/4",
    t2w_mask_file: "/5",
  });
  assert.equal(session.type.value, "wmh");
  session.open("parcellation");
  assert.equal(session.type.value, "wmh", "a tab without data stays closed");
  session.isDeepVisible.value = true;
  session.toggleOverlay();
  assert.deepEqual([session.isDeepVisible.value, session.isPeriVisible.value], [false, false]);
  session.toggleOverlay();
  assert.deepEqual([session.isDeepVisible.value, session.isPeriVisible.value], [true, true]);
  // visible lesions are unchanged; hidden lesions are shown as outlines, also by "WMH only"
  const shown = () =>
    [session.isDeepVisible, session.isPeriVisible, session.isOutlined].map(({ value }) => value);
  session.showLesions();
  assert.deepEqual(shown(), [true, true, false]);
  session.isPeriVisible.value = false;
  session.toggleWmhOnly();
  assert.deepEqual([session.isWmhOnly.value, ...shown()], [true, true, false, false]);
  session.toggleWmhOnly();
  session.isDeepVisible.value = false;
  session.toggleWmhOnly();
  assert.deepEqual([session.isWmhOnly.value, ...shown()], [true, true, true, true]);
  session.toggleWmhOnly();
});
