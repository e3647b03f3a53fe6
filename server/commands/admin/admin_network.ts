import type { Database } from "@/server/core/database/database.ts";
import {
  allowedNetworks,
  allowNetwork,
  forgetNetwork,
} from "@/server/core/accounts/service/allowed_networks.ts";
import type { Arguments } from "@/server/commands/arguments.ts";
import { print } from "@/server/commands/output.ts";
import { ADMIN } from "@/model/site/command_line.ts";

export const NETWORK_USAGE = `${ADMIN} network list
${ADMIN} network add NETWORK [--note TEXT]
${ADMIN} network remove NETWORK
NETWORK is a network such as 10.1.0.0/16 or 2001:db8::/32, or a single address. If no network is set, users may sign in from anywhere.`;

/** @returns exit code; 2 for wrong usage. */
export async function network(
  db: Database,
  { words: [, verb, which], options }: Arguments,
): Promise<number> {
  if (verb === "add" && which) {
    await allowNetwork(db, which, options.get("note") ?? null);
    print(`Users may sign in from ${which}`);
  } else if (verb === "remove" && which) {
    await forgetNetwork(db, which);
    print(`Removed ${which}`);
  } else if (verb !== "list") return 2;
  const networks = await allowedNetworks(db);
  for (const { network, note } of networks) print(`${network}\t${note ?? ""}`);
  if (networks.length === 0) print("No network is set: users may sign in from anywhere");
  return 0;
}
