// Functional groups of multi-frame images on the slices of a source series (PS3.3 C.7.6.16.2).
import { type Code, code, codeItem } from "@/server/core/dicom/write/codes.ts";
import type { Dataset } from "@/server/core/dicom/write/dataset_writer.ts";
import type { SourceSeries, SourceSlice } from "@/server/core/dicom/read/source_series.ts";

const SOURCE_IMAGE = code("DCM", "121322", "Source image for image processing operation");

/** Item of Derivation Image Sequence: source slice of a frame, and how the frame was derived. */
export const derivedFrom = (
  { sopClassUid }: SourceSeries,
  { sopInstanceUid, frameNumber }: SourceSlice,
  how: Code,
): Dataset => ({
  DerivationCodeSequence: [codeItem(how)],
  SourceImageSequence: [{
    ReferencedSOPClassUID: sopClassUid,
    ReferencedSOPInstanceUID: sopInstanceUid,
    ReferencedFrameNumber: frameNumber,
    PurposeOfReferenceCodeSequence: [codeItem(SOURCE_IMAGE)],
  }],
});

/** Orientation and pixel spacing, which are the same for all slices of a stack. */
export function stackItem({ slices, sliceThicknessMm }: SourceSeries): Dataset {
  const first = slices[0]!, last = slices.at(-1)!;
  const length = Math.hypot(
    ...first.positionLpsMm.map((mm, axis) => last.positionLpsMm[axis]! - mm),
  );
  const stepMm = Math.round(length / (slices.length - 1) * 1e6) / 1e6;
  return {
    PlaneOrientationSequence: [{ ImageOrientationPatient: first.orientationLps.flat() }],
    PixelMeasuresSequence: [{
      SliceThickness: sliceThicknessMm ?? stepMm,
      SpacingBetweenSlices: stepMm,
      PixelSpacing: first.pixelSpacingMm,
    }],
  };
}
