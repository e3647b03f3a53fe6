import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { basename, dirname } from "node:path";
import { AppError } from "@/model/errors.ts";
import { readAuditHead } from "@/server/core/site/storage/audit.ts";
import { makeFolders, syncFolder } from "@/server/core/blobs/blob_file.ts";
import type { Database } from "@/server/core/database/database.ts";

/**
 * Key that authenticates entries of the audit log, stored outside the database.
 * Write access to the database is therefore not enough to forge entries.
 */
export interface AuditKey {
  secret: Uint8Array;
  /** number of the first entry that was written with the key */
  since: number;
}

interface Place {
  folder: string;
  key: Promise<AuditKey> | null;
}
const places = new WeakMap<Database, Place>();

/**
 * Sets the folder with key and anchors of a database's log. Without one, entries have only hashes.
 */
export function setAuditFolder(db: Database, folder: string): void {
  places.set(db, { folder, key: null });
}

/** Path of the key file; `null` for a database without a data folder. */
export const auditFolderOf = (db: Database): string | null => places.get(db)?.folder ?? null;

/**
 * @throws {AppError} `internal` for a file without a key.
 * Starting a new key would make all entries appear forged.
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

/** Subfolders into which restores move key and anchors of a former site; a time is appended. */
const ASIDE = "before-";

/**
 * Moves key and anchors of a former site into a subfolder. The folder itself stays, as it may
 * be a separate disk, and a server may read no folder beside it.
 * @returns path of the subfolder; `null` if nothing was moved.
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
 * Keys in a folder, and those that restores have moved aside; none is created.
 * @returns empty on a machine without the site's keys. Files without a key are skipped.
 */
export async function auditSecretsIn(folder: string): Promise<Uint8Array[]> {
  const above = dirname(folder), folders = [folder];
  for await (const { name } of readNames(folder)) {
    if (name.startsWith(ASIDE)) folders.push(`${folder}/${name}`);
  }
  // a restore by an earlier version renamed the audit folder, which may contain the key
  const former = `${basename(folder)}.${ASIDE}`;
  for await (const { name } of readNames(above)) {
    if (name.startsWith(former)) folders.push(`${above}/${name}`);
  }
  const keys = await Promise.all(folders.map((each) => readKey(`${each}/key`).catch(() => null)));
  return keys.filter((key) => key !== null).map(({ secret }) => secret);
}

/** Entries of a folder; none for a missing or unreadable folder. */
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
  // of several processes that start together, only one can create the key
  await Deno.link(part, path).catch((error) => {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  });
  await Deno.remove(part);
  return (await readKey(path))!;
}

/** Key of a database's log, created if necessary; `null` for a database without a folder. */
export async function auditKeyOf(db: Database): Promise<AuditKey | null> {
  const place = places.get(db);
  if (place === undefined) return null;
  place.key ??= openKey(db, place.folder).catch((error) => {
    // a full disk may have space later, so the failure is not cached
    place.key = null;
    throw error;
  });
  return await place.key;
}

/** HMAC-SHA256 of a text with the audit key, hexadecimal. */
export const macOf = ({ secret }: AuditKey, text: string): string =>
  createHmac("sha256", secret).update(text).digest("hex");

/** Compares with {@link macOf} in constant time. */
export function isMac(key: AuditKey, text: string, mac: string | null): boolean {
  const actual = Buffer.from(mac ?? "", "hex"), right = Buffer.from(macOf(key, text), "hex");
  return actual.length === right.length && timingSafeEqual(actual, right);
}
