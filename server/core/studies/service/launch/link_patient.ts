import { readPatientId } from "@/model/launch/linked_patient_id.ts";
import type { LaunchAnswer, LaunchRequest } from "@/model/schema/studies/launch.ts";
import { knownPeers } from "@/server/core/connections/service/known_peers.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  storedIdsWithAuthority,
  storedPatientIds,
} from "@/server/core/studies/storage/launched_studies.ts";

/** Patient of a link, according to the stored IDs. */
export interface LinkPatient {
  /** ID that a study must have; `null` if the link names no patient */
  id: string | null;
  /** other stored IDs that the link may mean as well */
  others: string[];
  /** assigning authority of the link, if it is none of the known ones */
  authority: LaunchAnswer["unknown_authority"];
}

const authoritiesOf = (id: string): string[] => readPatientId(id)?.authorities ?? [];

/** Assigning authorities of the patient IDs in the images, from the settings of HL7 systems. */
async function configuredAuthorities(db: Database): Promise<string[]> {
  const peers = await knownPeers(db);
  return peers.flatMap(({ kind, config }) =>
    kind === "hl7" && config.id_authority !== "" ? [config.id_authority] : []
  );
}

/**
 * Patient of a link: of the IDs that its text can mean, the most probable one that is stored. An ID
 * that needs an assigning authority counts only if the text has one.
 */
export async function patientOf(
  db: Database,
  { patient_id }: LaunchRequest,
): Promise<LinkPatient> {
  const readings = patient_id === null ? null : readPatientId(patient_id);
  if (readings === null) return { id: null, others: [], authority: null };
  const { ids, part, authorities } = readings, all = [...new Set([...ids, part])];
  const whole = ids[0]!, bare = ids.at(-1)!;
  const [stored, withAuthority] = await Promise.all([
    storedPatientIds(db, all),
    storedIdsWithAuthority(db, bare),
  ]);
  const others = (id: string, more: readonly string[]) =>
    [...new Set([...stored, ...more])].filter((each) => each !== id);
  // without an authority in the link, the ID may be that of any authority
  if (authorities.length === 0) {
    const id = ids.find((each) => stored.has(each)) ?? bare;
    return {
      id,
      others: others(id, withAuthority).filter((each) => stored.has(id) || !stored.has(each)),
      authority: null,
    };
  }
  const same = withAuthority.filter((each) =>
    authoritiesOf(each).some((name) => authorities.includes(name))
  );
  if (stored.has(whole) || same.length > 0) {
    const id = stored.has(whole) ? whole : same[0]!;
    return { id, others: others(id, same), authority: null };
  }
  const known = [...await configuredAuthorities(db), ...withAuthority.flatMap(authoritiesOf)];
  const isKnown = known.some((name) => authorities.includes(name));
  return {
    id: bare,
    others: stored.has(bare) ? others(bare, []) : [],
    authority: isKnown ? null : { sent: authorities.join("&"), known: [...new Set(known)] },
  };
}
