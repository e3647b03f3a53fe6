/** Number of hexadecimal digits of a blob's hash in the URL of a file. */
const BLOB_DIGITS = 16;
/** Number of hexadecimal digits that identify readers' corrections in the URL of a file. */
const MARK_DIGITS = 8;

/** Hash of a result file as the server sends it, with or without readers' corrections. */
export interface FileContent {
  /** SHA-256 of the file's bytes; for a map with readers' corrections the {@link fileVersion} */
  hash: string;
  /** whether a reader's corrections are applied */
  isCorrected: boolean;
}

/**
 * Version of a result file in its URL: first digits of the blob's hash, then the correction mark.
 * @param mark Identifies the corrections, see `correctionMark`; empty for an uncorrected file.
 */
export const fileVersion = (blob: string, mark: string): string =>
  blob.slice(0, BLOB_DIGITS) + mark;

/**
 * How the version in a requested URL compares with the stored file:
 * - `exact`: identifies the stored content, so the response may be cached as immutable;
 * - `current`: identifies the analysis without its corrections, which are sent in their state now;
 * - `older`: identifies an earlier state of readers' corrections of the same analysis;
 * - `other`: identifies another analysis of the study, or is no valid version.
 */
export type VersionMatch = "exact" | "current" | "older" | "other";

const VERSION = new RegExp(`^[0-9a-f]{${BLOB_DIGITS}}([0-9a-f]{${MARK_DIGITS}})?$`);

/** Compares the version in a requested URL with the stored file. */
export function matchVersion(version: string, { hash, isCorrected }: FileContent): VersionMatch {
  if (version.length >= BLOB_DIGITS && hash.startsWith(version)) {
    return !isCorrected || version.length === hash.length ? "exact" : "current";
  }
  const isSameBlob = version.slice(0, BLOB_DIGITS) === hash.slice(0, BLOB_DIGITS);
  return isSameBlob && VERSION.test(version) ? "older" : "other";
}
