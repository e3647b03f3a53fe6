import { createHash, createHmac } from "node:crypto";

/** UID from a digest, as a version 8 UUID (PS3.5 B.2, RFC 9562 §5.8). */
function uidOfDigest(digest: Uint8Array): string {
  const bytes = digest.slice(0, 16);
  bytes[6] = bytes[6]! & 0x0f | 0x80;
  bytes[8] = bytes[8]! & 0x3f | 0x80;
  let value = 0n;
  for (const byte of bytes) value = value << 8n | BigInt(byte);
  return `2.25.${value}`;
}

/** UID derived from texts: equal texts give equal UIDs, different texts different UIDs. */
export const uidOf = (...parts: readonly (string | number)[]): string =>
  uidOfDigest(createHash("sha256").update(JSON.stringify(["sulcus", ...parts])).digest());

/** Pseudonymous UID: derived from a UID and a key, and not reversible without the key. */
export const maskedUid = (key: Uint8Array, uid: string): string =>
  uidOfDigest(createHmac("sha256", key).update(`uid:${uid}`).digest());
