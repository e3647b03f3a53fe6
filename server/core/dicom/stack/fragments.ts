/** Encapsulated pixel data (PS3.5 A.4): which fragments belong to which frame. */
import dicomParser, { type DataSet } from "dicom-parser";

/**
 * The compressed bytes of a frame, its fragments joined.
 * @param frame From 0. @returns `undefined` when the file has no fragments.
 * @throws the parser's own errors when the fragments do not fit the number of frames.
 */
export function compressedFrame(
  dataSet: DataSet,
  frameCount: number,
  frame: number,
): Uint8Array | undefined {
  const element = dataSet.elements.x7fe00010, fragments = element?.fragments ?? [];
  if (!element || fragments.length === 0) return undefined;
  const bytes = frameCount === 1
    ? dicomParser.readEncapsulatedPixelDataFromFragments(dataSet, element, 0, fragments.length)
    : fragments.length === frameCount
    ? dicomParser.readEncapsulatedPixelDataFromFragments(dataSet, element, frame, 1)
    : dicomParser.readEncapsulatedImageFrame(
      dataSet,
      element,
      frame,
      element.basicOffsetTable?.length
        ? undefined
        : dicomParser.createJPEGBasicOffsetTable(dataSet, element),
    );
  return new Uint8Array(bytes);
}
