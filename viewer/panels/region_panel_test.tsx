// covers: D2-2.11, S-18, S-43
import assert from "node:assert/strict";
import { viewerRegionsText } from "@/model/text/viewer/viewer_regions.ts";
import { textIn } from "@/model/text.ts";
import { rankText } from "@/model/text/ranks.ts";
import { signal } from "@preact/signals-react";
import { renderToStaticMarkup } from "react-dom/server";
import { LesionPanel, ratioDigits, stepLesion } from "@/viewer/panels/LesionPanel.tsx";
import { RegionPanel, ThicknessPanel } from "@/viewer/panels/RegionPanel.tsx";
import type { RegionControls } from "@/viewer/panels/regions/region_controls.ts";
import { rankAt } from "@/model/norms/rank_fixture.ts";
import type { NormReason, RegionData } from "@/model/schema/studies/patients.ts";

const row = (np: number | null): RegionData => ({
  part_index: [19, 20],
  brain_regions: "Hippocampus",
  volume_total: 7,
  volume_left: 3,
  volume_right: 4,
  np_volume_total: np,
  np_volume_left: np,
  np_volume_right: np === null ? null : 60,
  np_icv_total: np,
  np_icv_left: np,
  np_icv_right: np,
  rank_volume_total: np === null ? null : rankAt(np),
  rank_volume_left: np === null ? null : rankAt(np),
  rank_volume_right: np === null ? null : rankAt(60, { sd: 0.5 }),
  rank_icv_total: np === null ? null : rankAt(np),
  rank_icv_left: np === null ? null : rankAt(np),
  rank_icv_right: np === null ? null : rankAt(np),
});
const controls = (selected: number): RegionControls => ({
  hidden: signal<ReadonlySet<number>>(new Set([20])),
  basis: signal<"region" | "icv">("region"),
  threshold: signal(20),
  outline: signal("hidden"),
  hasIcvRanks: true,
  thresholds: [5, 25],
  selected: signal(selected),
  setHidden() {},
  setAllHidden() {},
  solo() {},
  goTo: () => true,
});
const panel = (
  np: number | null,
  reason: NormReason | null,
  language: "en" | "ko" = "en",
  qualityNote: string | null = null,
) =>
  renderToStaticMarkup(
    <RegionPanel
      results={[row(np)]}
      aggregates={[]}
      icvMl={1400}
      normReason={reason}
      qualityNote={qualityNote}
      controls={controls(19)}
      language={language}
    />,
  );

Deno.test("RegionPanel gives the share of the intracranial volume of the selected side, not of both", () => {
  const shares = { icv_percent: 0.5, icv_percent_left: 0.21, icv_percent_right: 0.29 };
  const page = (selected: number) =>
    renderToStaticMarkup(
      <RegionPanel
        results={[{ ...row(50), ...shares }]}
        aggregates={[]}
        icvMl={1400}
        normReason={null}
        qualityNote={null}
        controls={controls(selected)}
        language="en"
      />,
    );
  assert.match(page(19), /0\.21\u00a0% of ICV/);
  assert.match(page(20), /0\.29\u00a0% of ICV/);
  assert.doesNotMatch(page(19), /0\.50\u00a0% of ICV/);
});

Deno.test("RegionPanel says volumes, percentile, side, selection and visibility of a region", () => {
  const html = panel(4, null);
  assert.match(
    html,
    />Left hippocampus, 3\.00\u00a0mL, 4th percentile, 80\u00a0% interval 4, below the 5th percentile</,
  );
  assert.match(
    html,
    /aria-selected="true" aria-checked="mixed"[^>]*><span[^>]*>Hippocampus, 7\.00\u00a0mL, Asym. −28\.6\u00a0%</,
  );
  assert.match(html, /▼ 4/);
  assert.match(html, />60<\/span><span[^>]*>35–81</);
  assert.match(html, /Other side \(H\)/);
  assert.match(panel(4, null, "ko"), />좌측 해마, 3\.00\u00a0mL/);
});

Deno.test("RegionPanel says why there are no percentiles", () => {
  assert.ok(panel(null, "age_outside_norms").includes(`: ${viewerRegionsText.reasonAge.en}.`));
  assert.match(panel(null, "quality"), /quality C/);
  assert.match(panel(null, "sex_unknown", "ko"), /백분위 없음: 성별을 알 수 없음/);
});

Deno.test("RegionPanel says what quality control says", () => {
  assert.match(panel(4, null, "en", "B – look"), /role="note"[^>]*>⚠ B – look</);
  assert.doesNotMatch(panel(4, null), /role="note"/);
  // another note already states the reason
  const graded = panel(null, "quality", "en", "C – not reliable: percentiles are not given");
  assert.equal(graded.match(/role="note"/g)?.length, 1);
});

Deno.test("ThicknessPanel shows mm without check boxes, or says that there is none", () => {
  const of = (isThere: boolean) =>
    renderToStaticMarkup(
      <ThicknessPanel
        results={isThere
          ? [{
            part_index: [53, 54],
            brain_regions: "Precentral",
            thick_left: 2.41,
            thick_right: 2.5,
            np_thick_left: 15,
            np_thick_right: null,
            rank_thick_left: rankAt(15),
            rank_thick_right: rankAt(62, { sd: 1.2, hasBands: false }),
          }]
          : []}
        aggregates={[]}
        icvMl={1400}
        normReason={null}
        qualityNote={null}
        controls={controls(53)}
        colourOfMm={() => "rgb(1,2,3)"}
        language="en"
      />,
    );
  assert.match(
    of(true),
    /Left precentral, 2\.41\u00a0mm, 15th percentile, 80\u00a0% interval 15, below the 25th percentile/,
  );
  // with an error too large for a band, only the interval is printed
  const alone = textIn(rankText.intervalAlone, "en", { low: "11", high: "97" });
  assert.ok(of(true).includes(`Right precentral, 2.50\u00a0mm, ${alone}<`));
  assert.doesNotMatch(of(true), /aria-checked/);
  assert.match(of(false), /Cortical thickness was not measured/);
});

const figures = {
  wm: 430,
  wmh: 3.2,
  deep_wmh: 1.4,
  peri_wmh: 1.8,
  quality_notes: { t2: "Packed." },
};
const detail = {
  ratio_percent: 0.744,
  lesion_count: 3,
  is_low_confidence: true,
  is_minimal: false,
  tissue: "t1",
} as const;

// covers: D2-5.2
Deno.test("ratioDigits() is a percentage with 2 decimals or a dash", () => {
  assert.equal(ratioDigits({ ...figures, wmh_detail: detail }), "0.74\u00a0%");
  assert.equal(ratioDigits({ ...figures, wmh_detail: null }), "0.74\u00a0%");
  assert.equal(ratioDigits({ ...figures, wm: null, wmh_detail: null }), "–");
});

Deno.test("stepLesion() goes around the ends", () => {
  assert.deepEqual([
    stepLesion(-1, 1, 3),
    stepLesion(2, 1, 3),
    stepLesion(0, -1, 3),
    stepLesion(0, 1, 0),
  ], [
    0,
    0,
    2,
    -1,
  ]);
});

Deno.test("LesionPanel shows volumes, flags and the lesions with side and size", () => {
  const html = renderToStaticMarkup(
    <LesionPanel
      figures={{ ...figures, wmh_detail: detail }}
      lesions={[{
        volumeMl: 1.41,
        deepMl: 0.2,
        periMl: 1.21,
        kind: "periventricular",
        centreRasMm: [-23, -7, 42],
      }]}
      current={0}
      onGo={() => {}}
      colours={{ deep: "rgb(1,1,1)", peri: "rgb(2,2,2)" }}
      language="en"
    />,
  );
  for (
    const words of [
      "3.20\u00a0mL",
      "0.74\u00a0%",
      "Low confidence",
      "⚠ Packed.",
      "1.41\u00a0mL",
      "L 23  P 7  S 42",
      "1 of 1",
      "PV + deep",
      "original grid of the series",
    ]
  ) {
    assert.ok(html.includes(words), words);
  }
  assert.doesNotMatch(html, /Minimal/);
});
