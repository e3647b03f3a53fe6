import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { AppError } from "@/model/errors.ts";
import { auditKeyOf } from "@/server/core/site/service/audit/audit_key.ts";
import type { Database } from "@/server/core/database/database.ts";

const IV_BYTES = 12, TAG_BYTES = 16, PREFIX = "sealed.";

/** What a secret is of: each kind has a key of its own. */
export const SECOND_FACTOR = "second factor", PROVIDER_TOKEN = "provider token";

/** A key for this purpose, made of the one that stands outside of the database; `null` without a data folder. */
async function keyOf(db: Database, purpose: string): Promise<Uint8Array | null> {
  const key = await auditKeyOf(db);
  return key && new Uint8Array(hkdfSync("sha256", key.secret, "sulcus", purpose, 32));
}

/** A text as the database keeps it: whoever copies the database alone cannot read it. */
export async function seal(db: Database, text: string, purpose = SECOND_FACTOR): Promise<string> {
  const key = await keyOf(db, purpose);
  if (key === null) return text;
  const iv = randomBytes(IV_BYTES), cipher = createCipheriv("aes-256-gcm", key, iv);
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return PREFIX + Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url");
}

/** {@link seal}'s text. @throws {AppError} `internal` when it was sealed with another key. */
export async function unseal(db: Database, text: string, purpose = SECOND_FACTOR): Promise<string> {
  if (!text.startsWith(PREFIX)) return text;
  const key = await keyOf(db, purpose), bytes = Buffer.from(text.slice(PREFIX.length), "base64url");
  try {
    const decipher = createDecipheriv("aes-256-gcm", key!, bytes.subarray(0, IV_BYTES));
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString(
      "utf8",
    );
  } catch (cause) {
    throw new AppError("internal", "Cannot read a sealed secret: its key is another one", {}, {
      cause,
    });
  }
}
