import { linearDigits, PRINTED_LINEAR, type PrintedLinear } from "@/model/linear/printed_linear.ts";
import type { ImageKey, ReportResponse } from "@/model/schema/report/report.ts";
import { textIn } from "@/model/text.ts";
import { linearText } from "@/model/text/report/linear.ts";
import { reportText } from "@/model/text/report/report.ts";
import { rangeDigits } from "@/model/norms/rank_format.ts";
import { DASH } from "@/report/model/format.ts";
import { heightOf } from "@/report/sheets/height.ts";
import { type Block, SHEET_WIDTH } from "@/report/sheets/sheet.ts";

/** Share of the page's width that is used by the pictures, percent. */
const SHARE = 62, GAP = 10, PICTURES = 3;
/** Height of a picture's caption, points. */
const CAPTION = 14;

/** Key of each picture with measured lines, and the measure that it shows. */
const PICTURED: readonly [ImageKey, PrintedLinear][] = [
  ["width_horns", "evans"],
  ["width_third", "third_ventricle"],
  ["width_callosal", "callosal_angle"],
];

/** Table of the ventricles' widths and angle, with pictures; empty if they were not measured. */
export function linearBlocksOf(report: ReportResponse): Block[] {
  const { linear, language, images } = report;
  if (!linear) return [];
  const t = (text: Record<typeof language, string>, values: Record<string, string | number> = {}) =>
    textIn(text, language, values);
  const pictures = PICTURED.flatMap(([key, measure]) =>
    images.filter((image) => image.key === key).map(({ url, position_mm: mm }) => ({
      key,
      url,
      caption: key === "width_callosal"
        ? t(linearText.coronalAt)
        : t(mm < 0 ? linearText.axialBelow : linearText.axialAbove, {
          mm: Math.abs(mm).toFixed(0),
        }),
      alt: t(linearText.pictureAlt, { measure: t(linearText[measure]) }),
    }))
  );
  const table: Block = {
    kind: "table",
    caption: t(linearText.heading),
    isDense: true,
    columns: [
      { label: t(reportText.measure), width: "*" },
      { label: t(reportText.value), width: 34, isNumber: true },
      { label: t(linearText.range), width: 66, isNumber: true },
    ],
    rows: PRINTED_LINEAR.map((key) => {
      const measured = linear[key];
      const digits = (value: number) => linearDigits(key, value);
      return {
        cells: [
          { text: t(linearText[key]) },
          { text: measured ? digits(measured.value) : DASH, isBold: true },
          {
            text: measured
              ? rangeDigits(digits(measured.low), digits(measured.high), language)
              : DASH,
          },
        ],
      };
    }),
  };
  return [
    { kind: "heading", text: t(linearText.heading) },
    pictures.length === 0 ? table : {
      kind: "split",
      share: SHARE,
      left: [{ kind: "pictures", columns: PICTURES, scale: 100, pictures }],
      right: [table],
    },
    { kind: "small", text: t(linearText.note) },
  ];
}

/** Total height in points of the blocks made by {@link linearBlocksOf}. */
export function linearHeightOf(blocks: readonly Block[]): number {
  const words = heightOf(blocks.filter(({ kind }) => kind === "heading" || kind === "small"));
  const edge = ((SHEET_WIDTH - GAP) * SHARE / 100 - (PICTURES - 1) * GAP) / PICTURES;
  return blocks.length === 0 ? 0 : words + edge + CAPTION;
}
