import assert from "node:assert/strict";
import { hasPercentile, isMeasured, PARTS } from "@/model/regions/regions.ts";
import { partName, REGION_GROUP_TEXT } from "@/model/text/regions.ts";
import { PRINTED_LINEAR } from "@/model/linear/printed_linear.ts";
import { linearText } from "@/model/text/report/linear.ts";
import { icvPageText } from "@/model/text/report/pages/icv.ts";
import { mtaPageText } from "@/model/text/report/pages/mta.ts";
import { LESION_SITES } from "@/model/regions/lesion_site.ts";
import {
  lesionSearchText,
  lesionSiteShort,
  lesionSiteText,
} from "@/model/text/lesions/lesion_place.ts";
import { wmhPageText } from "@/model/text/report/pages/wmh.ts";
import { reportText } from "@/model/text/report/report.ts";
import { signed } from "@/report/model/format.ts";
import { reportSheetsOf } from "@/report/sheets/sheets.ts";
import type { Block, Sheet } from "@/report/sheets/sheet.ts";
import { type Printed, SIDES } from "@/tests/one_truth/figures.ts";
import type { Truth } from "@/tests/one_truth/patients.ts";

const rowsOf = (blocks: readonly Block[]): [string, string[]][] =>
  blocks.flatMap((block) =>
    block.kind === "table"
      ? block.rows.map(({ cells }): [string, string[]] => [
        cells[0]!.text ?? "",
        cells.slice(1).map((cell) => cell.text ?? ""),
      ])
      : block.kind === "split"
      ? rowsOf([...block.left, ...block.right])
      : []
  );

const plain = (percentile: string) => percentile.replace(/(\d)(st|nd|rd|th)\b/g, "$1");

/** Lesions by place on the WMH page, and place and volume of each listed lesion. */
function placesOnPage({ wmh }: Truth["report"], page: Map<string, string[]>): Printed[] {
  if (!wmh?.places) return [];
  const [counts, volumes] = [wmhPageText.placeCount.en, wmhPageText.placeVolume.en].map((name) =>
    page.get(name)!
  );
  const places = wmh.places.flatMap(({ site }, n): Printed[] =>
    counts![n] === lesionSearchText.notSearched.en ? [] : [
      [`lesions ${site}`, "WMH", counts![n]!],
      [`volume ${site}`, "WMH", volumes![n]!],
    ]
  );
  const shorts = new Map(LESION_SITES.map((site) => [lesionSiteShort[site].en, site]));
  const rows = [...page].filter(([name]) => /^\d+$/.test(name));
  return [
    ...places,
    ...rows.flatMap(([n, cells]): Printed[] => {
      const [lobe, short] = cells[1]!.split(" · "),
        site = lesionSiteText[shorts.get(short as "PV")!];
      const place = `${lobe}, ${site.en[0]!.toLowerCase()}${site.en.slice(1)}`;
      return [[`lesion ${n} place`, "WMH, list", place], [`lesion ${n}`, "WMH, list", cells[2]!]];
    }),
  ];
}

/** Percentiles of each hippocampus and of their difference, in small print on the Main Page. */
function hippocampalRanks(pages: readonly Sheet[]): Printed[] {
  const tables = pages.flatMap(({ blocks }) => blocks).filter((block) => block.kind === "table");
  const row = tables.flatMap(({ rows }) => rows)
    .find(({ cells }) => cells[0]!.text === partName("Hippocampus", "en"));
  const [name, left, right] = row?.cells.map(({ under }) => under) ?? [];
  const ofDifference = /, (.*)$/.exec(name ?? "")?.[1];
  const ranks = [["left", left], ["right", right], ["asymmetry", ofDifference]] as const;
  return ranks.flatMap(([side, rank]): Printed[] =>
    rank === undefined ? [] : [[`Hippocampus ${side} rank`, "Main Page", rank]]
  );
}

/** All figures on the pages of the report. */
export function onPages({ report }: Truth): Printed[] {
  const out: Printed[] = [];
  const sheets = (title: string): Sheet[] =>
    reportSheetsOf(report).filter((sheet) => sheet.title.split(" · ").includes(title));
  const table = (title: string) => new Map(sheets(title).flatMap(({ blocks }) => rowsOf(blocks)));
  // the table for a FLAIR series alone has fewer columns
  const isFlair = report.report_type === "t2", TOTAL = isFlair ? 0 : 2, PERCENT = isFlair ? 1 : 3;
  const main = table("Main Page"), regions = table("Volume by Brain Regions");
  const partsOnMain = [
    ["Cerebral white matter", reportText.whiteMatter.en],
    ["Hippocampus", "Hippocampus"],
    ["Amygdala", "Amygdala"],
    ["Thalamus", "Thalamus"],
    ["Lateral ventricle", reportText.lateralVentricles.en],
  ] as const;
  for (const [part, name] of partsOnMain) {
    const cells = isFlair ? undefined : main.get(name);
    if (!cells || cells[2] === "–") continue;
    SIDES.forEach((side, n) => out.push([`${part} ${side}`, "Main Page", cells[n]!]));
    out.push([`${part} % ICV`, "Main Page", cells[3]!], [
      `${part} percentile`,
      "Main Page",
      plain(cells[4]!),
    ]);
  }
  if (!isFlair) out.push(...hippocampalRanks(sheets("Main Page")));
  const cortex = main.get(reportText.cortex.en);
  if (cortex && cortex[2] !== "–") {
    SIDES.forEach((side, n) => out.push([`cortex ${side}`, "Main Page", cortex[n]!]));
    out.push(["cortex % ICV", "Main Page", cortex[3]!], [
      "cortex percentile",
      "Main Page",
      plain(cortex[4]!),
    ]);
  }
  for (const { part, labels } of PARTS) {
    const cells = regions.get(partName(part, "en"));
    if (!cells || !isMeasured(labels[0])) continue;
    SIDES.forEach((side, n) =>
      cells[n] !== "–" && out.push([`${part} ${side}`, "Regions", cells[n]!])
    );
    out.push([`${part} % ICV`, "Regions", cells[3]!]);
    if (cells[4] !== "–") out.push([`${part} asymmetry`, "Regions", cells[4]!]);
    const percentile = cells.find((cell, n) =>
      n > 4 && /^(?:[<>\d]|not determined)/.test(cell) && !cell.includes("/")
    );
    if (hasPercentile(labels[0])) {
      out.push([`${part} percentile`, "Regions", plain(percentile ?? "–")]);
    }
    // columns with little space omit the signs ○ (expected) and ≈ (not clearly outside)
    if (percentile && percentile !== "not determined") {
      out.push([`${part} sign`, "Regions", cells.at(-1)!.replace(/[○≈]/, "")]);
    }
  }
  for (const { brain_regions: part, part_index } of report.flair_structures ?? []) {
    const cells = main.get(partName(part, "en"))!,
      sides = part_index.length === 2 ? SIDES : ["total"] as const;
    sides.forEach((side) =>
      out.push([`${part} ${side} on FLAIR`, "Main Page", cells[SIDES.indexOf(side)]!])
    );
    out.push([`${part} interval on FLAIR`, "Main Page", cells[4]!]);
  }
  for (const key of ["frontal", "temporal", "occipital"] as const) {
    const cells = regions.get(REGION_GROUP_TEXT[key].en);
    if (cells) SIDES.forEach((side, n) => out.push([`${key} ${side}`, "Regions", cells[n]!]));
  }
  for (const key of PRINTED_LINEAR) {
    const cells = regions.get(linearText[key].en);
    if (cells) out.push([key, "Regions", cells[0]!], [`${key} range`, "Regions", cells[1]!]);
  }
  const named = (name: string) => main.get(isFlair ? `${name}, mL` : name);
  const icv = named(reportText.icv.en), icvPage = table("ICV");
  out.push(["ICV", "Main Page", icv![TOTAL]!]);
  for (const name of [icvPageText.icvVolume.en]) {
    if (icvPage.has(name)) out.push(["ICV", "ICV", icvPage.get(name)![0]!]);
  }
  const brain = main.get(reportText.brain.en);
  if (brain && icvPage.size > 0) {
    out.push(["brain", "Main Page", brain[2]!], [
      "brain",
      "ICV",
      icvPage.get(icvPageText.icvBrain.en)![0]!,
    ]);
    out.push(["brain % ICV", "Main Page", brain[3]!], [
      "brain % ICV",
      "ICV",
      icvPage.get(icvPageText.icvRatio.en)![0]!,
    ]);
  }
  const wmhPage = table("WMH"), wmh = named(reportText.wmh.en)!;
  out.push(["WMH", "Main Page", wmh[TOTAL]!], ["WMH % ICV", "Main Page", wmh[PERCENT]!]);
  if (isFlair) {
    // the Main Page has volumes by place only if there is no WMH page
    const parts = new Map(rowsOf(reportSheetsOf({ ...report, page_list: [] })[0]!.blocks));
    out.push(["periventricular WMH", "Main Page", parts.get(wmhPageText.wmhPeri.en)![0]!]);
    out.push(["deep WMH", "Main Page", parts.get(wmhPageText.wmhDeep.en)![0]!]);
    out.push(["WMH ratio", "Main Page", parts.get(wmhPageText.wmhRatio.en)![0]!]);
    out.push(["lesions", "Main Page", parts.get(wmhPageText.wmhCount.en)![0]!]);
  }
  for (
    const [quantity, name] of [
      ["WMH", wmhPageText.wmhTotal.en],
      ["periventricular WMH", wmhPageText.wmhPeri.en],
      ["deep WMH", wmhPageText.wmhDeep.en],
      ["white matter with WMH", wmhPageText.wmhWhiteMatter.en],
      ["WMH ratio", wmhPageText.wmhRatio.en],
      ["lesions", wmhPageText.wmhCount.en],
    ] as const
  ) out.push([quantity, "WMH", wmhPage.get(name)![0]!]);
  // the list has as many lesions as the count, and none of 0.00 mL
  const listed = [...wmhPage].filter(([name]) => /^\d+$/.test(name));
  out.push(["lesions", "WMH, list", String(listed.length)]);
  assert.ok(listed.every(([, cells]) => Number(cells[2]) > 0));
  out.push(...placesOnPage(report, wmhPage));
  const checkup = reportSheetsOf({ ...report, page_list: [8] }).find(({ title }) =>
    title.split(" · ").includes("Check-up")
  );
  for (const [name, cells] of checkup ? rowsOf(checkup.blocks) : []) {
    const part = name === reportText.lateralVentricles.en ? "Lateral ventricle" : name;
    const quantity = name === reportText.cortex.en
      ? "cortex"
      : name === reportText.whiteMatter.en
      ? "Cerebral white matter"
      : part;
    if (cells.length === 4) out.push([`${quantity} percentile`, "Check-up", plain(cells[2]!)]);
    else if (cells[1]!.endsWith("mL")) {
      out.push([`${quantity} total`, "Check-up", cells[1]!.replace("\u00a0mL", "")]);
    }
  }
  const mta = reportSheetsOf({ ...report, page_list: [16] }).find(({ title }) =>
    title.split(" · ").includes("Hospital-MTA")
  );
  const onMta = new Map(mta ? rowsOf(mta.blocks) : []);
  const hippocampi = onMta.get(mtaPageText.mtaHippocampus.en),
    horns = onMta.get(mtaPageText.mtaHorn.en);
  SIDES.slice(0, 2).forEach((side, n) => {
    if (hippocampi) out.push([`Hippocampus ${side}`, "Hospital-MTA", hippocampi[n]!]);
    if (horns) out.push([`Inferior lateral ventricle ${side}`, "Hospital-MTA", horns[n]!]);
  });
  if (mta) {
    out.push(["Hippocampus asymmetry", "Hospital-MTA", signed(report.hippocampus!.asymmetry)]);
  }
  return out;
}
