// A lesion volume of grade C is followed by the words "not reliable" in every output, and changes
// of it are not printed.
import assert from "node:assert/strict";
import type { ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { findingLine } from "@/components/worklist/table/FindingCell.tsx";
import { lesionDataOf } from "@/model/measured/lesion_data.ts";
import type { LesionChangeList } from "@/model/schema/reading/lesion_changes.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import { lesionFigureText } from "@/model/text/lesions/lesion_figure.ts";
import { type Language, LANGUAGES } from "@/model/text.ts";
import { ReportSheet } from "@/report/html/ReportSheet.tsx";
import type { Block } from "@/report/sheets/sheet.ts";
import { reportSheetsOf } from "@/report/sheets/sheets.ts";
import { lastLine } from "@/server/commands/analyze.ts";
import { studyFindingOf } from "@/server/core/analyses/service/finding.ts";
import { diagnosticReport } from "@/server/core/connections/service/fhir_resources.ts";
import { oruMessage } from "@/server/core/connections/service/messages.ts";
import { keyMeasures, regionMeasures } from "@/server/core/connections/service/reported_study.ts";
import {
  flairStructures,
  regionSegments,
  t1Structures,
} from "@/server/core/exports/service/dicom_segments.ts";
import { excelRowOf, exportColumnsOf } from "@/server/core/exports/service/excel_columns.ts";
import { changeStructures } from "@/server/core/exports/service/lesion_change_results.ts";
import { csvText } from "@/server/core/exports/service/workbook.ts";
import type { MeasuredStructure } from "@/server/core/dicom/write/measurement_report.ts";
import { LESION_CHANGES } from "@/server/core/reports/service/report_fixture.ts";
import { SOURCE, subjectOf } from "@/tests/one_truth/in_dicom.ts";
import { figuresOf } from "@/tests/one_truth/in_viewer.ts";
import { HYPOINTENSE_MM3, patientsOfGrade, type Truth } from "@/tests/one_truth/patients.ts";
import { listedLesions } from "@/viewer/lesions.ts";
import { ChangeRows } from "@/viewer/panels/lesion_changes.tsx";
import { LesionPanel } from "@/viewer/panels/LesionPanel.tsx";
import { lesionVolumesText } from "@/viewer/panels/reading/corrected_volumes.ts";
import { volumeLobes } from "@/viewer/panels/region_tree.ts";
import { DEFAULT_BASIS } from "@/viewer/session/region_facts.ts";

/** A text with the output that prints it; words that belong to a figure are in the same text. */
type PlacedText = [place: string, text: string];

const BEFORE = 71.31, AFTER = 73.57, CHANGED = 2.26;

/** All lesion figures of the patients in the formats of the outputs: mL, shares, lists, changes. */
const FIGURES = [
  ...["163.31", "163.3", "101.26", "62.05", "163.309"], // all, periventricular, deep, the largest
  ...["40.70", "11.59", "10.88"], // % of the white matter, of the ICV with and without a T1w series
  (HYPOINTENSE_MM3 / 1000).toFixed(2),
  ...[BEFORE, AFTER].map((ml) => ml.toFixed(2)),
];
const FIGURE = new RegExp(`(?<![\\d.])(?:${FIGURES.join("|").replaceAll(".", "\\.")})(?!\\d)`, "g");
const WORDS = new RegExp(
  `^\\s*(?:mL|%)?\\s*\\(?(?:${LANGUAGES.map((of) => lesionFigureText.under[of]).join("|")})`,
);

/** Figures in a text that are not followed by the words. */
const bareFigures = (text: string): string[] =>
  [...text.matchAll(FIGURE)].filter(({ 0: figure, index }) =>
    !WORDS.test(text.slice(index + figure.length))
  )
    .map(([figure]) => figure);

const textsOfBlock = (block: Block): string[] => {
  switch (block.kind) {
    case "table":
      return [
        block.caption,
        ...block.rows.flatMap(({ cells }) =>
          cells.map(({ text = "", under = "", svg = "" }) => `${text} ${under} ${svg}`)
        ),
      ];
    case "split":
      return [...block.left, ...block.right].flatMap(textsOfBlock);
    default:
      return [JSON.stringify(block)];
  }
};

/** Changes with a lesion outlined in both studies, for reliable or unreliable results. */
function changesOf(isUnreliable: boolean): LesionChangeList {
  const { changes } = LESION_CHANGES;
  return {
    ...changes,
    ...(isUnreliable && { is_prior_unreliable: true, is_current_unreliable: true }),
    lesions: changes.lesions.map((lesion) => ({
      ...lesion,
      before_ml: BEFORE,
      after_ml: AFTER,
      changed_ml: isUnreliable ? null : CHANGED,
    })),
  };
}

function followedReport({ report }: Truth, isUnreliable: boolean): ReportResponse {
  const { wmh } = report;
  return {
    ...report,
    flair_longitudinal: {
      visits: LESION_CHANGES.visits.map((visit) => ({
        ...visit,
        total: wmh!.total,
        peri: wmh!.peri,
        deep: wmh!.deep,
        ratio_percent: wmh!.ratio_percent,
        ...(isUnreliable && { is_unreliable: true }),
      })),
      changes: changesOf(isUnreliable),
    },
  };
}

function inReport(truth: Truth, isUnreliable: boolean, language: Language): PlacedText[] {
  const followed = { ...followedReport(truth, isUnreliable), language };
  // without a WMH page, the Main Page shows the figures
  const sheets = [followed, { ...followed, page_list: [] }].flatMap((of) => reportSheetsOf(of));
  return [
    ...sheets.flatMap(({ title, blocks }) =>
      blocks.flatMap(textsOfBlock).map((text): PlacedText => [`report, ${title}`, text])
    ),
    ...sheets.map((sheet): PlacedText => {
      const html = renderToStaticMarkup(<ReportSheet sheet={sheet} />);
      return ["HTML", html.replaceAll(/<[^>]*>/g, " ")];
    }),
  ];
}

function inTables({ results, flair, age }: Truth, language: Language): PlacedText[] {
  const row = {
    pid: 1,
    patient_age: age,
    patient_sex: "female",
    label_list: [],
  } as unknown as PatientRow;
  const cells = excelRowOf(exportColumnsOf(undefined, language), { row, results, flair })
    .map((cell) => cell ?? null);
  return [
    ...cells.map((cell): PlacedText => [
      "XLSX",
      // numeric cells: a number would be usable without the words
      typeof cell === "number" ? cell.toFixed(2) : String(cell),
    ]),
    ...csvText([cells]).split(",").map((cell): PlacedText => ["CSV", cell]),
  ];
}

/** Texts of DICOM measurements: the words are in the comment or in the name of the group. */
const textsOfStructures = (structures: readonly MeasuredStructure[]): PlacedText[] =>
  structures.flatMap(({ name, measurements }) =>
    measurements.flatMap(({ value, comment = "" }): PlacedText[] => [
      ["SR", `${value.toFixed(2)} ${comment}`],
      // the group's name counts as if it followed the number
      ["SR", `${value.toFixed(2)} ${/\([^()]*\)$/.exec(name)?.[0] ?? ""}`],
    ])
  );

function inDicom({ results, flair, age }: Truth, isUnreliable: boolean): PlacedText[] {
  const regions = results && subjectOf("REGIONS", regionSegments(results));
  const subject = subjectOf("LESIONS", []);
  return textsOfStructures([
    ...regions && results ? t1Structures(regions, results, figuresOf({ results, flair, age })) : [],
    ...flairStructures({ source: SOURCE, engine: "0", subject: null }, flair!, results),
    ...changeStructures({
      subject,
      lesions: changesOf(isUnreliable).lesions,
      labels: new Uint8Array(),
      isUnreliable,
    }),
  ]);
}

function inMessages({ results, flair }: Truth): PlacedText[] {
  const study = {
    pid: 1,
    studyUid: "1.2",
    identity: {},
    status: "preliminary" as const,
    finishedAt: "2026-01-02T00:00:00Z",
    measures: keyMeasures(results, flair),
    regions: results ? regionMeasures(results) : [],
    comment: [],
    pdf: new Uint8Array(),
  };
  const { contained } = diagnosticReport(study).resource as unknown as { contained: unknown[] };
  return [
    ...oruMessage(study, "SULCUS").split("\r").map((text): PlacedText => ["HL7", text]),
    ...contained.map((resource): PlacedText => ["FHIR", JSON.stringify(resource)]),
  ];
}

function inViewer(
  { results, flair, age }: Truth,
  isUnreliable: boolean,
  language: Language,
): PlacedText[] {
  const study = figuresOf({ results, flair, age });
  const lesions = lesionDataOf(flair!, results?.quality.grade);
  const plain = (node: ReactElement) =>
    renderToStaticMarkup(node).replaceAll(/<[^>]*title="([^"]*)"[^>]*>/g, " $1 ")
      .replaceAll(/<[^>]*>/g, " ");
  const changes = changesOf(isUnreliable);
  return [
    [
      "viewer",
      plain(
        <LesionPanel
          figures={{ ...lesions, quality_notes: { t2: null } }}
          lesions={listedLesions(lesions.wmh_detail.lesions!)}
          current={0}
          onGo={() => {}}
          colours={{ deep: "", peri: "" }}
          language={language}
        />,
      ),
    ],
    [
      "viewer, changes",
      plain(
        <ChangeRows
          lesions={changes.lesions}
          changes={changes}
          current={0}
          onGo={() => {}}
          language={language}
        />,
      ),
    ],
    ["viewer, correction", lesionVolumesText(lesions, language)],
    [
      "list of studies",
      findingLine(
        {
          finding: studyFindingOf(study, { visits: null, pid: 1 }),
          quality_grade: flair!.grade,
        },
        language,
      ) ?? "",
    ],
    ...volumeLobes(study.regions, study.aggregates, DEFAULT_BASIS).flatMap(({ parts }) =>
      parts.map(({ total }): PlacedText => ["viewer, regions", (total ?? 0).toFixed(2)])
    ),
  ];
}

/** All texts printed about a patient. */
function printedOf(truth: Truth, isUnreliable: boolean): PlacedText[] {
  const { flair, results } = truth;
  return [
    ...LANGUAGES.flatMap((language) => [
      ...inReport(truth, isUnreliable, language),
      ...inTables(truth, language),
      ...inViewer(truth, isUnreliable, language),
    ]),
    ...inDicom(truth, isUnreliable),
    ...inMessages(truth),
    [
      "command",
      lastLine({
        t1: results as never,
        flair: flair as never,
      }),
    ],
  ];
}

const truthsOf = (grade: "A" | "C") => Object.entries(patientsOfGrade(grade));

// covers: D2-5.1
Deno.test("no lesion volume of grade C is printed without the words beside it", () => {
  for (const [name, truth] of truthsOf("C")) {
    const bare = printedOf(truth, true).flatMap(([place, text]) =>
      bareFigures(text).map((figure) => `${name}: ${place}: ${figure} in ${text}`)
    );
    assert.deepEqual(bare, []);
  }
});

// covers: D2-5.1
Deno.test("no change of a lesion volume of grade C is printed", () => {
  const digits = /(?<![\d.])2\.26(?!\d)/;
  for (const [name, truth] of truthsOf("C")) {
    const printed = printedOf(truth, true).filter(([, text]) => digits.test(text));
    assert.deepEqual(printed.map(([place, text]) => `${name}: ${place}: ${text}`), []);
  }
});

Deno.test("the words are looked for in every place that prints a lesion volume", () => {
  const places = new Set(
    truthsOf("A").flatMap(([, truth]) =>
      printedOf(truth, false).flatMap(([place, text]) =>
        bareFigures(text).length > 0 ? [place] : []
      )
    ),
  );
  for (
    const place of [
      ...[
        "report, Main Page",
        "report, WMH",
        "report, Longitudinal",
        "report, Cover · Atrophy Score",
      ],
      ...["report, Volume by Brain Regions", "HTML", "XLSX", "CSV", "SR", "HL7", "FHIR"],
      ...["viewer", "viewer, changes", "viewer, correction", "viewer, regions"],
      ...["list of studies", "command"],
    ]
  ) assert.ok(places.has(place), `${place} is not among ${[...places].join("; ")}`);
});
