import { LONGITUDINAL_PAGE } from "@/model/report/pages.ts";
import { placeDigits } from "@/model/regions/lesion_kind.ts";
import {
  acceptedChanges,
  type ChangesAt,
  changesByPlace,
  lesionCountSentence,
} from "@/model/measured/lesion_counts.ts";
import type { LesionChange } from "@/model/schema/reading/lesion_changes.ts";
import { lesionFigure } from "@/model/text/lesions/lesion_figure.ts";
import { isUnsearched } from "@/model/regions/lesion_site.ts";
import {
  lesionPlaceAndSite,
  lesionSearchText,
  lesionSiteText,
} from "@/model/text/lesions/lesion_place.ts";
import { DASH, fixed, signed } from "@/report/model/format.ts";
import { headOf } from "@/report/model/page.ts";
import { correctionNotices } from "@/report/sheets/findings_sheet.ts";
import { heightOf } from "@/report/sheets/height.ts";
import { otherPersonNotices } from "@/report/sheets/other_persons.ts";
import { type Block, type Column, SHEET_HEIGHT, type SheetBody } from "@/report/sheets/sheet.ts";
import {
  CHANGE_VISITS,
  MOST_CHANGE_PICTURES,
  type ReportResponse,
} from "@/model/schema/report/report.ts";
import { type Language, textIn } from "@/model/text.ts";
import { lesionChangeText as texts } from "@/model/text/report/report_lesion_changes.ts";
import { longitudinalPageText, protocolFieldText } from "@/model/text/report/pages/longitudinal.ts";
import { pageTitle } from "@/model/text/report/report_page_names.ts";
import { wmhPageText } from "@/model/text/report/pages/wmh.ts";

type FlairLongitudinal = NonNullable<ReportResponse["flair_longitudinal"]>;
/**
 * Maximum number of rows in the list of changed lesions; fewer if other blocks need space.
 * The page prints the number of omitted rows.
 */
const MOST_ROWS = 22, LEAST_ROWS = 4, LEAST_ROWS_BESIDE_PICTURES = 11;

/**
 * Maximum number of lesions with pictures above the list (two per row); fewer for a long list.
 * Further pictures of changed lesions follow on separate pages.
 */
const PICTURED = [4, 2, 0];

/** Width of a column with volumes, and with volumes followed by "not reliable", points. */
const VOLUME_WIDTH = 58, UNRELIABLE_WIDTH = 92;

/** The page Longitudinal for FLAIR; empty if only one study was analysed. */
export function lesionChangeBodiesOf(report: ReportResponse): SheetBody[] {
  const { flair_longitudinal: found, language } = report;
  if (!found || found.visits.length < 2) return [];
  const t = (text: Record<Language, string>, values: Record<string, string | number> = {}) =>
    textIn(text, language, values);
  const blocksOf = (rows: number, pictured: number): Block[] => [
    ...headOf(report),
    ...protocolNotices(found, language),
    ...methodNotice(found, language),
    ...otherPersonNotices(report),
    { kind: "heading", text: t(texts.title) },
    {
      kind: "table",
      caption: t(texts.title),
      columns: [
        { label: t(longitudinalPageText.visitDate), width: "*" },
        { label: t(texts.total), width: 88, isNumber: true },
        { label: t(texts.within), width: 88, isNumber: true },
        { label: t(wmhPageText.lesionDeep), width: 88, isNumber: true },
        {
          label: t(texts.ofWhiteMatter),
          width: found.visits.some((visit) => visit.is_unreliable) ? UNRELIABLE_WIDTH : 66,
          isNumber: true,
        },
        { label: t(texts.lesions), width: 56, isNumber: true },
      ],
      rows: found.visits.map((visit) => ({
        cells: [
          {
            text: `${visit.study_date}${acquisitionMark(visit)}`,
            isBold: visit.pid === report.pid,
          },
          ...[visit.total, visit.peri, visit.deep, visit.ratio_percent].map((figure) => ({
            text: lesionFigure(fixed(figure), visit.is_unreliable, language),
          })),
          { text: String(visit.lesion_count) },
        ],
      })),
    },
    ...uncertainNote(found, language),
    ...changeBlocks(found.changes, report.images, language, { rows, pictured }),
    { kind: "small", text: t(texts.method) },
  ];
  const room = SHEET_HEIGHT - heightOf(correctionNotices(report));
  let blocks: Block[] = [];
  for (const pictured of PICTURED) {
    const least = pictured > 0 ? LEAST_ROWS_BESIDE_PICTURES : LEAST_ROWS;
    for (let rows = MOST_ROWS; rows >= least; rows--) {
      blocks = blocksOf(rows, pictured);
      if (heightOf(blocks) <= room) {
        const bodies: SheetBody[] = [{
          pages: [LONGITUDINAL_PAGE],
          title: t(pageTitle[LONGITUDINAL_PAGE]),
          blocks,
        }];
        return [...bodies, ...pictureBodies(report, found.changes, { from: pictured, room })];
      }
    }
  }
  return [{ pages: [LONGITUDINAL_PAGE], title: t(pageTitle[LONGITUDINAL_PAGE]), blocks }];
}

/** Pages with pictures of changed lesions, for pictures that do not fit beside the list. */
function pictureBodies(
  report: ReportResponse,
  changes: FlairLongitudinal["changes"],
  { from, room }: { from: number; room: number },
): SheetBody[] {
  const { language, images } = report, shownLesions = acceptedChanges(changes);
  const bodies: SheetBody[] = [];
  for (let first = from; first < Math.min(shownLesions.length, MOST_CHANGE_PICTURES);) {
    let count = MOST_CHANGE_PICTURES - first, blocks: Block[] = [];
    do {
      blocks = [
        ...headOf(report),
        {
          kind: "heading",
          text: textIn(texts.changes, language, { date: changes.prior?.study_date ?? DASH }),
        },
        ...pictureBlocks(shownLesions, images, { first, count, language }),
      ];
    } while (heightOf(blocks) > room && --count > 0);
    if (count === 0 || !blocks.some(({ kind }) => kind === "pictures")) return bodies;
    bodies.push({
      pages: [LONGITUDINAL_PAGE],
      title: textIn(pageTitle[LONGITUDINAL_PAGE], language),
      blocks,
    });
    first += count;
  }
  return bodies;
}

/**
 * Marks after a study's date. Acquisition differs: "*", unknown: "†"; method: "‡"; uncertain: "§".
 */
const acquisitionMark = (
  visit: FlairLongitudinal["visits"][number],
): string => {
  const isOtherProtocol = visit.protocol_differences.length > 0;
  const acquisition = isOtherProtocol ? " *" : visit.is_acquisition_unknown ? " †" : "";
  return `${acquisition}${visit.is_other_method ? " ‡" : ""}${isUncertain(visit) ? " §" : ""}`;
};

/** Whether a volume is of low confidence but not marked as unreliable beside the number. */
const isUncertain = (
  { is_low_confidence, is_unreliable }: FlairLongitudinal["visits"][number],
): boolean => is_low_confidence && !is_unreliable;

/** Notices about studies that cannot be compared with this study, and about unknown acquisition. */
function protocolNotices({ visits }: FlairLongitudinal, language: Language): Block[] {
  const unknown = visits.filter(({ is_acquisition_unknown }) => is_acquisition_unknown);
  if (unknown.length === 0) return otherNotice(visits, language);
  return [...otherNotice(visits, language), {
    kind: "notice",
    text: textIn(longitudinalPageText.unknownAcquisition, language, {
      reference: textIn(longitudinalPageText.thisStudy, language),
      dates: unknown.map(({ study_date }) => study_date).join(", "),
    }),
  }];
}

/** Note about volumes of low confidence: noise alone can change them between studies. */
function uncertainNote({ visits }: FlairLongitudinal, language: Language): Block[] {
  const uncertain = visits.filter(isUncertain);
  if (uncertain.length === 0) return [];
  const dates = uncertain.map(({ study_date }) => study_date).join(", ");
  return [{ kind: "small", text: textIn(texts.uncertain, language, { dates }) }];
}

/** Notice about studies in which lesions were measured with another method. */
function methodNotice({ visits }: FlairLongitudinal, language: Language): Block[] {
  const others = visits.filter(({ is_other_method }) => is_other_method);
  if (others.length === 0) return [];
  const dates = others.map(({ study_date }) => study_date).join(", ");
  return [{ kind: "notice", text: textIn(texts.otherMethod, language, { dates }) }];
}

/** Notice that names studies not comparable with this study, and the reasons. */
function otherNotice(visits: FlairLongitudinal["visits"], language: Language): Block[] {
  const otherVisits = visits.filter(({ protocol_differences }) => protocol_differences.length > 0);
  if (otherVisits.length === 0) return [];
  const fields = [
    ...new Set(otherVisits.flatMap(({ protocol_differences }) => protocol_differences)),
  ]
    .map((
      field,
    ) =>
      field in protocolFieldText
        ? textIn(protocolFieldText[field as keyof typeof protocolFieldText], language)
        : field
    );
  return [{
    kind: "notice",
    text: textIn(longitudinalPageText.otherAcquisition, language, {
      reference: textIn(longitudinalPageText.thisStudy, language),
      dates: otherVisits.map(({ study_date }) => study_date).join(", "),
      fields: fields.join(", ") || DASH,
    }),
  }];
}

function changeBlocks(
  changes: FlairLongitudinal["changes"],
  images: ReportResponse["images"],
  language: Language,
  { rows, pictured }: { rows: number; pictured: number },
): Block[] {
  const t = (text: Record<Language, string>, values: Record<string, string | number> = {}) =>
    textIn(text, language, values);
  const { state, prior, lesions } = changes;
  if (!prior) return [];
  const date = prior.study_date,
    heading: Block = { kind: "heading", text: t(texts.changes, { date }) };
  if (state !== "compared") {
    return [heading, {
      kind: "notice",
      text: t(state === "failed" ? texts.failed : texts.waiting, { date }),
    }];
  }
  const shownLesions = acceptedChanges(changes);
  const refused = lesions.length - shownLesions.length;
  const confirmed = shownLesions.filter(({ is_confirmed }) => is_confirmed).length;
  const listed = shownLesions.slice(0, rows);
  return [
    heading,
    {
      kind: "small",
      text: shownLesions.length === 0 ? t(texts.none) : t(texts.summary, {
        counts: lesionCountSentence(changes, language),
        confirmed,
        open: shownLesions.length - confirmed,
      }),
    },
    ...(changes.is_prior_unreliable || changes.is_current_unreliable
      ? [{ kind: "notice", text: t(texts.gradeC) } as const]
      : []),
    ...placesTable(changes, language),
    ...(listed.length === 0
      ? []
      : [tableOf(listed, changes, { caption: t(texts.changes, { date }), language })]),
    ...pictureBlocks(shownLesions, images, { first: 0, count: pictured, language }),
    ...(listed.some((lesion) => lesionPlaceAndSite(lesion, language) === "")
      ? [{ kind: "small", text: t(texts.placeNote) } as const]
      : []),
    ...(shownLesions.length > listed.length
      ? [
        { kind: "small", text: t(texts.more, { n: shownLesions.length - listed.length }) } as const,
      ]
      : []),
    ...(refused > 0 ? [{ kind: "small", text: t(texts.refused, { n: refused }) } as const] : []),
  ];
}

/**
 * Table of the number of changed lesions at each lesion site:
 * high-confidence and confirmed changes by kind, then possible changes.
 */
function placesTable(changes: FlairLongitudinal["changes"], language: Language): Block[] {
  const places = changesByPlace(changes);
  if (!places) return [];
  const t = (text: Record<Language, string>) => textIn(text, language);
  const row = (label: string, numberAt: (at: ChangesAt) => number) => ({
    cells: [
      { text: label },
      ...places.map((at) => {
        const { new: added, enlarging, shrinking, gone } = at.counts;
        const count = added + enlarging + shrinking + gone + at.possible;
        const isEmpty = isUnsearched({ site: at.site, count });
        return { text: isEmpty ? t(lesionSearchText.notSearched) : String(numberAt(at)) };
      }),
    ],
  });
  return [{
    kind: "table",
    caption: t(texts.byPlace),
    isDense: true,
    columns: [
      { label: t(texts.byPlace), width: "*" },
      ...places.map(({ site }): Column => ({
        label: t(lesionSiteText[site]),
        width: 92,
        isNumber: true,
      })),
    ],
    rows: [
      ...(["new", "enlarging", "shrinking", "gone"] as const).map((kind) =>
        row(t(texts[kind]), ({ counts }) => counts[kind])
      ),
      row(t(texts.notCounted), ({ possible }) => possible),
    ],
  }];
}

/** Pictures of some changed lesions in the previous and this study, at the same position. */
function pictureBlocks(
  shownLesions: readonly LesionChange[],
  images: ReportResponse["images"],
  { first, count, language }: { first: number; count: number; language: Language },
): Block[] {
  const isDrawn = (at: number) => images.some(({ key }) => key === `change_${at + 1}_now`);
  const pictures = shownLesions.slice(first, first + count).flatMap(({ lesion }, n) =>
    CHANGE_VISITS.flatMap((visit) => {
      const image = images.find(({ key }) => key === `change_${first + n + 1}_${visit}`);
      if (!image) return [];
      const caption = textIn(texts[visit === "before" ? "pictureBefore" : "pictureNow"], language, {
        n: lesion + 1,
      });
      return [{ key: image.key, url: image.url, caption, alt: caption }];
    })
  );
  if (pictures.length === 0) return [];
  const drawn = shownLesions.filter((_, at) => isDrawn(at)).length;
  const next = Math.max(0, drawn - first - count), none = shownLesions.length - drawn;
  const notes = [
    textIn(texts.pictureNote, language),
    ...next > 0 ? [textIn(texts.pictureNext, language, { n: next })] : [],
    ...none > 0 ? [textIn(texts.pictureMore, language, { n: none })] : [],
  ];
  return [
    { kind: "small", text: notes.join(" ") },
    { kind: "pictures", columns: 4, scale: 85, pictures },
  ];
}

/** Table of the changed lesions with kind, location and volume at both studies. */
function tableOf(
  listed: FlairLongitudinal["changes"]["lesions"],
  { is_prior_unreliable: isPriorUnreliable, is_current_unreliable: isCurrentUnreliable }:
    FlairLongitudinal["changes"],
  { caption, language }: { caption: string; language: Language },
): Block {
  const volumeOf = (ml: number, isUnreliable: boolean | undefined) => ({
    text: lesionFigure(fixed(ml), isUnreliable, language),
  });
  const widthOf = (isUnreliable: boolean | undefined) =>
    isUnreliable ? UNRELIABLE_WIDTH : VOLUME_WIDTH;
  const t = (text: Record<Language, string>, values: Record<string, string | number> = {}) =>
    textIn(text, language, values);
  const kindText = ({ kind, is_sure, places_ras_mm }: LesionChange) => {
    const sure = is_sure ? t(texts[kind]) : t(texts.possible, { kind: t(texts[kind]) });
    return places_ras_mm ? t(texts.places, { kind: sure, n: places_ras_mm.length }) : sure;
  };
  return {
    kind: "table",
    caption,
    isDense: true,
    columns: [
      { label: t(texts.number), width: 30 },
      { label: t(texts.kind), width: 92 },
      { label: t(texts.place), width: 96, isSmall: true },
      { label: t(texts.verdict), width: "*", isSmall: true },
      { label: t(texts.before), width: widthOf(isPriorUnreliable), isNumber: true },
      { label: t(texts.after), width: widthOf(isCurrentUnreliable), isNumber: true },
      { label: t(texts.changed), width: 62, isNumber: true },
    ],
    rows: listed.map((lesion) => ({
      cells: [
        { text: String(lesion.lesion + 1) },
        { text: kindText(lesion) },
        {
          text: lesionPlaceAndSite(lesion, language) || placeDigits(lesion.centre_ras_mm),
        },
        {
          text: lesion.is_confirmed
            ? t(texts.confirmed, { who: lesion.decided_by })
            : t(texts.open),
          isQuiet: !lesion.is_confirmed,
        },
        volumeOf(lesion.before_ml, isPriorUnreliable),
        volumeOf(lesion.after_ml, isCurrentUnreliable),
        { text: signed(lesion.changed_ml, 2) },
      ],
    })),
  };
}
