// Detects series that are not analysed, whatever their contrast.
// The server and the upload page use these rules alike.
import type { SeriesKind } from "@/model/dicom/classify.ts";

/**
 * Minimum number of slices of a volume.
 * For FLAIR, 20 slices at the largest spacing (6 mm) cover a brain.
 */
export const MIN_SLICES: Readonly<Record<SeriesKind, number>> = { t1: 40, t2: 20 };

/** Texts and kind of a series, from its DICOM headers. */
interface SeriesName {
  seriesDescription: string;
  protocolName: string;
  imageType: readonly string[];
}

const LOCALIZER = /(?<![a-z])(3[- ]?pl(ane)?|loc)(?![a-z])|scout|survey|smartbrain|lo[ck]ali[sz]/i;

/**
 * Whether a series is a localizer. The protocol name may describe the whole examination,
 * so it is used only for a series without a description.
 */
export const isLocalizer = (h: SeriesName): boolean =>
  h.imageType.includes("LOCALIZER") || LOCALIZER.test(h.seriesDescription || h.protocolName);

/**
 * Parts of Image Type that mark anything but a magnitude image.
 * Multiplanar reformats (MPR) count as magnitude images.
 */
const DERIVED = new Set([
  "P",
  "PHASE",
  "R",
  "REAL",
  "I",
  "IMAGINARY",
  "ADC",
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
  // measured quantities that are not named a map: relaxation, susceptibility, perfusion
  "R1",
  "R2",
  "R2*",
  "R2STAR",
  "R2_STAR",
  "QSM",
  "CHI",
  "CBF",
  "CBV",
  "RCBF",
  "RCBV",
  "RELCBF",
  "RELCBV",
  "REL_CBF",
  "REL_CBV",
  "MTT",
  "TTP",
  "TMAX",
  "KTRANS",
  "KEP",
  "IAUC",
  "WASHIN",
  "WASH_IN",
  "WASHOUT",
  "WASH_OUT",
  // results of segmentation
  "LABEL",
  "LABELS",
  "MASK",
  "SEGMENTATION",
  // Dixon images of fat, and of water and fat in opposed phase, by several manufacturers
  "FAT",
  "F",
  "FAT_FRACTION",
  "FF",
  "OPP_PHASE",
  "OUT_PHASE",
  "OP",
  // mosaics: several slices side by side in one image
  "MOSAIC",
]);
/** Maps of measured quantities, by several spellings: "T1 MAP", "T1_MAP", "T1MAP", "QMAP". */
const MAP = /MAPS?$/;
/** Words in the names of computed series, needed where Image Type does not mark them. */
const DERIVED_NAME =
  /(?<![a-z])(mip|m(?:in|n)ip|subtraction|adc|eadc)(?![a-z])|(?<=[ _])sub(?![a-z0-9-]|_[0-9])/i;

/**
 * Part of Image Type or description that marks a computed series;
 * `undefined` for an acquired series.
 */
export function derivationOf({ imageType, seriesDescription }: SeriesName): string | undefined {
  return imageType.slice(2).find((part) => DERIVED.has(part) || MAP.test(part)) ??
    DERIVED_NAME.exec(seriesDescription)?.[0];
}
