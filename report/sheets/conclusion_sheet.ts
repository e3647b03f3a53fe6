// The printed conclusion: the text signed by a physician, or the software's suggested sentences
// under a heading which says so.
import { headOf } from "@/report/model/page.ts";
import { signedLabel } from "@/report/model/signed_label.ts";
import { correctionNotices } from "@/report/sheets/findings_sheet.ts";
import { heightOf } from "@/report/sheets/height.ts";
import { type Block, SHEET_HEIGHT, type SheetBody } from "@/report/sheets/sheet.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";
import { type Language, textIn } from "@/model/text.ts";
import { conclusionText } from "@/model/text/report/conclusion.ts";
import { signedLabelText } from "@/model/text/report/report_text.ts";

/**
 * Maximum height of a signed text on a first page without a Cover, points;
 * a longer one gets a separate sheet.
 */
const MOST_ON_MAIN_PT = 70;

function labelBlock({ signed_text: signed, language, time_zone }: ReportResponse): Block[] {
  if (!signed) return [];
  const label = signedLabel(signed, language, time_zone);
  return [
    { kind: "heading", text: textIn(signedLabelText.conclusion, language) },
    signed.is_outdated
      ? { kind: "notice", text: label, isStrong: true }
      : { kind: "small", text: label },
  ];
}

/** The complete signed text, unchanged; empty without one. */
function signedBlocks(report: ReportResponse): Block[] {
  const { signed_text: signed } = report;
  return signed
    ? [...labelBlock(report), { kind: "text", text: signed.text, isWritten: true }]
    : [];
}

/** Whether a text was signed and its results have not changed since. */
export const isSigned = ({ signed_text: signed }: ReportResponse): boolean =>
  signed !== undefined && !signed.is_outdated;

/** Whether the signed text is too long for a Main Page without a Cover. */
export const isLongForMain = (report: ReportResponse): boolean =>
  heightOf(signedBlocks(report)) > MOST_ON_MAIN_PT;

/**
 * Conclusion on a first page: the signed text,
 * and the suggested sentences unless a valid text is signed.
 * @param most Maximum number of suggested sentences.
 * @param isApart The signed text has a separate sheet, to which the first page refers.
 */
export function firstPageConclusion(
  report: ReportResponse,
  most: number,
  isApart: boolean,
): Block[] {
  const { conclusion, language } = report;
  const signed: Block[] = isApart
    ? [...labelBlock(report), { kind: "text", text: textIn(signedLabelText.apart, language) }]
    : signedBlocks(report);
  if (!conclusion || isSigned(report)) return signed;
  return [
    ...signed,
    { kind: "heading", text: textIn(conclusionText.automatic, language) },
    ...shortened(conclusion.sentences, most, language).map((text) =>
      ({ kind: "text", text }) as const
    ),
  ];
}

/** Sentences that introduce the following ones. */
const HEADERS = [conclusionText.single, conclusionText.possible];

/**
 * Limits the number of sentences. An introducing sentence is never the last one before the omitted
 * ones: then one more is kept. When some are omitted, the last sentence says so.
 */
function shortened(sentences: readonly string[], most: number, language: Language): string[] {
  if (sentences.length <= most) return [...sentences];
  const isHeader = HEADERS.some((header) => header[language] === sentences[most - 2]);
  const kept = sentences.slice(0, isHeader ? most : most - 1);
  // a single omitted sentence is kept instead of replaced
  return kept.length + 1 >= sentences.length
    ? [...sentences]
    : [...kept, textIn(conclusionText.shortened, language)];
}

/** A long signed text on separate sheets, divided between lines. */
export function conclusionBodiesOf(report: ReportResponse): SheetBody[] {
  const { signed_text: signed, language } = report,
    title = textIn(signedLabelText.conclusion, language);
  const head = [...headOf(report), ...labelBlock(report)];
  const room = SHEET_HEIGHT - heightOf([...head, ...correctionNotices(report)]);
  const pages: string[][] = [[]];
  for (const line of signed?.text.split("\n") ?? []) {
    const page = pages.at(-1)!;
    const isFull = page.length > 0 &&
      heightOf([{ kind: "text", text: [...page, line].join("\n") }]) > room;
    if (isFull) pages.push([line]);
    else page.push(line);
  }
  return pages.map((lines) => ({
    title,
    blocks: [...head, { kind: "text", text: lines.join("\n"), isWritten: true }],
  }));
}
