import dicomParser, { type DataSet } from "dicom-parser";

const PIXEL_DATA = "x7fe00010";

/**
 * Parses a file that this program wrote, up to the pixels. Limits for received files
 * are not applied: a segmentation of thin slices may exceed them.
 */
export const parseOwn = (bytes: Uint8Array): DataSet =>
  dicomParser.parseDicom(bytes, { untilTag: PIXEL_DATA });
