import { formatInstant } from "@/report/model/format.ts";
import { headOf } from "@/report/model/page.ts";
import { heightOf } from "@/report/sheets/height.ts";
import {
  type Block,
  type PictureScale,
  SHEET_HEIGHT,
  type SheetBody,
} from "@/report/sheets/sheet.ts";
import { geometryOf, valueDigits } from "@/model/regions/measured_shape.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";
import { textIn } from "@/model/text.ts";
import { correctionText } from "@/model/text/report/report_corrections.ts";
import { findingsText } from "@/model/text/report/report_findings.ts";
import { reportText } from "@/model/text/report/report.ts";

type Findings = NonNullable<ReportResponse["findings"]>;

/** Maximum number of key images on a page. */
const PICTURES = 4;

/** Value of a measurement, in the same format as the viewer's list. */
function valueOf(
  { kind, plane, points_mm, statistics }: Findings["measurements"][number],
  report: ReportResponse,
) {
  const shape = geometryOf({ kind, plane, pointsMm: points_mm });
  if (!statistics) return shape;
  const digits = valueDigits(statistics);
  return `${shape}; ${
    textIn(findingsText.statistics, report.language, {
      mean: digits(statistics.mean),
      sd: digits(statistics.sd),
    })
  }`;
}

function tableOf(measurements: Findings["measurements"], report: ReportResponse): Block {
  const { language, time_zone } = report;
  return {
    kind: "table",
    caption: textIn(findingsText.measurements, language),
    columns: [
      { label: textIn(findingsText.kind, language), width: 96 },
      { label: textIn(findingsText.value, language), width: 150 },
      { label: textIn(findingsText.place, language), width: 88, isSmall: true },
      { label: textIn(findingsText.note, language), width: "*", isSmall: true },
      { label: textIn(findingsText.who, language), width: 100, isSmall: true },
    ],
    rows: measurements.map((one) => ({
      cells: [
        { text: textIn(findingsText[one.kind], language) },
        { text: valueOf(one, report), isBold: true },
        {
          text: `${one.series === "t1" ? "T1w" : "FLAIR"}, ${
            textIn(reportText[one.plane], language)
          }`,
        },
        { text: one.note },
        {
          text: `${one.created_by} ${formatInstant(one.created_at, time_zone)}`.trim(),
          isQuiet: true,
        },
      ],
    })),
  };
}

/** Pages with readers' measurements and key images; none if there are no measurements or images. */
export function findingsBodiesOf(report: ReportResponse): SheetBody[] {
  const { findings, language, time_zone } = report;
  if (!findings || findings.measurements.length + findings.images.length === 0) return [];
  const t = (text: Record<typeof language, string>, values: Record<string, string | number> = {}) =>
    textIn(text, language, values);
  const { measurements, images } = findings,
    title = t(findingsText.title),
    room = SHEET_HEIGHT - heightOf(correctionNotices(report));
  const rowsBody = (rows: Findings["measurements"]): SheetBody => ({
    pages: ["images"],
    title,
    blocks: [
      ...headOf(report),
      { kind: "heading", text: t(findingsText.measurements) },
      tableOf(rows, report),
      { kind: "small", text: t(findingsText.units) },
    ],
  });
  const bodies: SheetBody[] = [];
  // adds rows while they fit, because the height of a row depends on the length of its note
  for (let from = 0; from < measurements.length;) {
    let to = from + 1;
    while (
      to < measurements.length &&
      heightOf(rowsBody(measurements.slice(from, to + 1)).blocks) <= room
    ) to++;
    bodies.push(rowsBody(measurements.slice(from, to)));
    from = to;
  }
  const picturesOf = (from: number, count: number, scale: PictureScale = 100): Block[] => [
    { kind: "heading", text: t(findingsText.images) },
    {
      kind: "pictures",
      columns: 2,
      scale,
      pictures: images.slice(from, from + count).map((
        { key, url, note, created_at, created_by },
        n,
      ) => ({
        key,
        url,
        caption: [note, created_by, formatInstant(created_at, time_zone)].filter(Boolean).join(
          " · ",
        ),
        alt: note || t(findingsText.imageAlt, { n: from + n + 1, count: images.length }),
      })),
    },
  ];
  const last = bodies.at(-1), two = picturesOf(0, PICTURES / 2);
  const together = last && images.length > 0 && heightOf([...last.blocks, ...two]) <= room
    ? PICTURES / 2
    : 0;
  if (together > 0) last!.blocks.push(...two);
  for (let from = together; from < images.length; from += PICTURES) {
    // pictures are reduced if a long name or long notes take space
    const blocks = ([100, 85, 70] as const).map((scale) => [
      ...headOf(report),
      ...picturesOf(from, PICTURES, scale),
    ]);
    const fitting = blocks.find((each) => heightOf(each) <= room) ?? blocks.at(-1)!;
    bodies.push({ pages: ["images"], title, blocks: fitting });
  }
  return bodies;
}

/** Notice on all pages about series with manual corrections; empty without corrections. */
export function correctionNotices({ findings, language, time_zone }: ReportResponse): Block[] {
  return (findings?.corrections ?? []).map(({ series, by, at }) => ({
    kind: "notice",
    text: textIn(correctionText[series], language, {
      who: by || "–",
      when: formatInstant(at, time_zone),
    }),
  }));
}
