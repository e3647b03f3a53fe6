import type { Assessment } from "@/model/schema/site/settings.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";
import { getReport } from "@/server/core/reports/service/report.ts";

/**
 * Opinion suggested from a study's results, in the caller's report language and wording.
 * @throws {AppError} `study.not_analyzed`, `study.deleted`, `entity.not_found`.
 */
export async function getAssessment(
  services: ServiceContext,
  pid: number,
  caller: Caller,
): Promise<Assessment> {
  const { report_type, opinion: { opinion_id, message } } = await getReport(
    services,
    pid,
    {},
    caller,
  );
  return { pid, report_type, opinion_id, message };
}
