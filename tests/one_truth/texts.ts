import { csvText } from "@/server/core/exports/service/workbook.ts";
import { excelRowOf, exportColumnsOf } from "@/server/core/exports/service/excel_columns.ts";
import { diagnosticReport } from "@/server/core/connections/service/fhir_resources.ts";
import { oruMessage } from "@/server/core/connections/service/messages.ts";
import { signedLabel } from "@/report/model/signed_label.ts";
import type { Block } from "@/report/sheets/sheet.ts";
import { reportSheetsOf } from "@/report/sheets/sheets.ts";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import type { SignedText } from "@/model/schema/report/report_text.ts";
import type { Language } from "@/model/text.ts";
import type { Conclusion } from "@/model/schema/report/finding.ts";
import { conclusionText } from "@/model/text/report/conclusion.ts";
import type { Truth } from "@/tests/one_truth/patients.ts";

/** Conclusion of a study by output; sentences and lines are separated by `\n`. */
export type PrintedTexts = Record<string, string>;

const blocksOf = (blocks: readonly Block[]): Block[] =>
  blocks.flatMap((block) =>
    block.kind === "split" ? [...blocksOf(block.left), ...blocksOf(block.right)] : [block]
  );
const ESCAPES: Readonly<Record<string, string>> = { F: "|", S: "^", T: "&", R: "~", E: "\\" };
const unescaped = (value: string): string =>
  value.replaceAll("\\.br\\", "\n").replaceAll(/\\([FSTRE])\\/g, (_, key: string) => ESCAPES[key]!);

/** Conclusion in HL7 messages and FHIR resources. */
function messagesOf(
  signed: SignedText | null,
  conclusion: Conclusion,
  language: Language = "en",
): PrintedTexts {
  const label = signed && signedLabel(signed, "en"), heading = conclusionText.automatic[language];
  const facts = {
    pid: 1,
    studyUid: "1.2",
    identity: {},
    status: signed ? "final" as const : "preliminary" as const,
    finishedAt: "2026-01-02T00:00:00Z",
    measures: [],
    regions: [],
    comment: signed ? [] : [heading, ...conclusion.sentences],
    ...(signed && { signed: { ...signed, label: label! } }),
    pdf: new Uint8Array(),
  };
  const impressions = oruMessage(facts, "SULCUS").split("\r").map((line) => line.split("|"))
    .filter(([name, , , code]) => name === "OBX" && code!.startsWith("19005-8"))
    .map(([, , , , , value]) => unescaped(value!));
  return {
    HL7: impressions.slice(1).join("\n"),
    FHIR: String(diagnosticReport(facts).resource.conclusion)
      .replace(signed ? "" : `${heading} `, ""),
  };
}

/** The signed text of a patient in every output. */
export function signedIn({ report, results, flair, age }: Truth, signed: SignedText): PrintedTexts {
  const texts: PrintedTexts = messagesOf(signed, report.conclusion!);
  for (const pages of [report.page_list, [1], []]) {
    const sheets = reportSheetsOf({ ...report, page_list: pages, signed_text: signed });
    const written = sheets.flatMap(({ blocks }) => blocksOf(blocks))
      .flatMap((block) => block.kind === "text" && block.isWritten ? [block.text] : []);
    texts[`sheets with pages ${pages.join()}`] = written.join("\n");
  }
  const columns = exportColumnsOf({ fields: ["conclusion"], measures: [], parts: [] });
  const row = {
    pid: 1,
    patient_age: age,
    patient_sex: "female",
    label_list: [],
  } as unknown as PatientRow;
  const cells = excelRowOf(columns, { row, results, flair, signed });
  texts.XLSX = String(cells[0]);
  texts.CSV = csvText([cells]).trimEnd().replace(/^"|"$/g, "").replaceAll('""', '"');
  return texts;
}

/** The suggested text of a patient in every output, without its label. */
export function suggestedIn({ report }: Truth): PrintedTexts {
  const sheet = reportSheetsOf({ ...report, page_list: [1] })[0]!, blocks = blocksOf(sheet.blocks);
  const from = blocks.findIndex((block) =>
    block.kind === "heading" && block.text === conclusionText.automatic[report.language]
  );
  const texts: string[] = [];
  for (const block of blocks.slice(from + 1)) {
    if (block.kind !== "text") break;
    texts.push(block.text);
  }
  return {
    ...messagesOf(null, report.conclusion!, report.language),
    Cover: texts.join("\n"),
  };
}
