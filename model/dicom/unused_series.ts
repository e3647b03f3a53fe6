// Series that are not analysed whatever their contrast: by the same rules in the server and in the
// page that uploads.
import type { SeriesKind } from "@/model/dicom/classify.ts";

/** Fewest slices of a volume. FLAIR: at its largest step (6 mm) 20 slices cover a brain. */
export const MIN_SLICES: Readonly<Record<SeriesKind, number>> = { t1: 40, t2: 20 };

/** Names and kind of a series, as its headers give them. */
interface SeriesName {
  seriesDescription: string;
  protocolName: string;
  imageType: readonly string[];
}

const LOCALIZER = /(?<![a-z])(3[- ]?pl(ane)?|loc)(?![a-z])|scout|survey|smartbrain|lo[ck]ali[sz]/i;

/**
 * The name of the protocol may be that of the whole examination: it counts where the series has
 * none.
 */
export const isLocalizer = (h: SeriesName): boolean =>
  h.imageType.includes("LOCALIZER") || LOCALIZER.test(h.seriesDescription || h.protocolName);

/**
 * Parts of Image Type that mark anything but a magnitude image. Reformats (MPR) are magnitude
 * images.
 */
const DERIVED = new Set([
  "P",
  "PHASE",
  "PHASE MAP",
  "R",
  "REAL",
  "I",
  "IMAGINARY",
  "ADC",
  "ADC_MAP",
  "EADC",
  "FA",
  "SUB",
  "SUBTRACT",
  "SUBTRACTION",
  "PROJECTION IMAGE",
  "PROJECTED",
  "MIP",
  "MNIP",
  "MINIP",
  "MIN IP",
  "COLLAPSE",
  "SCREEN SAVE",
  "SCREENSHOT",
  "T1 MAP",
  "T1_MAP",
  "T2 MAP",
  "T2_MAP",
  // slices beside one another in one picture
  "MOSAIC",
]);
/** Names of computed series, for those that have a plain Image Type. */
const DERIVED_NAME =
  /(?<![a-z])(mip|m(?:in|n)ip|subtraction|adc|eadc)(?![a-z])|(?<=[ _])sub(?![a-z0-9-]|_[0-9])/i;

/**
 * The part of Image Type or description that marks a computed series; `undefined` of an acquired
 * one.
 */
export function derivationOf({ imageType, seriesDescription }: SeriesName): string | undefined {
  return imageType.slice(2).find((part) => DERIVED.has(part)) ??
    DERIVED_NAME.exec(seriesDescription)?.[0];
}
