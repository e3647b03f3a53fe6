// The printed conclusion: the text signed by a physician, or the software's suggested sentences.
// A heading states that suggested sentences are not signed.
import { isExplanation, isHeader, sentencesBeside } from "@/model/findings/agreement.ts";
import {
  isOutside,
  MOST_PARTS,
  segmentsOf,
  statementsOfFindings,
} from "@/model/findings/sentences.ts";
import { MAIN_PAGE, type PageCode } from "@/model/report/pages.ts";
import type { Conclusion, Finding } from "@/model/schema/report/finding.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";
import { headOf } from "@/report/model/page.ts";
import { signedLabel } from "@/report/model/signed_label.ts";
import { correctionNotices } from "@/report/sheets/findings_sheet.ts";
import { heightOf } from "@/report/sheets/height.ts";
import { type Block, SHEET_HEIGHT, type SheetBody } from "@/report/sheets/sheet.ts";
import { withheldNote } from "@/report/sheets/withheld.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";
import { type Language, textIn } from "@/model/text.ts";
import { conclusionText } from "@/model/text/report/conclusion.ts";
import { pageTitle } from "@/model/text/report/report_page_names.ts";
import { signedLabelText } from "@/model/text/report/report_text.ts";

/**
 * Maximum height in points of a signed text on the Main Page of a report without a Cover;
 * a longer text is printed on separate pages.
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

/** The complete signed text, unchanged; empty if no text is signed. */
function signedBlocks(report: ReportResponse): Block[] {
  const { signed_text: signed } = report;
  return signed
    ? [...labelBlock(report), { kind: "text", text: signed.text, isWritten: true }]
    : [];
}

/** Whether a text is signed and the results have not changed since. */
export const isSigned = ({ signed_text: signed }: ReportResponse): boolean =>
  signed !== undefined && !signed.is_outdated;

/** Whether the signed text is too long for the Main Page of a report without a Cover. */
export const isLongForMain = (report: ReportResponse): boolean =>
  heightOf(signedBlocks(report)) > MOST_ON_MAIN_PT;

/** Printed page numbers of each page of the report, by the page's title. */
export type PageNumbers = ReadonlyMap<string, readonly number[]>;

/**
 * Conclusion on a report's first page: the signed text, and the software's suggested sentences.
 * Below an up-to-date signed text, sentences that the text repeats are left out.
 * @param most Maximum number of suggested sentences.
 * @param isApart The signed text has a separate page, to which the first page refers.
 * @param numbers Page numbers to print for findings that have no room here.
 */
export function firstPageConclusion(
  report: ReportResponse,
  most: number,
  isApart: boolean,
  numbers: PageNumbers,
): Block[] {
  const { conclusion, language, signed_text: text } = report;
  const signed: Block[] = isApart
    ? [...labelBlock(report), { kind: "text", text: textIn(signedLabelText.apart, language) }]
    : signedBlocks(report);
  if (!conclusion) return signed;
  const isBeside = text !== undefined && isSigned(report);
  const chosen = isBeside ? sentencesBeside(text, conclusion) : [...conclusion.sentences.keys()];
  if (chosen.length === 0) return signed;
  const { automatic, beside } = conclusionText;
  const printed = shortened(report, chosen, most, numbers);
  return [
    ...signed,
    { kind: "heading", text: textIn(isBeside ? beside : automatic, language) },
    ...printed.map((text) => ({ kind: "text", text }) as const),
    ...withheldNote(ranksIn(printed, conclusion), language),
  ];
}

/** Percentile ranks that the printed sentences of a conclusion contain in brackets. */
const ranksIn = (
  printed: readonly string[],
  { sentences, stated, findings }: Conclusion,
): PercentileRank[] =>
  sentences.flatMap((sentence, at) =>
    printed.includes(sentence)
      ? stated[at]!.slice(0, MOST_PARTS).flatMap((index) => printedRanks(findings[index]!))
      : []
  );

/** Percentile ranks in the brackets of one finding: of both sides, or of a single value. */
const printedRanks = (finding: Finding): PercentileRank[] =>
  isOutside(finding)
    ? finding.values.filter(({ side }) => finding.side !== "both" || side !== "")
      .map(({ rank }) => rank)
    : [];

/**
 * Limits the number of sentences. Notes, such as regions to be checked, are always kept.
 * At least one finding is kept; a sentence counts the omitted findings and names their pages.
 * @param chosen Indices of the sentences that may be printed, ascending.
 */
function shortened(
  { conclusion, language, page_list }: ReportResponse,
  chosen: readonly number[],
  most: number,
  numbers: PageNumbers,
): string[] {
  const { sentences, stated, findings } = conclusion!;
  const textsOf = (indices: readonly number[]) => indices.map((at) => sentences[at]!);
  if (chosen.length <= most) return textsOf(chosen);
  const isFinding = (at: number) => stated[at]!.length > 0;
  const isNote = (at: number) =>
    !isFinding(at) && !isHeader(sentences[at]!) && !isExplanation(sentences[at]!);
  const about = chosen.filter(isFinding);
  // one sentence is reserved for the number of omitted findings
  const keptFindings = about.slice(0, Math.max(1, most - 1 - chosen.filter(isNote).length));
  const stays = new Set(keptFindings), last = keptFindings.at(-1) ?? -1;
  const sentencesBefore = chosen.filter((at) =>
    stays.has(at) || at < last && (isNote(at) || isHeader(sentences[at]!))
  );
  const printed = new Set(keptFindings.flatMap((at) => stated[at]!));
  const omitted = [...new Set(about.flatMap((at) => stated[at]!))].filter((at) => !printed.has(at));
  const notesAfter = chosen.filter((at) => at > last && isNote(at));
  if (omitted.length === 0) return textsOf([...sentencesBefore, ...notesAfter]);
  const allFindingsPages = numbers.get(textIn(conclusionText.all, language));
  const pages = allFindingsPages === undefined
    ? omitted.flatMap((at) => {
      const code = pageWith(findings[at]!, page_list);
      return code === null ? [] : numbers.get(textIn(pageTitle[code], language)) ?? [];
    })
    : allFindingsPages;
  const ordered = [...new Set(pages)].sort((a, b) => a - b);
  return [
    ...textsOf(sentencesBefore),
    textIn(conclusionText.shortened, language, {
      count: omitted.length,
      places: ordered.length,
      pages: ordered.join(", "),
    }),
    ...textsOf(notesAfter),
  ];
}

/** Atlas parts that the Main Page prints in full: both sides and the total. */
const MAIN_PARTS = new Set([
  "Hippocampus",
  "Amygdala",
  "Thalamus",
  "Lateral ventricle",
  "Cerebral white matter",
  "cortex",
  "brain",
]);

/** Page that has a finding in its tables; `null` when no page of the report has it. */
function pageWith(
  finding: Finding,
  pages: readonly number[],
): PageCode | typeof MAIN_PAGE | null {
  const chosen = (code: PageCode) => pages.includes(code) ? code : null;
  switch (finding.kind) {
    case "score":
      return chosen(2);
    case "change":
      return chosen(64);
    case "lesions":
      return chosen(128) ?? MAIN_PAGE;
    default:
      return MAIN_PARTS.has(finding.part) ? MAIN_PAGE : chosen(512);
  }
}

/** Texts of the blocks of a page, including blocks in two columns. */
const textsIn = (blocks: readonly Block[]): string[] =>
  blocks.flatMap((block) =>
    block.kind === "split"
      ? [...textsIn(block.left), ...textsIn(block.right)]
      : block.kind === "text"
      ? [block.text]
      : []
  );

/** Whether a page states the number of findings that it has no room for. */
export function isShortened(bodies: readonly SheetBody[], language: Language): boolean {
  const [start] = conclusionText.shortened[language].split("{") as [string];
  return bodies.some(({ blocks }) => textsIn(blocks).some((text) => text.startsWith(start)));
}

/** Whether a finding is missing from the report: neither in a printed sentence nor in a table. */
export function isAnyLost(bodies: readonly SheetBody[], report: ReportResponse): boolean {
  const { conclusion, page_list, signed_text: text } = report;
  const printed = bodies.flatMap(({ blocks }) => textsIn(blocks));
  if (!conclusion) return false;
  const { sentences, stated, findings } = conclusion;
  const chosen = text && isSigned(report)
    ? sentencesBeside(text, conclusion)
    : [...sentences.keys()];
  const printedFindings = new Set(
    chosen.filter((at) => printed.includes(sentences[at]!)).flatMap((at) =>
      stated[at]!.slice(0, MOST_PARTS)
    ),
  );
  return chosen.flatMap((at) => stated[at]!).some((at) =>
    !printedFindings.has(at) && pageWith(findings[at]!, page_list) === null
  );
}

/** Maximum number of findings on one page of the list of all findings. */
const MOST_ON_PAGE = 30;

/** All findings, one per line, for a report that prints some findings nowhere else. */
export function allFindingsBodiesOf(report: ReportResponse): SheetBody[] {
  const { conclusion, language } = report, title = textIn(conclusionText.all, language);
  const lines = (["firm", "single", "possible"] as const).flatMap((level) =>
    segmentsOf(conclusion?.findings ?? [], level).flatMap(({ header, findings }) => [
      ...header ? [header[language]] : [],
      ...findings.flatMap((finding) => statementsOfFindings([finding], language)).map(
        ({ text }) => text,
      ),
    ])
  );
  return Array.from({ length: Math.ceil(lines.length / MOST_ON_PAGE) }, (_, page) => ({
    pages: ["findings"] as const,
    title,
    blocks: [
      ...headOf(report),
      { kind: "heading", text: title } as const,
      ...lines.slice(page * MOST_ON_PAGE, (page + 1) * MOST_ON_PAGE).map((text) =>
        ({ kind: "text", text }) as const
      ),
      ...withheldNote((conclusion?.findings ?? []).flatMap(printedRanks), language),
    ],
  }));
}

/** Pages with a long signed text, divided between its lines. */
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
    pages: ["conclusion"],
    title,
    blocks: [...head, { kind: "text", text: lines.join("\n"), isWritten: true }],
  }));
}
