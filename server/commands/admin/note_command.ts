import { writeAnchor } from "@/server/core/site/service/audit/anchors.ts";
import { appendAudit } from "@/server/core/site/service/audit/audit.ts";
import type { Database } from "@/server/core/database/database.ts";

/**
 * Writes an entry about a command into the audit log, and anchors it: no server may be running that
 * would.
 */
export async function noteCommand(
  db: Database,
  event: string,
  details: Record<string, string> = {},
): Promise<void> {
  await appendAudit(db, { event, userId: null, details });
  await writeAnchor(db);
}
