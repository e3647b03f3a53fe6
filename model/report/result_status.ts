/** Status of results in messages: whether a physician has signed them, and whether they changed. */

/** FHIR R4 codes, contained in the value sets of DiagnosticReport and of Observation. */
export type ResultStatus = "preliminary" | "final" | "amended" | "corrected";

/** HL7 version 2.5 result status (tables 0085 and 0123) of each FHIR status. */
export const HL7_STATUS: Readonly<Record<ResultStatus, "P" | "F" | "C">> = {
  preliminary: "P",
  final: "F",
  amended: "C",
  corrected: "C",
};

/** Events of a study on which the status of its results depends. */
export interface ResultHistory {
  /** whether a physician has ever signed a text, even if the signature was withdrawn since */
  isEverSigned: boolean;
  /** whether a signature applies to the current results */
  isSigned: boolean;
  /** time of the last signed results that the receiver has; `null`: none */
  finalAt: string | null;
  /** time of the last correction of labels or of patient data; `null`: none */
  correctedAt: string | null;
}

/**
 * Results without a signature are preliminary. Once a system has final results, changed results
 * replace them as a correction, even if the signature was withdrawn: HL7 and FHIR define no way
 * from final back to preliminary. Times are ISO 8601.
 */
export function resultStatus(
  { isEverSigned, isSigned, finalAt, correctedAt }: ResultHistory,
): ResultStatus {
  if (!isEverSigned) return "preliminary";
  if (finalAt === null) return isSigned ? "final" : "preliminary";
  return correctedAt !== null && correctedAt > finalAt ? "corrected" : "amended";
}
