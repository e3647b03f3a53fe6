import { ADMIN } from "@/model/site/command_line.ts";
import { type Language, LANGUAGES, textIn } from "@/model/text.ts";
import { acceptanceText } from "@/model/text/settings/acceptance.ts";
import {
  chartLines,
  earlierLines,
  restartLines,
  selectionText,
} from "@/model/acceptance/history_text.ts";
import { sheetLines, stateText } from "@/model/acceptance/sheet_text.ts";
import { beginTest } from "@/server/core/norms/service/acceptance.ts";
import { listTests, readSheet } from "@/server/core/norms/service/acceptance_sheet.ts";
import { readScannerNames } from "@/server/core/norms/service/acceptance_studies.ts";
import { storedFilesOf } from "@/server/core/site/service/site_data.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { Arguments } from "@/server/commands/arguments.ts";
import { storageKeyOf } from "@/server/commands/key_files.ts";
import { print, printError } from "@/server/commands/output.ts";
import type { Environment } from "@/server/commands/start/environment.ts";

export const ACCEPT_USAGE = `${ADMIN} accept list [--language LANGUAGE]
${ADMIN} accept begin SCANNER [--protocol TEXT] [--studies 1,2,3] [--language LANGUAGE]
${ADMIN} accept show NUMBER [--language LANGUAGE]
LANGUAGE is en or ko. Images are checked and tests are signed on the Scanner acceptance page.`;

/** Stores scanner names from image headers that are not yet in the database. */
async function readNames(db: Database, environment: Environment): Promise<void> {
  const storageKey = await storageKeyOf(environment);
  const blobs = await storedFilesOf({ dataDir: environment.dataDir, storageKey });
  await readScannerNames({ db, blobs, log: (_level, message) => printError(message) });
}

async function list(db: Database, language: Language): Promise<void> {
  const { scanners, tests } = await listTests({ db });
  for (
    const { scanner, protocol, engine_version, studies, accepted_for, is_stopped } of scanners
  ) {
    print([
      ...[scanner, protocol, engine_version, studies, accepted_for ?? "-"],
      ...is_stopped ? [textIn(acceptanceText.withheldNow, language)] : [],
    ].join("\t"));
  }
  for (const { id, scanner, protocol, started_at, ...test } of tests) {
    print([id, scanner, protocol, started_at.slice(0, 10), stateText(test, language)].join("\t"));
  }
}

const indented = (line: string) => `  ${line}`;

async function show(db: Database, id: number, language: Language): Promise<void> {
  const details = await readSheet({ db }, id), chosen = selectionText(details, language);
  const lines = [
    ...sheetLines(details, language),
    ...chosen === null ? [] : [`${textIn(acceptanceText.selection, language)}: ${chosen}`],
    "",
    `${textIn(acceptanceText.earlierTests, language)}: ${details.earlier.length}`,
    ...earlierLines(details, language).map(indented),
    textIn(acceptanceText.chartState, language),
    ...chartLines(details, language).map(indented),
    textIn(acceptanceText.restartCount, language, { n: details.restarts.length }),
    ...restartLines(details, language).map(indented),
  ];
  for (const line of lines) print(line);
}

/** @returns exit code: 2 for wrong usage. */
export async function accept(
  db: Database,
  { words: [, verb, subject], options }: Arguments,
  environment: Environment,
): Promise<number> {
  const asked = options.get("language") ?? "en";
  const language = LANGUAGES.find((each) => each === asked);
  if (!language) return 2;
  if (verb === "list") {
    await readNames(db, environment);
    await list(db, language);
    return 0;
  }
  if (verb === "show" && /^[1-9]\d{0,14}$/.test(subject ?? "")) {
    await show(db, Number(subject), language);
    return 0;
  }
  const studies = options.get("studies");
  if (verb !== "begin" || !subject || studies && !/^\d{1,15}(,\d{1,15}){0,199}$/.test(studies)) {
    return 2;
  }
  const chosen = studies ? { pid_list: studies.split(",").map(Number) } : {};
  const protocol = options.get("protocol") ?? "";
  await readNames(db, environment);
  const { id } = await beginTest({ db }, { scanner: subject, protocol, ...chosen }, null);
  await show(db, id, language);
  return 0;
}
