import { readNumber } from "@/server/commands/start/number_settings.ts";

/** Settings for operating a site. */
export interface Operating {
  /** contact for security reports, `mailto:` or `https:`; `null`: security@ the site's host name */
  securityContact: string | null;
  /** token that Prometheus must send to read `/metrics`; `null`: only this machine may read it */
  metricsToken: string | null;
  /** rotated log file of the program; `null`: standard error */
  logFile: string | null;
  /** target folder and time of day of the daily backup */
  backup: { folder: string; atMinute: number } | null;
  /** webhook for alarms (JSON); `null`: none */
  alarmUrl: string | null;
  /** OTLP/HTTP trace collector; `null`: traces are not exported */
  tracesUrl: string | null;
  /** mailbox for alarms and the SMTP server; `null`: no mail is sent */
  alarmMail: { to: string; host: string; port: number } | null;
  /** number of refused calls per minute that raises an alarm */
  alarmRefusals: number;
}

/** Names of all environment variables of these settings. */
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
] as const;
/** Minute of the day from a time such as `02:30`; `null` for any other text. */
function minuteOf(text: string): number | null {
  const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  return hour === undefined ? null : Number(hour) * 60 + Number(minute);
}

/** Reads {@link OPERATING_VARIABLES}. @param problems Receives one line per invalid value. */
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
  // the message omits the value, because it is a secret
  if (metricsToken !== null && !/^[\x21-\x7e]{32,512}$/.test(metricsToken)) {
    problems.push(
      "SULCUS_METRICS_TOKEN must have at least 32 characters (letters, digits or symbols)",
    );
  }
  const folder = text("SULCUS_BACKUP_DIR"),
    atMinute = minuteOf(text("SULCUS_BACKUP_AT") ?? "02:30");
  if (atMinute === null) problems.push("SULCUS_BACKUP_AT must be a time such as 02:30");
  if (folder === undefined && text("SULCUS_BACKUP_AT") !== undefined) {
    problems.push("SULCUS_BACKUP_AT requires SULCUS_BACKUP_DIR, the folder for the backups");
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
      "SULCUS_SMTP must be smtp://host:port of a server that accepts mail from this machine",
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
    // not used after an invalid value: the problems then end the start
    alarmRefusals: alarmRefusals ?? Infinity,
  };
}
