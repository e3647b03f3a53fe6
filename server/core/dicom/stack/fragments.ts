/** Assigns fragments of encapsulated pixel data (PS3.5 A.4) to frames. */
import dicomParser, { type DataSet } from "dicom-parser";

/**
 * Compressed bytes of a frame, which may be stored in several fragments.
 * @param frame Number from 0. @returns `undefined` if the file has no fragments.
 * @throws the parser's errors when the fragments do not match the number of frames.
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
