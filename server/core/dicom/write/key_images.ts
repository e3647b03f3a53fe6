/**
 * Key images as DICOM: a Secondary Capture per image, and one Key Object Selection Document
 * that refers to all images (PS3.3 A.35.4).
 */
import { createHash } from "node:crypto";
import { code, codeItem } from "@/server/core/dicom/write/codes.ts";
import {
  type Dataset,
  type DicomFile,
  dicomFile,
} from "@/server/core/dicom/write/dataset_writer.ts";
import {
  derivedModules,
  type Maker,
  type ReplacedInstance,
  SOP_CLASS,
} from "@/server/core/dicom/write/derived_object.ts";
import { captureModules } from "@/server/core/dicom/write/secondary_capture.ts";
import type { SourceSeries } from "@/server/core/dicom/read/source_series.ts";
import { uidOf } from "@/server/core/dicom/write/uid.ts";

interface KeyImage {
  /** instance number, which stays the same when other key images are deleted */
  number: number;
  /** the reader's note about the image; may be empty */
  note: string;
  /** time at which the reader made the key image, ISO 8601 */
  createdAt: string;
  width: number;
  height: number;
  rgb: Uint8Array<ArrayBuffer>;
}

/**
 * A key image is made by the reader, not the engine, so a new analysis does not change its UID.
 */
const makerAt = (version: string, finishedAt: string): Maker => ({
  version,
  engine: "",
  finishedAt,
});

/** Attributes of the series that contains all key images of a study. */
const seriesOf = ({ studyUid }: SourceSeries, kind: string) => uidOf("series", studyUid, kind);

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

/** Root and observer of a Key Object Selection that this program creates (PS3.16 TID 2010). */
const keyObjectRoot = (title: ReturnType<typeof code>): Dataset => ({
  ReferencedPerformedProcedureStepSequence: [],
  ValueType: "CONTAINER",
  ConceptNameCodeSequence: [codeItem(title)],
  ContinuityOfContent: "SEPARATE",
  ContentTemplateSequence: [{ MappingResource: "DCMR", TemplateIdentifier: "2010" }],
});
const observer = (version: string): Dataset[] => [
  item("HAS OBS CONTEXT", "CODE", code("DCM", "121005", "Observer Type"), {
    ConceptCodeSequence: [codeItem(code("DCM", "121007", "Device"))],
  }),
  item("HAS OBS CONTEXT", "UIDREF", code("DCM", "121012", "Device Observer UID"), {
    UID: uidOf("device", version),
  }),
];
const described = (text: string): Dataset[] =>
  text === "" ? [] : [
    item("CONTAINS", "TEXT", code("DCM", "113012", "Key Object Description"), {
      TextValue: text,
    }),
  ];
const imageItems = (references: readonly Dataset[]): Dataset[] =>
  references.map((reference): Dataset => ({
    RelationshipType: "CONTAINS",
    ValueType: "IMAGE",
    ReferencedSOPSequence: [reference],
  }));

/** One key image as Secondary Capture. */
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
    // without series time, because images are added one by one
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
 * Key Object Selection Document: TID 2010, "Of Interest".
 * @param images The written key images; at least one.
 * @param notes  The reader's note about each key image.
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
  const text = notes.filter((note) => note !== "").join("; ");
  return dicomFile({
    ...derivedModules(source, makerAt(version, changedAt), {
      sopClassUid: SOP_CLASS.keyObjectSelection,
      modality: "KO",
      kind: "KEY_OBJECTS",
      content: [text, ...images.map(({ sopInstanceUid }) => sopInstanceUid)],
      seriesNumber: 9107,
      description: "Sulcus: key images",
    }),
    ...keyObjectRoot(code("DCM", "113000", "Of Interest")),
    CurrentRequestedProcedureEvidenceSequence: [{
      StudyInstanceUID: source.studyUid,
      ReferencedSeriesSequence: [{
        SeriesInstanceUID: seriesOf(source, "KEY_IMAGES"),
        ReferencedSOPSequence: references,
      }],
    }],
    ContentSequence: [...observer(version), ...described(text), ...imageItems(references)],
  });
}

/** Titles of rejection notes (PS3.16 CID 7010), and texts that viewers show. */
const REJECTIONS = {
  removed: {
    title: code("DCM", "113001", "Rejected for Quality Reasons"),
    // reason by CID 7011, which TID 2010 requires with this title only
    modifier: item("HAS CONCEPT MOD", "CODE", code("DCM", "113011", "Document Title Modifier"), {
      ConceptCodeSequence: [codeItem(code("DCM", "111219", "Inappropriate image processing"))],
    }),
    description: "Readers have removed all that these segmentations mark.",
  },
  patient: {
    title: code("DCM", "113037", "Rejected for Patient Safety Reasons"),
    modifier: null,
    description: "The patient ID of these results has been corrected.",
  },
} as const;

interface Rejection {
  /** kind of the rejected objects, which determines the series of the note */
  kind: string;
  reason: keyof typeof REJECTIONS;
  /** time at which the objects became invalid, ISO 8601 */
  asOf: string;
}

/**
 * Rejection note of IHE Image Object Change Management (RAD-66): objects that were sent must not be
 * used any more, and no object replaces them. An empty Segmentation cannot express this, because
 * Segment Sequence requires at least one item (PS3.3 C.8.20.2).
 * @param source   Series of the study, with the patient identity with which the objects were sent.
 * @param rejected Objects of this study that were sent earlier; at least one.
 */
export function rejectionNoteFile(
  source: SourceSeries,
  version: string,
  rejected: readonly ReplacedInstance[],
  { kind, reason, asOf }: Rejection,
): DicomFile {
  const referenceOf = ({ sopClassUid, sopInstanceUid }: ReplacedInstance): Dataset => ({
    ReferencedSOPClassUID: sopClassUid,
    ReferencedSOPInstanceUID: sopInstanceUid,
  });
  const { title, modifier, description } = REJECTIONS[reason];
  return dicomFile({
    ...derivedModules(source, makerAt(version, asOf), {
      sopClassUid: SOP_CLASS.keyObjectSelection,
      modality: "KO",
      kind: `REJECTED_${kind.toUpperCase()}`,
      content: rejected.map(({ sopInstanceUid }) => sopInstanceUid),
      seriesNumber: 9108,
      description: "Sulcus: withdrawn results",
    }),
    ...keyObjectRoot(title),
    CurrentRequestedProcedureEvidenceSequence: [{
      StudyInstanceUID: source.studyUid,
      ReferencedSeriesSequence: [...Map.groupBy(rejected, ({ seriesUid }) => seriesUid)].map(
        ([seriesUid, instances]) => ({
          SeriesInstanceUID: seriesUid,
          ReferencedSOPSequence: instances.map(referenceOf),
        }),
      ),
    }],
    ContentSequence: [
      ...modifier ? [modifier] : [],
      ...observer(version),
      ...described(description),
      ...imageItems(rejected.map(referenceOf)),
    ],
  });
}
