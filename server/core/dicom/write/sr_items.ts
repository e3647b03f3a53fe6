// Content items of Structured Reports, with the parts that all reports of this program share.
import { type Code, code, codeItem } from "@/server/core/dicom/write/codes.ts";
import type { Dataset } from "@/server/core/dicom/write/dataset_writer.ts";
import { type Maker, sourceInstances } from "@/server/core/dicom/write/derived_object.ts";
import type { SourceSeries } from "@/server/core/dicom/read/source_series.ts";
import { uidOf } from "@/server/core/dicom/write/uid.ts";

export type Relationship =
  | "CONTAINS"
  | "HAS ACQ CONTEXT"
  | "HAS OBS CONTEXT"
  | "HAS CONCEPT MOD"
  | "HAS PROPERTIES"
  | "SELECTED FROM";

export const item = (
  relation: Relationship,
  type: string,
  name: Code,
  value: Dataset,
): Dataset => ({
  RelationshipType: relation,
  ValueType: type,
  ConceptNameCodeSequence: [codeItem(name)],
  ...value,
});
export const coded = (relation: Relationship, name: Code, value: Code, below: Dataset = {}) =>
  item(relation, "CODE", name, { ConceptCodeSequence: [codeItem(value)], ...below });
export const text = (relation: Relationship, name: Code, value: string) =>
  item(relation, "TEXT", name, { TextValue: value });
export const uidref = (relation: Relationship, name: Code, value: string) =>
  item(relation, "UIDREF", name, { UID: value });
export const container = (name: Code, content: readonly Dataset[], template?: string) =>
  item("CONTAINS", "CONTAINER", name, {
    ContinuityOfContent: "SEPARATE",
    ...(template
      ? { ContentTemplateSequence: [{ MappingResource: "DCMR", TemplateIdentifier: template }] }
      : {}),
    ContentSequence: content,
  });

/** An instant in UTC, as a DICOM DT value. */
export const dateTimeOf = (iso: string): string =>
  `${new Date(iso).toISOString().slice(0, 19).replace(/[-:T]/g, "")}+0000`;

/** Observation context: the program as observer (TID 1001, 1002, 1004), and language (TID 1204). */
export const context = ({ version }: Maker): Dataset[] => [
  coded(
    "HAS CONCEPT MOD",
    code("DCM", "121049", "Language of Content Item and Descendants"),
    code("RFC5646", "en", "English"),
  ),
  coded("HAS OBS CONTEXT", code("DCM", "121005", "Observer Type"), code("DCM", "121007", "Device")),
  uidref("HAS OBS CONTEXT", code("DCM", "121012", "Device Observer UID"), uidOf("device", version)),
  text("HAS OBS CONTEXT", code("DCM", "121013", "Device Observer Name"), "Sulcus"),
  text("HAS OBS CONTEXT", code("DCM", "121014", "Device Observer Manufacturer"), "Sulcus"),
  text("HAS OBS CONTEXT", code("DCM", "121015", "Device Observer Model Name"), `Sulcus ${version}`),
  coded(
    "HAS CONCEPT MOD",
    code("DCM", "121058", "Procedure reported"),
    code("LN", "25056-3", "MRI unspecified body region"),
  ),
];

/** Image library: references to the measured images (TID 1600). */
export function imageLibrary(sources: readonly SourceSeries[]): Dataset {
  const groups = sources.map((source) =>
    container(code("DCM", "126200", "Image Library Group"), [
      coded(
        "HAS ACQ CONTEXT",
        code("DCM", "121139", "Modality"),
        code("DCM", "MR", "Magnetic Resonance"),
      ),
      uidref(
        "HAS ACQ CONTEXT",
        code("DCM", "112227", "Frame of Reference UID"),
        source.frameOfReferenceUid,
      ),
      ...sourceInstances(source).map((reference) => ({
        RelationshipType: "CONTAINS",
        ValueType: "IMAGE",
        ReferencedSOPSequence: [reference],
      })),
    ])
  );
  return container(code("DCM", "111028", "Image Library"), groups);
}
