import { type PeerConfig, peerConfig } from "@/model/schema/connections/connections.ts";
import { listPeers, type StoredPeer } from "@/server/core/connections/storage/peers.ts";
import type { Database } from "@/server/core/database/database.ts";

/** A remote system (PACS, worklist, HL7 or FHIR server) with validated settings. */
export interface KnownPeer extends Omit<StoredPeer, "config"> {
  config: PeerConfig;
}

/** All configured remote systems, except those with invalid stored settings. */
export async function knownPeers(db: Database): Promise<KnownPeer[]> {
  return (await listPeers(db)).flatMap((peer) => {
    const { data } = peerConfig.safeParse(peer.config);
    return data ? [{ ...peer, config: data }] : [];
  });
}
