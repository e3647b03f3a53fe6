// A scanner accepted for percentiles by two people.
import { countersignAcceptance } from "@/client/api/report/acceptance.ts";
import type { Database } from "@/server/core/database/database.ts";
import { insertAcceptance, signAcceptance } from "@/server/core/norms/storage/acceptances.ts";
import { openBeside, type TestCore } from "@/tests/sites/core_site.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";

const FIRST = { email: "first.signature@hospital.test", password: "correct-horse-9" };
/** Scanner and protocol of the accepted studies. */
export const ACCEPTED = { scanner: "Phantom 1", protocol: "t1 1 mm" };

/** Stores an acceptance for percentiles with one signature, without a comparison. */
export async function addSignedAcceptance(
  db: Database,
  of: { scanner: string; protocol: string; engineVersion: string; pids: readonly number[] },
): Promise<number> {
  const userOf = () =>
    db.selectFrom("users").select("id").where("email", "=", FIRST.email).executeTakeFirst();
  if (!await userOf()) await addQuickUser(db, { ...FIRST, name: null, role: "administrator" });
  const by = { userId: (await userOf())!.id, at: new Date().toISOString() };
  const id = await insertAcceptance(
    db,
    { ...of, seed: 1, pictures: of.pids, result: {} as never },
    by,
  );
  await signAcceptance(db, id, { decision: "percentiles", remark: "" }, by);
  return id;
}

/**
 * Accepts the scanner of a study for percentiles with its engine version.
 * @returns number of the acceptance test.
 */
export async function acceptScanner(
  { api, dataDir }: Pick<TestCore, "api" | "dataDir">,
  pid: number,
): Promise<number> {
  const db = await openBeside(dataDir);
  try {
    await db.updateTable("series").set(ACCEPTED).where("pid", "=", pid).execute();
    const { engine_version } = await db.selectFrom("patients as p")
      .innerJoin("analyses as a", "a.id", "p.t1_analysis_id").select("a.engine_version")
      .where("p.pid", "=", pid).executeTakeFirstOrThrow();
    const id = await addSignedAcceptance(db, {
      ...ACCEPTED,
      engineVersion: engine_version ?? "",
      pids: [pid],
    });
    await countersignAcceptance(api, id);
    return id;
  } finally {
    await db.destroy();
  }
}
