import type { ReplacedInstance } from "@/server/core/dicom/write/derived_object.ts";
import { sentEarlier } from "@/server/core/connections/storage/sent_results.ts";
import type { Database } from "@/server/core/database/database.ts";
import { knownPeers } from "@/server/core/connections/service/known_peers.ts";

/** Name of each kind of result in the UIDs of its DICOM objects. */
const OBJECT_KINDS = {
  report: "REPORT",
  measurements: "MEASUREMENTS",
  regions: "REGIONS",
  lesions: "LESIONS",
  outlines: "OUTLINES",
  changes: "CHANGES",
  thickness: "THICKNESS",
  percentiles: "PERCENTILES",
  pages: "PAGES",
};

/**
 * Objects of earlier analyses or corrections that were sent before, by the kind in their UIDs.
 * @param runs Current analysis run for each kind of result.
 */
export async function replacedObjects(db: Database, pid: number, runs: (kind: string) => string) {
  const replaced: Record<string, ReplacedInstance[]> = {};
  // objects at research destinations are not listed: they have pseudonymous UIDs
  const peers = (await knownPeers(db)).filter(({ config }) => !config.research).map(({ id }) => id);
  for (const [kind, name] of Object.entries(OBJECT_KINDS)) {
    const instances = await sentEarlier(db, pid, runs(kind), kind, peers);
    if (instances.length > 0) replaced[name] = instances;
  }
  return replaced;
}
