import { type Code, code, codeItem } from "@/server/core/dicom/write/codes.ts";
import type { Dataset } from "@/server/core/dicom/write/dataset_writer.ts";
import type { SourceSeries } from "@/server/core/dicom/read/source_series.ts";
import { uidOf } from "@/server/core/dicom/write/uid.ts";

export const SOP_CLASS = {
  enhancedSr: "1.2.840.10008.5.1.4.1.1.88.22",
  segmentation: "1.2.840.10008.5.1.4.1.1.66.4",
  labelMapSegmentation: "1.2.840.10008.5.1.4.1.1.66.7",
  encapsulatedPdf: "1.2.840.10008.5.1.4.1.1.104.1",
  secondaryCapture: "1.2.840.10008.5.1.4.1.1.7",
  keyObjectSelection: "1.2.840.10008.5.1.4.1.1.88.59",
} as const;

/** The maker of an object: the program, and the engine of its results. */
export interface Maker {
  /** of the program */
  version: string;
  /** name and version of the engine, as stored with the analysis */
  engine: string;
  /** instant of the results, ISO 8601 */
  finishedAt: string;
  /**
   * by kind of object: those of an earlier analysis, or from before a correction, that this one
   * takes the place of
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

/** An object's statement about those that it replaces; an SR has its own sequence too. */
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

/** Local date and time of an instant as DA and TM. */
function dicomInstant(iso: string): { date: string; time: string } {
  const at = new Date(iso), two = (n: number) => String(n).padStart(2, "0");
  return {
    date: `${at.getFullYear()}${two(at.getMonth() + 1)}${two(at.getDate())}`,
    time: `${two(at.getHours())}${two(at.getMinutes())}${two(at.getSeconds())}`,
  };
}

/** Name and version of an engine ("sulcus-engine 0.1.0"). */
export function algorithmOf(engine: string): { name: string; version: string } {
  const at = engine.indexOf(" ");
  return at < 0
    ? { name: engine || "sulcus-engine", version: "unknown" }
    : { name: engine.slice(0, at), version: engine.slice(at + 1) };
}

/** The engine as an item of Segmentation Algorithm Identification Sequence (PS3.3 10.16). */
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
  modality: "SEG" | "SR" | "DOC" | "OT" | "KO";
  /** kind of the object, unique among those of the study; with `content` it decides the UIDs */
  kind: string;
  /** everything that can differ between two objects of this kind */
  content: readonly (string | number)[];
  seriesNumber: number;
  description: string;
}

/**
 * Patient, study, series, equipment and SOP common modules of an object derived from a series.
 * Study and patient are the source's; series and instance have UIDs that follow from the content,
 * so that the same results give the same object however often they are asked for.
 */
export function derivedModules(source: SourceSeries, maker: Maker, object: DerivedObject): Dataset {
  const { date, time } = dicomInstant(maker.finishedAt);
  const content = [source.studyUid, object.kind, maker.version, maker.engine, maker.finishedAt];
  const key = [...content, JSON.stringify(source.identity), ...object.content];
  const sopInstanceUid = uidOf("instance", ...key), replaced = maker.replaced?.[object.kind] ?? [];
  // no object takes its own place
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
    Manufacturer: "Sulcus",
    ManufacturerModelName: "Sulcus",
    DeviceSerialNumber: "1",
    SoftwareVersions: [maker.version, maker.engine.slice(0, 64)].filter((text) => text !== ""),
    ...replacedModule(source.studyUid, object.modality, otherReplaced),
  };
}

/**
 * The source images as references by the series that they came under: an acquisition may have been
 * divided.
 */
export const referencedSeries = (
  source: SourceSeries,
  instances: "ReferencedInstanceSequence" | "ReferencedSOPSequence",
): Dataset[] =>
  [...Map.groupBy(source.slices, ({ seriesUid }) => seriesUid)].map(([seriesUid, slices]) => ({
    SeriesInstanceUID: seriesUid,
    [instances]: sourceInstances({ slices, sopClassUid: source.sopClassUid }),
  }));

/** The source images as references. */
export function sourceInstances(
  { slices, sopClassUid }: Pick<SourceSeries, "slices" | "sopClassUid">,
): Dataset[] {
  return [...new Set(slices.map((slice) => slice.sopInstanceUid))].map((uid) => ({
    ReferencedSOPClassUID: sopClassUid,
    ReferencedSOPInstanceUID: uid,
  }));
}
