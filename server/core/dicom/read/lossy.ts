import type { ParsedDataSet } from "@/server/core/dicom/read/instance.ts";

/**
 * Transfer syntaxes that are always lossy: JPEG baseline and extended, JPEG-LS near-lossless.
 * JPEG 2000 (4.91) and HTJ2K (4.203) may be lossy or lossless.
 */
const ALWAYS_LOSSY = new Set(["50", "51", "81"].map((last) => `1.2.840.10008.1.2.4.${last}`));
const SOMETIMES_LOSSY = new Set(["91", "203"].map((last) => `1.2.840.10008.1.2.4.${last}`));
const LOSSY_IMAGE_COMPRESSION = "x00282110";

/** Whether decoders may give different pixel values for a transfer syntax (lossy compression). */
export const isLossySyntax = (transferSyntax: string): boolean =>
  ALWAYS_LOSSY.has(transferSyntax) || SOMETIMES_LOSSY.has(transferSyntax);

/**
 * Whether a file's pixels were ever compressed lossily, by transfer syntax or header:
 * the header keeps this information after the pixels are decompressed.
 * @see PS3.3 C.7.6.1.1.5, Lossy Image Compression.
 */
export const isLossy = ({ dataSet, transferSyntax }: ParsedDataSet): boolean =>
  ALWAYS_LOSSY.has(transferSyntax) || dataSet.string(LOSSY_IMAGE_COMPRESSION)?.trim() === "01";
