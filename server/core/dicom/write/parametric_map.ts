import {
  type Code,
  code,
  codeItem,
  MILLIMETRE,
  ownSchemes,
  PERCENT,
  PERCENTILE,
  THICKNESS,
  VOLUME,
} from "@/server/core/dicom/write/codes.ts";
import {
  type Dataset,
  type DicomFile,
  dicomFile,
  type PixelSource,
} from "@/server/core/dicom/write/dataset_writer.ts";
import {
  derivedModules,
  type Maker,
  referencedSeries,
  SOP_CLASS,
} from "@/server/core/dicom/write/derived_object.ts";
import { derivedFrom, stackItem } from "@/server/core/dicom/write/frame_items.ts";
import type { SourceSeries } from "@/server/core/dicom/read/source_series.ts";
import { uidOf } from "@/server/core/dicom/write/uid.ts";

const SEGMENTATION = code("DCM", "113076", "Segmentation");
const QUANTITY = code("SCT", "246205007", "Quantity");
const OF_QUANTITY = code("99SULCUS", "RANKED", "Measurement that is ranked");
const BRAIN = code("SCT", "12738006", "Brain");
/** Image Type and Frame Type of a map that shows a quantity per voxel (PS3.3 C.8.16.1). */
const IMAGE_TYPE = ["DERIVED", "PRIMARY", "VOLUME", "QUANTITY"];

/** Quantities that a parametric map can show, by content label. */
const QUANTITIES = {
  THICKNESS: {
    description: "Sulcus: cortical thickness",
    explanation: "Cortical thickness, mm",
    seriesNumber: 9110,
    quantity: THICKNESS,
    ranked: null,
    unit: MILLIMETRE,
    /** lowest and highest value of the declared unit and the default window */
    range: [0, 5],
  },
  PERCENTILES: {
    description: "Sulcus: percentile of each region's volume",
    explanation: "Percentile of the region's volume among healthy people",
    seriesNumber: 9111,
    quantity: PERCENTILE,
    ranked: VOLUME,
    unit: PERCENT,
    range: [0, 100],
  },
} as const;

/** A map that shows a quantity on the slices of a series. */
export interface ParametricMap {
  source: SourceSeries;
  maker: Maker;
  kind: keyof typeof QUANTITIES;
  /** identifies codes and values; UIDs of the map are derived from it */
  identity: string;
  /** code of each voxel on the slices of the source series: [columns, rows, slices], i fastest */
  codes: Uint8Array;
  /** value that each of the 256 codes means; NaN: no value */
  values: Float32Array;
  /** content description, at most 64 characters; default: series description */
  contentDescription?: string;
  /** text about method, limits and norms, at most 1,024 characters */
  derivation: string;
}

/** Slices from the first with a value to the last; empty if no voxel has a value. */
function framesOf({ source, codes, values }: ParametricMap): number[] {
  const size = source.rows * source.columns;
  const isValue = Uint8Array.from(values, (value) => Number.isNaN(value) ? 0 : 1);
  let first = -1, last = -1;
  for (let v = 0; v < codes.length; v++) {
    if (isValue[codes[v]!] === 0) continue;
    last = Math.floor(v / size);
    if (first < 0) first = last;
    // one voxel with a value suffices, so the other voxels of the slice are skipped
    v = (last + 1) * size - 1;
  }
  return first < 0 ? [] : Array.from({ length: last - first + 1 }, (_, n) => first + n);
}

/** Map values as 32-bit floats, little-endian, slice after slice. */
function floats({ source, codes, values }: ParametricMap, frames: readonly number[]): PixelSource {
  const size = source.rows * source.columns;
  return {
    element: "FloatPixelData",
    sizeBytes: 4 * size * frames.length,
    *chunks() {
      for (const slice of frames) {
        const bytes = new Uint8Array(4 * size), view = new DataView(bytes.buffer);
        for (let v = 0, at = slice * size; v < size; v++, at++) {
          view.setFloat32(4 * v, values[codes[at]!]!, true);
        }
        yield bytes;
      }
    },
  };
}

const coded = (name: Code, value: Code): Dataset => ({
  ValueType: "CODE",
  ConceptNameCodeSequence: [codeItem(name)],
  ConceptCodeSequence: [codeItem(value)],
});

/** Functional groups that all frames share (PS3.3 A.75.5). */
function sharedItem(map: ParametricMap): Dataset {
  const { explanation, quantity, ranked, unit, range: [low, high] } = QUANTITIES[map.kind];
  return {
    ...stackItem(map.source),
    FrameAnatomySequence: [{ FrameLaterality: "B", AnatomicRegionSequence: [codeItem(BRAIN)] }],
    PixelValueTransformationSequence: [{
      RescaleIntercept: 0,
      RescaleSlope: 1,
      RescaleType: "US",
    }],
    FrameVOILUTSequence: [{
      WindowCenter: (low + high) / 2,
      WindowWidth: high - low,
      VOILUTFunction: "LINEAR_EXACT",
    }],
    RealWorldValueMappingSequence: [{
      LUTExplanation: explanation,
      LUTLabel: map.kind,
      MeasurementUnitsCodeSequence: [codeItem(unit)],
      DoubleFloatRealWorldValueFirstValueMapped: low,
      DoubleFloatRealWorldValueLastValueMapped: high,
      QuantityDefinitionSequence: [
        coded(QUANTITY, quantity),
        ...ranked ? [coded(OF_QUANTITY, ranked)] : [],
      ],
      RealWorldValueIntercept: 0,
      RealWorldValueSlope: 1,
    }],
    ParametricMapFrameTypeSequence: [{ FrameType: IMAGE_TYPE }],
  };
}

function frameItem({ source, derivation }: ParametricMap, index: number): Dataset {
  const slice = source.slices[index]!;
  return {
    DerivationImageSequence: [{
      DerivationDescription: derivation,
      ...derivedFrom(source, slice, SEGMENTATION),
    }],
    FrameContentSequence: [{ DimensionIndexValues: [index + 1] }],
    PlanePositionSequence: [{ ImagePositionPatient: slice.positionLpsMm }],
  };
}

/**
 * A map as DICOM Parametric Map with float pixels (PS3.3 A.75), on the source series' slices.
 * Voxels without a value are NaN, declared as padding (C.7.6.24.1).
 * A program that ignores the padding declaration cannot calculate with NaN either.
 *
 * @returns `null` if no voxel of the map has a value.
 * @throws {RangeError} if the number of codes differs from the size of the series.
 */
export function parametricMapFile(map: ParametricMap): DicomFile | null {
  const { source, maker, kind, identity, codes, derivation } = map;
  const { description, quantity, seriesNumber } = QUANTITIES[kind];
  if (codes.length !== source.rows * source.columns * source.slices.length) {
    throw new RangeError("Cannot make a parametric map: sizes differ");
  }
  const frames = framesOf(map);
  if (frames.length === 0) return null;
  const dimensionUid = uidOf("dimensions", source.seriesUid, kind);
  const slices = source.slices.map(({ sopInstanceUid }) => sopInstanceUid);
  return dicomFile({
    ...derivedModules(source, maker, {
      sopClassUid: SOP_CLASS.parametricMap,
      modality: "MR",
      kind,
      content: [identity, derivation, ...slices],
      seriesNumber,
      description,
    }),
    ...ownSchemes([quantity, OF_QUANTITY]),
    ImageType: IMAGE_TYPE,
    AcquisitionContextSequence: [],
    FrameOfReferenceUID: source.frameOfReferenceUid,
    PositionReferenceIndicator: source.positionReference,
    // RESEARCH: not for use as a medical device
    ContentQualification: "RESEARCH",
    ContentLabel: kind,
    ContentDescription: map.contentDescription ?? description,
    ContentCreatorName: "",
    BodyPartExamined: "BRAIN",
    BurnedInAnnotation: "NO",
    RecognizableVisualFeatures: "NO",
    Rows: source.rows,
    Columns: source.columns,
    NumberOfFrames: frames.length,
    SamplesPerPixel: 1,
    PhotometricInterpretation: "MONOCHROME2",
    BitsAllocated: 32,
    FloatPixelPaddingValue: NaN,
    FloatPixelPaddingRangeLimit: NaN,
    LossyImageCompression: "00",
    PresentationLUTShape: "IDENTITY",
    DimensionOrganizationSequence: [{ DimensionOrganizationUID: dimensionUid }],
    DimensionIndexSequence: [{
      DimensionOrganizationUID: dimensionUid,
      DimensionIndexPointer: 0x00200032,
      FunctionalGroupPointer: 0x00209113,
      DimensionDescriptionLabel: "Slice",
    }],
    ReferencedSeriesSequence: referencedSeries(source, "ReferencedInstanceSequence"),
    SharedFunctionalGroupsSequence: [sharedItem(map)],
    PerFrameFunctionalGroupsSequence: frames.map((index) => frameItem(map, index)),
  }, floats(map, frames));
}
