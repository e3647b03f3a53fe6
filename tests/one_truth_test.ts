// Every quantity has the same figure in all outputs: report pages, viewer, table of studies, DICOM
// measurements and segmentations, messages. Different quantities have different names (NAMED).
import assert from "node:assert/strict";
import { longitudinalPageText } from "@/model/text/report/pages/longitudinal.ts";
import { wmhPageText } from "@/model/text/report/pages/wmh.ts";
import { pageTitle } from "@/model/text/report/report_page_names.ts";
import { reportText } from "@/model/text/report/report.ts";
import { linearText } from "@/model/text/report/linear.ts";
import type { Printed } from "@/tests/one_truth/figures.ts";
import { reportSheetsOf } from "@/report/sheets/sheets.ts";
import { inDicom } from "@/tests/one_truth/in_dicom.ts";
import { inMessages } from "@/tests/one_truth/in_messages.ts";
import { counted } from "@/tests/one_truth/in_segmentation.ts";
import { inRegistry, registryCells } from "@/tests/one_truth/in_registry.ts";
import { inTable } from "@/tests/one_truth/in_table.ts";
import { figuresOf, inList, inViewer } from "@/tests/one_truth/in_viewer.ts";
import { onPages } from "@/tests/one_truth/on_pages.ts";
import { signedIn, suggestedIn } from "@/tests/one_truth/texts.ts";
import { PARTS } from "@/model/regions/regions.ts";
import { qualityWarningText } from "@/model/text/quality.ts";
import { exportFieldText, exportHeadText } from "@/model/text/worklist/export_columns.ts";
import { conclusionText } from "@/model/text/report/conclusion.ts";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import { studyFindingOf } from "@/server/core/analyses/service/finding.ts";
import { qualityOfReport } from "@/server/core/exports/service/dicom_segments.ts";
import { excelRowOf, exportColumnsOf } from "@/server/core/exports/service/excel_columns.ts";
import { linearOf, PRINTED_LINEAR } from "@/model/linear/printed_linear.ts";
import { DOUBTED, PATIENTS, patientsOfGrade } from "@/tests/one_truth/patients.ts";

/** Names of quantities that are similar to another quantity but not equal. */
const NAMED = [
  // the Main Page's white matter does not include lesions
  wmhPageText.wmhWhiteMatter.en,
  exportFieldText.white_matter.en,
  // measured jointly on all visits; here white matter includes lesions
  longitudinalPageText.visits.en,
  longitudinalPageText.changeWhiteMatter.en,
  // voxel count of the label map on the analysis grid
  "White matter hypointensities",
];

for (const [name, truth] of Object.entries(PATIENTS)) {
  // covers: D2-1.1, S-135
  Deno.test(`one truth: every figure of ${name} is the same wherever it is printed`, () => {
    const printed = [onPages, inViewer, inTable, inDicom, inMessages, inList, inRegistry].flatMap((
      of,
    ) => of(truth));
    printed.push(...counted(truth, printed));
    const byQuantity = Map.groupBy(printed, ([quantity]) => quantity);
    const wrong = [...byQuantity].filter(([, all]) =>
      new Set(all.map(([, , figure]) => figure)).size > 1
    );
    assert.deepEqual(wrong.map(([, all]) => all.map((each) => each.join(": "))), []);
    // only quantities in several outputs are compared
    const shared = [...byQuantity].filter(([, all]) =>
      new Set(all.map(([, place]) => place)).size > 1
    );
    assert.ok(
      shared.length >= (truth.results ? 150 : 8),
      `${shared.length} quantities, ${printed.length} figures`,
    );
    for (const quantity of ["lesions periventricular", "volume juxtacortical", "lesion 1 place"]) {
      const among = new Set(byQuantity.get(quantity)?.map(([, place]) => place));
      assert.ok(name.includes("corrected") || among.size >= 3, `${quantity}: ${[...among]}`);
    }
    const places = new Set(printed.map(([, place]) => place));
    for (
      const place of truth.results
        ? [
          "Main Page",
          "Regions",
          "viewer",
          "table",
          "SR",
          "SEG",
          "HL7",
          "FHIR",
          "list of studies",
          "registry",
        ]
        : [
          "Main Page",
          "WMH",
          "viewer",
          "table",
          "SR",
          "SEG",
          "HL7",
          "FHIR",
          "list of studies",
          "registry",
        ]
    ) {
      assert.ok(places.has(place), place);
    }
  });
}

Deno.test("one truth: widths and angle of the ventricles are the same on pages, in tables and in DICOM, and none of grade C", () => {
  const widthsOf = (printed: readonly Printed[]) =>
    printed.filter(([quantity]) => PRINTED_LINEAR.some((key) => quantity.startsWith(key)));
  const everywhere = [onPages, inTable, inDicom].flatMap((of) => of(PATIENTS.phantom!));
  const figures = Map.groupBy(widthsOf(everywhere), ([quantity]) => quantity);
  const places = (quantity: string) => figures.get(quantity)!.map(([, place]) => place);
  for (const key of ["evans", "frontal_horns", "callosal_angle"]) {
    for (const quantity of [key, `${key} range`]) {
      assert.deepEqual(places(quantity), ["Regions", "table", "SR"], quantity);
      assert.equal(new Set(figures.get(quantity)!.map(([, , figure]) => figure)).size, 1, quantity);
    }
  }
  // an unmeasured value is a dash in the table, and absent in DICOM
  assert.deepEqual(figures.get("third_ventricle"), [
    ["third_ventricle", "Regions", "–"],
    ["third_ventricle", "table", "–"],
  ]);
  const { results } = PATIENTS.phantom!;
  const quality = { ...results!.quality, grade: "C" as const };
  const poor = { ...PATIENTS.phantom!, results: { ...results!, quality } };
  // all outputs call this function
  assert.equal(linearOf(poor.results), null);
  const left = widthsOf(inTable(poor));
  assert.deepEqual([...new Set(left.map(([, , figure]) => figure))], ["–"]);
  const words = JSON.stringify(reportSheetsOf(patientsOfGrade("C")["T1w and FLAIR"]!.report));
  assert.ok(!words.includes(linearText.heading.en));
});

Deno.test("one truth: a region with uncertain borders has its volume and no percentile, wherever it is printed", () => {
  const truth = PATIENTS["regions with uncertain borders"]!, doubted = new Set(DOUBTED);
  const plain = PATIENTS.phantom!;
  const partsOf = PARTS.filter(({ labels }) => labels.some((label) => doubted.has(label)));
  assert.deepEqual(partsOf.map(({ part }) => part).length, 3);
  for (const { part, labels } of partsOf) {
    const [row, before] = [truth, plain].map(({ report }) =>
      report.regions.find(({ brain_regions }) => brain_regions === part)!
    );
    assert.equal(row!.volume_total, before!.volume_total);
    for (const [n, side] of (["left", "right", "total"] as const).entries()) {
      const isDoubted = side === "total" || doubted.has(labels[n]!);
      for (const basis of ["icv", "volume"] as const) {
        const rank = row![`rank_${basis}_${side}`], usual = before![`rank_${basis}_${side}`];
        if (!isDoubted) assert.deepEqual(rank, usual, `${part} ${side}`);
        else assert.deepEqual(rank?.doubt ?? null, usual ? "region" : null, `${part} ${side}`);
        if (isDoubted) assert.equal(row![`np_${basis}_${side}`], null);
      }
    }
    const table = inTable(truth).filter(([quantity, , figure]) =>
      quantity === `${part} percentile` && figure !== "not determined"
    );
    assert.deepEqual(table, [], part);
    // the list has the hippocampal volumes, but no percentile of a doubted side
    const sides = ["left", "right"].filter((_, n) => doubted.has(labels[n]!));
    const ranks = inList(truth).filter(([quantity, , figure]) =>
      [...sides, "asymmetry"].some((side) => quantity === `${part} ${side} rank`) &&
      /\d/.test(figure)
    );
    assert.deepEqual(ranks, [], part);
  }
  assert.ok(truth.report.qc.warnings.includes("region_disagreement"));
  assert.ok(!plain.report.qc.warnings.includes("region_disagreement"));
  // the report also gives the reason in words
  const words = JSON.stringify(reportSheetsOf(truth.report));
  assert.ok(words.includes(qualityWarningText.region_disagreement.en));
});

// covers: S-212
Deno.test("one truth: a file for a registry has no percentile of a stopped scanner or of grade C, and no volume beside one", () => {
  const percentilesIn = (truth: Parameters<typeof registryCells>[0]) =>
    [...registryCells(truth, "percentiles")].filter(([head, value]) =>
      head.includes("_percentile") && typeof value === "number"
    );
  assert.ok(percentilesIn(PATIENTS.phantom!).length > 100);
  const stopped = PATIENTS["stopped scanner"]!, poor = patientsOfGrade("C")["T1w and FLAIR"]!;
  // that a scanner is stopped would reveal which scanner a row is of
  for (const [truth, reason] of [[stopped, null], [poor, "quality"]] as const) {
    assert.deepEqual(percentilesIn(truth), []);
    assert.equal(
      registryCells(truth, "percentiles").get("results.percentiles_withheld"),
      reason,
    );
  }
  // volumes and percentiles are not exported together, because the age would follow from both
  const heads = (
    figures: "volumes" | "percentiles",
  ) => [...registryCells(PATIENTS.phantom!, figures).keys()];
  assert.ok(!heads("volumes").some((head) => head.includes("_percentile")));
  assert.ok(!heads("percentiles").some((head) => /^results\..*_m[lm]$/.test(head)));
});

// covers: S-155
Deno.test("one truth: a stopped scanner has its volumes and the reason, and no percentile, wherever it is printed", () => {
  const truth = PATIENTS["stopped scanner"]!, plain = PATIENTS.phantom!;
  const isOfNorms = ([quantity, , figure]: Printed) =>
    /percentile|sign|band|%ile/.test(quantity) && !["", "–", "not determined"].includes(figure);
  for (const printIn of [onPages, inViewer, inTable, inDicom, inMessages]) {
    const [stopped, usual] = [printIn(truth), printIn(plain)];
    assert.deepEqual(stopped.filter(isOfNorms), []);
    // pages print some volumes only without a percentile, so there are more of them
    const volumes = (printed: readonly Printed[]) =>
      new Map(
        printed.filter(([quantity]) => /^(?:ICV|.* (?:left|right|total))$/.test(quantity))
          .map(([quantity, , figure]) => [quantity, figure]),
      );
    const kept = volumes(stopped!);
    for (const [quantity, figure] of volumes(usual!)) assert.equal(kept.get(quantity), figure);
  }
  assert.ok(inTable(plain).some(isOfNorms) && inDicom(plain).some(isOfNorms));
  // each output gives the reason in words: report, viewer, table, list, DICOM, messages
  const words = JSON.stringify(reportSheetsOf(truth.report));
  assert.ok(words.includes(qualityWarningText.scanner_stopped.en));
  assert.ok(words.includes(reportText.scannerStopped.en));
  const figures = figuresOf(truth);
  assert.equal(figures.normReason, "scanner_stopped");
  assert.deepEqual(qualityOfReport(figures, truth.flair)!.warnings, [
    qualityWarningText.scanner_stopped.en,
  ]);
  assert.equal(studyFindingOf(figures, { visits: null, pid: 1 }).is_stopped, true);
  assert.ok(suggestedIn(truth).FHIR!.includes(conclusionText.noneByScanner.en));
  assert.ok(suggestedIn(truth).HL7!.includes(conclusionText.noneByScanner.en));
  const row = { pid: 1, patient_age: 70, patient_sex: "female", label_list: [] };
  const columns = exportColumnsOf();
  const cells = excelRowOf(columns, {
    row: row as unknown as PatientRow,
    results: truth.results,
    flair: truth.flair,
    norms: { method: truth.method!, name: null, changedAt: null },
  });
  const said = cells.filter((cell) => cell === exportHeadText.withheld.en).length;
  const bands = columns.filter(({ title }) => title.includes("compared with healthy")).length;
  assert.equal(said, bands + 1);
});

// covers: S-155, S-156
Deno.test("one truth: a refused scanner has no percentile, and says why wherever these are printed", () => {
  const truth = PATIENTS["refused scanner"]!, stopped = PATIENTS["stopped scanner"]!;
  for (const printIn of [onPages, inViewer, inTable, inDicom, inMessages, inList]) {
    assert.deepEqual(printIn(truth), printIn(stopped));
  }
  const refused = qualityWarningText.scanner_refused.en;
  const volumes = qualityWarningText.volumes_not_accepted.en;
  const words = JSON.stringify(reportSheetsOf(truth.report));
  for (const text of [refused, volumes, reportText.scannerRefused.en]) {
    assert.ok(words.includes(text), text);
  }
  assert.ok(!words.includes(qualityWarningText.scanner_stopped.en));
  const figures = figuresOf(truth);
  assert.equal(figures.normReason, "scanner_refused");
  assert.deepEqual(qualityOfReport(figures, truth.flair)!.warnings, [refused, volumes]);
  assert.equal(studyFindingOf(figures, { visits: null, pid: 1 }).is_refused, true);
  for (const place of ["FHIR", "HL7"] as const) {
    assert.ok(suggestedIn(truth)[place]!.includes(conclusionText.noneByRefusal.en), place);
  }
  // a file for a registry names no scanner's state, which would reveal the scanner
  assert.deepEqual(registryCells(truth, "percentiles"), registryCells(stopped, "percentiles"));
  const cells = excelRowOf(exportColumnsOf(), {
    row: {
      pid: 1,
      patient_age: 70,
      patient_sex: "female",
      label_list: [],
    } as unknown as PatientRow,
    results: truth.results,
    flair: truth.flair,
    norms: { method: truth.method!, name: null, changedAt: null },
  });
  assert.ok(cells.includes(exportHeadText.refused.en));
});

// covers: S-156
Deno.test("one truth: a scanner without acceptance has the same figures, marked wherever they are printed", () => {
  const truth = PATIENTS["scanner without acceptance"]!, plain = PATIENTS.phantom!;
  for (const printIn of [onPages, inViewer, inTable, inDicom, inMessages, inList]) {
    assert.deepEqual(printIn(truth), printIn(plain));
  }
  const words = JSON.stringify(reportSheetsOf(truth.report));
  assert.ok(words.includes(qualityWarningText.scanner_not_accepted.en));
  const figures = figuresOf(truth);
  const mark = qualityWarningText.scanner_not_accepted.en;
  assert.deepEqual(
    qualityOfReport(figures, truth.flair)!.warnings.filter((text) => text !== mark),
    qualityOfReport(figuresOf(plain), plain.flair)!.warnings,
  );
  assert.ok(qualityOfReport(figures, truth.flair)!.warnings.includes(mark));
  assert.equal(studyFindingOf(figures, { visits: null, pid: 1 }).is_provisional, true);
  for (const place of ["FHIR", "HL7"] as const) {
    assert.ok(suggestedIn(truth)[place]!.includes(conclusionText.provisional.en), place);
    assert.ok(!suggestedIn(plain)[place]!.includes(conclusionText.provisional.en), place);
  }
  const columns = exportColumnsOf();
  const [norms] = excelRowOf(columns, {
    row: {
      pid: 1,
      patient_age: 70,
      patient_sex: "female",
      label_list: [],
    } as unknown as PatientRow,
    results: truth.results,
    flair: truth.flair,
    norms: { method: truth.method!, name: null, changedAt: null },
  }).filter((_, n) => columns[n]!.title === exportFieldText.norms.en);
  assert.ok(String(norms).endsWith(exportHeadText.provisional.en), String(norms));
});

// covers: S-130
Deno.test("one truth: the suggestion is the same wherever it is printed, and so is the signed text, byte for byte", () => {
  const text = 'Left hippocampus small | "R" & ^ ~ \\.\n\n1. \ud574\ub9c8 \uc704\ucd95: follow-up.';
  const signed = {
    text,
    language: "en" as const,
    author: "Dr Kim",
    signed_at: "2026-01-07T08:09:10Z",
  };
  for (const [name, truth] of Object.entries(PATIENTS)) {
    const { sentences } = truth.report.conclusion!;
    const { Cover: cover, HL7: hl7, FHIR: fhir } = suggestedIn(truth);
    // the Cover may have space only for the first sentences
    assert.ok(cover !== "" && sentences.join("\n").startsWith(cover!), name);
    assert.deepEqual([hl7, fhir], [sentences.join("\n"), sentences.join(" ")], name);
    for (
      const [place, printed] of Object.entries(signedIn(truth, { ...signed, is_outdated: false }))
    ) {
      assert.equal(printed, text, `${name}: ${place}`);
    }
  }
});

Deno.test("one truth: quantities that are near another one have names of their own", () => {
  assert.equal(new Set(NAMED).size, NAMED.length);
  const { report } = PATIENTS.longitudinal!;
  const words = JSON.stringify(reportSheetsOf(report));
  for (
    const name of [
      wmhPageText.wmhWhiteMatter.en,
      longitudinalPageText.visits.en,
      longitudinalPageText.visitsTogether.en,
      longitudinalPageText.visitWhiteMatter.en,
      longitudinalPageText.changeWhiteMatter.en,
    ]
  ) {
    assert.ok(words.includes(name), name);
  }
  assert.notEqual(wmhPageText.wmhWhiteMatter.en, reportText.whiteMatter.en);
  // the sum on the Longitudinal page has another name than white matter on the Main Page
  const longitudinal = JSON.stringify(
    reportSheetsOf(report).filter(({ title }) => title.split(" · ").includes(pageTitle[64].en)),
  );
  assert.ok(!longitudinal.includes(`"${reportText.whiteMatter.en}"`));
});
