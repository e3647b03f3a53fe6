import type { Database } from "@/server/core/database/database.ts";

export interface StoredNetwork {
  network: string;
  note: string | null;
}

export const listNetworks = (db: Database): Promise<StoredNetwork[]> =>
  db.selectFrom("allowed_networks").select(["network", "note"]).orderBy("network").execute();

/** Adds a network to the list, or updates its note. */
export async function putNetwork(
  db: Database,
  { network, note }: StoredNetwork,
  createdAt: string,
): Promise<void> {
  await db.insertInto("allowed_networks").values({ network, note, created_at: createdAt })
    .onConflict((conflict) => conflict.column("network").doUpdateSet({ note })).execute();
}

/** Removes a network. @returns whether the network was in the list. */
export async function deleteNetwork(db: Database, network: string): Promise<boolean> {
  const result = await db.deleteFrom("allowed_networks").where("network", "=", network)
    .executeTakeFirst();
  return Number(result.numDeletedRows) > 0;
}
