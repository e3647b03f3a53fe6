import { AppError } from "@/model/errors.ts";
import type { NormTable } from "@/model/norms/imported/table.ts";
import { readNormTable } from "@/model/norms/imported/read_table.ts";
import { insertNorm, listNorms } from "@/server/core/norms/storage/local_norms.ts";
import { mustFindNorm } from "@/server/core/norms/service/local_norms.ts";
import { type Caller, nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { checkMaintenance } from "@/server/core/site/service/maintenance.ts";

/** Maximum number of tables proposed or in use at a time: each is read with every result. */
const MAX_OPEN_TABLES = 4;

/**
 * Proposes norms from a file for the whole site; another administrator must accept them.
 * @throws {AppError} `norm.table_invalid` with row and column in the file, `norm.too_many_tables`,
 * `access.forbidden`.
 */
export async function proposeTable(
  services: ServiceContext,
  content: string,
  caller: Caller,
): Promise<{ id: number; title: string }> {
  const { db } = services;
  await checkMaintenance(db, caller);
  const table = readNormTable(content);
  const id = await db.transaction().execute(async (tx) => {
    const open = (await listNorms(tx)).filter((norm) => norm.table !== null);
    if (open.length >= MAX_OPEN_TABLES) {
      throw new AppError("norm.too_many_tables", "Cannot import norms: too many tables", {
        n: MAX_OPEN_TABLES,
      });
    }
    return await insertNorm(tx, {
      scanner: null,
      source: "table",
      engineVersion: table.engineVersion ?? "",
      controls: 0,
      norms: {},
      table,
      proposedAt: nowIso(),
      proposedBy: caller.uid,
    });
  });
  return { id, title: table.title };
}

/**
 * Imported table of norms.
 * @throws {AppError} `entity.not_found`, `norm.not_open`, `access.forbidden`.
 */
export async function getTable(
  services: ServiceContext,
  id: number,
  caller: Caller,
): Promise<NormTable> {
  await checkMaintenance(services.db, caller);
  const { table, source } = await mustFindNorm(services, id);
  if (source !== "table") {
    throw new AppError("entity.not_found", `Cannot find the table ${id}: no such number`);
  }
  if (!table) throw new AppError("norm.not_open", "Cannot read the table: it is undone");
  return table;
}
