import { readNumber } from "@/server/commands/start/number_settings.ts";

/** Settings of those who operate a site, beside what it does. */
export interface Operating {
  /** whom to tell of a weakness, `mailto:` or `https:`; `null`: security@ its host name */
  securityContact: string | null;
  /** token that Prometheus shows to read `/metrics`; `null`: it is for this machine alone */
  metricsToken: string | null;
  /** file of the program's log, which is rotated; `null`: standard error */
  logFile: string | null;
  /** folder that is backed up into, and when each day */
  backup: { folder: string; atMinute: number } | null;
  /** address that alarms are posted to as JSON; `null`: none */
  alarmUrl: string | null;
  /** collector of traces, OTLP/HTTP; `null`: they are not exported */
  tracesUrl: string | null;
  /** mailbox that alarms are sent to, by way of which SMTP server; `null`: none */
  alarmMail: { to: string; host: string; port: number } | null;
  /** refused calls in a minute that are an alarm */
  alarmRefusals: number;
}

/** Every name that is read. */
export const OPERATING_VARIABLES = [
  "SULCUS_SECURITY_CONTACT",
  "SULCUS_METRICS_TOKEN",
  "SULCUS_LOG_FILE",
  "SULCUS_BACKUP_DIR",
  "SULCUS_BACKUP_AT",
  "SULCUS_ALARM_URL",
  "SULCUS_OTLP_URL",
  "SULCUS_ALARM_MAIL",
  "SULCUS_ALARM_REFUSALS",
  "SULCUS_SMTP",
];
/** A ward that comes back to pages of yesterday asks less. */

/** Minute of the day of `02:30`; `null` for another text. */
function minuteOf(text: string): number | null {
  const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  return hour === undefined ? null : Number(hour) * 60 + Number(minute);
}

/**
 * Reads {@link OPERATING_VARIABLES}. @param problems Gets one line for each value that is not
 * valid.
 */
export function readOperating(
  text: (name: string) => string | undefined,
  problems: string[],
): Operating {
  const securityContact = text("SULCUS_SECURITY_CONTACT") ?? null;
  if (
    securityContact !== null && !/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/.test(securityContact)
  ) {
    problems.push(
      "SULCUS_SECURITY_CONTACT must be mailto:somebody@hospital.example or an https: address",
    );
  }
  const metricsToken = text("SULCUS_METRICS_TOKEN") ?? null;
  // never the value itself
  if (metricsToken !== null && !/^[\x21-\x7e]{32,512}$/.test(metricsToken)) {
    problems.push("SULCUS_METRICS_TOKEN must be 32 or more letters, digits and signs");
  }
  const folder = text("SULCUS_BACKUP_DIR"),
    atMinute = minuteOf(text("SULCUS_BACKUP_AT") ?? "02:30");
  if (atMinute === null) problems.push("SULCUS_BACKUP_AT must be a time such as 02:30");
  if (folder === undefined && text("SULCUS_BACKUP_AT") !== undefined) {
    problems.push("SULCUS_BACKUP_AT needs SULCUS_BACKUP_DIR, the folder that is backed up into");
  }
  const alarmUrl = text("SULCUS_ALARM_URL") ?? null;
  const tracesUrl = text("SULCUS_OTLP_URL") ?? null;
  if (tracesUrl !== null && !/^https?:$/.test(URL.parse(tracesUrl)?.protocol ?? "")) {
    problems.push("SULCUS_OTLP_URL must be an http: or https: address");
  }
  if (alarmUrl !== null && !/^https?:$/.test(URL.parse(alarmUrl)?.protocol ?? "")) {
    problems.push("SULCUS_ALARM_URL must be an http: or https: address");
  }
  const to = text("SULCUS_ALARM_MAIL"),
    smtp = URL.parse(text("SULCUS_SMTP") ?? "smtp://127.0.0.1:25");
  if (to !== undefined && !/^[^\s@<>,;]+@[^\s@<>,;]+$/.test(to)) {
    problems.push("SULCUS_ALARM_MAIL must be one e-mail address");
  }
  const isSmtp = smtp?.protocol === "smtp:" && smtp.hostname !== "" && smtp.username === "" &&
    smtp.password === "";
  if (!isSmtp) {
    problems.push(
      "SULCUS_SMTP must be smtp://host:port of a server that takes mail of this machine",
    );
  }
  const alarmRefusals = readNumber(
    "SULCUS_ALARM_REFUSALS",
    text("SULCUS_ALARM_REFUSALS"),
    problems,
  );
  return {
    securityContact,
    metricsToken,
    logFile: text("SULCUS_LOG_FILE") ?? null,
    backup: folder === undefined || atMinute === null ? null : { folder, atMinute },
    alarmUrl,
    tracesUrl,
    alarmMail: to === undefined || !isSmtp
      ? null
      : { to, host: smtp.hostname, port: Number(smtp.port) || 25 },
    // a wrong value is among the problems
    alarmRefusals: alarmRefusals ?? Infinity,
  };
}
