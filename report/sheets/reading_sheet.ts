import { identityOf, noticeOf } from "@/report/model/page.ts";
import { correctionNotices } from "@/report/sheets/findings_sheet.ts";
import { heightOf } from "@/report/sheets/height.ts";
import { type Block, SHEET_HEIGHT, type SheetBody } from "@/report/sheets/sheet.ts";
import { READING_PAGE } from "@/model/report/pages.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";
import { textIn } from "@/model/text.ts";
import {
  CITATIONS,
  flairReadingList,
  readingList,
  readingText,
  structureReadingList,
} from "@/model/text/report/pages/reading.ts";
import { pageTitle } from "@/model/text/report/report_page_names.ts";

/**
 * The page Reading Materials: explanations of terms, numbers and symbols, with their sources.
 */
export function readingBodiesOf(report: ReportResponse): SheetBody[] {
  const { language, reference, threshold_list: thresholds } = report;
  // FLAIR alone is not compared with norms, so the page does not cite the norms
  const isFlair = report.report_type === "t2", lists = isFlair ? flairReadingList : readingList;
  const values = {
    min: reference.age_min,
    max: reference.age_max,
    thresholds: thresholds.join(", "),
    heads: reference.method_error_heads,
  };
  const part = (key: keyof typeof readingList): Block[] => [
    { kind: "heading", text: textIn(readingText[key], language) },
    {
      kind: "list",
      items: [...lists[key], ...report.flair_structures ? structureReadingList[key] : []].map((
        text,
      ) => textIn(text, language, values)),
    },
  ];
  const title = textIn(pageTitle[READING_PAGE], language), pages = [READING_PAGE] as const;
  // The explanations assume percentiles by age, sex and ICV; a notice says if the ICV is not used.
  const notice = reference.without_icv ? noticeOf(report) : null;
  const head: Block[] = [
    { kind: "identity", entries: identityOf(report).slice(0, 5) },
    ...notice === null ? [] : [{ kind: "notice", text: notice } as const],
  ];
  const texts = [...part("definitions"), ...part("formulas"), ...part("limits")];
  const sources = isFlair ? [] : sourcesOf(report), notices = correctionNotices(report);
  // with a patient name of many lines, or with notices, the sources are on a second sheet
  return heightOf([...head, ...notices, ...texts, ...sources]) <= SHEET_HEIGHT
    ? [{ pages, title, blocks: [...head, ...texts, ...sources] }]
    : [[...head, ...texts], [...head, ...sources]].map((blocks) => ({ pages, title, blocks }));
}

function sourcesOf({ language, reference }: ReportResponse): Block[] {
  return [
    { kind: "heading", text: textIn(readingText.citations, language) },
    {
      kind: "list",
      items: [
        `${reference.name}. ${reference.citation}`,
        `${textIn(readingText.methodError, language)}: ${
          reference.method_error_sources.join("; ")
        }`,
        ...CITATIONS,
      ],
    },
  ];
}
