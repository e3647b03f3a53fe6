import type { Database } from "@/server/core/database/database.ts";

/** Maximum number of entries that the connection log keeps. */
const MAX_ENTRIES = 5000;

/** An event in the connection with a remote system. */
interface LoggedConnection {
  id: number;
  at: string;
  peer: string;
  address: string;
  event: string;
  isError: boolean;
  details: Record<string, string | number>;
}

export async function logConnection(
  db: Database,
  entry: Omit<LoggedConnection, "id">,
): Promise<void> {
  const { id } = await db.insertInto("connection_log").values({
    at: entry.at,
    peer: entry.peer,
    address: entry.address,
    event: entry.event,
    is_error: entry.isError ? 1 : 0,
    details: JSON.stringify(entry.details),
  }).returning("id").executeTakeFirstOrThrow();
  if (id % 100 === 0) {
    await db.deleteFrom("connection_log").where("id", "<=", id - MAX_ENTRIES).execute();
  }
}

/** The newest entries of the connection log. */
export async function listConnectionLog(db: Database, count: number): Promise<LoggedConnection[]> {
  const rows = await db.selectFrom("connection_log").selectAll().orderBy("id", "desc").limit(count)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    at: row.at,
    peer: row.peer,
    address: row.address,
    event: row.event,
    isError: row.is_error === 1,
    details: JSON.parse(row.details) as Record<string, string | number>,
  }));
}

/** Number of objects and bytes received by DICOM associations that ended since a time. */
export async function receivedSince(
  db: Database,
  at: string,
): Promise<{ stored: number; bytes: number }> {
  const rows = await db.selectFrom("connection_log").select("details").where(
    "event",
    "=",
    "association",
  )
    .where("at", ">=", at).execute();
  const associations = rows.map(({ details }) =>
    JSON.parse(details) as { stored?: number; bytes?: number }
  );
  return {
    stored: associations.reduce((sum, { stored = 0 }) => sum + stored, 0),
    bytes: associations.reduce((sum, { bytes = 0 }) => sum + bytes, 0),
  };
}
