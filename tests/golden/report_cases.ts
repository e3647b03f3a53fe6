// Reports with reference pictures of every page: each kind of patient, report and language.
import { encodePng } from "@/report/pdf/png.ts";
import type { Pictures } from "@/report/pdf/pdf.ts";
import { readOnFlair } from "@/server/core/analyses/service/files/flair_structures_fixture.ts";
import {
  flairInput,
  fullReport,
  LESION_CHANGES,
  reportInput,
  volumesAt,
} from "@/server/core/reports/service/report_fixture.ts";
import { buildFlairReport } from "@/server/core/reports/service/report_flair.ts";
import type { ReportInput } from "@/server/core/reports/service/report_model.ts";
import { imageKey, type ReportResponse } from "@/model/schema/report/report.ts";
import { OPINIONS } from "@/model/report/opinions.ts";
import { methodOf } from "@/model/norms/percentile_rank.ts";
import { LANGUAGES } from "@/model/text.ts";

type Change = Partial<ReportInput>;
type Patient = Partial<ReportInput["patient"]>;

const { analysis } = reportInput();
const OPINION = OPINIONS.find(({ key }) => key === "usual")!;
const LESIONS = {
  whiteMatterMm3: 400_000,
  lesionCount: 12,
  isLowConfidence: false,
  tissue: "t1" as const,
};
/** Volumes of deep structures measured on FLAIR alone, mm³, and their results. */
const DEEP_MM3 = volumesAt(() => -1), DEEP = readOnFlair((label) => DEEP_MM3[label]!);
const isFluid = (label: number) => (label >= 15 && label <= 18) || (label >= 25 && label <= 28);
/** Small differences by label, so that both sides differ. */
const spread = (label: number) => (label * 37 % 20 - 10) / 20;
const measured = (z: (label: number) => number): Change["analysis"] => ({
  ...analysis,
  volumesMm3: volumesAt(z),
  thicknessMm: Array.from({ length: 105 }, (_, label) => label < 37 ? 0 : 2.3 + spread(label) / 2),
  thicknessSidesMm: [2.41, 2.38],
  quality: { grade: "A", warnings: [] },
});

/** Results and history of each patient, by name. */
const PATIENTS: Record<
  string,
  { change: Change; patient?: Patient; wmhMl: [peri: number, deep: number] }
> = {
  normal: { change: { analysis: measured(spread)! }, wmhMl: [2.1, 1.2] },
  atrophic: {
    change: { analysis: measured((label) => (isFluid(label) ? 2.4 : -2.1) + spread(label))! },
    patient: { name: "Wolfeschlegelsteinhausenbergerdorff Hubert", id: "HOSPITAL-2026-0000012345" },
    wmhMl: [6, 4],
  },
  wmh_heavy: {
    change: { analysis: measured(spread)! },
    patient: { sex: "male" },
    wmhMl: [31.25, 14.5],
  },
  child: {
    change: { analysis: measured(spread)!, longitudinal: null },
    patient: { age: 3, birthDate: "2022-05-05" },
    wmhMl: [0.2, 0.1],
  },
  sex_unknown: {
    change: {
      analysis: { ...measured(spread)!, quality: { grade: "B", warnings: ["pair_unequal"] } },
      mta: null,
    },
    patient: { sex: null, birthDate: null },
    wmhMl: [3, 1.5],
  },
};

/** Single lesions of a large load: in every place, and more than the page lists. */
function placedLesions([periMl, deepMl]: readonly [number, number]) {
  const lobes = ["frontal", "parietal", "temporal", "occipital", "corpus callosum"] as const;
  const sides = ["L", "R", "both"] as const;
  const sites = ["periventricular", "juxtacortical", "deep_white"] as const;
  const count = 24, part = 2 / (count * (count + 1));
  return Array.from({ length: count }, (_, n) => {
    const site = n === 20 ? "infratentorial" as const : sites[n < 2 ? 0 : n % 3]!;
    return {
      periMm3: 1000 * periMl * part * (count - n),
      deepMm3: 1000 * deepMl * part * (count - n),
      centreRasMm: [(n % 5) * 9 - 20, 40 - 5 * n, 12 + n % 7] as [number, number, number],
      place: {
        site,
        lobe: n === 20 ? "cerebellum" as const : lobes[n % lobes.length]!,
        side: sides[n % sides.length]!,
        ...(n === 0 && { is_at_both: true as const }),
      },
    };
  });
}

/** The same comparison with places of the lesions. */
const PLACED_CHANGES = {
  ...LESION_CHANGES,
  changes: {
    ...LESION_CHANGES.changes,
    lesions: LESION_CHANGES.changes.lesions.map((lesion, n) => ({
      ...lesion,
      place: {
        site: (["periventricular", "juxtacortical"] as const)[n % 2]!,
        lobe: (["frontal", "parietal"] as const)[n >> 1]!,
        side: (["L", "R"] as const)[n % 2]!,
      },
    })),
  },
};

/** A report and its name, `{patient}_{type}_{language}`. */
export interface GoldenCase {
  name: string;
  report: ReportResponse;
}

/** All kinds of reports of all patients in both languages, with all pages. */
export const GOLDEN_CASES: readonly GoldenCase[] = Object.entries(PATIENTS).flatMap(
  ([name, { change, patient, wmhMl: [peri, deep] }]) => {
    const lesions = { ...LESIONS, periMm3: 1000 * peri, deepMm3: 1000 * deep };
    return LANGUAGES.flatMap((language): GoldenCase[] => {
      const opinion = { opinion_id: OPINION.id[language], message: OPINION.message[language] };
      // the scanner of this patient is not accepted for percentiles
      const isUnaccepted = name === "atrophic" && { isUnaccepted: true as const };
      const method = { ...methodOf(change.analysis), ...isUnaccepted };
      const given = { ...change, opinion, method };
      const placed = name === "wmh_heavy"
        ? { ...lesions, lesions: placedLesions([peri, deep]) }
        : lesions;
      const both = fullReport(language, { ...given, lesions: placed }, patient);
      const whole = fullReport(language, { ...given, lesions: null }, patient);
      const read = { ...lesions, tissue: "flair" as const, isLowConfidence: true };
      const flair = buildFlairReport(
        flairInput(name === "atrophic" ? { ...read, deepStructures: DEEP } : read, {
          language,
          seriesList: whole.series_list.filter(({ type }) => type === "t2"),
          images: whole.images.filter(({ key }) =>
            !key.startsWith("mask") && !key.startsWith("hippocampi")
          ),
          pages: [1, 64, 128, 1024],
          patient: { ...flairInput().patient, ...patient },
        }),
      );
      const followed = name === "wmh_heavy" ? { flair_longitudinal: LESION_CHANGES } : {};
      const t1 = { ...whole, series_list: whole.series_list.filter(({ type }) => type === "t1") };
      return [
        {
          name: `${name}_t1t2_${language}`,
          report: { ...both, ...(name === "wmh_heavy" && { flair_longitudinal: PLACED_CHANGES }) },
        },
        { name: `${name}_t1_${language}`, report: t1 },
        { name: `${name}_t2_${language}`, report: { ...flair, ...followed } },
      ];
    });
  },
);

/** Placeholder for slices: a bright disc on black. */
export const GOLDEN_PICTURES: Pictures = (() => {
  const edge = 64, rgb = new Uint8Array(3 * edge * edge);
  for (let at = 0; at < edge * edge; at++) {
    const far = Math.hypot(at % edge - edge / 2, Math.floor(at / edge) - edge / 2) / edge;
    rgb.fill(far > 0.42 ? 0 : 60 + Math.round(300 * far), 3 * at, 3 * at + 3);
  }
  const picture = encodePng(rgb, edge, edge);
  return Object.fromEntries(imageKey.options.map((key) => [key, picture]));
})();
