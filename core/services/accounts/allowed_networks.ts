import { BlockList, isIP } from "node:net";
import { AppError } from "@/model/errors.ts";
import type { Database } from "@/core/storage/database/database.ts";
import {
  deleteNetwork,
  listNetworks,
  putNetwork,
  type StoredNetwork,
} from "@/core/storage/allowed_networks.ts";
import { nowIso } from "@/core/services/context.ts";

const familyOf = (address: string) => isIP(address) === 6 ? "ipv6" as const : "ipv4" as const;

/** `10.1.0.0/16` or a single address. @throws {AppError} `input.invalid`. */
function addTo(list: BlockList, network: string): void {
  const [address = "", prefix, ...rest] = network.split("/");
  const bits = isIP(address) === 6 ? 128 : 32;
  const isWhole = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
  if (isIP(address) === 0 || !isWhole || rest.length > 0) {
    throw new AppError(
      "input.invalid",
      "Cannot use the network: write 10.1.0.0/16, 2001:db8::/32 or an address",
      {
        field: "network",
      },
    );
  }
  if (prefix === undefined) list.addAddress(address, familyOf(address));
  else list.addSubnet(address, Number(prefix), familyOf(address));
}

/** The addresses of some networks. @throws {AppError} `input.invalid`. */
export function networkList(networks: readonly string[]): { has(address: string): boolean } {
  const list = new BlockList();
  for (const network of networks) addTo(list, network);
  return { has: (address) => isIP(address) !== 0 && list.check(address, familyOf(address)) };
}

/**
 * Whether people may sign in from an address: from any while no network is named, else from the named ones, and never
 * from an unknown address.
 */
export async function isAllowedAddress(db: Database, address: string | null): Promise<boolean> {
  const networks = await listNetworks(db);
  if (networks.length === 0) return true;
  return address !== null && networkList(networks.map(({ network }) => network)).has(address);
}

export const allowedNetworks = (db: Database): Promise<StoredNetwork[]> => listNetworks(db);

/** @throws {AppError} `input.invalid` when it is no network. */
export async function allowNetwork(db: Database, network: string, note: string | null): Promise<void> {
  networkList([network]);
  await putNetwork(db, { network, note }, nowIso());
}

/** @throws {AppError} `entity.not_found`. */
export async function forgetNetwork(db: Database, network: string): Promise<void> {
  if (await deleteNetwork(db, network)) return;
  throw new AppError("entity.not_found", "Cannot remove the network: it is not in the list");
}
