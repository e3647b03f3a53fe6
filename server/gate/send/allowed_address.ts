import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { isLocalAddress } from "@/model/site/networks.ts";
import type { GateTask } from "@/server/gate/link/tasks.ts";

/** Error: the address is refused (this machine, link-local, or a cloud metadata service). */
export class NotAllowed extends Error {
  override name = "NotAllowed";
}

/**
 * Resolves a host name. All addresses of the name are checked, so that no refused address is used.
 * @param isAllowed Whether an address that would be refused may be used.
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
 * Replaces the host of a task with an allowed IP address. The name is resolved only once, so that a
 * later change has no effect. With TLS the name is kept, because the certificate proves the name.
 *
 * @throws {NotAllowed} before connecting; errors of resolving the host name.
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
