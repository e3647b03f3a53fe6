import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { isLocalAddress } from "@/model/site/networks.ts";
import type { GateTask } from "@/server/gate/link/tasks.ts";

/** The address is refused: it is of this machine, link-local, or a metadata service. */
export class NotAllowed extends Error {
  override name = "NotAllowed";
}

/**
 * Address of a host. Every address of a name is looked at, so that none is chosen that is refused.
 * @param isAllowed Whether an address that would be refused may be called.
 * @throws {NotAllowed}; the error of the look-up.
 */
async function addressOf(host: string, isAllowed: (address: string) => boolean): Promise<string> {
  const name = host.replace(/^\[|\]$/g, "");
  const addresses = isIP(name) === 0
    ? await lookup(name, { all: true })
    : [{ address: name, family: isIP(name) }];
  for (const { address } of addresses) {
    if (isLocalAddress(address) && !isAllowed(address)) {
      throw new NotAllowed("The address is not allowed");
    }
  }
  const { address } = addresses.find(({ family }) => family === 4) ?? addresses[0]!;
  return address;
}

/**
 * A task whose host is an allowed address, which is looked up once: a name that resolves to another
 * address afterwards reaches nothing. With TLS the name stays, for the certificate, which proves
 * it.
 *
 * @throws {NotAllowed} before anything is connected; the error of the look-up.
 */
export async function allowedTask(
  task: GateTask,
  isAllowed: (address: string) => boolean,
): Promise<GateTask> {
  if (task.kind === "http") {
    const url = new URL(task.url), address = await addressOf(url.hostname, isAllowed);
    return url.protocol === "https:" ? task : { ...task, address };
  }
  if (task.kind === "connect" || task.kind === "mllp") {
    const host = await addressOf(task.host, isAllowed);
    return task.tls ? task : { ...task, host };
  }
  const host = await addressOf(task.peer.host, isAllowed);
  return task.peer.tls ? task : { ...task, peer: { ...task.peer, host } };
}
