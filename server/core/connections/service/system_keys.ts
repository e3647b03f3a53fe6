/**
 * Authenticates remote systems that read by DICOMweb and FHIR, by a key or a client certificate.
 * A new key revokes the system's previous key.
 */
import { createHash, randomBytes } from "node:crypto";
import { AppError } from "@/model/errors.ts";
import { networkList } from "@/model/site/networks.ts";
import { findPeerByKey, setPeerKey } from "@/server/core/connections/storage/peers.ts";
import { type KnownPeer, knownPeers } from "@/server/core/connections/service/known_peers.ts";
import { presentedFingerprint } from "@/server/core/connections/service/system_certificates.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";
import { checkMaintenance } from "@/server/core/site/service/maintenance.ts";

const PREFIX = "sulcus-system-";
/** API paths that a remote system may call. */
const PATHS = ["/api/v1/dicomweb/", "/api/v1/fhir/"];

const hashOf = (key: string) => createHash("sha256").update(key).digest("hex");

/** Whether a bearer token has the form of a remote system's key. */
export const isSystemKey = (token: string): boolean => token.startsWith(PREFIX);

/**
 * Creates a key for a remote system and revokes the previous key. The key is shown only once.
 * @throws {AppError} `entity.not_found`.
 */
export async function renewSystemKey(
  services: ServiceContext,
  id: number,
  caller: Caller,
): Promise<string> {
  await checkMaintenance(services.db, caller);
  const key = PREFIX + randomBytes(32).toString("base64url");
  if (!await setPeerKey(services.db, id, hashOf(key))) {
    throw new AppError("entity.not_found", "Cannot make a key: the connection was removed");
  }
  return key;
}

/** Credential of a remote system. */
export type SystemProof = { key: string } | {
  /** value of the header in which the edge (page server) passes the client certificate */
  certificate: string;
};

async function peerOf({ db }: ServiceContext, proof: SystemProof): Promise<KnownPeer | undefined> {
  if ("key" in proof) {
    const id = await findPeerByKey(db, hashOf(proof.key));
    return id === null ? undefined : (await knownPeers(db)).find((one) => one.id === id);
  }
  const fingerprint = presentedFingerprint(proof.certificate);
  return fingerprint === null
    ? undefined
    : (await knownPeers(db)).find(({ config }) => config.certificate === fingerprint);
}

/**
 * Identifies the remote system that a key or client certificate belongs to.
 * The system may read; a system that may send to this site may also store by DICOMweb.
 * @param path Path of the request: only DICOMweb and FHIR are allowed.
 * @param address Network address of the caller; `null` if unknown.
 * @throws {AppError} `token.revoked` for an unknown key or certificate,
 * `access.forbidden` for another path or address.
 */
export async function authenticateSystem(
  services: ServiceContext,
  proof: SystemProof,
  path: string,
  address: string | null,
): Promise<{ caller: Caller; system: string }> {
  const peer = await peerOf(services, proof);
  if (!peer) {
    throw new AppError("token.revoked", "Cannot answer: not the key or certificate of a system");
  }
  const { addresses, may_send } = peer.config;
  const isNear = addresses.length === 0 ||
    (address !== null && networkList(addresses).has(address));
  if (!isNear || !PATHS.some((start) => path.startsWith(start))) {
    throw new AppError(
      "access.forbidden",
      "Cannot answer: a system may not call this, or not from there",
    );
  }
  return {
    caller: { uid: 0, sid: "", role: may_send ? "physician" : "reader" },
    system: peer.name,
  };
}
