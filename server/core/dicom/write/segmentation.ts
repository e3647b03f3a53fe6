import { type Code, code, codeItem, ownSchemes } from "@/server/core/dicom/write/codes.ts";
import { cielabValue } from "@/server/core/dicom/write/cielab.ts";
import {
  type Dataset,
  type DicomFile,
  dicomFile,
  type PixelSource,
} from "@/server/core/dicom/write/dataset_writer.ts";
import {
  algorithmItem,
  algorithmOf,
  derivedModules,
  type Maker,
  referencedSeries,
  SOP_CLASS,
} from "@/server/core/dicom/write/derived_object.ts";
import { derivedFrom, stackItem } from "@/server/core/dicom/write/frame_items.ts";
import type { SourceSeries, SourceSlice } from "@/server/core/dicom/read/source_series.ts";
import { uidOf } from "@/server/core/dicom/write/uid.ts";

/** One segment of a segmentation: the voxels with one label. */
export interface Segment {
  /** value of the segment's voxels in the label map, > 0 */
  label: number;
  name: string;
  description: string;
  category: Code;
  type: Code;
  /** code of the structure's laterality or location */
  modifier: Code | null;
  /** code of the anatomical region, for a structure with a private code */
  within: Code | null;
  rgb: readonly [number, number, number];
  /** whether readers have corrected voxels of the segment */
  isCorrected?: boolean;
}

/**
 * Description of a segmentation, without its voxels.
 * The description determines the UIDs, so that other objects can refer to the segmentation.
 */
export interface SegmentationSubject {
  source: SourceSeries;
  maker: Maker;
  /** content label of the DICOM object */
  kind: "REGIONS" | "LESIONS" | "CHANGES";
  description: string;
  seriesNumber: number;
  family: Code;
  /** segments, numbered 1, 2, … in this order */
  segments: readonly Segment[];
  /** identifies the label map and all other inputs; UIDs are derived from it */
  mapIdentity: string;
  /** text from which tracking identifiers are derived; default: the label map's */
  tracking?: string;
  /**
   * true: Label Map Segmentation with one byte per voxel (PS3.3 2024, Supplement 243);
   * false: one bit per voxel and segment
   */
  isLabelMap: boolean;
}

const SEGMENTATION = code("DCM", "113076", "Segmentation");

const classOf = ({ isLabelMap }: SegmentationSubject): string =>
  isLabelMap ? SOP_CLASS.labelMapSegmentation : SOP_CLASS.segmentation;

const modulesOf = (subject: SegmentationSubject) => {
  const { source, maker, kind, description, seriesNumber, segments, mapIdentity, isLabelMap } =
    subject;
  const slices = source.slices.map(({ sopInstanceUid }) => sopInstanceUid);
  return derivedModules(source, maker, {
    sopClassUid: classOf(subject),
    modality: "SEG",
    kind,
    content: [mapIdentity, ...slices, segments.length, ...isLabelMap ? ["label map"] : []],
    seriesNumber,
    description,
  });
};

/** References to a segmentation and its segments, which other objects contain. */
export function segmentationReference(subject: SegmentationSubject): {
  sopClassUid: string;
  sopInstanceUid: string;
  seriesUid: string;
  /** segment number of each label */
  segmentNumbers: ReadonlyMap<number, number>;
} {
  const modules = modulesOf(subject);
  return {
    sopClassUid: classOf(subject),
    sopInstanceUid: String(modules.SOPInstanceUID),
    seriesUid: String(modules.SeriesInstanceUID),
    segmentNumbers: new Map(subject.segments.map(({ label }, at) => [label, at + 1])),
  };
}

/** Tracking identifier of a structure, the same in segmentation and measurement report. */
export const trackingUid = (
  { source, kind, mapIdentity, tracking = mapIdentity }: SegmentationSubject,
  label: number,
): string => uidOf("tracking", source.seriesUid, kind, tracking, label);

function segmentItem(subject: SegmentationSubject, segment: Segment, number: number): Dataset {
  const { name } = algorithmOf(subject.maker.engine);
  return {
    SegmentNumber: number,
    SegmentLabel: segment.name.slice(0, 64),
    SegmentDescription: segment.description,
    SegmentAlgorithmType: segment.isCorrected ? "SEMIAUTOMATIC" : "AUTOMATIC",
    SegmentAlgorithmName: name.slice(0, 64),
    SegmentationAlgorithmIdentificationSequence: [
      algorithmItem(subject.maker.engine, subject.family),
    ],
    SegmentedPropertyCategoryCodeSequence: [codeItem(segment.category)],
    SegmentedPropertyTypeCodeSequence: [{
      ...codeItem(segment.type),
      ...(segment.modifier
        ? { SegmentedPropertyTypeModifierCodeSequence: [codeItem(segment.modifier)] }
        : {}),
    }],
    ...(segment.within ? { AnatomicRegionSequence: [codeItem(segment.within)] } : {}),
    RecommendedDisplayCIELabValue: cielabValue(segment.rgb),
    TrackingID: segment.name,
    TrackingUID: trackingUid(subject, segment.label),
  };
}

/** Code of the background in a label map (PS3.16 CID 7151). */
const BACKGROUND = code("DCM", "125040", "Background");
const backgroundItem: Dataset = {
  SegmentNumber: 0,
  SegmentLabel: "Background",
  SegmentAlgorithmType: "AUTOMATIC",
  SegmentAlgorithmName: "Sulcus",
  SegmentedPropertyCategoryCodeSequence: [codeItem(BACKGROUND)],
  SegmentedPropertyTypeCodeSequence: [codeItem(BACKGROUND)],
};

/** One frame: a segment's voxels in a slice; in a label map, all segments' voxels in a slice. */
interface Frame {
  /** the frame's segment; `null` in a label map */
  segmentNumber: number | null;
  label: number;
  slice: number;
  /** first and last index of the frame's voxels within the slice */
  first: number;
  last: number;
}

/** Frames by segment, then by slice; slices without voxels of the segment have no frame. */
function framesOf(labels: Uint8Array, { source, segments }: SegmentationSubject): Frame[] {
  const { rows, columns, slices } = source, size = rows * columns;
  const voxelRanges = slices.map((_, slice) => {
    const first = new Int32Array(256).fill(-1), last = new Int32Array(256);
    for (let v = 0, at = slice * size; v < size; v++, at++) {
      const label = labels[at]!;
      if (label === 0) continue;
      if (first[label]! < 0) first[label] = v;
      last[label] = v;
    }
    return { first, last };
  });
  return segments.flatMap(({ label }, at) =>
    voxelRanges.flatMap(({ first, last }, slice) =>
      first[label]! < 0
        ? []
        : [{ segmentNumber: at + 1, label, slice, first: first[label]!, last: last[label]! }]
    )
  );
}

/** Slices that contain voxels of any segment. */
function slicesOf(labels: Uint8Array, subject: SegmentationSubject): Frame[] {
  const { rows, columns, slices } = subject.source, size = rows * columns;
  const isOfSegment = new Uint8Array(256);
  for (const { label } of subject.segments) isOfSegment[label] = 1;
  return slices.flatMap((_, slice) => {
    const start = slice * size,
      has = labels.subarray(start, start + size).some((label) => isOfSegment[label]);
    return has ? [{ segmentNumber: null, label: 0, slice, first: 0, last: size - 1 }] : [];
  });
}

/** Number of frames packed in one step: 8 frames of any size end on a byte border. */
const FRAMES_PER_BATCH = 8;

/**
 * Packs one bit per voxel, lowest bit first, frames without gaps (PS3.5 §8.1.1, annex D).
 */
function pack(labels: Uint8Array, frames: readonly Frame[], size: number): PixelSource {
  return {
    sizeBytes: Math.ceil(frames.length * size / 8),
    *chunks() {
      for (let from = 0; from < frames.length; from += FRAMES_PER_BATCH) {
        const batch = frames.slice(from, from + FRAMES_PER_BATCH);
        const bytes = new Uint8Array(Math.ceil(batch.length * size / 8));
        for (const [at, { label, slice, first, last }] of batch.entries()) {
          for (let v = first, bit = at * size + first; v <= last; v++, bit++) {
            if (labels[slice * size + v] === label) bytes[bit >> 3]! |= 1 << (bit & 7);
          }
        }
        yield bytes;
      }
    },
  };
}

/** Segment numbers of voxels, one byte each, slice after slice. */
function numbers(
  labels: Uint8Array,
  frames: readonly Frame[],
  segments: readonly Segment[],
  size: number,
): PixelSource {
  const numberOf = new Uint8Array(256);
  segments.forEach(({ label }, at) => numberOf[label] = at + 1);
  return {
    sizeBytes: frames.length * size,
    *chunks() {
      for (const { slice } of frames) {
        yield labels.slice(slice * size, (slice + 1) * size).map((label) => numberOf[label]!);
      }
    },
  };
}

function frameItem(source: SourceSeries, frame: Frame): Dataset {
  const slice: SourceSlice = source.slices[frame.slice]!;
  return {
    DerivationImageSequence: [derivedFrom(source, slice, SEGMENTATION)],
    FrameContentSequence: [{
      DimensionIndexValues: [
        ...frame.segmentNumber === null ? [] : [frame.segmentNumber],
        frame.slice + 1,
      ],
    }],
    PlanePositionSequence: [{ ImagePositionPatient: slice.positionLpsMm }],
    ...(frame.segmentNumber === null
      ? {}
      : { SegmentIdentificationSequence: [{ ReferencedSegmentNumber: frame.segmentNumber }] }),
  };
}

/** Attributes of the pixel format, and of the meaning of pixel values. */
const encodingOf = ({ isLabelMap }: SegmentationSubject): Dataset =>
  isLabelMap
    ? {
      BitsAllocated: 8,
      BitsStored: 8,
      HighBit: 7,
      PixelPaddingValue: 0,
      SegmentationType: "LABELMAP",
      SegmentsOverlap: "NO",
    }
    : { BitsAllocated: 1, BitsStored: 1, HighBit: 0, SegmentationType: "BINARY" };

/**
 * A label map as DICOM Segmentation (PS3.3 A.51) or Label Map Segmentation,
 * on the slices of the source series.
 *
 * @param labels Label map on the source's grid: [columns, rows, slices], i fastest, source order.
 * @throws {RangeError} if the label map has another size, or no voxel of any segment.
 */
export function segmentationFile(subject: SegmentationSubject, labels: Uint8Array): DicomFile {
  const { source, segments, kind, isLabelMap } = subject, size = source.rows * source.columns;
  if (labels.length !== size * source.slices.length) {
    throw new RangeError("Cannot segment: sizes differ");
  }
  const frames = isLabelMap ? slicesOf(labels, subject) : framesOf(labels, subject);
  if (frames.length === 0) throw new RangeError("Cannot segment: no voxel of any segment");
  const dimensionUid = uidOf("dimensions", source.seriesUid, kind);
  const items = segments.map((segment, at) => segmentItem(subject, segment, at + 1));
  return dicomFile({
    ...modulesOf(subject),
    ...ownSchemes(segments.flatMap(({ type, modifier }) => modifier ? [type, modifier] : [type])),
    ImageType: ["DERIVED", "PRIMARY"],
    FrameOfReferenceUID: source.frameOfReferenceUid,
    PositionReferenceIndicator: source.positionReference,
    ContentLabel: kind,
    ContentDescription: subject.description,
    ContentCreatorName: "",
    Rows: source.rows,
    Columns: source.columns,
    NumberOfFrames: frames.length,
    SamplesPerPixel: 1,
    PhotometricInterpretation: "MONOCHROME2",
    PixelRepresentation: 0,
    LossyImageCompression: "00",
    ...encodingOf(subject),
    SegmentSequence: isLabelMap ? [backgroundItem, ...items] : items,
    DimensionOrganizationSequence: [{ DimensionOrganizationUID: dimensionUid }],
    DimensionIndexSequence: [
      ...isLabelMap ? [] : [{
        DimensionOrganizationUID: dimensionUid,
        DimensionIndexPointer: 0x0062000b,
        FunctionalGroupPointer: 0x0062000a,
        DimensionDescriptionLabel: "Segment",
      }],
      {
        DimensionOrganizationUID: dimensionUid,
        DimensionIndexPointer: 0x00200032,
        FunctionalGroupPointer: 0x00209113,
        DimensionDescriptionLabel: "Slice",
      },
    ],
    ReferencedSeriesSequence: referencedSeries(source, "ReferencedInstanceSequence"),
    SharedFunctionalGroupsSequence: [stackItem(source)],
    PerFrameFunctionalGroupsSequence: frames.map((frame) => frameItem(source, frame)),
  }, isLabelMap ? numbers(labels, frames, segments, size) : pack(labels, frames, size));
}
