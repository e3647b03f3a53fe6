import type { Block, Cell, Sheet } from "@/report/sheets/sheet.ts";
import { DEFAULT_THRESHOLDS } from "@/model/norms/bands.ts";
import { methodErrorOf } from "@/model/norms/method_error.ts";
import type { LinearMeasures } from "@/model/linear/linear_measures.ts";
import { normOf, type NormSubject, valueAt } from "@/model/norms/norms.ts";
import { REPORT_PAGES } from "@/model/report/pages.ts";
import { imageKey, type ReportResponse } from "@/model/schema/report/report.ts";
import { protocolFieldText } from "@/model/text/report/pages/longitudinal.ts";
import type { Language } from "@/model/text.ts";
import type { FlairReportInput } from "@/server/core/reports/service/report_flair.ts";
import {
  buildReport,
  type ReportFrame,
  type ReportInput,
} from "@/server/core/reports/service/report_model.ts";

/** Whose volumes the reports of the tests have. */
export const SUBJECT = { age: 70, sex: "female", icvMl: 1409 } as const satisfies NormSubject;

/** What the method measures, with its bias, where every region is at a z score; without a norm 1 mL. Index = label. */
export const volumesAt = (
  z: number | ((label: number) => number),
  subject: NormSubject = SUBJECT,
): number[] =>
  Array.from({ length: 105 }, (_, label) => {
    const norm = label === 0 ? null : normOf(label, "volume", subject);
    const factor = Math.exp(methodErrorOf(String(label), "volume")?.bias ?? 0);
    return label === 0
      ? 0
      : norm
      ? factor * valueAt(typeof z === "number" ? z : z(label), norm)
      : 1000;
  });

/** Of every report of the tests: a woman of 70. */
const FRAME: ReportFrame = {
  pid: 7,
  language: "en",
  isAnonymized: false,
  generatedAt: "2026-01-02T03:04:05.678Z",
  version: "0.1.0",
  certType: "DEMO",
  hospitalName: "",
  thresholds: DEFAULT_THRESHOLDS,
  opinion: { opinion_id: 0, message: "" },
  pages: [],
  patient: {
    id: "P1",
    name: "김 지은",
    age: SUBJECT.age,
    sex: SUBJECT.sex,
    birthDate: "1955-05-05",
    studyDate: "2026-01-01",
    isFlairUploaded: false,
  },
  series: {
    description: "T1w",
    manufacturer: null,
    field_strength: null,
    slices: 192,
    voxel_mm: [1, 1, 1],
  },
  seriesList: [],
  images: [],
};
/** Widths and angle of usual ventricles. */
export const LINEAR: LinearMeasures = {
  frontal_horns: { value: 36.44, low: 34.9, high: 37.6, lines: [[[-18, 20, 11], [18.4, 20, 11]]] },
  inner_skull: { value: 131.2, low: 129.5, high: 132.4, lines: [[[-66, -25, 11], [65, -25, 11]]] },
  evans: {
    value: 0.2777,
    low: 0.266,
    high: 0.2851,
    lines: [[[-18, 20, 11], [18.4, 20, 11]], [[-66, -25, 11], [65, -25, 11]]],
  },
  third_ventricle: { value: 5.26, low: 4.1, high: 6.4, lines: [[[-2.6, -11, 4], [2.6, -11, 4]]] },
  callosal_angle: {
    value: 117.6,
    low: 112.2,
    high: 121.9,
    lines: [[[-2, -26, 25], [-14, -26, 33]], [[2, -26, 25], [14, -26, 33]]],
  },
};

const FINISHED = { finishedAt: "2026-01-02T00:00:00Z", engineVersion: "sulcus-engine 0.1.0" };

/** The date of birth that an age of the tests belongs to: no norm is applied where they contradict. */
const born = ({ age }: Partial<ReportInput["patient"]>) =>
  age === undefined || age === null ? {} : { birthDate: `${2025 - age}-05-05` };

/** The report of a T1w series with everything in the middle of the norms. */
export const reportInput = (
  change: Partial<ReportInput> = {},
  patient: Partial<ReportInput["patient"]> = {},
): ReportInput => ({
  ...FRAME,
  patient: { ...FRAME.patient, ...born(patient), ...patient },
  analysis: {
    ...FINISHED,
    volumesMm3: volumesAt(0),
    icvMm3: 1_409_000,
    quality: {},
    linear: LINEAR,
  },
  ...change,
});

/** The report of a FLAIR series alone. */
export const flairInput = (
  flair: Partial<FlairReportInput["flair"]> = {},
  change: Partial<FlairReportInput> = {},
): FlairReportInput => ({
  ...FRAME,
  patient: { ...FRAME.patient, isFlairUploaded: true },
  series: { ...FRAME.series, description: "FLAIR", slices: 40, voxel_mm: [1, 1, 3] },
  isT1Uploaded: false,
  ...change,
  flair: {
    ...FINISHED,
    ...LESIONS,
    isLowConfidence: true,
    tissue: "flair",
    icvMm3: 1_500_000,
    grade: "B",
    ...flair,
  },
});

/** Everything that is printed on a sheet, drawings included, as people read it. */
export function textOfSheet(sheet: Sheet): string[] {
  const { footer } = sheet;
  return [
    sheet.report,
    sheet.title,
    sheet.hospital,
    sheet.demo ?? "",
    ...Object.values(footer),
    ...textOfBlocks(sheet.blocks),
  ].filter((words): words is string => words !== null && words !== "");
}

const ENTITIES = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"' };
const textOfSvg = (svg: string): string[] =>
  [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, words]) =>
    words!.replace(/&\w+;/g, (entity) => ENTITIES[entity as keyof typeof ENTITIES])
  );

function textOfBlocks(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block): string[] => {
    switch (block.kind) {
      case "identity":
      case "entries":
      case "line":
        return block.entries.flatMap(({ label, value }) => [label, value]);
      case "list":
        return block.items;
      case "pictures":
        return block.pictures.map(({ caption }) => caption);
      case "drawings":
        return block.drawings.flatMap(({ svg }) => textOfSvg(svg));
      case "split":
        return textOfBlocks([...block.left, ...block.right]);
      case "title":
        return [block.text, block.under];
      case "table":
        return [...block.columns, ...block.rows.flatMap(({ cells }) => cells)].flatMap((cell) =>
          cell.svg === undefined
            ? ("label" in cell
              ? cell.label
              : [(cell as Cell).text ?? "", (cell as Cell).under ?? ""])
            : textOfSvg(cell.svg)
        );
      default:
        return [block.text];
    }
  });
}

const LESIONS = {
  periMm3: 6000,
  deepMm3: 4000,
  whiteMatterMm3: 400_000,
  lesionCount: 12,
  isLowConfidence: false,
  tissue: "t1" as const,
};
/** As many studies as can be shown. */
const COMPARISON = {
  icvMm3: 1_409_000,
  visits: Array.from({ length: 12 }, (_, year) => ({
    pid: year === 11 ? 7 : 100 + year,
    studyDate: `${2015 + year}-01-01`,
    volumesMm3: volumesAt((11 - year) * 0.1 - 1),
    thicknessMm: [],
    sideMm: [2.5 - year * 0.01, 2.48 - year * 0.01] as [number, number],
    differences: year === 4 ? Object.keys(protocolFieldText) : [],
  })),
};
const SERIES = {
  description: "T1w MPRAGE sagittal isotropic",
  manufacturer: "SIEMENS",
  field_strength: 3,
  slices: 192,
  voxel_mm: [1, 1, 1] as [number, number, number],
  analysis_date: "2026-01-02T00:00:00Z",
};

/** A report with every page that can be printed, of regions that all differ. */
export function fullReport(
  language: Language,
  change: Partial<ReportInput> = {},
  patient: Partial<ReportInput["patient"]> = {},
): ReportResponse {
  return buildReport(reportInput({
    language,
    hospitalName: "한국대학교병원",
    pages: REPORT_PAGES.map(({ code }) => code),
    longitudinal: COMPARISON,
    mta: { left: 1, right: 3, entered_by: "Dr. Reader", entered_at: "2026-01-02T01:00:00Z" },
    lesions: LESIONS,
    analysis: {
      ...reportInput().analysis,
      volumesMm3: volumesAt((label) => label * 37 % 60 / 10 - 2.5),
      thicknessMm: Array.from({ length: 105 }, (_, label) => label < 37 ? 0 : 2.1 + label * 0.0083),
      thicknessSidesMm: [2.41, 2.38],
      quality: { grade: "B", warnings: ["pair_unequal", "similarity_low"] },
      hasLesions: true,
    },
    seriesList: [{ ...SERIES, type: "t1" }, {
      ...SERIES,
      type: "t2",
      description: "FLAIR",
      slices: 40,
    }],
    images: imageKey.options.map((key) => ({
      key,
      url: `/api/v1/patients/7/report/image/${key}.png`,
      position_mm: 3.6,
    })),
    ...change,
  }, patient));
}

/** Two FLAIR studies of a patient, and the lesions that changed: one of each kind, confirmed, refused or open. */
export const LESION_CHANGES: NonNullable<ReportResponse["flair_longitudinal"]> = {
  visits: ["2024-01-01", "2026-01-01"].map((study_date, n) => ({
    pid: n === 0 ? 3 : 7,
    study_date,
    total: 4.2 + n,
    peri: 3.1 + n,
    deep: 1.1,
    ratio_percent: 0.93,
    lesion_count: 11 + n,
    is_low_confidence: false,
    protocol_differences: n === 0 ? ["scanner"] : [],
  })),
  changes: {
    prior: { pid: 3, study_date: "2024-01-01" },
    state: "compared",
    counted: { before: 11, after: 12 },
    lesions: ([
      ["new", 0, 0.16, 0.16],
      ["enlarging", 0.1, 0.16, 0.06],
      ["shrinking", 0.16, 0.1, -0.06],
      ["gone", 0.16, 0, -0.16],
    ] as const).map(([kind, before_ml, after_ml, changed_ml], lesion) => ({
      lesion,
      kind,
      is_sure: lesion !== 1,
      changed_ml,
      before_ml,
      after_ml,
      centre_ras_mm: [10, -20, 30] as [number, number, number],
      is_confirmed: lesion === 0 ? true : lesion === 3 ? false : null,
      decided_at: null,
      decided_by: lesion === 0 ? "Dr. Reader" : "",
    })),
  },
};
