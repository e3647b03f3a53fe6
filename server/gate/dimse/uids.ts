/**
 * UIDs of the DICOM standard that the gate (network process) supports (PS3.6 Annex A).
 * The DICOM conformance statement is generated from these UIDs.
 */
export const APPLICATION_CONTEXT = "1.2.840.10008.3.1.1.1";
/** Implementation Class UID of this program in associations and files. */
export const IMPLEMENTATION_UID = "2.25.266340120306416217414215137063183128021";
export const IMPLEMENTATION_NAME = "SULCUS";

const IMPLICIT_LE = "1.2.840.10008.1.2";
export const EXPLICIT_LE = "1.2.840.10008.1.2.1";
export const DEFLATED = "1.2.840.10008.1.2.1.99";

/**
 * Transfer syntaxes accepted for storage, in order of preference.
 * A data set is stored in the transfer syntax in which it is received.
 */
export const STORAGE_SYNTAXES: Readonly<Record<string, string>> = {
  [EXPLICIT_LE]: "Explicit VR Little Endian",
  [IMPLICIT_LE]: "Implicit VR Little Endian",
  "1.2.840.10008.1.2.4.80": "JPEG-LS Lossless",
  "1.2.840.10008.1.2.4.70": "JPEG Lossless, First-Order Prediction",
  "1.2.840.10008.1.2.4.57": "JPEG Lossless",
  "1.2.840.10008.1.2.5": "RLE Lossless",
  "1.2.840.10008.1.2.4.90": "JPEG 2000 Lossless",
  "1.2.840.10008.1.2.4.91": "JPEG 2000",
  "1.2.840.10008.1.2.4.201": "HTJ2K Lossless",
  "1.2.840.10008.1.2.4.202": "HTJ2K Lossless RPCL",
  "1.2.840.10008.1.2.4.203": "HTJ2K",
  "1.2.840.10008.1.2.4.81": "JPEG-LS Near-lossless",
  "1.2.840.10008.1.2.4.50": "JPEG Baseline",
  "1.2.840.10008.1.2.4.51": "JPEG Extended",
  [DEFLATED]: "Deflated Explicit VR Little Endian",
  "1.2.840.10008.1.2.2": "Explicit VR Big Endian",
};
/** Transfer syntaxes of queries and other messages with a data set that is parsed. */
export const MESSAGE_SYNTAXES: readonly string[] = [EXPLICIT_LE, IMPLICIT_LE];

export const VERIFICATION = "1.2.840.10008.1.1";
export const STORAGE_COMMITMENT = "1.2.840.10008.1.20.1";
/** SOP instance that every storage commitment request names (well-known SOP instance). */
export const COMMITMENT_INSTANCE = "1.2.840.10008.1.20.1.1";
export const STUDY_FIND = "1.2.840.10008.5.1.4.1.2.2.1";
export const STUDY_MOVE = "1.2.840.10008.5.1.4.1.2.2.2";
export const STUDY_GET = "1.2.840.10008.5.1.4.1.2.2.3";
export const WORKLIST_FIND = "1.2.840.10008.5.1.4.31";

/** Prefix of all storage SOP classes, including those newer than this program (PS3.6 Table A-1). */
const STORAGE = /^1\.2\.840\.10008\.5\.1\.4\.(?:1\.1\.[0-9.]+|34\.(?:7|10)|45\.1)$/;
/** Private storage SOP classes of vendors (Philips, Siemens, GE, Toshiba). */
const PRIVATE_STORAGE =
  /^1\.(?:3\.46\.670589|3\.12\.2\.1107|2\.840\.113619\.4|2\.392\.200036)\.[0-9.]+$/;

/** Whether objects of a SOP class are accepted for storage. */
export const isStorageClass = (uid: string): boolean =>
  STORAGE.test(uid) || PRIVATE_STORAGE.test(uid);

/** Whether a text is a valid DICOM UID, which is also a safe file name. */
export const isUid = (text: string): boolean =>
  text.length <= 64 && /^[0-9]+(\.[0-9]+)*$/.test(text);

/** Storage SOP classes offered for C-GET, which has at most 128 presentation contexts. */
export const IMAGE_CLASSES: readonly string[] = [
  "1.2.840.10008.5.1.4.1.1.4",
  "1.2.840.10008.5.1.4.1.1.4.1",
  "1.2.840.10008.5.1.4.1.1.4.4",
  "1.2.840.10008.5.1.4.1.1.7",
];

/** DIMSE status codes that this program sends or handles (PS3.4 Annex B, PS3.7 Annex C). */
export const STATUS = {
  success: 0x0000,
  pending: 0xff00,
  duplicate: 0x0111,
  noSuchInstance: 0x0112,
  invalidInstance: 0x0117,
  classNotSupported: 0x0122,
  noSuchAction: 0x0123,
  notAuthorized: 0x0124,
  processingFailure: 0x0110,
  unrecognizedOperation: 0x0211,
  outOfResources: 0xa700,
  cannotUnderstand: 0xc000,
} as const;
