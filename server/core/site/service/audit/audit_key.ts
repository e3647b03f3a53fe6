import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { basename, dirname } from "node:path";
import { AppError } from "@/model/errors.ts";
import { readAuditHead } from "@/server/core/site/storage/audit.ts";
import { makeFolders } from "@/server/core/blobs/blob_file.ts";
import type { Database } from "@/server/core/database/database.ts";

/**
 * Key that proves entries of the audit log. It is kept outside of the database: write access to
 * that is not enough to forge them.
 */
export interface AuditKey {
  secret: Uint8Array;
  /** the first entry that was written under it */
  since: number;
}

interface Place {
  folder: string;
  key: Promise<AuditKey> | null;
}
const places = new WeakMap<Database, Place>();

/**
 * Names the folder of the key and the anchors of a database's log. Without one entries bear hashes
 * alone.
 */
export function setAuditFolder(db: Database, folder: string): void {
  places.set(db, { folder, key: null });
}

/** `null`: the log of a database without a data folder. */
export const auditFolderOf = (db: Database): string | null => places.get(db)?.folder ?? null;

/**
 * @throws {AppError} `internal` when the file holds no key: a new one would make every entry look
 * forged.
 */
async function readKey(path: string): Promise<AuditKey | null> {
  let text: string;
  try {
    text = await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
  const [, secret, since] = /^\{"key":"([0-9a-f]{64})","since":(\d{1,15})\}\s*$/.exec(text) ?? [];
  if (!secret) {
    throw new AppError("internal", `Cannot read the key of the audit log: ${path} is damaged`);
  }
  return { secret: new Uint8Array(Buffer.from(secret, "hex")), since: Number(since) };
}

/**
 * Secrets of the keys in a folder and in those that restores have put aside beside it; none is
 * made.
 * @returns none on a machine without the site's keys. Files that hold no key are passed over.
 */
export async function auditSecretsIn(folder: string): Promise<Uint8Array[]> {
  const above = dirname(folder), folders = [folder];
  const aside = `${basename(folder)}.before-`;
  for await (const { name } of readNames(above)) {
    if (name.startsWith(aside)) folders.push(`${above}/${name}`);
  }
  const keys = await Promise.all(folders.map((each) => readKey(`${each}/key`).catch(() => null)));
  return keys.filter((key) => key !== null).map(({ secret }) => secret);
}

async function* readNames(folder: string): AsyncGenerator<Deno.DirEntry> {
  try {
    yield* Deno.readDir(folder);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

async function openKey(db: Database, folder: string): Promise<AuditKey> {
  const path = `${folder}/key`, known = await readKey(path);
  if (known !== null) return known;
  makeFolders(folder);
  const key = randomBytes(32).toString("hex"), since = (await readAuditHead(db)).seq + 1;
  const part = `${path}.${crypto.randomUUID()}`;
  await Deno.writeTextFile(part, JSON.stringify({ key, since }) + "\n", {
    mode: 0o600,
    createNew: true,
  });
  using file = await Deno.open(part, { read: true, write: true });
  await file.sync();
  // of several processes that start together one makes the key
  await Deno.link(part, path).catch((error) => {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  });
  await Deno.remove(part);
  return (await readKey(path))!;
}

/**
 * The key of a database's log, made when there is none yet; `null` for a database without a folder.
 */
export async function auditKeyOf(db: Database): Promise<AuditKey | null> {
  const place = places.get(db);
  if (place === undefined) return null;
  place.key ??= openKey(db, place.folder).catch((error) => {
    // a disk that is full now may have room later
    place.key = null;
    throw error;
  });
  return await place.key;
}

/** HMAC-SHA256, hexadecimal. */
export const macOf = ({ secret }: AuditKey, text: string): string =>
  createHmac("sha256", secret).update(text).digest("hex");

/** Whether {@link macOf} gives this, in a time that does not tell how much of it is right. */
export function isMac(key: AuditKey, text: string, mac: string | null): boolean {
  const actual = Buffer.from(mac ?? "", "hex"), right = Buffer.from(macOf(key, text), "hex");
  return actual.length === right.length && timingSafeEqual(actual, right);
}
