// DICOM conformance statement, generated from tables in the code.
import {
  IMPLEMENTATION_NAME,
  IMPLEMENTATION_UID,
  MESSAGE_SYNTAXES,
  STATUS,
  STORAGE_COMMITMENT,
  STORAGE_SYNTAXES,
  STUDY_FIND,
  STUDY_GET,
  STUDY_MOVE,
  VERIFICATION,
  WORKLIST_FIND,
} from "@/server/gate/dimse/uids.ts";
import { MAX_PDU_BYTES, TIMEOUTS } from "@/server/gate/dimse/association.ts";
import { MAX_LINK_CHARS } from "@/model/launch/launch_link.ts";
import { INVOKE_NAMES } from "@/model/launch/link_names.ts";
import { MAX_LAUNCH_STUDIES, MAX_LAUNCH_VALUES } from "@/model/schema/studies/launch.ts";
import { integration } from "@/tools/documents/reference/integration.ts";
import { SOP_CLASS } from "@/server/core/dicom/write/derived_object.ts";

const syntaxes = Object.entries(STORAGE_SYNTAXES).map(([uid, name]) => `| ${name} | \`${uid}\` |`)
  .join("\n");
const messages = MESSAGE_SYNTAXES.map((uid) => STORAGE_SYNTAXES[uid]).join(", ");
const statuses = Object.entries(STATUS).map(([name, value]) =>
  `| 0x${value.toString(16).padStart(4, "0").toUpperCase()} | ${
    name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  } |`
).join("\n");
/** Objects that the program writes. A SOP class that is missing here does not compile. */
const SENT: Readonly<Record<keyof typeof SOP_CLASS, string>> = {
  encapsulatedPdf: "Encapsulated PDF",
  enhancedSr: "Enhanced SR, TID 1500",
  comprehensive3dSr: "Comprehensive 3D SR, TID 1500 with TID 1411: outlines of lesions",
  segmentation: "Segmentation, BINARY",
  labelMapSegmentation: "Label Map Segmentation, to systems that take it (a setting)",
  parametricMap: "Parametric Map, 32-bit floats, padding where there is no value",
  secondaryCapture:
    "Secondary Capture, one for each page of the report and each key image; a test image",
  keyObjectSelection:
    'Key Object Selection, TID 2010: "Of Interest", of the key images; rejection notes',
};
const sent = Object.entries(SENT).map(([kind, words]) =>
  `| ${words} | \`${SOP_CLASS[kind as keyof typeof SOP_CLASS]}\` |`
).join("\n");
const seconds = (ms: number) => `${ms / 1000} s`;

const PARAMETERS: Readonly<Record<typeof INVOKE_NAMES[number], string>> = {
  requestType: "`STUDY` or `PATIENT`; required",
  studyUID:
    `STUDY, or to be compared: Study Instance UIDs, at most ${MAX_LAUNCH_VALUES}, separated by commas`,
  accessionNumber:
    "STUDY, or to be compared: accession numbers of the images or of the modality worklist, in the same way; STUDY requires this or studyUID. Beside studyUID: refused if another study or an order has the number",
  patientID:
    "PATIENT: required. STUDY: a study of another patient is refused. An ID that is stored as sent is that ID, also with `^`. Of `ID^^^AUTHORITY` the ID is compared if the whole is not stored, and the authority with those of stored IDs and in the settings of HL7 systems: with none that is equal no study opens by itself, and with a different one a study by studyUID is refused. If both are stored, all their studies are shown, and none opens by itself",
  patientBirthDate: "YYYYMMDD or YYYY-MM-DD: a study with another birth date is refused",
  lowerDateTime:
    "Earliest study date; the time of day is not compared. A named study with another date is refused",
  upperDateTime: "Latest study date, in the same way; an earlier one than lowerDateTime is refused",
  mostRecentResults:
    "PATIENT: so many studies, the newest; 1 opens the newest, unless the ID belongs to several people",
  modalitiesInStudy: "Without `MR` nothing is found, and a named study is refused",
  viewerType: "`IHE_BIR` or none: the viewer; `REPORT`: the report; another value is refused",
};
const parameters = INVOKE_NAMES.map((name) => `| ${name} | ${PARAMETERS[name]} |`).join("\n");

/** Conformance statement as Markdown, in the order of PS3.2 Annex A. */
export const conformance = `# DICOM conformance statement

Sulcus takes MR images in, analyses them and sends results. Outline: PS3.2 Annex A.

## Implementation

| | |
| --- | --- |
| Implementation class UID | \`${IMPLEMENTATION_UID}\` |
| Implementation version name | ${IMPLEMENTATION_NAME} |
| Application context | 1.2.840.10008.3.1.1.1 |
| Largest PDU taken | ${MAX_PDU_BYTES} bytes; a longer one is aborted |
| Associations at the same time | 8; the next is rejected as transient, local limit exceeded |
| Time-outs | association ${seconds(TIMEOUTS.associateMs)}, idle ${
  seconds(TIMEOUTS.idleMs)
}, one PDU ${seconds(TIMEOUTS.pduMs)} |
| Asynchronous operations, extended negotiation, user identity | not supported |
| Security | TLS 1.2 or newer with certificates of both sides, where it is set up; AE titles and addresses are checked |

## Services

| SOP class | UID | User | Provider |
| --- | --- | --- | --- |
| Verification | \`${VERIFICATION}\` | yes | yes |
| Storage: every class of \`1.2.840.10008.5.1.4.1.1\`, and vendors' | | yes: those below | yes |
| Storage Commitment Push Model | \`${STORAGE_COMMITMENT}\` | yes | yes |
| Study Root Query/Retrieve, FIND | \`${STUDY_FIND}\` | yes | no |
| Study Root Query/Retrieve, MOVE | \`${STUDY_MOVE}\` | yes | no |
| Study Root Query/Retrieve, GET | \`${STUDY_GET}\` | yes | no |
| Modality Worklist, FIND | \`${WORKLIST_FIND}\` | yes | no |

Find (of studies and of their series), move and get are asked when a user searches an archive and takes studies, or a rule looks for earlier ones; the modality
worklist for the accession numbers that images lack.

### Objects that are sent

| Object | UID |
| --- | --- |
${sent}

All in Explicit VR Little Endian, or Deflated Explicit VR Little Endian where the system is set to take it and accepts it; texts in UTF-8 (ISO_IR 192). An object of a repeated analysis, or of corrected results, has new UIDs and names the one
that it takes the place of (Predecessor Documents Sequence; Referenced Instance Sequence, \`99SULCUS\` REPLACED).

SR documents are PRELIMINARY and UNVERIFIED until a physician signs the report; they are sent again as FINAL, and as VERIFIED with the
Verifying Observer Sequence where the settings name the hospital (Verifying Organization). After a withdrawn signature, or a change of the results, they are
PRELIMINARY again. De-identified ones name no observer and stay PRELIMINARY. Encapsulated PDF is always UNVERIFIED.

### Transfer syntaxes of storage, the preferred first

The data set is kept as it was received.

| Name | UID |
| --- | --- |
${syntaxes}

Other messages: ${messages}.

### Status codes

| Code | Meaning |
| --- | --- |
${statuses}

0x0000 means: bytes, name and folder are forced to disk. 0x0111: the instance waits here with other bytes.

## DICOMweb

Under \`/api/v1/dicomweb\`, with a bearer token of a user, or as a system by its key (bearer) or client certificate:

- STOW-RS (\`application/dicom\`).
- QIDO-RS: studies, series of a study, instances of a study or series; series and instances without a study by their UIDs (images
  only), or of at most 10 studies by study, patient or accession number. \`limit\`, \`offset\`, \`includefield\` (also \`all\`), the
  keys of PS3.18 Table 10.6.1-5. Without \`limit\` 100 studies, of a study everything. 204 where nothing is found; with \`fuzzymatching=true\` names are found by their words in any order, without case, marks and width, in every group of the name.
- Searches are answered from the database, which keeps the attributes of each series and image since they came: no file is read.
  After an upgrade from a version that did not keep them they are read beside the service, the newest studies first; until then
  a study is found by its record. Of images a search answers no attributes beyond
  those of the patient, of PS3.18 Table 10.6.3 and the size of the image; \`/metadata\` has all of them.
- WADO-RS: study, series, instance, metadata, frames, bulk data of documents; rendered frames of uncompressed pixels as JPEG with
  \`window\` (linear) and \`viewport\` (width, height); thumbnails of study, series and instance.
- WADO-URI at \`/wado\`: \`application/dicom\` with \`transferSyntax\`, \`image/jpeg\` with \`frameNumber\`, \`windowCenter\`, \`windowWidth\`,
  \`rows\`, \`columns\`, and \`application/pdf\` of a report. Not \`anonymize\`, \`region\`, \`presentationUID\`.

Objects and frames are given in the transfer syntax they are stored in, which the answer names; a client that takes only others gets
406 (nothing is transcoded; with no transfer syntax named this differs from the default of PS3.18 for compressed objects). One object or
frame comes without parts where \`Accept\` asks for its type alone. Results are series of their study. Counts of a search for studies
are of the images. Headers are read up to 8 MB. An image whose file cannot be read is listed with the attributes of the database alone;
its own metadata are answered with 422, and a study or series is given without it as 206.

## Invoke Image Display (IHE RAD-106)

Actor Image Display, by GET at \`/IHEInvokeImageDisplay\`. One study opens; of several the user chooses, from at most ${MAX_LAUNCH_STUDIES}.

| Parameter | |
| --- | --- |
${parameters}

patientName, diagnosticQuality and keyImagesOnly are ignored: the whole study is shown, always in full quality. So are parameters of other
names (\`studyID\`, \`parentId\`, an issuer, \`launch\` of SMART on FHIR), but a name that resembles a documented one is refused, never ignored:
an encoding, brackets or one letter differ, in patientID, patientBirthDate and accessionNumber two, or a faulty separator has joined it to another
value. Names of other products for the patient or study (\`mrn\`, \`patientNo\`, \`pid\`, \`mpi\`, \`dob\`, \`accno\`, \`StudyInstanceUID\`) are refused with
the name to use; upper and lower case are the same. \`/viewer\` and \`/report\` read study, accessionNumber, patientID and patientBirthDate: without study they find a study by its
accession number, else the studies of the patient, as here. These beside a study's number (\`/viewer/1?study=UID\`) must agree with that study, or it is
refused as above. A parameter that is named twice, an empty patientID and a query of more than ${MAX_LINK_CHARS} characters are refused. Statuses: 302 to the study, 400 for a
link that cannot be read, 404 for a study that is not here, 409 for one of another patient, 410 for one that was deleted.

${integration}
## De-identification

Destinations of research: Basic Application Level Confidentiality Profile with Retain Longitudinal Temporal Information Modified Dates,
on request Clean Recognizable Visual Features.
`;
