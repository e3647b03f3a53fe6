import dicomParser, { type DataSet } from "dicom-parser";

const PIXEL_DATA = "x7fe00010";

/**
 * Parses a file that this program has written, up to the pixels. The limits for external files
 * are not applied: a segmentation of thin slices may exceed the limits.
 */
export const parseOwn = (bytes: Uint8Array): DataSet =>
  dicomParser.parseDicom(bytes, { untilTag: PIXEL_DATA });
