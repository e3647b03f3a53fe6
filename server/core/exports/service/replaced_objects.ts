import type { ReplacedInstance } from "@/server/core/dicom/write/derived_object.ts";
import { sentEarlier } from "@/server/core/connections/storage/sent_results.ts";
import type { Database } from "@/server/core/database/database.ts";
import { knownPeers } from "@/server/core/connections/service/known_peers.ts";

/** Kinds of results by the kinds of objects. */
const OBJECT_KINDS = {
  report: "REPORT",
  measurements: "MEASUREMENTS",
  regions: "REGIONS",
  lesions: "LESIONS",
  changes: "CHANGES",
  pages: "PAGES",
};

/**
 * Objects of earlier analyses, and of earlier states of their correction, that were sent somewhere,
 * by the kind that objects have in their UIDs.
 * @param runs The current run of each kind of result.
 */
export async function replacedObjects(db: Database, pid: number, runs: (kind: string) => string) {
  const replaced: Record<string, ReplacedInstance[]> = {};
  // research systems have the objects under other UIDs
  const peers = (await knownPeers(db)).filter(({ config }) => !config.research).map(({ id }) => id);
  for (const [kind, name] of Object.entries(OBJECT_KINDS)) {
    const instances = await sentEarlier(db, pid, runs(kind), kind, peers);
    if (instances.length > 0) replaced[name] = instances;
  }
  return replaced;
}
