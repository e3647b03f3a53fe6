import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { isLocalAddress } from "@/model/site/networks.ts";
import type { GateTask } from "@/server/gate/link/tasks.ts";

/** The address is refused: this machine, link-local, or a metadata service. */
export class NotAllowed extends Error {
  override name = "NotAllowed";
}

/**
 * Resolves a host. All addresses of a name are checked, so that a refused one is never used.
 * @param isAllowed Exceptions for addresses that would be refused.
 * @throws {NotAllowed}; the error of the name resolution.
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
 * Replaces a task's host with the allowed IP address, resolved once: a later change of the name has
 * no effect. With TLS the name is kept, because the certificate proves the name.
 *
 * @throws {NotAllowed} before connecting; errors of the name resolution.
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
