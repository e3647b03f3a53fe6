/**
 * Views that readers chose: each a Secondary Capture, and one document that points at them (PS3.3
 * A.35.4).
 */
import { createHash } from "node:crypto";
import { code, codeItem } from "@/server/core/dicom/write/codes.ts";
import {
  type Dataset,
  type DicomFile,
  dicomFile,
} from "@/server/core/dicom/write/dataset_writer.ts";
import { derivedModules, type Maker, SOP_CLASS } from "@/server/core/dicom/write/derived_object.ts";
import { captureModules } from "@/server/core/dicom/write/secondary_capture.ts";
import type { SourceSeries } from "@/server/core/dicom/read/source_series.ts";
import { uidOf } from "@/server/core/dicom/write/uid.ts";

interface KeyImage {
  /** it keeps it when others are taken away */
  number: number;
  /** the reader's text; may be empty */
  note: string;
  /** ISO 8601 */
  createdAt: string;
  width: number;
  height: number;
  rgb: Uint8Array<ArrayBuffer>;
}

/** A view is the reader's, not the engine's: the same one keeps its UID after another analysis. */
const makerAt = (version: string, finishedAt: string): Maker => ({
  version,
  engine: "",
  finishedAt,
});

/** The series that all key images of a study are in. */
const seriesOf = ({ studyUid }: SourceSeries, kind: string) => uidOf("series", studyUid, kind);

/** One view. */
export function keyImageFile(
  sources: readonly SourceSeries[],
  version: string,
  image: KeyImage,
): DicomFile {
  const { number, note, createdAt, width, height, rgb } = image;
  return dicomFile({
    ...derivedModules(sources[0]!, makerAt(version, createdAt), {
      sopClassUid: SOP_CLASS.secondaryCapture,
      modality: "OT",
      kind: "KEY_IMAGE",
      content: [createHash("sha256").update(rgb).digest("hex"), note],
      seriesNumber: 9106,
      description: "Sulcus: key images",
    }),
    ...captureModules(sources, width, height),
    SeriesInstanceUID: seriesOf(sources[0]!, "KEY_IMAGES"),
    // views come one by one, the series has no one instant
    SeriesDate: "",
    SeriesTime: "",
    InstanceNumber: number,
    ...(note ? { ImageComments: note } : {}),
  }, {
    sizeBytes: rgb.length,
    *chunks() {
      yield rgb;
    },
  });
}

/**
 * The document that says which images matter: TID 2010, "Of Interest".
 * @param images The views, as they were written; at least one.
 * @param notes  The readers' text for each of them.
 */
export function keyObjectFile(
  sources: readonly SourceSeries[],
  version: string,
  images: readonly DicomFile[],
  notes: readonly string[],
  changedAt: string,
): DicomFile {
  const source = sources[0]!;
  const references = images.map(({ sopClassUid, sopInstanceUid }): Dataset => ({
    ReferencedSOPClassUID: sopClassUid,
    ReferencedSOPInstanceUID: sopInstanceUid,
  }));
  const described = notes.filter((note) => note !== "").join("; ");
  const item = (
    relation: string,
    type: string,
    name: ReturnType<typeof code>,
    value: Dataset,
  ): Dataset => ({
    RelationshipType: relation,
    ValueType: type,
    ConceptNameCodeSequence: [codeItem(name)],
    ...value,
  });
  return dicomFile({
    ...derivedModules(source, makerAt(version, changedAt), {
      sopClassUid: SOP_CLASS.keyObjectSelection,
      modality: "KO",
      kind: "KEY_OBJECTS",
      content: [described, ...images.map(({ sopInstanceUid }) => sopInstanceUid)],
      seriesNumber: 9107,
      description: "Sulcus: key images",
    }),
    ReferencedPerformedProcedureStepSequence: [],
    CurrentRequestedProcedureEvidenceSequence: [{
      StudyInstanceUID: source.studyUid,
      ReferencedSeriesSequence: [{
        SeriesInstanceUID: seriesOf(source, "KEY_IMAGES"),
        ReferencedSOPSequence: references,
      }],
    }],
    ValueType: "CONTAINER",
    ConceptNameCodeSequence: [codeItem(code("DCM", "113000", "Of Interest"))],
    ContinuityOfContent: "SEPARATE",
    ContentTemplateSequence: [{ MappingResource: "DCMR", TemplateIdentifier: "2010" }],
    ContentSequence: [
      item("HAS OBS CONTEXT", "CODE", code("DCM", "121005", "Observer Type"), {
        ConceptCodeSequence: [codeItem(code("DCM", "121007", "Device"))],
      }),
      item("HAS OBS CONTEXT", "UIDREF", code("DCM", "121012", "Device Observer UID"), {
        UID: uidOf("device", version),
      }),
      ...described
        ? [
          item("CONTAINS", "TEXT", code("DCM", "113012", "Key Object Description"), {
            TextValue: described,
          }),
        ]
        : [],
      ...references.map((reference): Dataset => ({
        RelationshipType: "CONTAINS",
        ValueType: "IMAGE",
        ReferencedSOPSequence: [reference],
      })),
    ],
  });
}
