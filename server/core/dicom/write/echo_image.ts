import { type DicomFile, dicomFile } from "@/server/core/dicom/write/dataset_writer.ts";
import { SOP_CLASS } from "@/server/core/dicom/write/derived_object.ts";
import { uidOf } from "@/server/core/dicom/write/uid.ts";

const SIDE = 64;

/**
 * A test image without a patient, which shows whether an archive stores objects.
 * The image is a grey ramp as Secondary Capture (PS3.3 A.8.1),
 * and always the same object, so that an archive contains at most one.
 */
export function testImageFile(): DicomFile {
  const pixels = new Uint8Array(SIDE * SIDE).map((_, at) => 4 * (at % SIDE));
  return dicomFile({
    SpecificCharacterSet: "ISO_IR 192",
    SOPClassUID: SOP_CLASS.secondaryCapture,
    SOPInstanceUID: uidOf("test image", "instance"),
    StudyInstanceUID: uidOf("test image", "study"),
    SeriesInstanceUID: uidOf("test image", "series"),
    PatientName: "SULCUS^TEST",
    PatientID: "SULCUS-TEST",
    PatientBirthDate: "",
    PatientSex: "",
    StudyDate: "20000101",
    StudyTime: "000000",
    StudyID: "",
    AccessionNumber: "",
    ReferringPhysicianName: "",
    StudyDescription: "Sulcus: test image",
    Modality: "OT",
    SeriesNumber: 1,
    InstanceNumber: 1,
    Manufacturer: "Sulcus",
    ImageType: ["DERIVED", "SECONDARY"],
    // SYN: synthetic image
    ConversionType: "SYN",
    PatientOrientation: "",
    BurnedInAnnotation: "NO",
    SamplesPerPixel: 1,
    PhotometricInterpretation: "MONOCHROME2",
    Rows: SIDE,
    Columns: SIDE,
    BitsAllocated: 8,
    BitsStored: 8,
    HighBit: 7,
    PixelRepresentation: 0,
  }, {
    sizeBytes: pixels.length,
    *chunks() {
      yield pixels;
    },
  });
}
