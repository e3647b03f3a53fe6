import type { ParsedDataSet } from "@/server/core/dicom/read/instance.ts";

/**
 * JPEG baseline and extended, JPEG-LS near-lossless: never without loss. JPEG 2000 (4.91) may be
 * either.
 */
const ALWAYS_LOSSY = new Set(["50", "51", "81"].map((last) => `1.2.840.10008.1.2.4.${last}`));
const LOSSY_IMAGE_COMPRESSION = "x00282110";

/** Whether frames of a transfer syntax differ by the decoder. */
export const isLossySyntax = (transferSyntax: string): boolean =>
  ALWAYS_LOSSY.has(transferSyntax) || transferSyntax === "1.2.840.10008.1.2.4.91";

/**
 * Whether the pixels of a file have ever been compressed with loss: by the way they are stored, or
 * by the header, which stays true when they are unpacked.
 * @see PS3.3 C.7.6.1.1.5, Lossy Image Compression.
 */
export const isLossy = ({ dataSet, transferSyntax }: ParsedDataSet): boolean =>
  ALWAYS_LOSSY.has(transferSyntax) || dataSet.string(LOSSY_IMAGE_COMPRESSION)?.trim() === "01";
