// Which results measured their lesions in the same way.

/** Engine versions that first measured lesions otherwise beside a T1w series, oldest first. */
const LESION_VERSIONS = ["0.0.0", "0.5.0", "0.7.0"];
/** The last of them that changed a FLAIR series analysed alone. */
const LAST_ALONE = "0.5.0";

/** How one result measured its lesions. */
export interface LesionMethod {
  /** as stored, such as "sulcus-engine 0.6.0"; `null`: unknown */
  engineVersion: string | null;
  /** tissue from a T1w series, or from the FLAIR alone */
  tissue: "t1" | "flair";
}

function numbersOf(version: string): number[] | null {
  const found = /^(?:sulcus-engine )?(\d+)\.(\d+)\.(\d+)(?: with .*)?$/.exec(version);
  return found && found.slice(1).map(Number);
}

/** Whether a version is at least another; both as three numbers. */
function isAtLeast(version: readonly number[], other: readonly number[]): boolean {
  const at = version.findIndex((n, i) => n !== other[i]);
  return at < 0 || version[at]! > other[at]!;
}

/** The version that introduced a result's method, or the whole name of an engine of another kind. */
function methodOf({ engineVersion, tissue }: LesionMethod): string {
  const numbers = numbersOf(engineVersion ?? "");
  if (!numbers) return `${tissue} ${engineVersion}`;
  const versions = tissue === "t1"
    ? LESION_VERSIONS
    : LESION_VERSIONS.slice(0, LESION_VERSIONS.indexOf(LAST_ALONE) + 1);
  return `${tissue} ${versions.findLast((since) => isAtLeast(numbers, numbersOf(since)!))}`;
}

/**
 * Whether two results measured lesions in the same way. If not, their volumes differ
 * even where the lesions do not.
 */
export const hasSameLesionMethod = (a: LesionMethod, b: LesionMethod): boolean =>
  methodOf(a) === methodOf(b);
