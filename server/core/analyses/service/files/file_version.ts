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
 * Version of a file in the address: the blob's first digits, and the mark of readers' corrections.
 * @param mark Identifies the corrections, see `correctionMark`; empty for an uncorrected file.
 */
export const fileVersion = (blob: string, mark: string): string =>
  blob.slice(0, BLOB_DIGITS) + mark;

/**
 * How the version in an address refers to the stored file:
 * - `exact`: the version is of this content;
 * - `current`: the version is of the analysis in the current state of corrections;
 * - `older`: the version is of an earlier state of the corrections;
 * - `other`: the version is of another analysis, or of no analysis.
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
