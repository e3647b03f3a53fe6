import { FAZEKAS_CUTOFFS_ML } from "@/model/regions/fazekas.ts";
import {
  lesionPlace,
  lesionSearchText,
  lesionSiteShort,
  lesionSiteText,
} from "@/model/text/lesions/lesion_place.ts";
import { isUnsearched } from "@/model/regions/lesion_site.ts";
import { lesionFigure } from "@/model/text/lesions/lesion_figure.ts";
import { isCounted, lesionKindOf, placeDigits } from "@/model/regions/lesion_kind.ts";
import { captionOf, headOf } from "@/report/model/page.ts";
import { percentileOrdinal, rangeDigits } from "@/model/norms/rank_format.ts";
import { DASH, fixed } from "@/report/model/format.ts";
import { gradedScaleSvg, lesionMarkSvg, SCALE_SIZE } from "@/report/charts/gauges.ts";
import { correctionNotices } from "@/report/sheets/findings_sheet.ts";
import { twoMeasurements } from "@/report/sheets/regions_sheet.ts";
import { heightOf } from "@/report/sheets/height.ts";
import {
  type Block,
  type Column,
  PICTURE_SCALES,
  type PictureScale,
  SHEET_HEIGHT,
  type SheetBody,
} from "@/report/sheets/sheet.ts";
import { WMH_PAGE } from "@/model/report/pages.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";
import { type Language, textIn } from "@/model/text.ts";
import { pageTitle } from "@/model/text/report/report_page_names.ts";
import { reportText } from "@/model/text/report/report.ts";
import { coverPageText } from "@/model/text/report/pages/cover.ts";
import { wmhPageText } from "@/model/text/report/pages/wmh.ts";

type Wmh = NonNullable<ReportResponse["wmh"]>;
type LesionsAt = NonNullable<Wmh["places"]>[number];

/**
 * Maximum number of rows in each half of the lesion list, without and with the scale of grades.
 * The list is shortened if other blocks need space, and prints the number of omitted rows.
 */
const LIST_ROWS = 9, LIST_ROWS_BESIDE_SCALE = 7, LEAST_ROWS = 3;

/** Smallest pictures of a page WMH that shares its sheet, percent of the available width. */
const LEAST_SCALE = 55;

/** Minimum volume in mL of a lesion with a row in the list; smaller lesions are only counted. */
const LEAST_LISTED_ML = 0.02;

/**
 * The page WMH (white matter hyperintensities): FLAIR slices, volumes and list of lesions.
 * A scale of Fazekas-equivalent grades shows the total volume.
 */
export function wmhBodiesOf(report: ReportResponse): SheetBody[] {
  const { wmh, language } = report;
  if (!wmh) return [];
  const t = (text: Record<Language, string>, values: Record<string, string | number> = {}) =>
    textIn(text, language, values);
  const strip = report.images.filter(({ key }) => key.startsWith("flair_"));
  const notes = doubtsOf(report, wmh);
  const head = headOf(report);
  const boxes =
    [...head, ...notes, ...correctionNotices(report)].filter(({ kind }) => kind === "notice")
      .length;
  // largest picture size that leaves space for the lesion list and the scale of grades
  const hasBoth = (wmh.lesions?.length ?? 0) > 0 && wmh.fazekas_equivalent !== null;
  const pictureScale: PictureScale = !hasBoth
    ? wmh.places ? 70 : 100
    : boxes > 0 || wmh.places
    ? 55
    : 70;
  const blocksOf = (rows: number, scale: PictureScale): Block[] => [
    ...head,
    ...notes,
    ...(strip.length === 0 ? [] : [
      { kind: "small", text: t(wmhPageText.wmhStrip) } as const,
      {
        kind: "pictures",
        columns: 4,
        scale,
        pictures: strip.map(({ key, url, position_mm }, index) => ({
          key,
          url,
          caption: captionOf("axial", position_mm, language),
          alt: t(key.endsWith("_plain") ? wmhPageText.wmhPlainAlt : wmhPageText.wmhPictureAlt, {
            n: Math.floor(index / 2) + 1,
            count: strip.length / 2,
          }),
        })),
      } as const,
    ]),
    { kind: "heading", text: t(wmhPageText.wmhVolumes) },
    volumesOf(wmh, language, true),
    ...twoMeasurements(report),
    ...placesOf(wmh, language),
    ...listOf(wmh, language, rows),
    ...scaleOf(wmh, language),
  ];
  const most = wmh.fazekas_equivalent === null ? LIST_ROWS : LIST_ROWS_BESIDE_SCALE;
  const room = SHEET_HEIGHT - heightOf(correctionNotices(report));
  const scales = PICTURE_SCALES.filter((scale) => scale <= pictureScale);
  let blocks: Block[] = [], shorter: Block[][] = [];
  search: for (const scale of scales) {
    for (let rows = most; rows >= LEAST_ROWS; rows--) {
      blocks = blocksOf(rows, scale);
      if (heightOf(blocks) > room) continue;
      // pictures are enlarged if the same number of list rows leaves room for them
      const larger = PICTURE_SCALES.map((size) => size > scale ? blocksOf(rows, size) : blocks);
      const at = larger.findIndex((blocks) => heightOf(blocks) <= room);
      blocks = larger[at]!;
      shorter = strip.length === 0 ? [] : PICTURE_SCALES.slice(at + 1)
        .filter((size) => size >= LEAST_SCALE).map((size) => blocksOf(rows, size));
      break search;
    }
  }
  return [{ pages: [WMH_PAGE], title: t(pageTitle[WMH_PAGE]), blocks, shorter }];
}

/** Notice with the reasons why lesion volumes are of low confidence; empty if they are not. */
function doubtsOf({ report_type, language }: ReportResponse, wmh: Wmh): Block[] {
  const t = (text: Record<Language, string>, values: Record<string, string | number> = {}) =>
    textIn(text, language, values);
  const isFlair = wmh.tissue === "flair";
  const reasons = [
    // in a report on FLAIR alone, the notice at the top of the page says that no T1w was used
    ...(isFlair && report_type !== "t2" ? [t(wmhPageText.wmhLowFlair)] : []),
    ...(wmh.is_minimal ? [t(wmhPageText.wmhLowMinimal)] : []),
    ...(wmh.is_unreliable || wmh.is_low_confidence && !isFlair && !wmh.is_minimal
      ? [t(wmhPageText.wmhLowGrade)]
      : []),
  ];
  return reasons.length === 0
    ? []
    : [{ kind: "notice", text: t(wmhPageText.wmhLowNote, { reasons: reasons.join("; ") }) }];
}

/** Table of lesion volumes. @param isWhole Adds rows: white matter, percentile and grade. */
function volumesOf(wmh: Wmh, language: Language, isWhole: boolean): Block {
  const t = (text: Record<Language, string>) => textIn(text, language);
  const row = (label: string, value: string, note = "") => ({
    cells: [{ text: label }, { text: value, isBold: true }, { text: note, isQuiet: true }],
  });
  const volume = (figure: number | null) =>
    lesionFigure(fixed(figure), wmh.is_unreliable, language);
  return {
    kind: "table",
    caption: t(wmhPageText.wmhVolumes),
    columns: [
      { label: t(reportText.measure), width: "*" },
      { label: t(reportText.value), width: wmh.is_unreliable ? 110 : 80, isNumber: true },
      { label: "", width: 170, isSmall: true },
    ],
    rows: [
      row(t(wmhPageText.wmhTotal), volume(wmh.total)),
      row(t(wmhPageText.wmhPeri), volume(wmh.peri)),
      row(t(wmhPageText.wmhDeep), volume(wmh.deep)),
      ...isWhole ? [row(t(wmhPageText.wmhWhiteMatter), fixed(wmh.wm))] : [],
      row(t(wmhPageText.wmhRatio), volume(wmh.ratio_percent)),
      row(t(wmhPageText.wmhCount), String(wmh.lesion_count)),
      ...isWhole
        ? [
          row(
            t(wmhPageText.wmhPercentile),
            wmh.np === null ? DASH : percentileOrdinal(wmh.np, language),
            wmh.np === null ? t(wmhPageText.wmhNoPercentile) : "",
          ),
          row(
            t(wmhPageText.fazekas),
            wmh.fazekas_equivalent === null ? DASH : String(wmh.fazekas_equivalent),
            t(wmh.fazekas_equivalent === null ? wmhPageText.fazekasNone : wmhPageText.fazekasExact),
          ),
        ]
        : [],
    ],
  };
}

/**
 * Figures of lesions for the Cover of a report on FLAIR alone, which has no findings of regions.
 * They are volumes with slices of the most lesions, from large to small, or volumes alone.
 */
export function* coverLesionsOf(report: ReportResponse): Generator<Block[]> {
  const { wmh, language, images } = report;
  if (!wmh) return;
  const t = (text: Record<Language, string>, values: Record<string, string | number> = {}) =>
    textIn(text, language, values);
  const heading: Block = { kind: "heading", text: t(reportText.wmh) };
  const volumes = [...doubtsOf(report, wmh), volumesOf(wmh, language, false)];
  const painted = images.filter(({ key }) => /^flair_\d$/.test(key));
  const pictures = painted.map(({ key, url, position_mm }, index) => ({
    key,
    url,
    caption: captionOf("axial", position_mm, language),
    alt: t(wmhPageText.wmhPictureAlt, { n: index + 1, count: painted.length }),
  }));
  for (const scale of pictures.length > 0 ? PICTURE_SCALES : []) {
    yield [
      heading,
      { kind: "small", text: t(coverPageText.coverLesions) },
      { kind: "pictures", columns: 4, scale, pictures },
      ...volumes,
    ];
  }
  yield [heading, ...volumes];
}

/** Table of number and volume of lesions at each site; also names sites that are not searched. */
function placesOf(
  { places, lesions, is_unreliable: isUnreliable }: Wmh,
  language: Language,
): Block[] {
  const t = (text: Record<Language, string>, values: Record<string, string | number> = {}) =>
    textIn(text, language, values);
  const note = t(lesionSearchText.note);
  if (!places) return [{ kind: "small", text: note }];
  const both = (lesions ?? []).filter(({ place }) => place?.is_at_both).length;
  const row = (label: string, cellOf: (at: LesionsAt) => string) => ({
    cells: [
      { text: label },
      ...places.map((at) => ({
        text: isUnsearched(at) ? t(lesionSearchText.notSearched) : cellOf(at),
        isQuiet: isUnsearched(at),
      })),
    ],
  });
  return [
    {
      kind: "table",
      caption: t(wmhPageText.placeTable),
      isDense: true,
      columns: [
        { label: t(wmhPageText.placeTable), width: "*" },
        ...places.map(({ site }): Column => ({
          label: t(lesionSiteText[site]),
          width: isUnreliable ? 96 : 92,
          isNumber: true,
        })),
      ],
      rows: [
        row(t(wmhPageText.placeCount), ({ count }) => String(count)),
        row(
          t(wmhPageText.placeVolume),
          ({ volume }) => lesionFigure(fixed(volume), isUnreliable, language),
        ),
      ],
    },
    { kind: "small", text: `${t(wmhPageText.placeNote, { both })} ${note}` },
  ];
}

/**
 * List of the largest lesions with kind, volume and location, in two halves.
 * Unreliable volumes are in a single list, because the warning beside a number needs space.
 */
function listOf(
  { lesions, is_unreliable: isUnreliable }: Wmh,
  language: Language,
  rows: number,
): Block[] {
  const counted = (lesions ?? []).filter(({ peri_ml, deep_ml }) => isCounted(peri_ml + deep_ml));
  const listed = counted.filter(({ peri_ml, deep_ml }) => peri_ml + deep_ml >= LEAST_LISTED_ML);
  if (listed.length === 0) return [];
  const t = (text: Record<Language, string>, values: Record<string, string | number> = {}) =>
    textIn(text, language, values);
  const columns: Column[] = [
    { label: t(wmhPageText.lesionNumber), width: 24 },
    { label: "", svg: lesionMarkSvg(false, false), width: 16 },
    { label: t(wmhPageText.lesionPlace), width: "*", isSmall: true },
    { label: t(wmhPageText.lesionVolume), width: isUnreliable ? 82 : 46, isNumber: true },
    { label: t(wmhPageText.lesionCentre), width: 76, isNumber: true, isSmall: true },
  ];
  const kinds = {
    both: wmhPageText.lesionBoth,
    deep: wmhPageText.lesionDeep,
    periventricular: wmhPageText.lesionPeri,
  };
  const short = {
    both: wmhPageText.lesionBothShort,
    deep: wmhPageText.lesionDeepShort,
    periventricular: wmhPageText.lesionPeriShort,
  };
  // results of earlier versions may lack a lesion's location or the name of a nearby region
  const placeOf = (lesion: (typeof listed)[number], kind: keyof typeof kinds) => {
    const place = lesionPlace(lesion, language);
    const word = lesion.place ? t(lesionSiteShort[lesion.place.site]) : t(short[kind]);
    return place === ""
      ? lesion.place ? t(lesionSiteText[lesion.place.site]) : t(kinds[kind])
      : t(wmhPageText.lesionAt, { place, kind: word });
  };
  const half = Math.min(
    rows,
    isUnreliable ? listed.length : Math.ceil(listed.length / 2),
  );
  const table = (from: number): Block => ({
    kind: "table",
    caption: `${t(wmhPageText.lesionList)}, ${
      rangeDigits(String(from + 1), String(Math.min(from + half, listed.length)), language)
    }`,
    isDense: true,
    columns,
    rows: listed.slice(from, from + half).map(
      (lesion, n) => {
        const { peri_ml, deep_ml, centre_ras_mm } = lesion;
        const kind = lesionKindOf(deep_ml, peri_ml);
        return {
          cells: [
            { text: String(from + n + 1) },
            { svg: lesionMarkSvg(kind !== "deep", kind !== "periventricular") },
            { text: placeOf(lesion, kind) },
            { text: lesionFigure(fixed(peri_ml + deep_ml), isUnreliable, language) },
            { text: placeDigits(centre_ras_mm) },
          ],
        };
      },
    ),
  });
  const shown = isUnreliable ? half : 2 * half;
  return [
    { kind: "heading", text: t(wmhPageText.lesionList) },
    isUnreliable ? table(0) : {
      kind: "split",
      share: 50,
      left: [table(0)],
      right: listed.length > half ? [table(half)] : [],
    },
    {
      kind: "small",
      text: t(counted.length > shown ? wmhPageText.lesionNoteMore : wmhPageText.lesionNote, {
        shown: Math.min(shown, listed.length),
        count: counted.length,
      }),
    },
  ];
}

/** Scale that shows the total volume among Fazekas-equivalent grades; empty without a grade. */
function scaleOf({ total, fazekas_equivalent: grade }: Wmh, language: Language): Block[] {
  const t = (text: Record<Language, string>, values: Record<string, string | number> = {}) =>
    textIn(text, language, values);
  if (grade === null) return [];
  return [
    { kind: "heading", text: t(wmhPageText.fazekasScale) },
    {
      kind: "drawings",
      columns: 1,
      drawings: [{
        svg: gradedScaleSvg(total, FAZEKAS_CUTOFFS_ML, {
          grades: ["0", "1", "2", "3"].map((grade) => t(wmhPageText.fazekasGrade, { grade })),
          unit: "mL",
          value: `${fixed(total)}\u00a0mL`,
        }),
        ...SCALE_SIZE,
        alt: t(wmhPageText.fazekasAlt, { volume: fixed(total), grade }),
      }],
    },
    { kind: "small", text: t(wmhPageText.fazekasNote) },
  ];
}
