/**
 * Finds slices of a series that belong to another acquisition (strays): a second
 * reconstruction, or a localizer stored under the same Series Instance UID.
 */
import { AppError } from "@/model/errors.ts";
import { dot } from "@/model/geometry.ts";
import type { differenceText } from "@/model/text/worklist/upload_values.ts";
import { stackPositionMm } from "@/server/core/dicom/read/geometry.ts";
import type { InstanceHeader } from "@/server/core/dicom/read/instance.ts";
import { rejected } from "@/server/core/dicom/read/verdict.ts";
import { slicesOf, stackOf } from "@/server/core/dicom/stack/even_stack.ts";
import { type InstanceFile, isParallel, isSameTime } from "@/server/core/dicom/stack/parts.ts";

export type Difference = keyof typeof differenceText;

/** Minimum number of slices of an image taken from a mixture: the minimum of a FLAIR series. */
const MIN_SLICES_OF_IMAGE = 20;
/** Minimum fraction of all slices for the main image; slices outside it are strays. */
const MAIN_FRACTION = 2 / 3;
/** Minimum overlap of two images of one head, as a fraction of the smaller extent. */
const MIN_OVERLAP = 0.5;
/** Maximum number of acquisitions in a series; with more, the series is not divided. */
const MAX_ACQUISITIONS = 16;
/** Relative tolerance of thickness and spacing. */
const SAME_SIZE = 0.02;

const isClose = (a: number | undefined, b: number | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && Math.abs(a - b) <= SAME_SIZE * Math.abs(b));

/**
 * First attribute that shows that two images are of two acquisitions; `null` if none does.
 * Protocol names, and differences by rounding, are ignored.
 */
export function differenceOf(a: InstanceHeader, b: InstanceHeader): Difference | null {
  const [one, other] = [a.planes[0]!, b.planes[0]!];
  if (a.rows !== b.rows || a.columns !== b.columns) return "matrix size";
  if (!one.pixelSpacingMm.every((mm, axis) => isClose(mm, other.pixelSpacingMm[axis]))) {
    return "pixel spacing";
  }
  if (!isParallel(one.orientationLps, other.orientationLps)) return "orientation";
  if (
    a.bitsAllocated !== b.bitsAllocated || a.isSigned !== b.isSigned ||
    a.photometric !== b.photometric
  ) return "pixel format";
  if (!isClose(a.sliceThicknessMm, b.sliceThicknessMm)) return "slice thickness";
  if (a.imageType.join("\\") !== b.imageType.join("\\")) return "image type";
  if (!isSameTime(a.echoTimeMs, b.echoTimeMs)) return "echo time";
  const isSameTiming = isSameTime(a.repetitionTimeMs, b.repetitionTimeMs) &&
    isSameTime(a.inversionTimeMs, b.inversionTimeMs) && isClose(a.flipAngleDeg, b.flipAngleDeg);
  return isSameTiming && a.acquisitionType === b.acquisitionType ? null : "timing";
}

/** Acquisitions in a series, each with its files, and the first attribute in which they differ. */
function acquisitionsOf(files: readonly InstanceFile[]) {
  const acquisitions: InstanceFile[][] = [];
  let difference: Difference | null = null;
  for (const file of files) {
    const same = acquisitions.find(([first]) => {
      const found = differenceOf(first!.header, file.header);
      difference ??= found;
      return found === null;
    });
    if (same) same.push(file);
    else acquisitions.push([file]);
    if (acquisitions.length > MAX_ACQUISITIONS) break;
  }
  return { acquisitions, difference: difference as Difference | null };
}

/** Error of slices that form no volume; `null` if they form one. */
export function errorOf(files: readonly InstanceFile[]): AppError | null {
  try {
    stackOf(slicesOf(files));
    return null;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

const extentOf = (files: readonly InstanceFile[]): [number, number] => {
  const positions = files.flatMap(({ header }) => header.planes.map(stackPositionMm));
  return [Math.min(...positions), Math.max(...positions)];
};

/**
 * Whether two images show the same part of the head.
 * The halves of a head with a slice missing between them do not.
 */
function doOverlap(a: readonly InstanceFile[], b: readonly InstanceFile[]): boolean {
  const normal = (files: readonly InstanceFile[]) => files[0]!.header.planes[0]!.orientationLps;
  if (Math.abs(dot(normal(a)[0], normal(b)[0])) < 0.99) return true;
  const [[fromA, toA], [fromB, toB]] = [extentOf(a), extentOf(b)];
  const shared = Math.min(toA, toB) - Math.max(fromA, fromB);
  return shared >= MIN_OVERLAP * Math.min(toA - fromA, toB - fromB);
}

/**
 * The complete acquisitions of a series that repeats one, by Acquisition Number; empty unless each
 * forms a volume of as many slices at the same place.
 */
function repeatedAcquisitions(files: readonly InstanceFile[]): InstanceFile[][] {
  const byNumber = Map.groupBy(files, ({ header }) => header.acquisitionNumber);
  const [first, ...others] = [...byNumber].sort(([a = 0], [b = 0]) => a - b)
    .map(([, images]) => images);
  const areWhole = first !== undefined && others.length > 0 && !byNumber.has(undefined) &&
    byNumber.size <= MAX_ACQUISITIONS && first.length >= MIN_SLICES_OF_IMAGE &&
    [first, ...others].every((image) => errorOf(image) === null) &&
    others.every((image) => image.length === first.length && doOverlap(first, image));
  return areWhole ? [first, ...others] : [];
}

/** Stack to assess, slices that are not part of it, and the attribute that differs. */
interface Parted {
  main: readonly InstanceFile[];
  strays: readonly (readonly [InstanceFile, Difference])[];
  /** set if acquisitions are mixed so that none of them may be used as the series */
  error: AppError | null;
}

/**
 * Leaves out slices of another acquisition, if the files of a series form a volume only
 * without them. That volume must have two thirds of the slices, or every image in the files must
 * be complete and show the same place: half of a head is never used as the series.
 */
export function partStrays(files: readonly InstanceFile[]): Parted {
  const whole: Parted = { main: files, strays: [], error: null };
  if (files.length < MIN_SLICES_OF_IMAGE) return whole;
  const error = errorOf(files);
  if (error === null || error.details.reason === "missing_slice") return whole;
  const [first, ...repeats] = error.details.what === "position" ? repeatedAcquisitions(files) : [];
  if (first) {
    const strays = repeats.flat().map((file) => [file, "acquisition number"] as const);
    return { main: first, strays, error: null };
  }
  const { acquisitions, difference } = acquisitionsOf(files);
  if (difference === null || acquisitions.length > MAX_ACQUISITIONS) return whole;
  const images = acquisitions.flatMap((image) => {
    if (image.length < MIN_SLICES_OF_IMAGE || errorOf(image) !== null) return [];
    return [{ image, stepMm: stackOf(slicesOf(image)).stepMm }];
  }).sort((a, b) => a.stepMm - b.stepMm || b.image.length - a.image.length);
  const largest = images.find(({ image }) => image.length >= MAIN_FRACTION * files.length);
  const areWhole = images.length === acquisitions.length &&
    images.every(({ image }) => doOverlap(images[0]!.image, image));
  const main = areWhole ? images[0] : largest;
  if (main) {
    const chosen = new Set(main.image), { header } = main.image[0]!;
    return {
      main: main.image,
      strays: files.filter((file) => !chosen.has(file)).map((file) => [
        file,
        differenceOf(header, file.header) ?? difference,
      ]),
      error: null,
    };
  }
  const isUneven = error.details.reason === "slice_gap" || error.details.what === "position";
  const what = difference, message = `Cannot stack slices: ${what} differs`;
  return isUneven ? { ...whole, error: rejected("mixed_slices", message, { what }) } : whole;
}

const imagesError = (what: Difference): AppError =>
  rejected("other_images", `Cannot use images: ${what} differs from the ones used`, { what });

/** Error of slices that are left out, although their series is used. */
export const strayError = (what: Difference): AppError =>
  // a repeated acquisition is an image of its own
  what === "acquisition number"
    ? imagesError(what)
    : rejected("other_acquisition", `Cannot use slices: ${what} differs from the series`, { what });

/**
 * Error for an image, such as a second echo, of a series in which another image is used.
 * @param used Header of the used image.
 */
export const otherImagesError = (used: InstanceHeader, header: InstanceHeader): AppError => {
  // files with equal attributes repeat the image
  const what: Difference = differenceOf(used, header) ?? "position";
  return imagesError(what);
};
