import { createHash } from "node:crypto";
import { code, codeItem } from "@/server/core/dicom/write/codes.ts";
import { type DicomFile, dicomFile } from "@/server/core/dicom/write/dataset_writer.ts";
import {
  derivedModules,
  type Maker,
  SOP_CLASS,
  sourceInstances,
} from "@/server/core/dicom/write/derived_object.ts";
import type { SourceSeries } from "@/server/core/dicom/read/source_series.ts";

/**
 * A report as Encapsulated PDF (PS3.3 A.45.1), in the study of the first source series.
 * @param title Title of the PDF document.
 */
export function encapsulatedPdfFile(
  { sources, maker, title, pdf }: {
    sources: readonly SourceSeries[];
    maker: Maker;
    title: string;
    pdf: Uint8Array;
  },
): DicomFile {
  const modules = derivedModules(sources[0]!, maker, {
    sopClassUid: SOP_CLASS.encapsulatedPdf,
    modality: "DOC",
    kind: "REPORT",
    content: [createHash("sha256").update(pdf).digest("hex")],
    seriesNumber: 9104,
    description: "Sulcus: report",
  });
  return dicomFile({
    ...modules,
    // WSD: the document was made by a workstation
    ConversionType: "WSD",
    AcquisitionDateTime: "",
    // burned-in identity: the pages contain the patient's name
    BurnedInAnnotation: "YES",
    DocumentTitle: title,
    ConceptNameCodeSequence: [codeItem(code("LN", "24590-2", "MRI Head Report"))],
    VerificationFlag: "UNVERIFIED",
    SourceInstanceSequence: sources.flatMap(sourceInstances),
    MIMETypeOfEncapsulatedDocument: "application/pdf",
    EncapsulatedDocument: pdf,
    EncapsulatedDocumentLength: pdf.length,
  });
}
