import type { Database } from "@/core/storage/database/database.ts";

/** Who has shown a code of an authenticator and must show one at each sign-in. */
export async function usersWithSecondFactor(db: Database): Promise<Set<number>> {
  const rows = await db.selectFrom("second_factors").select("user_id").where("confirmed_at", "is not", null)
    .execute();
  return new Set(rows.map((row) => row.user_id));
}
