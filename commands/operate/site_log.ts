import { createLog } from "@/core/log.ts";
import { openLogFile } from "@/core/log_file.ts";
import type { Environment } from "@/commands/start/environment.ts";
import { stop } from "@/commands/start/serve_site.ts";

/** The log that the settings ask for; ends the process with one line when its file cannot be opened. */
export function siteLog({ logLevel, operating: { logFile } }: Environment): ReturnType<typeof createLog> {
  if (logFile === null) return createLog(logLevel);
  try {
    return createLog(logLevel, openLogFile(logFile));
  } catch (error) {
    return stop(`Cannot write the log ${logFile}: ${error instanceof Error ? error.message : error}`);
  }
}
