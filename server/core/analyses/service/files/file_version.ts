/** Digits of a blob's hash in the address of a file. */
const BLOB_DIGITS = 16;
/** Digits that identify a reader's corrections. */
const MARK_DIGITS = 8;

/** Content of a result file. */
export interface FileContent {
  /** SHA-256 of the bytes, or {@link fileVersion} of a corrected map */
  hash: string;
  /** whether a reader's corrections are applied */
  isCorrected: boolean;
}

/**
 * Version of a file in its address: the blob's first digits, and those of its corrections, if any.
 * @param mark Identifies the corrections, see `correctionMark`; empty for an uncorrected file.
 */
export const fileVersion = (blob: string, mark: string): string =>
  blob.slice(0, BLOB_DIGITS) + mark;

/**
 * How the version of an address refers to the stored file:
 * - `exact`: to this content and no other;
 * - `current`: to the analysis, with whatever corrections it has;
 * - `older`: to another state of the corrections;
 * - `other`: to another analysis, or to none.
 */
export type VersionMatch = "exact" | "current" | "older" | "other";

const VERSION = new RegExp(`^[0-9a-f]{${BLOB_DIGITS}}([0-9a-f]{${MARK_DIGITS}})?$`);

/** Compares the version of an address with the stored file. */
export function matchVersion(version: string, { hash, isCorrected }: FileContent): VersionMatch {
  if (version.length >= BLOB_DIGITS && hash.startsWith(version)) {
    return !isCorrected || version.length === hash.length ? "exact" : "current";
  }
  const isSameBlob = version.slice(0, BLOB_DIGITS) === hash.slice(0, BLOB_DIGITS);
  return isSameBlob && VERSION.test(version) ? "older" : "other";
}
