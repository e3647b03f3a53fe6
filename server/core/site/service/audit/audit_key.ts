import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { basename, dirname } from "node:path";
import { AppError } from "@/model/errors.ts";
import { readAuditHead } from "@/server/core/site/storage/audit.ts";
import { makeFolders, syncFolder } from "@/server/core/blobs/blob_file.ts";
import type { Database } from "@/server/core/database/database.ts";

/**
 * Key that authenticates audit entries. It is stored outside the database,
 * so that write access to the database alone does not suffice to forge entries.
 */
export interface AuditKey {
  secret: Uint8Array;
  /** number of the first audit entry that was written with the key */
  since: number;
}

interface Place {
  folder: string;
  key: Promise<AuditKey> | null;
}
const places = new WeakMap<Database, Place>();

/**
 * Sets the folder of key and anchors of an audit log. Without a folder, entries have only hashes.
 */
export function setAuditFolder(db: Database, folder: string): void {
  places.set(db, { folder, key: null });
}

/** Path of the audit key's file; `null` for a database without a data folder. */
export const auditFolderOf = (db: Database): string | null => places.get(db)?.folder ?? null;

/**
 * @throws {AppError} `internal` if the file contains no key:
 * a new key would make all stored entries appear forged.
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
 * Subfolders into which restores move a former site's key and anchors; their names end in the time.
 */
const ASIDE = "before-";

/**
 * Moves a former site's key and anchors into a subfolder. The folder itself is not moved: it may
 * be a separate disk, and the server may not be allowed to read folders beside it.
 * @returns path of the subfolder; `null` if there was nothing to move.
 */
export async function putAuditAside(folder: string): Promise<string | null> {
  const names: string[] = [];
  for await (const { name, isDirectory } of readNames(folder)) {
    if (!isDirectory && /^(key|anchors)(\.|$)/.test(name)) names.push(name);
  }
  if (names.length === 0) return null;
  const aside = `${folder}/${ASIDE}${Date.now()}`;
  await Deno.mkdir(aside, { mode: 0o700 });
  for (const name of names) await Deno.rename(`${folder}/${name}`, `${aside}/${name}`);
  for (const changed of [aside, folder]) await syncFolder(changed);
  return aside;
}

/**
 * Audit keys in a folder, and in the subfolders of earlier restores; none is created.
 * @returns empty on a machine without the site's keys. Files that contain no key are skipped.
 */
export async function auditSecretsIn(folder: string): Promise<Uint8Array[]> {
  const above = dirname(folder), folders = [folder];
  for await (const { name } of readNames(folder)) {
    if (name.startsWith(ASIDE)) folders.push(`${folder}/${name}`);
  }
  // earlier versions renamed the whole audit folder on a restore; it may contain the key
  const former = `${basename(folder)}.${ASIDE}`;
  for await (const { name } of readNames(above)) {
    if (name.startsWith(former)) folders.push(`${above}/${name}`);
  }
  const keys = await Promise.all(folders.map((each) => readKey(`${each}/key`).catch(() => null)));
  return keys.filter((key) => key !== null).map(({ secret }) => secret);
}

/** Names in a folder; empty if the folder is missing or unreadable. */
async function* readNames(folder: string): AsyncGenerator<Deno.DirEntry> {
  const { NotFound, PermissionDenied, NotCapable } = Deno.errors;
  try {
    yield* Deno.readDir(folder);
  } catch (error) {
    if (![NotFound, PermissionDenied, NotCapable].some((kind) => error instanceof kind)) {
      throw error;
    }
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
  // of several processes that start at the same time, only one can create the key
  await Deno.link(part, path).catch((error) => {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  });
  await Deno.remove(part);
  return (await readKey(path))!;
}

/** Audit key of a database, created if necessary; `null` for a database without a data folder. */
export async function auditKeyOf(db: Database): Promise<AuditKey | null> {
  const place = places.get(db);
  if (place === undefined) return null;
  place.key ??= openKey(db, place.folder).catch((error) => {
    // the failure is not cached, because a full disk may have space later
    place.key = null;
    throw error;
  });
  return await place.key;
}

/** HMAC-SHA256 of a text with the audit key, hexadecimal. */
export const macOf = ({ secret }: AuditKey, text: string): string =>
  createHmac("sha256", secret).update(text).digest("hex");

/** Compares a code with that of {@link macOf}, in constant time. */
export function isMac(key: AuditKey, text: string, mac: string | null): boolean {
  const actual = Buffer.from(mac ?? "", "hex"), right = Buffer.from(macOf(key, text), "hex");
  return actual.length === right.length && timingSafeEqual(actual, right);
}
