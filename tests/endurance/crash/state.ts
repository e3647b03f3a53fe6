import { openSite } from "@/server/core/mod.ts";
import { checkSite, isWhole } from "@/server/core/site/service/site_check.ts";
import { storedDigest } from "@/server/core/blobs/stored_digest.ts";
import { compareExchange } from "@/tests/endurance/crash/exchange.ts";
import type { Ledger } from "@/tests/endurance/crash/load.ts";

/**
 * Checks all data of a stopped site.
 * @param key Encryption key of its files.
 * @returns problems.
 */
export async function wrongStates(
  dataDir: string,
  databaseUrl: string | null,
  ledger: Ledger,
  key: Uint8Array | null = null,
): Promise<string[]> {
  const db = await openSite({ dataDir, databaseUrl }), problems: string[] = [];
  try {
    const verdict = await checkSite(db, `${dataDir}/blobs`, undefined, storedDigest(key));
    if (!isWhole(verdict)) problems.push(`not whole: ${JSON.stringify(verdict)}`);
    if (verdict.unnamed > 0) problems.push(`${verdict.unnamed} files of nobody`);
    const expectNone = async (what: string, rows: Promise<unknown[]>) => {
      const found = (await rows).length;
      if (found > 0) problems.push(`${found} ${what}`);
    };
    await expectNone(
      "jobs that never end",
      db.selectFrom("jobs").select("id").where("status", "in", ["queued", "running"]).execute(),
    );
    await expectNone(
      "analyses that never end",
      db.selectFrom("analyses").select("id").where("status", "in", ["waiting", "processing"])
        .execute(),
    );
    await expectNone(
      "studies without a series",
      db.selectFrom("patients").select("pid").where(
        "pid",
        "not in",
        db.selectFrom("series").select("pid"),
      )
        .execute(),
    );
    await expectNone(
      "studies without an analysis",
      db.selectFrom("patients").select("pid").where("t1_analysis_id", "is", null).execute(),
    );
    await expectNone(
      "series without images",
      db.selectFrom("series").select("id").where("pid", "<>", ledger.reading?.pid ?? 0)
        .where("id", "not in", db.selectFrom("instances").select("series_id")).execute(),
    );
    for (const [pid, { hashes, isDeleted }] of ledger.studies) {
      const rows = await db.selectFrom("instances").select("blob").where("pid", "=", pid).orderBy(
        "blob",
      )
        .execute();
      const expected = isDeleted === "no" ? hashes : [];
      if (JSON.stringify(rows.map(({ blob }) => blob)) !== JSON.stringify(expected)) {
        problems.push(`study ${pid} has other images than were sent`);
      }
    }
    if (ledger.exchange) problems.push(...await compareExchange(db, dataDir, ledger.exchange, key));
  } finally {
    await db.destroy();
  }
  return problems;
}
