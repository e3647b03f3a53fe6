import { FAZEKAS_CUTOFFS_ML } from "@/model/regions/fazekas.ts";
import { captionOf, headOf } from "@/report/model/page.ts";
import { percentileOrdinal } from "@/model/norms/rank_format.ts";
import { DASH, fixed } from "@/report/model/format.ts";
import { gradedScaleSvg, SCALE_SIZE } from "@/report/charts/gauges.ts";
import type { Block, SheetBody } from "@/report/sheets/sheet.ts";
import type { ReportResponse } from "@/model/schema/report.ts";
import { type Language, textIn } from "@/model/text.ts";
import { pageText, pageTitle } from "@/model/text/report/report_pages.ts";

/** The WMH page: FLAIR strip, volumes, and the grade that the volume corresponds to. */
export function wmhBodiesOf(report: ReportResponse): SheetBody[] {
  const { wmh, language } = report;
  if (!wmh) return [];
  const t = (text: Record<Language, string>, values: Record<string, string | number> = {}) =>
    textIn(text, language, values);
  const strip = report.images.filter(({ key }) => key.startsWith("flair_"));
  const row = (label: string, value: string, note = "") => ({
    cells: [{ text: label }, { text: value, isBold: true }, { text: note, isQuiet: true }],
  });
  const grade = wmh.fazekas_equivalent;
  const notes: Block[] = [
    ...(wmh.is_low_confidence ? [{ kind: "notice", text: t(pageText.wmhLowNote) } as const] : []),
    ...(wmh.is_minimal ? [{ kind: "notice", text: t(pageText.wmhMinimalNote) } as const] : []),
  ];
  return [{
    title: t(pageTitle[128]),
    blocks: [
      ...headOf(report),
      ...notes,
      ...(strip.length === 0 ? [] : [
        { kind: "small", text: t(pageText.wmhStrip) } as const,
        {
          kind: "pictures",
          columns: 4,
          scale: 100,
          pictures: strip.map(({ key, url, position_mm }, index) => ({
            key,
            url,
            caption: captionOf("axial", position_mm, language),
            alt: t(pageText.wmhPictureAlt, { n: index + 1, count: strip.length }),
          })),
        } as const,
      ]),
      { kind: "heading", text: t(pageText.wmhVolumes) },
      {
        kind: "table",
        columns: [
          { label: t(pageText.measure), width: "*" },
          { label: t(pageText.value), width: 80, isNumber: true },
          { label: "", width: 170, isSmall: true },
        ],
        rows: [
          row(t(pageText.wmhTotal), fixed(wmh.total)),
          row(t(pageText.wmhPeri), fixed(wmh.peri)),
          row(t(pageText.wmhDeep), fixed(wmh.deep)),
          row(t(pageText.wmhWhiteMatter), fixed(wmh.wm)),
          row(t(pageText.wmhRatio), fixed(wmh.ratio_percent)),
          row(
            t(pageText.wmhPercentile),
            wmh.np === null ? DASH : percentileOrdinal(wmh.np, language),
            wmh.np === null ? t(pageText.wmhNoPercentile) : "",
          ),
          row(t(pageText.fazekas), String(grade)),
        ],
      },
      { kind: "heading", text: t(pageText.fazekasScale) },
      {
        kind: "drawings",
        columns: 1,
        drawings: [{
          svg: gradedScaleSvg(wmh.total, FAZEKAS_CUTOFFS_ML, {
            grades: ["0", "1", "2", "3"].map((grade) => t(pageText.fazekasGrade, { grade })),
            unit: "mL",
            value: `${fixed(wmh.total)} mL`,
          }),
          ...SCALE_SIZE,
          alt: t(pageText.fazekasAlt, { volume: fixed(wmh.total), grade }),
        }],
      },
      { kind: "small", text: t(pageText.fazekasNote) },
    ],
  }];
}
