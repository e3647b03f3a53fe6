import { AppError } from "@/model/errors.ts";
import { networkList } from "@/model/site/networks.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  deleteNetwork,
  listNetworks,
  putNetwork,
  type StoredNetwork,
} from "@/server/core/accounts/storage/allowed_networks.ts";
import { nowIso } from "@/server/core/site/service/context.ts";

/**
 * Whether sign-in is allowed from an address. Without a list of networks, every address is allowed;
 * with a list, only addresses in a listed network. An unknown address is then refused.
 */
export async function isAllowedAddress(db: Database, address: string | null): Promise<boolean> {
  const networks = await listNetworks(db);
  if (networks.length === 0) return true;
  return address !== null && networkList(networks.map(({ network }) => network)).has(address);
}

export const allowedNetworks = (db: Database): Promise<StoredNetwork[]> => listNetworks(db);

/** Adds a network. @throws {AppError} `input.invalid` when the text is not a network. */
export async function allowNetwork(
  db: Database,
  network: string,
  note: string | null,
): Promise<void> {
  networkList([network]);
  await putNetwork(db, { network, note }, nowIso());
}

/** Removes a network. @throws {AppError} `entity.not_found`. */
export async function forgetNetwork(db: Database, network: string): Promise<void> {
  if (await deleteNetwork(db, network)) return;
  throw new AppError("entity.not_found", "Cannot remove the network: it is not in the list");
}
