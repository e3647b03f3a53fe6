import type { Database } from "@/server/core/database/database.ts";

export interface StoredNetwork {
  network: string;
  note: string | null;
}

export const listNetworks = (db: Database): Promise<StoredNetwork[]> =>
  db.selectFrom("allowed_networks").select(["network", "note"]).orderBy("network").execute();

/** Adds a network from which sign-in is allowed, or updates its note. */
export async function putNetwork(
  db: Database,
  { network, note }: StoredNetwork,
  createdAt: string,
): Promise<void> {
  await db.insertInto("allowed_networks").values({ network, note, created_at: createdAt })
    .onConflict((conflict) => conflict.column("network").doUpdateSet({ note })).execute();
}

/** Removes a network from which sign-in is allowed. @returns whether the site had it. */
export async function deleteNetwork(db: Database, network: string): Promise<boolean> {
  const result = await db.deleteFrom("allowed_networks").where("network", "=", network)
    .executeTakeFirst();
  return Number(result.numDeletedRows) > 0;
}
