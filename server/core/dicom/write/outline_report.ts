import { code } from "@/server/core/dicom/write/codes.ts";
import {
  type Dataset,
  type DicomFile,
  dicomFile,
} from "@/server/core/dicom/write/dataset_writer.ts";
import { derivedModules, type Maker, SOP_CLASS } from "@/server/core/dicom/write/derived_object.ts";
import {
  documentModules,
  evidence,
  group,
  type MeasuredStructure,
} from "@/server/core/dicom/write/measurement_report.ts";
import { outlinesOf } from "@/server/core/dicom/write/outline.ts";
import { container, context, imageLibrary, item } from "@/server/core/dicom/write/sr_items.ts";
import type { Signature } from "@/server/core/dicom/write/verification.ts";
import type { SourceSeries, SourceSlice } from "@/server/core/dicom/read/source_series.ts";

const IMAGE_REGION = code("DCM", "111030", "Image Region");
/** Maximum vertices of a line: a value of VR FL has less than 64 KiB here, 8 bytes per vertex. */
const MAX_VERTICES = 8000;
/** Limits of a document, within which this program and other readers with size limits accept it. */
export const MAX_OUTLINES = 5000;
const MAX_DOCUMENT_VERTICES = 500_000;

/** Structures of a series, marked by labels in its slices. */
export interface OutlineReport {
  source: SourceSeries;
  maker: Maker;
  structures: readonly { structure: MeasuredStructure; label: number }[];
  /** label map on the slices of the source series: shape [columns, rows, slices] */
  labels: Uint8Array;
  /** `null`: not signed, or the results have changed since */
  signature: Signature | null;
}

/** Outlines of a label in each slice, in units of columns and rows. */
function* regionsOf(
  { source: { rows, columns, slices }, labels }: OutlineReport,
  label: number,
): Generator<{ slice: SourceSlice; points: number[] }> {
  const size = rows * columns, box = { left: 0, top: 0, right: columns, bottom: rows };
  for (const [at, slice] of slices.entries()) {
    const image = labels.subarray(at * size, (at + 1) * size);
    if (!image.includes(label)) continue;
    const isMarked = (x: number, y: number) => image[y * columns + x] === label;
    for (const points of outlinesOf(isMarked, box, MAX_VERTICES)) yield { slice, points };
  }
}

/** Closed polyline in an image with its upper left corner at 0\\0 (PS3.3 C.18.6.1.1). */
const regionItem = ({ sopClassUid }: SourceSeries, slice: SourceSlice, points: number[]): Dataset =>
  item("CONTAINS", "SCOORD", IMAGE_REGION, {
    GraphicData: [...points, points[0]!, points[1]!],
    GraphicType: "POLYLINE",
    ContentSequence: [{
      RelationshipType: "SELECTED FROM",
      ValueType: "IMAGE",
      ReferencedSOPSequence: [{
        ReferencedSOPClassUID: sopClassUid,
        ReferencedSOPInstanceUID: slice.sopInstanceUid,
        ReferencedFrameNumber: slice.frameNumber,
      }],
    }],
  });

/**
 * Outlines of structures in the slices, for viewers that cannot show segmentations.
 * The object is a Comprehensive 3D SR by TID 1500, with volumetric regions (TID 1411).
 * @returns `null` if no pixel is marked, or if there are more outlines than readers accept.
 */
export function outlineReportFile(report: OutlineReport): DicomFile | null {
  const { source, maker, structures, signature } = report, groups: Dataset[] = [];
  let outlines = 0, vertices = 0;
  for (const { structure, label } of structures) {
    const regions: Dataset[] = [];
    for (const { slice, points } of regionsOf(report, label)) {
      outlines++;
      vertices += points.length / 2;
      if (outlines > MAX_OUTLINES || vertices > MAX_DOCUMENT_VERTICES) return null;
      regions.push(regionItem(source, slice, points));
    }
    if (regions.length > 0) groups.push(group(structure, regions));
  }
  if (groups.length === 0) return null;
  const content = [
    ...context(maker),
    imageLibrary([source]),
    container(code("DCM", "126010", "Imaging Measurements"), groups),
  ];
  const modules = derivedModules(source, maker, {
    sopClassUid: SOP_CLASS.comprehensive3dSr,
    modality: "SR",
    kind: "OUTLINES",
    content: [JSON.stringify(content), JSON.stringify(signature)],
    seriesNumber: 9109,
    description: "Sulcus: outlines of white matter hyperintensities",
  });
  return dicomFile({
    ...modules,
    ...documentModules(content, evidence({ sources: [source], segmentations: [] }), signature),
  });
}
