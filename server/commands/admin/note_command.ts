import { writeAnchor } from "@/server/core/site/service/audit/anchors.ts";
import { appendAudit } from "@/server/core/site/service/audit/audit.ts";
import type { Database } from "@/server/core/database/database.ts";

/**
 * Writes an audit entry about a command and anchors it. A running server would do the anchoring,
 * but there may be none.
 */
export async function noteCommand(
  db: Database,
  event: string,
  details: Record<string, string> = {},
): Promise<void> {
  await appendAudit(db, { event, userId: null, details });
  await writeAnchor(db);
}
