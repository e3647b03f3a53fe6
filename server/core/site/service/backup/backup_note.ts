import { createHmac, timingSafeEqual } from "node:crypto";
import * as z from "zod/mini";
import { AppError } from "@/model/errors.ts";

export const BACKUP_DATABASE = "core.sqlite", BACKUP_NOTE = "backup.json";
/** File with hashes of damaged files, which `verify` writes for the next backup. */
const SUSPECTS = "damaged.json";
const FORMAT = 1;

const sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/));

const backupNote = z.object({
  format: z.literal(FORMAT),
  created_at: z.iso.datetime(),
  /** version of the program that wrote the backup; absent in backups of older releases */
  version: z.optional(z.string()),
  files: z.int().check(z.nonnegative()),
  size_bytes: z.int().check(z.nonnegative()),
  /** hashes of files that were damaged on the site, and are therefore missing in the backup */
  damaged: z.array(sha256),
  /** whether database and files are encrypted with the backup key */
  sealed: z.optional(z.literal(true)),
  /** SHA-256 of core.sqlite; absent in backups of older releases */
  database: z.optional(sha256),
  /** hash of the previous core.sqlite, while the note and the database are being replaced */
  database_before: z.optional(sha256),
  /** first two digits (0 to 255) of the hashes with which the next sample begins */
  sample_from: z.optional(z.int().check(z.gte(0), z.lte(255))),
  /** HMAC-SHA256 over all other fields, one for each key of the site */
  signatures: z.optional(z.array(sha256)),
});
/** Content of backup.json, which describes a finished backup. */
export type BackupNote = z.infer<typeof backupNote>;

/**
 * `proven`: signed with a key of this machine; `unproven`: this machine has no key; `forged`: the
 * machine has keys, but the note is signed with none of them.
 */
export type NoteProof = "proven" | "unproven" | "forged";

/** Note of a backup, and the result of verifying its signature. */
export interface ReadNote {
  /** the note; `null`: the file contains none */
  note: BackupNote | null;
  proof: NoteProof;
}

/** JSON with sorted fields, so that their order does not change the signature. */
function signatureOf(key: Uint8Array, note: Record<string, unknown>): string {
  const { signatures: _, ...members } = note;
  const text = JSON.stringify(Object.entries(members).sort(([a], [b]) => a < b ? -1 : 1));
  return createHmac("sha256", key).update(`sulcus backup note\n${text}`).digest("hex");
}

const isSame = (a: string, b: string) =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

/**
 * @param keys Audit keys and backup key on this machine.
 * @throws {AppError} `input.invalid` if there is no note, or another program wrote it.
 */
export async function readNote(folder: string, keys: readonly Uint8Array[]): Promise<ReadNote> {
  const problem = (text: string, cause?: unknown) =>
    new AppError("input.invalid", `Cannot read the backup in ${folder}: ${text}`, {}, { cause });
  let text: string, content: unknown;
  try {
    text = await Deno.readTextFile(`${folder}/${BACKUP_NOTE}`);
  } catch (cause) {
    throw problem(`there is no ${BACKUP_NOTE}, so none was finished here`, cause);
  }
  try {
    content = JSON.parse(text);
  } catch {
    return { note: null, proof: "forged" };
  }
  const { format } = Object(content);
  if (Number.isInteger(format) && format > FORMAT) {
    throw problem(`its format is ${format}, this program reads ${FORMAT}`);
  }
  const { data: note } = backupNote.safeParse(content);
  if (note === undefined) return { note: null, proof: "forged" };
  if (keys.length === 0) return { note, proof: "unproven" };
  const members = content as Record<string, unknown>;
  const isSigned = keys.some((key) => {
    const signature = signatureOf(key, members);
    return (note.signatures ?? []).some((each) => isSame(each, signature));
  });
  return { note, proof: isSigned ? "proven" : "forged" };
}

async function writeJson(path: string, content: unknown): Promise<void> {
  await Deno.writeTextFile(`${path}.part`, JSON.stringify(content, null, 2) + "\n", {
    mode: 0o600,
  });
  using file = await Deno.open(`${path}.part`, { read: true, write: true });
  await file.sync();
  await Deno.rename(`${path}.part`, path);
}

/** Writes backup.json atomically, signed with each key. */
export const writeNote = (
  folder: string,
  note: BackupNote,
  keys: readonly Uint8Array[],
): Promise<void> =>
  writeJson(`${folder}/${BACKUP_NOTE}`, {
    ...note,
    signatures: keys.map((key) => signatureOf(key, note)),
  });

/**
 * Hashes of files that `verify` reported as damaged in a backup. They are unsigned hints: a false
 * hash only costs a comparison, and the sample detects damaged files that are not listed.
 */
export async function readSuspects(folder: string): Promise<Set<string>> {
  const text = await Deno.readTextFile(`${folder}/${SUSPECTS}`).catch(() => "[]");
  try {
    return new Set(z.array(sha256).parse(JSON.parse(text)));
  } catch {
    return new Set();
  }
}

/** Stores hashes of damaged files for the next backup; an empty list deletes the file. */
export async function writeSuspects(folder: string, hashes: readonly string[]): Promise<void> {
  const path = `${folder}/${SUSPECTS}`;
  if (hashes.length > 0) return await writeJson(path, hashes);
  await Deno.remove(path).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
}

/** Names of a backup's files other than stored files. */
export const isBackupFile = (name: string): boolean =>
  name.startsWith(BACKUP_DATABASE) || name.startsWith(BACKUP_NOTE) || name.startsWith(SUSPECTS);
