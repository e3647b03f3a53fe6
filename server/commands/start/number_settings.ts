// Numeric settings with limits; the message for an invalid value states both limits.
import { CALLS_PER_MINUTE } from "@/server/core/site/service/call_limit.ts";
import { EXPORT_HOURS } from "@/server/core/exports/service/exports.ts";
import { UPLOAD_HOURS } from "@/server/core/studies/service/upload_session.ts";
import { RECHECK } from "@/server/core/accounts/service/identity_settings.ts";
import { BIN_DAYS } from "@/server/core/studies/service/bin.ts";

const MINUTE_MS = 60_000, HOUR_MS = 3_600_000;

/** An integer setting from `low` to `high`. */
export interface NumberSetting {
  low: number;
  high: number;
  fallback: number;
  /** unit of the setting, and the meaning of a special value */
  of: string;
}

export const NUMBER_SETTINGS = {
  SULCUS_PORT: { low: 0, high: 65_535, fallback: 8000, of: "a port number (0: any free port)" },
  SULCUS_WORKERS: { low: 1, high: 64, fallback: 1, of: "threads per analysis" },
  SULCUS_DISK_WARN: { low: 1, high: 100, fallback: 80, of: "percentage of the disk in use" },
  SULCUS_DISK_ERROR: { low: 1, high: 100, fallback: 95, of: "percentage of the disk in use" },
  SULCUS_CACHE_MB: {
    low: 0,
    high: 10_000_000,
    fallback: 2048,
    of: "megabytes (0: no images are cached)",
  },
  SULCUS_CALLS_PER_MINUTE: {
    low: 0,
    high: 1_000_000,
    fallback: CALLS_PER_MINUTE,
    of: "requests per minute for each user (0: no limit)",
  },
  SULCUS_BIN_DAYS: {
    low: 0,
    high: 3650,
    fallback: BIN_DAYS,
    of: "days (0: deleted studies are removed immediately)",
  },
  SULCUS_EXPORT_HOURS: { low: 1, high: 8760, fallback: EXPORT_HOURS, of: "hours" },
  SULCUS_UPLOAD_HOURS: { low: 1, high: 8760, fallback: UPLOAD_HOURS, of: "hours" },
  SULCUS_ALARM_REFUSALS: {
    low: 1,
    high: 1_000_000_000,
    fallback: 300,
    of: "number of refused requests per minute that triggers an alarm",
  },
  SULCUS_RECHECK_MINUTES: {
    low: 1,
    high: 60,
    fallback: RECHECK.everyMs / MINUTE_MS,
    of: "minutes between checks with the identity provider",
  },
  SULCUS_UNCHECKED_HOURS: {
    low: 1,
    high: 12,
    fallback: RECHECK.uncheckedMs / HOUR_MS,
    of: "hours that a session stays valid while the identity provider does not respond",
  },
  SULCUS_HL7_PORT: { low: 0, high: 65_535, fallback: 0, of: "a port number (0: any free port)" },
  SULCUS_DICOM_PORT: { low: 0, high: 65_535, fallback: 0, of: "a port number (0: any free port)" },
} satisfies Record<string, NumberSetting>;

/** Parses a numeric setting; `null`, and a line in `problems`, for a value outside the limits. */
export function readNumber(
  name: keyof typeof NUMBER_SETTINGS,
  text: string | undefined,
  problems: string[],
  fallback: number = NUMBER_SETTINGS[name].fallback,
): number | null {
  const { low, high, of } = NUMBER_SETTINGS[name];
  if (text === undefined || text === "") return fallback;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
  if (value >= low && value <= high) return value;
  problems.push(`${name} must be a whole number from ${low} to ${high}: ${of}`);
  return null;
}
