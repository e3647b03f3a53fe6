import type { auditEventText } from "@/model/text/site/audit_events.ts";
import type { Database } from "@/server/core/database/database.ts";
import { firstEvents } from "@/server/core/site/storage/audit.ts";

/** Events in which a user sees images, results or the patient of a study. */
const VIEWS: readonly (keyof typeof auditEventText)[] = [
  "dicom.deidentify",
  "dicom.export",
  "history.view",
  "image.export",
  "image.view",
  "report.download",
  "report.export",
  "report.print",
  "report.view",
  "study.context",
  "study.launch",
  "study.view",
];

/** When each user first saw each of the studies, if ever. */
export const firstViews = (
  db: Database,
  userIds: readonly number[],
  pids: readonly number[],
): Promise<{ userId: number; pid: number; at: string }[]> =>
  firstEvents(db, { events: VIEWS, userIds, pids });
