import assert from "node:assert/strict";
import { textIn } from "@/model/text.ts";
import { viewerReadingText } from "@/model/text/viewer/viewer_reading.ts";
import { lesionVolumesText } from "@/viewer/panels/reading/corrected_volumes.ts";

// covers: S-14
Deno.test("lesionVolumesText() has what a correction made of the volumes, and dashes without them", () => {
  const volumes = { wmh: 4.236, peri_wmh: 1.2, deep_wmh: 3.036, wmh_detail: null };
  assert.equal(
    lesionVolumesText(volumes, "en"),
    "WMH 4.24\u00a0mL: periventricular 1.20, deep 3.04",
  );
  assert.equal(
    lesionVolumesText({ wmh: null, peri_wmh: null, deep_wmh: null, wmh_detail: null }, "ko"),
    "WMH –\u00a0mL: 뇌실주위 –, 심부 –",
  );
});

Deno.test("one stroke is not called strokes", () => {
  const said = (n: number) =>
    textIn(viewerReadingText.lastCorrected, "en", { who: "Kim", when: "today", n });
  assert.equal(said(1), "Corrected by Kim, today (1 stroke)");
  assert.equal(said(102), "Corrected by Kim, today (102 strokes)");
});
