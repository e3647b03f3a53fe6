import type { ParsedDataSet } from "@/server/core/dicom/read/instance.ts";

/**
 * Transfer syntaxes that are always lossy: JPEG baseline and extended, JPEG-LS near-lossless.
 * JPEG 2000 (4.91) may be lossy or lossless.
 */
const ALWAYS_LOSSY = new Set(["50", "51", "81"].map((last) => `1.2.840.10008.1.2.4.${last}`));
const LOSSY_IMAGE_COMPRESSION = "x00282110";

/** Whether decoders may give different values for frames of a transfer syntax. */
export const isLossySyntax = (transferSyntax: string): boolean =>
  ALWAYS_LOSSY.has(transferSyntax) || transferSyntax === "1.2.840.10008.1.2.4.91";

/**
 * Whether the pixels of a file have ever been compressed lossily, by transfer syntax or header.
 * The header keeps this information after decompression.
 * @see PS3.3 C.7.6.1.1.5, Lossy Image Compression.
 */
export const isLossy = ({ dataSet, transferSyntax }: ParsedDataSet): boolean =>
  ALWAYS_LOSSY.has(transferSyntax) || dataSet.string(LOSSY_IMAGE_COMPRESSION)?.trim() === "01";
