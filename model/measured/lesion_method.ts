// Compares the methods by which two results measured lesions.

/** Engine versions that changed how lesions are measured beside a T1w series, oldest first. */
const LESION_VERSIONS = ["0.0.0", "0.5.0", "0.7.0"];
/** Last engine version that changed the analysis of a FLAIR series alone. */
const LAST_ALONE = "0.5.0";

/** Method by which one result measured lesions. */
export interface LesionMethod {
  /** stored version of the engine, such as "sulcus-engine 0.6.0"; `null`: unknown */
  engineVersion: string | null;
  /** tissue from a T1w series, or from the FLAIR alone */
  tissue: "t1" | "flair";
}

function numbersOf(version: string): number[] | null {
  const parts = /^(?:sulcus-engine )?(\d+)\.(\d+)\.(\d+)(?: with .*)?$/.exec(version);
  return parts && parts.slice(1).map(Number);
}

/** Whether a version is at least another version; both are three numbers. */
function isAtLeast(version: readonly number[], other: readonly number[]): boolean {
  const at = version.findIndex((n, i) => n !== other[i]);
  return at < 0 || version[at]! > other[at]!;
}

/** Engine version that introduced a result's method, or the whole name of another engine. */
function methodOf({ engineVersion, tissue }: LesionMethod): string {
  const numbers = numbersOf(engineVersion ?? "");
  if (!numbers) return `${tissue} ${engineVersion}`;
  const versions = tissue === "t1"
    ? LESION_VERSIONS
    : LESION_VERSIONS.slice(0, LESION_VERSIONS.indexOf(LAST_ALONE) + 1);
  return `${tissue} ${versions.findLast((since) => isAtLeast(numbers, numbersOf(since)!))}`;
}

/**
 * Whether two results measured lesions in the same way.
 * Otherwise the volumes may differ even if the lesions are the same.
 */
export const hasSameLesionMethod = (a: LesionMethod, b: LesionMethod): boolean =>
  methodOf(a) === methodOf(b);
