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
 * Whether sign-in is allowed from a client address. If no networks are listed, every address is;
 * otherwise only addresses in a listed network, and an unknown address is refused.
 */
export async function isAllowedAddress(db: Database, address: string | null): Promise<boolean> {
  const networks = await listNetworks(db);
  if (networks.length === 0) return true;
  return address !== null && networkList(networks.map(({ network }) => network)).has(address);
}

export const allowedNetworks = (db: Database): Promise<StoredNetwork[]> => listNetworks(db);

/**
 * Adds a network from which sign-in is allowed. @throws {AppError} `input.invalid` if it is none.
 */
export async function allowNetwork(
  db: Database,
  network: string,
  note: string | null,
): Promise<void> {
  networkList([network]);
  await putNetwork(db, { network, note }, nowIso());
}

/** Removes a network from which sign-in is allowed. @throws {AppError} `entity.not_found`. */
export async function forgetNetwork(db: Database, network: string): Promise<void> {
  if (await deleteNetwork(db, network)) return;
  throw new AppError("entity.not_found", "Cannot remove the network: it is not in the list");
}
