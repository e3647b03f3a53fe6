import { createHash } from "node:crypto";
import {
  type Dataset,
  type DicomFile,
  dicomFile,
} from "@/server/core/dicom/write/dataset_writer.ts";
import {
  derivedModules,
  type Maker,
  SOP_CLASS,
  sourceInstances,
} from "@/server/core/dicom/write/derived_object.ts";
import type { SourceSeries } from "@/server/core/dicom/read/source_series.ts";

/** A page as RGB pixels, row by row from the top. */
interface CapturedPage {
  width: number;
  height: number;
  rgb: Uint8Array<ArrayBuffer>;
}

/** Modules SC Equipment and image pixels, for an RGB image. */
export const captureModules = (
  sources: readonly SourceSeries[],
  width: number,
  height: number,
): Dataset => ({
  ImageType: ["DERIVED", "SECONDARY"],
  // WSD: the image was made by a workstation
  ConversionType: "WSD",
  PatientOrientation: "",
  // unpaired body part (PS3.16 Annex L), so that no laterality is required
  BodyPartExamined: "BRAIN",
  // burned-in identity: pages contain the patient's name, and key images may
  BurnedInAnnotation: "YES",
  SourceImageSequence: sources.flatMap((source) => sourceInstances(source).slice(0, 1)),
  SamplesPerPixel: 3,
  PhotometricInterpretation: "RGB",
  PlanarConfiguration: 0,
  Rows: height,
  Columns: width,
  BitsAllocated: 8,
  BitsStored: 8,
  HighBit: 7,
  PixelRepresentation: 0,
  LossyImageCompression: "00",
});

/**
 * One page of a report as Secondary Capture (PS3.3 A.8.1), for archives that display no documents.
 * All pages of one report form a series.
 *
 * @param pdf  The whole report, from which UIDs are derived.
 * @param at   Number of the page, from 0.
 */
export function secondaryCaptureFile(
  { sources, maker, pdf, at, page: { width, height, rgb } }: {
    sources: readonly SourceSeries[];
    maker: Maker;
    pdf: Uint8Array;
    at: number;
    page: CapturedPage;
  },
): DicomFile {
  const report = createHash("sha256").update(pdf).digest("hex");
  const modulesOf = (content: readonly (string | number)[]) =>
    derivedModules(sources[0]!, maker, {
      sopClassUid: SOP_CLASS.secondaryCapture,
      modality: "OT",
      kind: "PAGES",
      content,
      seriesNumber: 9105,
      description: "Sulcus: report pages",
    });
  const { SeriesInstanceUID } = modulesOf([report]);
  return dicomFile({
    ...modulesOf([report, at]),
    SeriesInstanceUID,
    ...captureModules(sources, width, height),
    InstanceNumber: at + 1,
  }, {
    sizeBytes: rgb.length,
    *chunks() {
      yield rgb;
    },
  });
}
