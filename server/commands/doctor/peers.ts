import { type KnownPeer, knownPeers } from "@/server/core/connections/service/known_peers.ts";
import { dicomPeer } from "@/server/core/connections/service/peers.ts";
import { openToRead } from "@/server/core/database/database.ts";
import { openPostgres } from "@/server/core/database/postgres.ts";
import { echo } from "@/server/gate/send/services.ts";
import { checkReach, type Finding } from "@/server/commands/doctor/checks.ts";
import type { Environment } from "@/server/commands/start/environment.ts";

const ADVICE =
  "Compare the address, port and AE titles with the PACS settings; the PACS must also know this site's AE title. Then check the firewall";

/** Checks one PACS by a C-ECHO. */
async function echoOf(peer: KnownPeer, { dicom }: Environment): Promise<Finding> {
  const name = "PACS",
    { host, port, ae_title } = peer.config,
    who = `${ae_title} at ${host}:${port}`;
  const tls = dicom?.tls ?? null, read = (path: string) => Deno.readTextFile(path);
  try {
    const certificates = tls &&
      { cert: await read(tls.cert), key: await read(tls.key), ca: await read(tls.ca) };
    const task = { kind: "echo" as const, peer: dicomPeer(peer, dicom?.aeTitle ?? "SULCUS") };
    const { status = 0 } = await echo(task, certificates);
    return status === 0
      ? { name, state: "good", text: `${who} answers a C-ECHO` }
      : { name, state: "bad", text: `${who} answered the C-ECHO with ${status}`, advice: ADVICE };
  } catch (error) {
    return {
      name,
      state: "bad",
      text: `${who}: ${error instanceof Error ? error.message : error}`,
      advice: ADVICE,
    };
  }
}

/**
 * Checks every configured PACS by a C-ECHO, and the reachability of other systems.
 * No finding without a database.
 */
export async function checkPeers(environment: Environment): Promise<Finding[]> {
  const { dataDir, databaseUrl } = environment, path = `${dataDir}/core.sqlite`;
  if (databaseUrl === null && !(await Deno.stat(path).catch(() => null))?.isFile) return [];
  const db = databaseUrl === null
    ? openToRead(path)
    : await openPostgres(databaseUrl).catch(() => null);
  if (db === null) return [];
  try {
    const peers = await knownPeers(db);
    return await Promise.all(peers.flatMap((peer) => {
      const isBySocket = peer.kind === "dicom" || peer.kind === "hl7";
      // no check without an address: such a system only sends to this site
      if (isBySocket && peer.config.host === "") return [];
      if (peer.kind === "dicom") return [echoOf(peer, environment)];
      if (peer.kind === "hl7") {
        return [checkReach("HL7", peer.config.host, peer.config.port, "Is it running?")];
      }
      const url = URL.parse(peer.config.url);
      if (url === null) return [];
      const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
      return [
        checkReach(
          "DICOMweb",
          url.hostname,
          port,
          "Check that the service is running and that its address is correct",
        ),
      ];
    }));
  } catch {
    // ignored here: another check reports an outdated or damaged database
    return [];
  } finally {
    await db.destroy();
  }
}
