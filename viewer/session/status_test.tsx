import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server";
import type { Language } from "@/model/text.ts";
import { viewerText } from "@/model/text/viewer/viewer.ts";
import type { ViewerPatient } from "@/model/viewer/viewer_patient.ts";
import { MethodSource } from "@/viewer/session/status.tsx";

const footer = (patient: Partial<ViewerPatient>, language: Language) =>
  renderToStaticMarkup(<MethodSource patient={patient as ViewerPatient} language={language} />);
const words = (html: string) => html.replace(/<[^>]+>/g, "");
const HIPPOCAMPUS = {
  part_index: [19, 20],
  brain_regions: "Hippocampus",
  volume_left: 3.4,
  volume_right: 3.5,
  volume_total: 6.9,
  low: 6.1,
  high: 7.8,
};

Deno.test("MethodSource names the norms of a T1w series, with their citation and what their error was measured on", () => {
  const patient = { t1_result: [], method_error_heads: 7 };
  assert.match(
    words(footer(patient, "en")),
    /^Segmentation: Sulcus engine · Norms: NOMIS \(FreeSurfer 6\)Error of the percentiles, estimated from 7 scans/,
  );
  assert.match(
    footer(patient, "en"),
    /title="Potvin O, .*\nError of the percentiles, estimated from 7 scans/s,
  );
  assert.match(
    words(footer(patient, "ko")),
    /^분할: Sulcus 엔진 · 규준: NOMIS \(FreeSurfer 6\)백분위의 오차/,
  );
});

Deno.test("MethodSource names the network of a FLAIR alone, and no norms: it is compared with none", () => {
  const alone = { t1_result: null, method_error_heads: 7, flair_structures: [HIPPOCAMPUS] };
  for (
    const [language, said] of [
      [
        "en",
        `Segmentation: Sulcus engine · ${viewerText.anyContrast.en}`,
      ],
      ["ko", `분할: Sulcus 엔진 · ${viewerText.anyContrast.ko}`],
    ] as const
  ) {
    assert.equal(words(footer(alone, language)), said);
    assert.match(footer(alone, language), /title="[^"]*Billot B, [^"]*"/);
    assert.doesNotMatch(footer(alone, language), /NOMIS|Potvin|percentile|백분위/);
  }
  const refused = { t1_result: null, method_error_heads: 7 };
  assert.equal(words(footer(refused, "en")), "Segmentation: Sulcus engine");
  assert.match(footer(refused, "en"), /title=""/);
});
