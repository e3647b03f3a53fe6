// Complete reports of generated studies: names, series, hospital and texts of any length, all
// selections of pages, both languages, with or without texts, measurements, corrections and
// pictures of readers.
import { Random } from "@/model/random.ts";
import { OPINIONS } from "@/model/report/opinions.ts";
import { pagesOf, REPORT_PAGES } from "@/model/report/pages.ts";
import { KEY_IMAGES_IN_REPORT } from "@/model/schema/reading/key_images.ts";
import { imageKey, type ReportResponse } from "@/model/schema/report/report.ts";
import { MAX_REPORT_TEXT_LINES, storedText } from "@/model/schema/report/report_text.ts";
import { LANGUAGES } from "@/model/text.ts";
import { qualityWarningText } from "@/model/text/quality.ts";
import { protocolFieldText } from "@/model/text/report/pages/longitudinal.ts";
import { readOnFlair } from "@/server/core/analyses/service/files/flair_structures_fixture.ts";
import { LESION_CHANGES, LINEAR, volumesAt } from "@/server/core/reports/service/report_fixture.ts";
import { buildFlairReport } from "@/server/core/reports/service/report_flair.ts";
import {
  buildReport,
  type ReportFrame,
  type ReportInput,
} from "@/server/core/reports/service/report_model.ts";
import { generatedInput } from "@/tests/page_one/generated_studies.ts";

type Findings = NonNullable<ReportResponse["findings"]>;

const pick = <T>(random: Random, values: readonly T[]): T =>
  values[Math.floor(random.uniform() * values.length)]!;
const happens = (random: Random, share: number) => random.uniform() < share;
const whole = (random: Random, low: number, high: number) =>
  Math.floor(random.between(low, high + 1));

/** Alphabets with letters of different widths: Latin, Korean, capitals, digits, other scripts. */
const ALPHABETS = [
  "etaoin shrdlu",
  "가나다라마바사 아자차카타파하",
  "WM@%W MW",
  "0123456789",
  "ЖШЩюфы мнк",
  "漢字山川日本 語脳",
  "ÄÖßçéñ òìü",
  "il.,;'|!",
] as const;

/** A text of `length` letters, with or without spaces, of one or several alphabets. */
function textOf(random: Random, length: number): string {
  const alphabets = happens(random, 0.6) ? [pick(random, ALPHABETS)] : ALPHABETS;
  const hasSpaces = happens(random, 0.7);
  const letters = Array.from({ length }, () => {
    const letter = pick(random, [...pick(random, alphabets)]);
    return hasSpaces || letter !== " " ? letter : "x";
  });
  return letters.join("").trim() || "x";
}

/** A random length: mostly a usual one, sometimes up to the maximum. */
const lengthOf = (random: Random, usual: number, longest: number) =>
  happens(random, 0.5) ? whole(random, 1, usual) : whole(random, usual, longest);

/** A text in a physician's style: sentences, paragraphs, lists, or one long line. */
function writtenText(random: Random, longest: number): string {
  const lines = whole(random, 1, pick(random, [1, 4, MAX_REPORT_TEXT_LINES]));
  const each = lengthOf(random, 60, Math.max(60, longest)) / lines;
  const text = Array.from(
    { length: lines },
    () => happens(random, 0.1) ? "" : textOf(random, Math.max(1, Math.floor(each))),
  ).join("\n");
  return storedText([...text].slice(0, longest).join("")) || "x";
}

const instant = "2026-01-02T03:04:05.678Z";

function seriesOf(random: Random, type: "t1" | "t2"): ReportFrame["seriesList"][number] {
  return {
    type,
    description: happens(random, 0.1) ? "" : textOf(random, lengthOf(random, 16, 64)),
    manufacturer: happens(random, 0.2) ? null : textOf(random, lengthOf(random, 8, 64)),
    field_strength: happens(random, 0.2) ? null : 3,
    slices: happens(random, 0.1) ? null : 192,
    voxel_mm: happens(random, 0.1) ? null : [0.9375, 0.9375, 1.2],
    analysis_date: happens(random, 0.1) ? null : instant,
    ...happens(random, 0.3) && { has_contrast_agent: true },
  };
}

/** Random patient, hospital, series, pages and pictures. */
function frameOf(random: Random, given: ReportFrame, hasT1: boolean): ReportFrame {
  const types = [...hasT1 ? ["t1"] as const : [], "t2"] as const;
  const seriesList = types.map((type) => seriesOf(random, type));
  const chosen = REPORT_PAGES.map(({ code }) => code).filter(() => happens(random, 0.6));
  return {
    ...given,
    language: pick(random, LANGUAGES),
    isAnonymized: happens(random, 0.1),
    hospitalName: happens(random, 0.3) ? "" : textOf(random, lengthOf(random, 16, 60)),
    certType: pick(random, ["DEMO", "KR", "CE"]),
    pages: pagesOf(happens(random, 0.3) ? REPORT_PAGES.map(({ code }) => code) : chosen, {
      type: hasT1 ? "t1t2" : "t2",
      hasFlair: true,
      hasComparison: true,
    }),
    patient: {
      ...given.patient,
      id: textOf(random, lengthOf(random, 12, 100)),
      name: textOf(random, lengthOf(random, 16, 100)),
      ...happens(random, 0.1) && { birthDate: null },
      ...happens(random, 0.1) && { studyDateSource: "series" as const },
    },
    series: seriesList[0]!,
    seriesList,
    images: happens(random, 0.15)
      ? []
      : imageKey.options.filter((key) => hasT1 || !/^(mask|hippocampi|width)/.test(key)).map((
        key,
      ) => ({
        key,
        url: `/image/${key}.png`,
        position_mm: 3.6,
      })),
  };
}

/** Parts of a T1w report besides volumes. */
function t1Parts(random: Random, input: ReportInput): Partial<ReportInput> {
  const { analysis, lesions, longitudinal } = input;
  const warnings = [
    ...analysis.quality.warnings as string[],
    ...Object.keys(qualityWarningText).filter(() => happens(random, 0.15)),
  ];
  return {
    analysis: {
      ...analysis,
      quality: { ...analysis.quality, warnings: [...new Set(warnings)] },
      linear: happens(random, 0.8) ? LINEAR : undefined,
    },
    lesions: lesions ? { ...lesions, ...placedLesions(random) } : null,
    mta: happens(random, 0.5)
      ? { left: 1, right: 4, entered_by: textOf(random, 40), entered_at: instant }
      : null,
    longitudinal: longitudinal && happens(random, 0.3)
      ? { ...longitudinal, visits: manyVisits(random, longitudinal.visits) }
      : longitudinal ?? null,
  };
}

/** The maximum number of compared studies, with acquisitions that differ in many fields. */
function manyVisits(
  random: Random,
  visits: NonNullable<ReportInput["longitudinal"]>["visits"],
): NonNullable<ReportInput["longitudinal"]>["visits"] {
  const [first] = visits, last = visits.at(-1)!;
  const before = Array.from({ length: whole(random, 3, 11) }, (_, at) => ({
    ...first!,
    pid: 200 + at,
    studyDate: `${2008 + at}-03-04`,
    differences: happens(random, 0.3)
      ? Object.keys(protocolFieldText).filter(() => happens(random, 0.5))
      : [],
  }));
  return [...before, last];
}

/** Up to sixty lesions, some without a place. */
function placedLesions(random: Random) {
  const lobes = ["frontal", "parietal", "temporal", "occipital", "corpus callosum"] as const;
  const sites = ["periventricular", "juxtacortical", "deep_white"] as const;
  const hasPlaces = happens(random, 0.7);
  const lesions = Array.from({ length: whole(random, 1, pick(random, [3, 12, 60])) }, () => ({
    periMm3: random.between(0, 900),
    deepMm3: random.between(0, 900),
    centreRasMm: [0, 0, 1].map(() => random.between(-60, 60)) as [number, number, number],
    nearLabel: 37,
    ...hasPlaces && {
      place: {
        site: pick(random, sites),
        lobe: pick(random, lobes),
        side: pick(random, ["L", "R", "both"] as const),
      },
    },
  }));
  return { lesions, lesionCount: lesions.length };
}

/** Measurements, key images and corrections made by readers. */
function readersFindings(random: Random): Findings {
  const by = () => ({ created_at: instant, created_by: textOf(random, lengthOf(random, 12, 40)) });
  return {
    measurements: Array.from({ length: pick(random, [0, 1, 9, 14, 31]) }, (_, id) => ({
      id,
      kind: pick(random, ["ruler", "angle"] as const),
      series: pick(random, ["t1", "t2"] as const),
      plane: pick(random, ["axial", "coronal", "sagittal"] as const),
      points_mm: [0, 0, 0, 30, 0, 0, 30, 20, 0],
      statistics: null,
      note: happens(random, 0.4) ? "" : textOf(random, lengthOf(random, 20, 80)),
      ...by(),
    })),
    images: imageKey.options.slice(0, whole(random, 0, KEY_IMAGES_IN_REPORT)).map((key) => ({
      key,
      url: `/image/${key}.png`,
      note: textOf(random, lengthOf(random, 20, 80)),
      ...by(),
    })),
    corrections: (["t1", "t2"] as const).filter(() => happens(random, 0.5)).map((series) => ({
      series,
      at: instant,
      by: textOf(random, lengthOf(random, 12, 60)),
      strokes: 3,
    })),
    corrected_visits: [],
  };
}

/** The opinion selected by a reader, in the site's wording. */
function opinionOf(random: Random, { language }: ReportResponse): Partial<ReportResponse> {
  const opinion = pick(random, OPINIONS);
  if (happens(random, 0.4)) return {};
  return {
    opinion: {
      opinion_id: opinion.id[language],
      message: happens(random, 0.3) ? opinion.message[language] : writtenText(random, 350),
    },
  };
}

/** The report of a seed, with readers' texts; equal seeds give equal reports. */
export function generatedReport(seed: number): ReportResponse {
  const random = new Random(seed + 5_000_000), input = generatedInput(seed);
  const report = "t1" in input
    ? buildReport({
      ...input.t1,
      ...frameOf(random, input.t1, true),
      ...t1Parts(random, input.t1),
    })
    : buildFlairReport({
      ...input.flair,
      ...frameOf(random, input.flair, false),
      flair: {
        ...input.flair.flair,
        ...placedLesions(random),
        ...happens(random, 0.5) && { deepStructures: deepStructures() },
      },
    });
  return {
    ...report,
    ...opinionOf(random, report),
    ...happens(random, 0.35) && {
      signed_text: {
        text: writtenText(random, pick(random, [300, 1000, 3000])),
        language: report.language,
        author: textOf(random, lengthOf(random, 12, 60)),
        signed_at: instant,
        is_outdated: happens(random, 0.3),
      },
    },
    ...happens(random, 0.25) && { findings: readersFindings(random) },
    ...happens(random, 0.2) && { flair_longitudinal: LESION_CHANGES },
    ...happens(random, 0.2) && { left_out_visits: ["2019-01-01", "2020-02-02"] },
    ...happens(random, 0.2) && { other_person_visits: otherPersons(random) },
    ...happens(random, 0.3) && { outlined_place: { part: "Hippocampus", side: "L" } as const },
  };
}

const otherPersons = (random: Random): ReportResponse["other_person_visits"] =>
  Array.from({ length: pick(random, [1, 2, 12]) }, (_, n) => ({
    study_date: `20${10 + n}-05-0${1 + n % 9}`,
    differs: pick(random, [["birthdate"], ["sex"], ["birthdate", "sex"], []] as const).slice(),
    ...happens(random, 0.2) && {
      shared_id: pick(random, ["placeholder", "several_people"] as const),
    },
  }));

function deepStructures() {
  const volumesMm3 = volumesAt(-1);
  return readOnFlair((label) => volumesMm3[label]!);
}
