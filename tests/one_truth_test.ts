// Over 400 lines: one table of places, which each of the patients is read through.
// One quantity and every place that prints it: pages of the report, viewer, table of studies, DICOM measurements. Five
// patients, two of them once more after a reader has corrected their maps; what may differ has another name, and stands in NAMED.
import assert from "node:assert/strict";
import { percentileDigits } from "@/model/norms/rank_format.ts";
import { hasPercentile, isMeasured, PARTS, REGIONS } from "@/model/regions/regions.ts";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";
import { partName, REGION_GROUP_TEXT } from "@/model/text/regions.ts";
import { pageText } from "@/model/text/report/report_pages.ts";
import { reportText } from "@/model/text/report/report.ts";
import { signed } from "@/report/model/format.ts";
import { reportSheetsOf } from "@/report/sheets/sheets.ts";
import type { Block, Sheet } from "@/report/sheets/sheet.ts";
import { ratioDigits } from "@/viewer/panels/LesionPanel.tsx";
import { volumeLobes } from "@/viewer/panels/region_tree.ts";
import { DEFAULT_BASIS } from "@/viewer/session/region_facts.ts";
import { excelRowOf, exportColumnsOf } from "@/core/services/exports/excel_columns.ts";
import { flairStructures, regionSegments, t1Structures } from "@/core/services/exports/dicom_segments.ts";
import { aggregatesOf } from "@/core/services/analyses/files/cortex_data.ts";
import { lesionDataOf } from "@/core/services/analyses/files/lesion_data.ts";
import { studyFindingOf } from "@/core/services/analyses/finding.ts";
import { observationResource } from "@/core/services/connections/fhir_resources.ts";
import { oruMessage } from "@/core/services/connections/messages.ts";
import { keyMeasures, regionMeasures } from "@/core/services/connections/reported_study.ts";
import { millilitres, regionDataOf } from "@/core/services/analyses/files/region_data.ts";
import { flairInput, fullReport, reportInput, volumesAt } from "@/core/services/reports/report_fixture.ts";
import { buildFlairReport } from "@/core/services/reports/report_flair.ts";
import { correctedFlair, correctedResults } from "@/core/services/reading/corrected.ts";
import type { StoredStroke } from "@/core/storage/reading/strokes.ts";
import { DEEP, PERIVENTRICULAR } from "@/model/regions/lesions.ts";
import type { AnalysisResults, FlairResults } from "@/core/storage/analyses.ts";
import type { SourceSeries } from "@/core/dicom/read/source_series.ts";

/** A patient: what the engine gave, and the report of it. */
interface Truth {
  report: ReportResponse;
  results: AnalysisResults | null;
  flair: FlairResults | null;
  age: number;
}

const GRID = { shape: [1, 1, 1] as [number, number, number], rasFromIjkRows: [] };
const lesions = (periMm3: number, deepMm3: number, isLowConfidence: boolean) => ({
  periMm3,
  deepMm3,
  whiteMatterMm3: 401_237.4,
  lesionCount: 3,
  lesions: [
    { periMm3, deepMm3: deepMm3 - 3, centreRasMm: [-30, 10, 24] as [number, number, number] },
    { periMm3: 0, deepMm3: 3, centreRasMm: [30, 10, 24] as [number, number, number] },
  ],
  isLowConfidence,
  tissue: "t1" as const,
});
const flairOf = (found: ReturnType<typeof lesions>, icvMm3: number | null): FlairResults => ({
  ...GRID,
  ...found,
  registration: null,
  t1FromFlairRows: [],
  icvMm3,
  grade: "A",
});

/** Volumes whose thirds and halves of a hundredth fall on both sides of every rounding. */
function truthOf(z: (label: number) => number, age: number, longitudinal: boolean): Truth {
  const volumesMm3 = volumesAt(z).map((mm3, label) => mm3 + (label * 7919 % 1000) / 100);
  const results: AnalysisResults = {
    ...GRID,
    volumesMm3,
    // of the child, half a hundredth that two ways of rounding round to two figures
    icvMm3: age < 18 ? 1_024_215 : 1_409_337.5,
    quality: { grade: "A", warnings: [] },
    thicknessMm: volumesMm3.map((_, label) => label < 37 ? 0 : 2.1 + label * 0.00834),
    thicknessSidesMm: [2.4149, 2.3851],
    hasLesions: true,
  };
  const found = lesions(6126.4, 2054.6, false);
  const report = fullReport("en", {
    analysis: { ...reportInput().analysis, ...results },
    lesions: found,
    ...(longitudinal ? {} : { longitudinal: null }),
  }, { age });
  return { report, results, flair: flairOf(found, null), age };
}

function flairAlone(): Truth {
  const found = { ...lesions(6126.4, 2054.6, true), tissue: "flair" as const };
  const flair = { ...flairOf(lesions(6126.4, 2054.6, true), 1_501_234.5), tissue: "flair" as const };
  const report = buildFlairReport(
    flairInput({ ...found, icvMm3: 1_501_234.5 }, { pages: [1, 64, 128, 1024] }),
  );
  return { report, results: null, flair, age: 70 };
}

/** 30 × 30 × 30 voxels of 1 mm³ around the first lesion. */
const PAINTED = {
  shape: [30, 30, 30] as [number, number, number],
  rasFromIjkRows: [1, 0, 0, -45, 0, 1, 0, -5, 0, 0, 1, 9, 0, 0, 0, 1],
};
const voxelOf = (i: number, j: number, k: number) => i + 30 * (j + 30 * k);
const stroke = (id: number, runs: number[], value: number): StoredStroke => ({
  id,
  analysisId: 1,
  runs,
  value,
  createdAt: "2026-01-02T00:00:00Z",
  creator: "Reader",
  isUndone: false,
});

/** A patient whose maps a reader has painted: part of a hippocampus is the other one's, some is none; a lesion is gone. */
function corrected({ results, flair, age }: Truth): Truth {
  const labels = new Uint8Array(27_000).fill(19, 0, 3000).fill(20, 3000, 6000), mask = new Uint8Array(27_000);
  for (let n = 0; n < 27; n++) {
    const at = [n % 3, Math.floor(n / 3) % 3, Math.floor(n / 9)] as const;
    mask[voxelOf(14 + at[0], 14 + at[1], 14 + at[2])] = PERIVENTRICULAR;
    mask[voxelOf(24 + at[0], 4 + at[1], 14 + at[2])] = DEEP;
  }
  const gone = [14, 15, 16].flatMap((k) => [4, 5, 6].flatMap((j) => [voxelOf(24, j, k), 3]));
  const now = correctedResults({ ...results!, ...PAINTED }, labels, [
    stroke(1, [1000, 433], 20),
    stroke(2, [5000, 177], 0),
  ]);
  const found = correctedFlair({ ...flair!, ...PAINTED }, mask, [stroke(3, gone, 0)]);
  assert.deepEqual([results!.volumesMm3[19]! - now.volumesMm3[19]!, found.lesionCount], [433, 1]);
  const report = fullReport("en", {
    analysis: { ...reportInput().analysis, ...now },
    lesions: { ...found, lesions: found.lesions! },
    longitudinal: null,
  }, { age });
  return { report, results: now, flair: found, age };
}

const PATIENTS: Record<string, Truth> = {
  phantom: truthOf((label) => label * 37 % 60 / 10 - 2.5, 70, false),
  adult: truthOf((label) => label % 5 / 4 - 0.5, 44, false),
  child: truthOf(() => 0.3, 6, false),
  "FLAIR alone": flairAlone(),
  longitudinal: truthOf((label) => -1 - label % 3 / 10, 70, true),
  "adult, corrected": corrected(truthOf((label) => label % 5 / 4 - 0.5, 44, false)),
  "phantom, corrected": corrected(truthOf((label) => label * 37 % 60 / 10 - 2.5, 70, false)),
};

/** Quantities that are near another one, by the name that tells them apart. */
const NAMED = [
  // the Main Page's white matter is without its lesions
  pageText.wmhWhiteMatter.en,
  "Cerebral white matter with WMH (mL)",
  // measured on all visits together
  pageText.visits.en,
  // voxels of the label map, on the grid of the analysis
  "White matter hypointensities",
];

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

/** Everything that is printed: quantity, place, figure. */
type Printed = [quantity: string, place: string, figure: string];

const SIDES = ["left", "right", "total"] as const;
const plain = (percentile: string) => percentile.replace(/(\d)(st|nd|rd|th)\b/g, "$1");
const two = (value: unknown) => typeof value === "number" ? value.toFixed(2) : "–";

function onPages({ report }: Truth): Printed[] {
  const out: Printed[] = [];
  const sheets = (title: string): Sheet[] => reportSheetsOf(report).filter((sheet) => sheet.title === title);
  const table = (title: string) => new Map(sheets(title).flatMap(({ blocks }) => rowsOf(blocks)));
  // of a FLAIR series alone it has fewer columns
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
    const cells = main.get(name);
    if (!cells || cells[2] === "–") continue;
    SIDES.forEach((side, n) => out.push([`${part} ${side}`, "Main Page", cells[n]!]));
    out.push([`${part} % ICV`, "Main Page", cells[3]!], [
      `${part} percentile`,
      "Main Page",
      plain(cells[4]!),
    ]);
  }
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
    SIDES.forEach((side, n) => cells[n] !== "–" && out.push([`${part} ${side}`, "Regions", cells[n]!]));
    out.push([`${part} % ICV`, "Regions", cells[3]!]);
    if (cells[4] !== "–") out.push([`${part} asymmetry`, "Regions", cells[4]!]);
    const percentile = cells.find((cell, n) => n > 4 && /^[<>\d]/.test(cell) && !cell.includes("/"));
    if (hasPercentile(labels[0])) out.push([`${part} percentile`, "Regions", plain(percentile ?? "–")]);
  }
  for (const key of ["frontal", "temporal", "occipital"] as const) {
    const cells = regions.get(REGION_GROUP_TEXT[key].en);
    if (cells) SIDES.forEach((side, n) => out.push([`${key} ${side}`, "Regions", cells[n]!]));
  }
  const named = (name: string) => main.get(isFlair ? `${name}, mL` : name);
  const icv = named(reportText.icv.en), icvPage = table("ICV");
  out.push(["ICV", "Main Page", icv![TOTAL]!]);
  for (const name of [pageText.icvVolume.en]) {
    if (icvPage.has(name)) out.push(["ICV", "ICV", icvPage.get(name)![0]!]);
  }
  const brain = main.get(reportText.brain.en);
  if (brain && icvPage.size > 0) {
    out.push(["brain", "Main Page", brain[2]!], ["brain", "ICV", icvPage.get(pageText.icvBrain.en)![0]!]);
    out.push(["brain % ICV", "Main Page", brain[3]!], [
      "brain % ICV",
      "ICV",
      icvPage.get(pageText.icvRatio.en)![0]!,
    ]);
  }
  const wmhPage = table("WMH"), wmh = named(reportText.wmh.en)!;
  out.push(["WMH", "Main Page", wmh[TOTAL]!], ["WMH % ICV", "Main Page", wmh[PERCENT]!]);
  if (isFlair) {
    out.push(["periventricular WMH", "Main Page", main.get(pageText.wmhPeri.en)![0]!]);
    out.push(["deep WMH", "Main Page", main.get(pageText.wmhDeep.en)![0]!]);
    out.push(["WMH ratio", "Main Page", main.get(pageText.wmhRatio.en)![0]!]);
    out.push(["lesions", "Main Page", main.get(pageText.wmhCount.en)![0]!]);
  }
  for (
    const [quantity, name] of [
      ["WMH", pageText.wmhTotal.en],
      ["periventricular WMH", pageText.wmhPeri.en],
      ["deep WMH", pageText.wmhDeep.en],
      ["white matter with WMH", pageText.wmhWhiteMatter.en],
      ["WMH ratio", pageText.wmhRatio.en],
      ["lesions", pageText.wmhCount.en],
    ] as const
  ) out.push([quantity, "WMH", wmhPage.get(name)![0]!]);
  // as many lesions are listed as are counted, none of 0.00 mL
  const listed = [...wmhPage].filter(([name]) => /^\d+$/.test(name));
  out.push(["lesions", "WMH, list", String(listed.length)]);
  assert.ok(listed.every(([, cells]) => Number(cells[2]) > 0));
  const checkup = reportSheetsOf({ ...report, page_list: [8] }).find(({ title }) => title === "Check-up");
  for (const [name, cells] of checkup ? rowsOf(checkup.blocks) : []) {
    const part = name === reportText.lateralVentricles.en ? "Lateral ventricle" : name;
    const quantity = name === reportText.cortex.en
      ? "cortex"
      : name === reportText.whiteMatter.en
      ? "Cerebral white matter"
      : part;
    if (cells.length === 4) out.push([`${quantity} percentile`, "Check-up", plain(cells[2]!)]);
    else if (cells[1]!.endsWith("mL")) {
      out.push([`${quantity} total`, "Check-up", cells[1]!.replace(" mL", "")]);
    }
  }
  const mta = reportSheetsOf({ ...report, page_list: [16] }).find(({ title }) => title === "Hospital-MTA");
  const onMta = new Map(mta ? rowsOf(mta.blocks) : []);
  const hippocampi = onMta.get(pageText.mtaHippocampus.en), horns = onMta.get(pageText.mtaHorn.en);
  SIDES.slice(0, 2).forEach((side, n) => {
    if (hippocampi) out.push([`Hippocampus ${side}`, "Hospital-MTA", hippocampi[n]!]);
    if (horns) out.push([`Inferior lateral ventricle ${side}`, "Hospital-MTA", horns[n]!]);
  });
  if (mta) out.push(["Hippocampus asymmetry", "Hospital-MTA", signed(report.hippocampus!.asymmetry)]);
  return out;
}

function inViewer({ results, flair, age }: Truth): Printed[] {
  const out: Printed[] = [], subject = { age, sex: "female" as const, grade: "A" };
  if (results) {
    const regions = regionDataOf(results.volumesMm3, results.icvMm3, subject, true);
    for (
      const { group, left, right, total, parts } of volumeLobes(
        regions,
        aggregatesOf(results, subject),
        DEFAULT_BASIS,
      )
    ) {
      for (const { part, sides, total: sum, asymmetry, icvPercent } of parts) {
        if (sum === null) continue;
        out.push([`${part} % ICV`, "viewer", two(icvPercent)]);
        if (sides.length === 2) {
          sides.forEach(({ value }, n) => out.push([`${part} ${SIDES[n]}`, "viewer", two(value)]));
          if (asymmetry !== null) out.push([`${part} asymmetry`, "viewer", signed(asymmetry)]);
        }
        out.push([`${part} total`, "viewer", two(sum)]);
      }
      if (["frontal", "temporal", "occipital"].includes(group)) {
        out.push([`${group} left`, "viewer", two(left.value)], [
          `${group} right`,
          "viewer",
          two(right.value),
        ]);
        out.push([`${group} total`, "viewer", two(total)]);
      }
    }
    out.push(["ICV", "viewer", two(millilitres(results.icvMm3))]);
  }
  if (flair) {
    const found = lesionDataOf(flair);
    out.push(
      ["WMH", "viewer", two(found.wmh)],
      ["deep WMH", "viewer", two(found.deep_wmh)],
      ["periventricular WMH", "viewer", two(found.peri_wmh)],
      ["WMH ratio", "viewer", ratioDigits({ ...found, quality_notes: { t2: null } }).replace("%", "")],
      ["lesions", "viewer", String(found.wmh_detail.lesion_count)],
      ["lesions", "viewer, list", String(found.wmh_detail.lesions!.length)],
    );
  }
  return out;
}

const COLUMNS = exportColumnsOf(), EXCEL_HEAD = COLUMNS.map(({ title }) => title);

function inTable({ results, flair, age }: Truth): Printed[] {
  const row = { pid: 1, patient_age: age, patient_sex: "female", label_list: [] } as unknown as PatientRow;
  const cells = excelRowOf(COLUMNS, { row, results, flair });
  const at = (title: string) => {
    const n = EXCEL_HEAD.indexOf(title);
    assert.ok(n >= 0, title);
    return cells[n];
  };
  const out: Printed[] = [["ICV", "table", two(at("ICV (mL)"))]];
  for (const { part, labels } of results ? PARTS.filter(({ labels }) => isMeasured(labels[0])) : []) {
    const isPair = labels.length === 2, total = isPair ? `${part} total` : part;
    for (const side of isPair ? SIDES : ["total"] as const) {
      const title = isPair ? `${part} ${side}` : part;
      out.push([`${part} ${side}`, "table", two(at(`${title} volume (mL)`))]);
    }
    out.push([`${part} % ICV`, "table", two(at(`${total} % of ICV`))]);
    const percentile = at(`${total} percentile by age/sex/ICV`);
    const [low, high] = [at(`${total} low by age/sex/ICV`), at(`${total} high by age/sex/ICV`)];
    if (typeof low !== "number" || !hasPercentile(labels[0])) continue;
    const interval = [low, Number(high)].map(percentileDigits), [from, to] = interval;
    const shown = from === to ? from! : interval.join("–");
    const digits = typeof percentile === "number" ? percentileDigits(percentile) : null;
    out.push([
      `${part} percentile`,
      "table",
      digits === null ? shown : digits === shown ? digits : `${digits}, ${shown}`,
    ]);
  }
  if (results) {
    SIDES.forEach((side) =>
      out.push([`cortex ${side}`, "table", two(at(`Cerebral cortex ${side} volume (mL)`))])
    );
    for (const lobe of ["Frontal", "Temporal", "Occipital"]) {
      for (const side of SIDES) {
        out.push([`${lobe.toLowerCase()} ${side}`, "table", two(at(`${lobe} lobe ${side} volume (mL)`))]);
      }
    }
    out.push(["cortex % ICV", "table", two(at("Cerebral cortex total % of ICV"))]);
  }
  if (flair) {
    out.push(
      ["WMH", "table", two(at("WMH (mL)"))],
      ["WMH % ICV", "table", two(at("WMH % of ICV"))],
      ["deep WMH", "table", two(at("Deep WMH (mL)"))],
      ["periventricular WMH", "table", two(at("Periventricular WMH (mL)"))],
      ["white matter with WMH", "table", two(at("Cerebral white matter with WMH (mL)"))],
      ["WMH ratio", "table", two(at("WMH % of cerebral white matter with WMH"))],
      ["lesions", "table", String(at("Lesions"))],
    );
  }
  return out;
}

function inDicom({ results, flair, age }: Truth): Printed[] {
  const source = { identity: {}, studyUid: "1.2", seriesUid: "1.2.3", slices: [] } as unknown as SourceSeries;
  const maker = { version: "0", engine: "sulcus-engine 0", finishedAt: "2026-01-02T00:00:00Z" };
  const out: Printed[] = [], family = { value: "", scheme: "", meaning: "" } as never;
  const subject = { age, sex: "female" as const, grade: "A" };
  if (results) {
    const segments = regionSegments(results);
    const structures = t1Structures(
      {
        source,
        maker,
        kind: "REGIONS",
        description: "",
        seriesNumber: 1,
        family,
        segments,
        labelHash: "x",
        isLabelMap: false,
      },
      results,
      subject,
    );
    const byName = new Map(structures.map((each) => [each.name, each.measurements[0]!]));
    for (const { part, labels } of PARTS.filter(({ labels }) => isMeasured(labels[0]))) {
      if (labels.length === 2) {
        (["Left", "Right"] as const).forEach((side) => {
          const found = byName.get(`${side} ${part.toLowerCase()}`) ?? byName.get(`${side} ${part}`);
          if (found) out.push([`${part} ${side.toLowerCase()}`, "SR", found.value.toFixed(2)]);
        });
      } else if (byName.has(part)) {
        const { value, percentile } = byName.get(part)!;
        out.push([`${part} total`, "SR", value.toFixed(2)]);
        if (percentile?.percentile != null) {
          const [p, low, high] = [percentile.percentile, percentile.low, percentile.high].map(
            percentileDigits,
          );
          const shown = low === high ? low! : `${low}–${high}`;
          out.push([`${part} percentile`, "SR", p === shown ? p! : `${p}, ${shown}`]);
        }
      }
    }
    out.push(["ICV", "SR", byName.get("Intracranial volume")!.value.toFixed(2)]);
    // interval, population and norms stand with each percentile
    for (const { measurements } of age >= 18 ? structures : []) {
      for (const { percentile } of measurements) {
        if (percentile) {
          assert.ok(percentile.low <= percentile.high && percentile.population && percentile.authority);
        }
      }
    }
  }
  if (flair) {
    const structures = flairStructures({ source, engine: "sulcus-engine 0", subject: null }, flair);
    const names: Record<string, string> = {
      "White matter hyperintensities": "WMH",
      "Periventricular white matter hyperintensities": "periventricular WMH",
      "Deep white matter hyperintensities": "deep WMH",
      "Intracranial volume": "ICV",
    };
    for (const { name, measurements } of structures) {
      out.push([names[name]!, "SR", measurements[0]!.value.toFixed(2)]);
    }
  }
  return out;
}

/** As a message and a FHIR server get them: names of their own, and figures as they are written there. */
function inMessages({ results, flair }: Truth): Printed[] {
  const facts = { pid: 1, studyUid: "1.2", identity: {}, finishedAt: "2026-01-02T00:00:00Z" };
  const measures = keyMeasures(results, flair), regions = results ? regionMeasures(results) : [];
  const study = { ...facts, measures, regions, pdf: new Uint8Array() };
  const quantityOf = (name: string) => {
    if (name === "Intracranial volume") return "ICV";
    if (name === "White matter hyperintensities") return "WMH";
    const region = REGIONS.find((one) => one.name === name);
    if (!region) return name.replace(", ", " ");
    return `${region.part} ${{ L: "left", R: "right", "": "total" }[region.hemisphere]}`;
  };
  const sent = oruMessage(study, "SULCUS").split("\r").map((line) => line.split("|"))
    .filter(([kind, , type]) => kind === "OBX" && type === "NM");
  return [
    ...sent.map((field): Printed => [quantityOf(field[3]!.split("^")[0]!), "HL7", field[5]!]),
    ...[...measures, ...regions].map((measure): Printed => {
      const { valueQuantity } = observationResource(measure, study, "1", "Patient/1");
      return [quantityOf(measure.name), "FHIR", (valueQuantity as { value: number }).value.toFixed(2)];
    }),
  ];
}

/** The column of the list of studies, and the viewer's percentile of the same side. */
function inList({ results, flair, age }: Truth): Printed[] {
  const subject = { age, sex: "female" as const, grade: "A" }, out: Printed[] = [];
  const regions = results && regionDataOf(results.volumesMm3, results.icvMm3, subject, true);
  const finding = studyFindingOf({ regions, flair, visits: null, pid: 1 });
  if (finding.wmh !== null) out.push(["WMH", "list of studies", two(finding.wmh)]);
  const { brain_regions: part, side, percentile } = finding.deviation ?? {};
  if (!results || !part || percentile === undefined) return out;
  out.push([`${part} ${side} percentile`, "list of studies", percentileDigits(percentile)]);
  const lobes = volumeLobes(regions!, aggregatesOf(results, subject), DEFAULT_BASIS);
  const { sides } = lobes.flatMap(({ parts }) => parts).find((one) => one.part === part)!;
  const rank = sides[side === "R" ? 1 : 0]!.rank;
  return [...out, [`${part} ${side} percentile`, "viewer", percentileDigits(rank!.percentile)]];
}

for (const [name, truth] of Object.entries(PATIENTS)) {
  // covers: D2-1.1
  Deno.test(`one truth: every figure of ${name} is the same wherever it is printed`, () => {
    const printed = [onPages, inViewer, inTable, inDicom, inMessages, inList].flatMap((of) => of(truth));
    const byQuantity = Map.groupBy(printed, ([quantity]) => quantity);
    const wrong = [...byQuantity].filter(([, all]) => new Set(all.map(([, , figure]) => figure)).size > 1);
    assert.deepEqual(wrong.map(([, all]) => all.map((each) => each.join(": "))), []);
    // a quantity that stands in one place alone proves nothing
    const shared = [...byQuantity].filter(([, all]) => new Set(all.map(([, place]) => place)).size > 1);
    assert.ok(
      shared.length >= (truth.results ? 150 : 8),
      `${shared.length} quantities, ${printed.length} figures`,
    );
    const places = new Set(printed.map(([, place]) => place));
    for (
      const place of truth.results
        ? ["Main Page", "Regions", "viewer", "table", "SR", "HL7", "FHIR", "list of studies"]
        : ["Main Page", "WMH", "viewer", "table", "SR", "HL7", "FHIR", "list of studies"]
    ) {
      assert.ok(places.has(place), place);
    }
  });
}

Deno.test("one truth: quantities that are near another one have names of their own", () => {
  assert.equal(new Set(NAMED).size, NAMED.length);
  const { report } = PATIENTS.longitudinal!;
  const words = JSON.stringify(reportSheetsOf(report));
  for (const name of [pageText.wmhWhiteMatter.en, pageText.visits.en, pageText.visitsTogether.en]) {
    assert.ok(words.includes(name), name);
  }
  assert.notEqual(pageText.wmhWhiteMatter.en, reportText.whiteMatter.en);
});
