import type { auditEventText } from "@/model/text/site/audit_events.ts";
import type { Database } from "@/server/core/database/database.ts";
import { firstEvents } from "@/server/core/site/storage/audit.ts";

/** Audit events in which a user sees a study's images, results or patient. */
const VIEWS: readonly (keyof typeof auditEventText)[] = [
  "dicom.deidentify",
  "dicom.export",
  "export.download",
  "history.view",
  "image.export",
  "image.view",
  "reading_study.seen",
  "report.download",
  "report.export",
  "report.print",
  "report.view",
  "study.context",
  "study.launch",
  "study.view",
  "worklist.view",
];

/** Time at which each user first saw each of the studies, according to the audit log. */
export const firstViews = (
  db: Database,
  userIds: readonly number[],
  pids: readonly number[],
): Promise<{ userId: number; pid: number; at: string }[]> =>
  firstEvents(db, { events: VIEWS, userIds, pids });
