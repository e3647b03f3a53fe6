import { createLog } from "@/server/core/log.ts";
import { openLogFile } from "@/server/core/log_file.ts";
import type { Environment } from "@/server/commands/start/environment.ts";
import { stop } from "@/server/commands/start/serve_site.ts";

/** Opens the log that the settings name; ends the process with one line if that fails. */
export function siteLog(
  { logLevel, operating: { logFile } }: Environment,
): ReturnType<typeof createLog> {
  if (logFile === null) return createLog(logLevel);
  try {
    return createLog(logLevel, openLogFile(logFile));
  } catch (error) {
    return stop(
      `Cannot write the log ${logFile}: ${error instanceof Error ? error.message : error}`,
    );
  }
}
