import { writeAnchor } from "@/server/core/site/service/audit/anchors.ts";
import { appendAudit } from "@/server/core/site/service/audit/audit.ts";
import type { Database } from "@/server/core/database/database.ts";

/**
 * Writes an audit entry about a command and anchors the audit log.
 * A running server would also write the anchor, but the server may be stopped.
 */
export async function noteCommand(
  db: Database,
  event: string,
  details: Record<string, string> = {},
): Promise<void> {
  await appendAudit(db, { event, userId: null, details });
  await writeAnchor(db);
}
