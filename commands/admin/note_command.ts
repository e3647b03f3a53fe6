import { writeAnchor } from "@/core/services/audit/anchors.ts";
import { appendAudit } from "@/core/services/audit/audit.ts";
import type { Database } from "@/core/storage/database/database.ts";

/** Writes an entry about a command into the audit log, and anchors it: no server may be running that would. */
export async function noteCommand(
  db: Database,
  event: string,
  details: Record<string, string> = {},
): Promise<void> {
  await appendAudit(db, { event, userId: null, details });
  await writeAnchor(db);
}
