import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { AppError } from "@/model/errors.ts";
import {
  auditFolderOf,
  auditKeyOf,
  auditSecretsIn,
} from "@/server/core/site/service/audit/audit_key.ts";
import type { Database } from "@/server/core/database/database.ts";

const IV_BYTES = 12, TAG_BYTES = 16, PREFIX = "sealed.";

/** Purposes of encrypted secrets; each purpose has a separate key. */
export const SECOND_FACTOR = "second factor", PROVIDER_TOKEN = "provider token";
const PROVIDER_FLOW = "sign-in at the provider";

const derived = (secret: Uint8Array, purpose: string) =>
  new Uint8Array(hkdfSync("sha256", secret, "sulcus", purpose, 32));

/**
 * Key for a purpose, derived from the audit key file; `null` for a database without data folder.
 */
async function keyOf(db: Database, purpose: string): Promise<Uint8Array | null> {
  const key = await auditKeyOf(db);
  return key && derived(key.secret, purpose);
}

/** Former keys for a purpose: a restore of the database creates a new key and keeps the old one. */
async function formerKeysOf(db: Database, purpose: string): Promise<Uint8Array[]> {
  const folder = auditFolderOf(db), secrets = folder === null ? [] : await auditSecretsIn(folder);
  return secrets.map((secret) => derived(secret, purpose));
}

/** Encrypts with AES-256-GCM (NIST SP 800-38D); result: random IV of 96 bits, tag, ciphertext. */
function encrypt(key: Uint8Array, text: string): string {
  const iv = randomBytes(IV_BYTES), cipher = createCipheriv("aes-256-gcm", key, iv);
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return PREFIX + Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url");
}

/** Decrypts a text of {@link encrypt}. @throws {Error} for another text or key. */
function decrypt(key: Uint8Array, text: string): string {
  const bytes = Buffer.from(text.slice(PREFIX.length), "base64url");
  const iv = bytes.subarray(0, IV_BYTES), tag = bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
  const decipher = createDecipheriv("aes-256-gcm", key, iv, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(tag);
  const sealed = bytes.subarray(IV_BYTES + TAG_BYTES);
  return Buffer.concat([decipher.update(sealed), decipher.final()]).toString("utf8");
}

/** Encrypts a secret for the database, so that a copy of the database does not reveal it. */
export async function seal(db: Database, text: string, purpose = SECOND_FACTOR): Promise<string> {
  const key = await keyOf(db, purpose);
  return key === null ? text : encrypt(key, text);
}

/**
 * Decrypts a text of {@link seal}, if necessary with a former key, as after a restore.
 * @throws {AppError} `internal` if no key of this site decrypts the text.
 */
export async function unseal(db: Database, text: string, purpose = SECOND_FACTOR): Promise<string> {
  if (!text.startsWith(PREFIX)) return text;
  const key = await keyOf(db, purpose);
  try {
    return decrypt(key!, text);
  } catch (cause) {
    for (const former of await formerKeysOf(db, purpose)) {
      try {
        return decrypt(former, text);
      } catch { /* sealed with another one */ }
    }
    throw new AppError("internal", "Cannot read a sealed secret: its key is another one", {}, {
      cause,
    });
  }
}

/** Random keys of databases without data folder; only this process has them. */
const passingKeys = new WeakMap<Database, Uint8Array>();

/**
 * Key with which the state of sign-ins at the OpenID provider is encrypted.
 * All server processes with the same database and audit folder have the same key.
 */
async function flowKeyOf(db: Database): Promise<Uint8Array> {
  const key = await keyOf(db, PROVIDER_FLOW) ?? passingKeys.get(db) ?? randomBytes(32);
  if (!passingKeys.has(db)) passingKeys.set(db, key);
  return key;
}

/**
 * Encrypts the state of a sign-in for a cookie of the browser; `expiresMs` in ms since 1970.
 */
export const sealFlow = async (db: Database, flow: unknown, expiresMs: number): Promise<string> =>
  encrypt(await flowKeyOf(db), JSON.stringify({ flow, expiresMs }));

/** Decrypts the state of a sign-in; `null` if it has expired, or is not from this site. */
export async function unsealFlow(db: Database, text: string, nowMs: number): Promise<unknown> {
  if (!text.startsWith(PREFIX)) return null;
  const key = await flowKeyOf(db);
  try {
    const { flow, expiresMs } = JSON.parse(decrypt(key, text));
    return nowMs < expiresMs ? flow : null;
  } catch {
    return null;
  }
}
