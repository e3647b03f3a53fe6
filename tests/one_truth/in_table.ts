import assert from "node:assert/strict";
import { headOf } from "@/server/core/exports/service/column_heads_fixture.ts";
import { intervalDigits, percentileDigits } from "@/model/norms/rank_format.ts";
import { ANY_CONTRAST_SPREAD } from "@/model/norms/any_contrast_error.ts";
import { hasPercentile, isMeasured, PARTS } from "@/model/regions/regions.ts";
import { linearDigits, PRINTED_LINEAR } from "@/model/linear/printed_linear.ts";
import { exportFieldText, exportHeadText } from "@/model/text/worklist/export_columns.ts";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import { excelRowOf, exportColumnsOf } from "@/server/core/exports/service/excel_columns.ts";
import { type Printed, SIDES, signOf, two } from "@/tests/one_truth/figures.ts";
import type { Truth } from "@/tests/one_truth/patients.ts";

/** Words in place of a band of a scanner without percentiles. */
const WITHHELD: readonly string[] = [exportHeadText.withheld.en, exportHeadText.refused.en];

const COLUMNS = exportColumnsOf(), EXCEL_HEAD = COLUMNS.map(({ title }) => title);

const PLACE_COLUMNS = {
  periventricular: "lesions_pv",
  juxtacortical: "lesions_jc",
  deep_white: "lesions_dwm",
  infratentorial: "lesions_it",
  deep_grey: "lesions_dgm",
} as const;

/** All figures in the exported table. */
export function inTable({ results, flair, age, method }: Truth): Printed[] {
  const row = {
    pid: 1,
    patient_age: age,
    patient_sex: "female",
    label_list: [],
  } as unknown as PatientRow;
  const cells = excelRowOf(COLUMNS, {
    row,
    results,
    flair,
    ...(method && { norms: { method, name: null, changedAt: null } }),
  });
  const at = (title: string) => {
    const n = EXCEL_HEAD.indexOf(title);
    assert.ok(n >= 0, title);
    return cells[n];
  };
  const out: Printed[] = [["ICV", "table", two(at(exportFieldText.icv.en))]];
  for (
    const { part, labels } of results ? PARTS.filter(({ labels }) => isMeasured(labels[0])) : []
  ) {
    const isPair = labels.length === 2, total = isPair ? "total" : "";
    for (const side of isPair ? SIDES : ["total"] as const) {
      out.push([`${part} ${side}`, "table", two(at(headOf(part, isPair ? side : "", "volume")))]);
    }
    out.push([`${part} % ICV`, "table", two(at(headOf(part, total, "icv_percent")))]);
    const percentile = at(headOf(part, total, "rank_icv", "percentile"));
    const band = at(headOf(part, total, "rank_icv", "band"));
    if (typeof band === "string" && !WITHHELD.includes(band)) {
      out.push([`${part} sign`, "table", signOf(band)]);
    }
    const [low, high] = [
      at(headOf(part, total, "rank_icv", "low")),
      at(headOf(part, total, "rank_icv", "high")),
    ];
    if (typeof low !== "number" || !hasPercentile(labels[0])) continue;
    const shown = intervalDigits({ low, high: Number(high) }, "en");
    const digits = typeof percentile === "number" ? percentileDigits(percentile) : null;
    out.push([
      `${part} percentile`,
      "table",
      digits === null ? shown : digits === shown ? digits : `${digits}, ${shown}`,
    ]);
  }
  if (results) {
    SIDES.forEach((side) =>
      out.push([`cortex ${side}`, "table", two(at(headOf("Cerebral cortex", side, "volume")))])
    );
    for (const lobe of ["Frontal", "Temporal", "Occipital"]) {
      for (const side of SIDES) {
        out.push([
          `${lobe.toLowerCase()} ${side}`,
          "table",
          two(at(headOf(`${lobe} lobe cortex`, side, "volume"))),
        ]);
      }
    }
    out.push(["cortex % ICV", "table", two(at(headOf("Cerebral cortex", "total", "icv_percent")))]);
    for (const key of PRINTED_LINEAR) {
      const field = key === "evans" ? "evans_index" : key;
      const [value, low, high] = (["", "_low", "_high"] as const).map((end) => {
        const cell = at(exportFieldText[`${field}${end}`].en);
        return typeof cell === "number" ? linearDigits(key, cell) : "–";
      });
      out.push([key, "table", value!]);
      out.push([`${key} range`, "table", value === "–" ? "–" : `${low}–${high}`]);
    }
  }
  for (const { part, labels } of PARTS) {
    if (!flair?.deepStructures || ANY_CONTRAST_SPREAD[part] === undefined) continue;
    const isPair = labels.length === 2;
    for (const side of isPair ? SIDES : ["total"] as const) {
      const title = headOf(part, isPair ? side : "", "flair_volume");
      out.push([
        `${part} ${side} on FLAIR`,
        "table",
        two(at(title)),
      ]);
    }
    const [low, high] = (["flair_low", "flair_high"] as const).map((end) =>
      two(at(headOf(part, isPair ? "total" : "", end)))
    );
    out.push([`${part} interval on FLAIR`, "table", `${low}–${high}`]);
  }
  if (flair) {
    out.push(
      ["WMH", "table", two(at(exportFieldText.wmh.en))],
      ["WMH % ICV", "table", two(at(exportFieldText.wmh_icv.en))],
      ["deep WMH", "table", two(at(exportFieldText.wmh_deep.en))],
      ["periventricular WMH", "table", two(at(exportFieldText.wmh_peri.en))],
      ["white matter with WMH", "table", two(at(exportFieldText.white_matter.en))],
      ["WMH ratio", "table", two(at(exportFieldText.wmh_white_matter.en))],
      ["lesions", "table", String(at(exportFieldText.lesions.en))],
    );
    for (const [site, key] of Object.entries(PLACE_COLUMNS)) {
      const count = at(exportFieldText[key].en), ml = at(exportFieldText[`${key}_ml`].en);
      if (typeof count !== "number" || !flair.lesions?.every(({ place }) => place)) continue;
      // other outputs omit an empty place that is no diagnostic criterion
      if (site === "deep_grey" && count === 0) continue;
      out.push([`lesions ${site}`, "table", String(count)], [`volume ${site}`, "table", two(ml)]);
    }
  }
  return out;
}
