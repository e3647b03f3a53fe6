import dicomParser, { type DataSet } from "dicom-parser";

const PIXEL_DATA = "x7fe00010";

/**
 * Parses a file that this program has written, up to its pixels, without the limits for external
 * files, which a segmentation of thin slices may exceed.
 */
export const parseOwn = (bytes: Uint8Array): DataSet =>
  dicomParser.parseDicom(bytes, { untilTag: PIXEL_DATA });
