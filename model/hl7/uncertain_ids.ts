// Messages that do not say with certainty which patient they are about.
import { type Identifier, patientIdOf } from "@/model/hl7/adt.ts";

/**
 * Reason why the patient IDs of a message are uncertain. `authority`: several IDs, of which the
 * assigning authority of the site's IDs would select one. `several_ids`: several IDs among
 * which no authority selects one. `two_authorities`: IDs to be merged have different authorities.
 */
export const ID_DOUBTS = ["authority", "several_ids", "two_authorities"] as const;
export type IdDoubt = typeof ID_DOUBTS[number];

/**
 * Reason why a message's patient IDs are uncertain.
 * @param prior Identifiers that a merge makes invalid; empty for other messages.
 * @param authority Assigning authority in the settings of the sending system; empty without one.
 */
export function idDoubtOf(
  patient: readonly Identifier[],
  prior: readonly Identifier[],
  authority: string,
): IdDoubt {
  const lists = prior.length === 0 ? [patient] : [patient, prior];
  const isCertainWith = (one: string) => lists.every((ids) => patientIdOf(ids, one) !== null);
  // certain with the settings of today: the message arrived before the authority was entered
  if (isCertainWith(authority)) {
    return prior.length === 0 || authority !== "" ? "authority" : "two_authorities";
  }
  const isMissing = authority === "" &&
    patient.some((each) => each.authority !== "" && isCertainWith(each.authority));
  return isMissing ? "authority" : "several_ids";
}

/** An identifier with its assigning authority, as text for administrators. */
export const identifierText = ({ id, authority }: Identifier): string =>
  authority === "" ? id : `${id} (${authority})`;
