import type { Dataset } from "@/server/core/dicom/write/dataset_writer.ts";
import { dateTimeOf } from "@/server/core/dicom/write/sr_items.ts";

/** A physician's signature that applies to the measured results. */
export interface Signature {
  /** author's name; empty if unknown */
  by: string;
  /** organization of the author, as named in the settings; empty if unknown */
  organization: string;
  /** time of the signature, ISO 8601 */
  at: string;
}

/** Removes the delimiters of values and of parts of names; at most 64 characters (PS3.5 §6.2). */
const nameValue = (name: string): string =>
  [...name.replaceAll(/[\\^=\p{Cc}]+/gu, " ")].slice(0, 64).join("").trim();

/**
 * Flags of an SR document (PS3.3 C.17.2). A verified document names the observer and the
 * organization; if either is unknown, a signed document is final and not verified.
 */
export function verification(signature: Signature | null): Dataset {
  if (!signature) return { VerificationFlag: "UNVERIFIED", PreliminaryFlag: "PRELIMINARY" };
  const by = nameValue(signature.by), organization = nameValue(signature.organization);
  if (by === "" || organization === "") {
    return { VerificationFlag: "UNVERIFIED", PreliminaryFlag: "FINAL" };
  }
  return {
    VerificationFlag: "VERIFIED",
    PreliminaryFlag: "FINAL",
    VerifyingObserverSequence: [{
      VerifyingObserverName: by,
      VerifyingObserverIdentificationCodeSequence: [],
      VerifyingOrganization: organization,
      VerificationDateTime: dateTimeOf(signature.at),
    }],
  };
}
