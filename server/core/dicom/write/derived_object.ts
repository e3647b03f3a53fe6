import { type Code, code, codeItem } from "@/server/core/dicom/write/codes.ts";
import type { Dataset } from "@/server/core/dicom/write/dataset_writer.ts";
import type { SourceSeries } from "@/server/core/dicom/read/source_series.ts";
import { uidOf } from "@/server/core/dicom/write/uid.ts";

export const SOP_CLASS = {
  enhancedSr: "1.2.840.10008.5.1.4.1.1.88.22",
  comprehensive3dSr: "1.2.840.10008.5.1.4.1.1.88.34",
  segmentation: "1.2.840.10008.5.1.4.1.1.66.4",
  labelMapSegmentation: "1.2.840.10008.5.1.4.1.1.66.7",
  parametricMap: "1.2.840.10008.5.1.4.1.1.30",
  encapsulatedPdf: "1.2.840.10008.5.1.4.1.1.104.1",
  secondaryCapture: "1.2.840.10008.5.1.4.1.1.7",
  keyObjectSelection: "1.2.840.10008.5.1.4.1.1.88.59",
} as const;

/** Program that created an object, and engine that computed its results. */
export interface Maker {
  /** version of the program */
  version: string;
  /** name and version of the engine as stored with the analysis */
  engine: string;
  /** time at which the results were computed, ISO 8601 */
  finishedAt: string;
  /**
   * earlier objects that the new object replaces (of an earlier analysis or correction), by kind
   */
  replaced?: Readonly<Record<string, readonly ReplacedInstance[]>>;
}

/** An object that was sent to an archive earlier. */
export interface ReplacedInstance {
  sopClassUid: string;
  sopInstanceUid: string;
  seriesUid: string;
}

const REPLACED = code("99SULCUS", "REPLACED", "Replaced by this object");

/** Attributes with references to replaced objects; structured reports have another sequence. */
function replacedModule(
  studyUid: string,
  modality: string,
  replaced: readonly ReplacedInstance[],
): Dataset {
  if (replaced.length === 0) return {};
  const reference = ({ sopClassUid, sopInstanceUid }: ReplacedInstance): Dataset => ({
    ReferencedSOPClassUID: sopClassUid,
    ReferencedSOPInstanceUID: sopInstanceUid,
  });
  if (modality !== "SR") {
    return {
      ReferencedInstanceSequence: replaced.map((one) => ({
        ...reference(one),
        PurposeOfReferenceCodeSequence: [codeItem(REPLACED)],
      })),
    };
  }
  return {
    PredecessorDocumentsSequence: [{
      StudyInstanceUID: studyUid,
      ReferencedSeriesSequence: replaced.map((one) => ({
        SeriesInstanceUID: one.seriesUid,
        ReferencedSOPSequence: [reference(one)],
      })),
    }],
  };
}

/** Local date (DA) and time (TM) of an instant. */
function dicomInstant(iso: string): { date: string; time: string } {
  const at = new Date(iso), two = (n: number) => String(n).padStart(2, "0");
  return {
    date: `${at.getFullYear()}${two(at.getMonth() + 1)}${two(at.getDate())}`,
    time: `${two(at.getHours())}${two(at.getMinutes())}${two(at.getSeconds())}`,
  };
}

/** Splits an engine's name and version ("sulcus-engine 0.1.0"). */
export function algorithmOf(engine: string): { name: string; version: string } {
  const at = engine.indexOf(" ");
  return at < 0
    ? { name: engine || "sulcus-engine", version: "unknown" }
    : { name: engine.slice(0, at), version: engine.slice(at + 1) };
}

/** Item for the engine in Segmentation Algorithm Identification Sequence (PS3.3 10.16). */
export function algorithmItem(engine: string, family: Code): Dataset {
  const { name, version } = algorithmOf(engine);
  return {
    AlgorithmFamilyCodeSequence: [codeItem(family)],
    AlgorithmName: name.slice(0, 64),
    AlgorithmVersion: version.slice(0, 64),
  };
}

interface DerivedObject {
  sopClassUid: string;
  modality: "SEG" | "SR" | "DOC" | "OT" | "KO" | "MR";
  /** kind of the object, of which a study has one; `kind` and `content` determine the UIDs */
  kind: string;
  /** all values in which two versions of the object can differ */
  content: readonly (string | number)[];
  seriesNumber: number;
  description: string;
}

/** Manufacturer and model, which every result of this product contains. */
const PRODUCT = "Sulcus";

/** Whether an object is a result of this product, made at this site or another. */
export const isOwnResult = (
  { manufacturer, model }: { manufacturer: string; model: string },
): boolean => manufacturer === PRODUCT && model === PRODUCT;

/**
 * Modules (patient, study, series, equipment, SOP common) of an object derived from a series.
 * Study and patient are those of the source series. Series and instance UIDs are derived from the
 * content, so that the same results always give the same object.
 */
export function derivedModules(source: SourceSeries, maker: Maker, object: DerivedObject): Dataset {
  const { date, time } = dicomInstant(maker.finishedAt);
  const content = [source.studyUid, object.kind, maker.version, maker.engine, maker.finishedAt];
  const key = [...content, JSON.stringify(source.identity), ...object.content];
  const sopInstanceUid = uidOf("instance", ...key), replaced = maker.replaced?.[object.kind] ?? [];
  // left out, because an object must not replace itself
  const otherReplaced = replaced.filter((one) => one.sopInstanceUid !== sopInstanceUid);
  return {
    ...source.identity,
    SOPClassUID: object.sopClassUid,
    SOPInstanceUID: sopInstanceUid,
    SeriesInstanceUID: uidOf("series", ...key),
    Modality: object.modality,
    SeriesNumber: object.seriesNumber,
    InstanceNumber: 1,
    SeriesDescription: object.description,
    SeriesDate: date,
    SeriesTime: time,
    ContentDate: date,
    ContentTime: time,
    InstanceCreationDate: date,
    InstanceCreationTime: time,
    Manufacturer: PRODUCT,
    ManufacturerModelName: PRODUCT,
    DeviceSerialNumber: "1",
    SoftwareVersions: [maker.version, maker.engine.slice(0, 64)].filter((text) => text !== ""),
    ...replacedModule(source.studyUid, object.modality, otherReplaced),
  };
}

/**
 * References to the source images, grouped by series: an acquisition may have several.
 */
export const referencedSeries = (
  source: SourceSeries,
  instances: "ReferencedInstanceSequence" | "ReferencedSOPSequence",
): Dataset[] =>
  [...Map.groupBy(source.slices, ({ seriesUid }) => seriesUid)].map(([seriesUid, slices]) => ({
    SeriesInstanceUID: seriesUid,
    [instances]: sourceInstances({ slices, sopClassUid: source.sopClassUid }),
  }));

/** References to the source images, without their series. */
export function sourceInstances(
  { slices, sopClassUid }: Pick<SourceSeries, "slices" | "sopClassUid">,
): Dataset[] {
  return [...new Set(slices.map((slice) => slice.sopInstanceUid))].map((uid) => ({
    ReferencedSOPClassUID: sopClassUid,
    ReferencedSOPInstanceUID: uid,
  }));
}
