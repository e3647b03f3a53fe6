import { AppError } from "@/model/errors.ts";
import {
  isWithinLimits,
  MAX_REPORT_TEXT,
  MAX_REPORT_TEXT_LINES,
} from "@/model/schema/report/report_text.ts";
import type {
  ReportTextAnswer,
  reportTextPut,
  signaturePost,
} from "@/model/schema/report/report_text.ts";
import type { Language } from "@/model/text.ts";
import type * as z from "zod/mini";
import { findUser } from "@/server/core/accounts/storage/users.ts";
import { queueSigned } from "@/server/core/connections/service/result_queue.ts";
import type { Database } from "@/server/core/database/database.ts";
import { laterThan } from "@/server/core/reading/service/corrected.ts";
import { suggestedConclusion } from "@/server/core/reports/service/conclusion.ts";
import { currentResults, signedOf } from "@/server/core/reports/service/signed_text.ts";
import {
  insertText,
  listTexts,
  newestText,
  type StoredText,
} from "@/server/core/reports/storage/report_text.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";
import { mustFindPatient } from "@/server/core/studies/service/patients.ts";

/**
 * The conclusion written for a study: all versions, the signed one, and the suggested sentences.
 * @param language Language of the suggested sentences; absent: no sentences are suggested.
 * @throws {AppError} `study.not_analyzed`, `study.deleted`, `entity.not_found`.
 */
export async function getReportText(
  services: ServiceContext,
  pid: number,
  language?: Language,
): Promise<ReportTextAnswer> {
  const { db } = services;
  const results = await currentResults(db, await mustFindPatient(db, pid));
  const texts = await listTexts(db, pid);
  const conclusion = language ? await suggestedConclusion(services, pid, language) : null;
  return {
    version: texts[0]?.version ?? 0,
    results: results.key,
    suggestion: conclusion?.sentences.join("\n") ?? "",
    conclusion,
    signed: signedOf(texts.find(({ state }) => state !== "draft") ?? null, results),
    versions: texts.map(({ results: _, ...version }) => version),
  };
}

/**
 * Error when another user has saved the text since the caller read it.
 * Nothing is stored, and the caller's text stays in the editor.
 */
const changed = (pid: number, newest: StoredText | null) =>
  new AppError("text.changed", `Cannot save the text of study ${pid}: another version was saved`, {
    pid,
    version: newest?.version ?? 0,
    author: newest?.author ?? "",
  });

function checkLength(text: string, isSigned: boolean): void {
  if (isWithinLimits(text) && (text !== "" || !isSigned)) return;
  throw new AppError("input.invalid", "Cannot save the text: empty or too long", {
    field: "text",
    max: MAX_REPORT_TEXT,
    max_lines: MAX_REPORT_TEXT_LINES,
  });
}

type NextText = Pick<StoredText, "state" | "language" | "text">;

/**
 * Whether an earlier call of the same author has already stored this version:
 * the response was lost, so that the author saves the text again.
 */
const isWritten = (
  newest: StoredText | null,
  next: NextText,
  author: string,
  basedOn: number,
): boolean =>
  newest !== null && newest.version === basedOn + 1 && newest.author === author &&
  newest.state === next.state && newest.text === next.text && newest.language === next.language;

/**
 * Stores the next version of a text in one transaction. After it returns, the text is on disk.
 * @param make Makes the version to be stored; may throw to refuse.
 * @returns number of the stored version.
 */
async function writeNext(
  { db, publish }: ServiceContext,
  pid: number,
  basedOn: number,
  caller: Caller,
  make: (
    tx: Database,
    newest: StoredText | null,
    resultsKey: string,
  ) => NextText | Promise<NextText>,
): Promise<number> {
  let isQueued = false;
  const version = await db.transaction().execute(async (tx) => {
    isQueued = false;
    const { key, instants } = await currentResults(tx, await mustFindPatient(tx, pid));
    const newest = await newestText(tx, pid), user = await findUser(tx, caller.uid);
    const author = user?.name || user?.email || "";
    const newText = await make(tx, newest, key);
    if (isWritten(newest, newText, author, basedOn)) return newest!.version;
    if ((newest?.version ?? 0) !== basedOn) throw changed(pid, newest);
    const created_at = laterThan([newest?.created_at ?? null, ...instants]);
    const written = { ...newText, version: basedOn + 1, results: key, created_at, author };
    await insertText(tx, pid, written, caller.uid);
    if (newText.state !== "draft") isQueued = await queueSigned(tx, pid);
    return written.version;
  });
  publish({ event: "study_reading", pid, uid: caller.uid });
  if (isQueued) publish({ event: "study_sent", pid });
  return version;
}

/**
 * Stores a draft. Reports and messages keep the signed text, if there is one.
 * @throws {AppError} `text.changed` if another version was stored since the caller read the text;
 * `input.invalid` for an empty or too long text; `study.not_analyzed`.
 */
export function saveDraft(
  services: ServiceContext,
  pid: number,
  { based_on, language, text }: z.output<typeof reportTextPut>,
  caller: Caller,
): Promise<number> {
  checkLength(text, false);
  return writeNext(services, pid, based_on, caller, () => ({ state: "draft", language, text }));
}

/**
 * Signs a text, which from now on is part of every report, message and DICOM object.
 * @throws {AppError} `text.results_changed` if the caller saw other results than the present ones;
 * also errors of {@link saveDraft}.
 */
export function signText(
  services: ServiceContext,
  pid: number,
  { based_on, language, text, results }: z.output<typeof signaturePost>,
  caller: Caller,
): Promise<number> {
  checkLength(text, true);
  return writeNext(services, pid, based_on, caller, (_, __, current) => {
    if (results === current) return { state: "signed", language, text };
    throw new AppError(
      "text.results_changed",
      `Cannot sign the text of study ${pid}: other results`,
      {
        pid,
      },
    );
  });
}

/**
 * Withdraws a signature: reports again contain the suggested sentences. All versions are kept.
 * @throws {AppError} `text.changed`; `input.invalid` if the text is not signed.
 */
export function withdrawSignature(
  services: ServiceContext,
  pid: number,
  basedOn: number,
  caller: Caller,
): Promise<number> {
  return writeNext(services, pid, basedOn, caller, async (tx, newest) => {
    if (newest?.state === "withdrawn" && newest.version === basedOn + 1) return newest;
    const last = (await listTexts(tx, pid)).find(({ state }) => state !== "draft");
    if (last?.state === "signed") {
      return { state: "withdrawn", language: last.language, text: last.text };
    }
    throw new AppError(
      "input.invalid",
      `Cannot withdraw a signature of study ${pid}: no text is signed`,
      {
        field: "text",
      },
    );
  });
}
