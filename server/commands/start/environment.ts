import { isIP } from "node:net";
import { logLevelOf } from "@/server/core/log.ts";
import { type Language, LANGUAGES } from "@/model/text.ts";
import type { SyslogForm } from "@/server/core/site/service/audit/syslog.ts";
import { syslogOf } from "@/server/commands/start/syslog_environment.ts";
import { type NUMBER_SETTINGS, readNumber } from "@/server/commands/start/number_settings.ts";
import { networkList } from "@/model/site/networks.ts";
import {
  type Operating,
  OPERATING_VARIABLES,
  readOperating,
} from "@/server/commands/operate/operating.ts";
import {
  CONTEXT_VARIABLES,
  type ContextReach,
  readContext,
} from "@/server/commands/start/context_environment.ts";
import type { HubSettings } from "@/server/core/studies/service/context/hub_settings.ts";
import type { IdentitySettings } from "@/server/core/accounts/service/identity_settings.ts";
import {
  IDENTITY_VARIABLES,
  type IdentityReach,
  readIdentity,
} from "@/server/commands/start/identity_environment.ts";

/** Validated settings from the environment. */
export interface Environment {
  port: number;
  host: string;
  dataDir: string;
  /**
   * certificate and key files (PEM) of the site's own TLS;
   * `null`: plain HTTP, local or behind a proxy
   */
  tls: { cert: string; key: string } | null;
  /** address of PostgreSQL; `null`: SQLite in the data folder */
  databaseUrl: string | null;
  adminEmail: string | undefined;
  adminPassword: string | undefined;
  workers: number;
  /** proxies that may state a client's address and HTTPS */
  trustedProxies: readonly string[];
  /** origin of an external user service; `null`: this site's user service */
  userService: string | null;
  /** default language of users */
  language: Language;
  /**
   * address of a remote core, when this process is only an edge;
   * `null`: the core runs in this process
   */
  coreUrl: string | null;
  /** secret shared by a core and its edges in other processes */
  coreKey: string | null;
  /** maximum size of an edge's image cache on disk */
  cacheBytes: number;
  /** disk usage in percent for a warning, and for refusing uploads */
  diskLimits: { warn: number; error: number };
  /** folder of the audit log's key and anchors; `null`: `audit` in the data folder */
  auditDir: string | null;
  /** syslog target of the audit log, `tls://host:port` or `tcp://host:port`; `null`: none */
  syslog: string | null;
  /** form of the audit log entries sent to syslog */
  syslogForm: SyslogForm;
  /** maximum number of expensive calls per user and minute; 0: unlimited */
  callsPerMinute: number;
  /** settings of the DICOM gate (process that talks to other systems); `null`: disabled */
  dicom: DicomEnvironment | null;
  /** hours for which finished exports, reports and parts of unfinished uploads are stored */
  keepHours: { exports: number; uploads: number };
  /** path of the key file that seals backups; `null`: backups are not sealed */
  backupKeyFile: string | null;
  /** path of the key file that encrypts stored files; `null`: files are not encrypted */
  storageKeyFile: string | null;
  /** settings of the hospital's sign-in */
  identity: IdentitySettings;
  /** files and servers that the hospital's sign-in needs */
  identityReach: IdentityReach;
  /** hub of context sharing (FHIRcast); `null`: none */
  contextHub: HubSettings | null;
  /** files and servers that the hub needs */
  contextReach: ContextReach;
  /** days that deleted studies stay in the bin */
  binDays: number;
  logLevel: NonNullable<ReturnType<typeof logLevelOf>>;
  /** settings for operating the site */
  operating: Operating;
}

/** Address and AE title of the DICOM gate. */
export interface DicomEnvironment {
  /** port of the DICOM gate; 0: any free port */
  port: number;
  host: string;
  aeTitle: string;
  /** port of HL7 messages, and whether by TLS; `null`: no HL7 messages are received */
  hl7: { port: number; isTls: boolean } | null;
  /** TLS certificate files, PEM; `null`: without TLS */
  tls: { cert: string; key: string; ca: string } | null;
  /** local or link-local networks in which remote systems are allowed */
  reach: readonly string[];
}

const PREFIX = "SULCUS_";
/** Names of all environment variables that the program reads. */
export const KNOWN_VARIABLES = [
  "SULCUS_PORT",
  "SULCUS_HOST",
  "SULCUS_TLS_CERT",
  "SULCUS_TLS_KEY",
  "SULCUS_DATA_DIR",
  "SULCUS_DATABASE_URL",
  "SULCUS_ADMIN_EMAIL",
  "SULCUS_ADMIN_PASSWORD",
  "SULCUS_WORKERS",
  "SULCUS_TRUSTED_PROXIES",
  "SULCUS_VUUC_URL",
  "SULCUS_LANGUAGE",
  "SULCUS_CORE_URL",
  "SULCUS_CORE_KEY",
  "SULCUS_CACHE_MB",
  "SULCUS_DISK_WARN",
  "SULCUS_DISK_ERROR",
  "SULCUS_CALLS_PER_MINUTE",
  "SULCUS_AUDIT_DIR",
  "SULCUS_SYSLOG",
  "SULCUS_SYSLOG_DICOM",
  "SULCUS_SYSLOG_ENTERPRISE",
  "SULCUS_DICOM_PORT",
  "SULCUS_DICOM_HOST",
  "SULCUS_DICOM_AET",
  "SULCUS_DICOM_TLS_CERT",
  "SULCUS_DICOM_TLS_KEY",
  "SULCUS_DICOM_TLS_CA",
  "SULCUS_DICOM_REACH",
  "SULCUS_HL7_PORT",
  "SULCUS_HL7_TLS",
  "SULCUS_BIN_DAYS",
  "SULCUS_EXPORT_HOURS",
  "SULCUS_UPLOAD_HOURS",
  "SULCUS_BACKUP_KEY_FILE",
  "SULCUS_STORAGE_KEY_FILE",
  ...IDENTITY_VARIABLES,
  ...CONTEXT_VARIABLES,
  "SULCUS_LOG",
  ...OPERATING_VARIABLES,
  // read only by the release's start command; the settings file may contain this variable
  "SULCUS_CACHE_DIR",
] as const;
/** Name of an environment variable that the program reads. */
export type KnownVariable = (typeof KNOWN_VARIABLES)[number];

const isKnown = (name: string): name is KnownVariable =>
  (KNOWN_VARIABLES as readonly string[]).includes(name);
/** Settings that are used only if the core runs in this process. */
const OF_CORE = [
  "SULCUS_DATABASE_URL",
  "SULCUS_ADMIN_EMAIL",
  "SULCUS_ADMIN_PASSWORD",
  "SULCUS_AUDIT_DIR",
  "SULCUS_SYSLOG",
  "SULCUS_SYSLOG_DICOM",
  "SULCUS_SYSLOG_ENTERPRISE",
  "SULCUS_DICOM_PORT",
  "SULCUS_HL7_PORT",
  "SULCUS_BIN_DAYS",
  "SULCUS_EXPORT_HOURS",
  "SULCUS_UPLOAD_HOURS",
  "SULCUS_BACKUP_KEY_FILE",
  "SULCUS_STORAGE_KEY_FILE",
  ...IDENTITY_VARIABLES,
  ...CONTEXT_VARIABLES,
];
/**
 * Characters of an AE title (PS3.5 Table 6.2-1).
 * No backslash, no control characters, no leading or trailing spaces.
 */
const AE_TITLE = /^(?! )[\x20-\x5b\x5d-\x7e]{1,16}(?<! )$/;
/** A shared secret: at least 32 random printable characters. */
const KEY = /^[\x21-\x7e]{32,512}$/;

/** Whether a text is an origin only: a path, query or user name would be ignored. */
function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
}

/** Parses the core's address, or returns an error text. */
function coreUrlOf(text: string): URL | string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return "must be an address such as https://core.hospital.example";
  }
  if (url.username || url.password || url.search || url.hash) {
    return "must be an address without a username, query or fragment (#)";
  }
  return url;
}

/** Where HL7 messages are received, or an error text. @param hasTls The gate has certificates. */
function hl7Of(
  { SULCUS_HL7_PORT: port, SULCUS_HL7_TLS: tls }: Record<string, string | undefined>,
  hasTls: boolean,
): DicomEnvironment["hl7"] | string {
  if (port === undefined) {
    return tls === undefined ? null : "SULCUS_HL7_TLS requires SULCUS_HL7_PORT as well";
  }
  const wrong: string[] = [], number = readNumber("SULCUS_HL7_PORT", port, wrong);
  if (number === null) return wrong[0]!;
  if (tls !== undefined && tls !== "on" && tls !== "off") return "SULCUS_HL7_TLS must be on or off";
  if (tls === "on" && !hasTls) return "SULCUS_HL7_TLS requires SULCUS_DICOM_TLS_CERT, _KEY and _CA";
  return { port: number, isTls: tls === undefined ? hasTls : tls === "on" };
}

/** Parses the gate's settings, or returns an error text. */
function dicomOf(text: (name: string) => string | undefined): DicomEnvironment | null | string {
  const dicomNames = KNOWN_VARIABLES.filter((name) => /^SULCUS_(DICOM|HL7)_/.test(name));
  const { SULCUS_DICOM_PORT: port, ...rest } = Object.fromEntries(
    dicomNames.map((name) => [name, text(name)]),
  );
  if (port === undefined) {
    const [lone] = Object.entries(rest).filter(([, value]) => value !== undefined);
    return lone ? `${lone[0]} requires SULCUS_DICOM_PORT as well` : null;
  }
  const wrong: string[] = [];
  const number = readNumber("SULCUS_DICOM_PORT", port, wrong);
  if (number === null) return wrong[0]!;
  const aeTitle = rest.SULCUS_DICOM_AET ?? "SULCUS";
  if (!AE_TITLE.test(aeTitle)) return "SULCUS_DICOM_AET must be 1 to 16 letters, digits or symbols";
  const files = [rest.SULCUS_DICOM_TLS_CERT, rest.SULCUS_DICOM_TLS_KEY, rest.SULCUS_DICOM_TLS_CA];
  const [cert, key, ca] = files, isTls = files.every((file) => file !== undefined);
  if (!isTls && files.some((file) => file !== undefined)) {
    return "SULCUS_DICOM_TLS_CERT, SULCUS_DICOM_TLS_KEY and SULCUS_DICOM_TLS_CA must be set together";
  }
  const reach = (rest.SULCUS_DICOM_REACH ?? "").split(/[\s,]+/).filter(Boolean);
  try {
    networkList(reach);
  } catch {
    return "SULCUS_DICOM_REACH must be a comma-separated list of networks such as 127.0.0.0/8 or ::1";
  }
  const hl7 = hl7Of(rest, isTls);
  if (typeof hl7 === "string") return hl7;
  return {
    port: number,
    hl7,
    host: rest.SULCUS_DICOM_HOST ?? "0.0.0.0",
    aeTitle,
    tls: isTls ? { cert: cert!, key: key!, ca: ca! } : null,
    reach,
  };
}

/**
 * Reads the `SULCUS_*` variables; docs/reference/settings.md, which is generated, lists them.
 *
 * @returns the settings, or one line per unknown name and invalid value.
 */
export function readEnvironment(
  variables: Record<string, string>,
  cores: number,
  readFile?: (path: string) => string,
): { environment: Environment } | { problems: string[] } {
  const problems: string[] = [];
  for (const name of Object.keys(variables).filter((name) => name.startsWith(PREFIX)).sort()) {
    if (!isKnown(name)) {
      problems.push(
        `${name} is not a known variable; known variables: ${KNOWN_VARIABLES.join(", ")}`,
      );
    }
  }
  const text = (name: string) => variables[name] || undefined;
  const number = (name: keyof typeof NUMBER_SETTINGS, fallback?: number) =>
    readNumber(name, text(name), problems, fallback);
  const port = number("SULCUS_PORT"), host = text("SULCUS_HOST") ?? "127.0.0.1";
  // the process may listen on exactly this text: a name, resolved to an address, would be refused
  if (isIP(host) === 0) {
    problems.push("SULCUS_HOST must be an IP address without brackets: 127.0.0.1, 0.0.0.0 or ::");
  }
  const workers = number("SULCUS_WORKERS", Math.max(1, cores));
  const warn = number("SULCUS_DISK_WARN"), error = number("SULCUS_DISK_ERROR");
  if (warn !== null && error !== null && warn > error) {
    problems.push("SULCUS_DISK_WARN must not be greater than SULCUS_DISK_ERROR");
  }
  const logLevel = logLevelOf(text("SULCUS_LOG") ?? "info");
  if (logLevel === null) problems.push("SULCUS_LOG must be debug, info, warn or error");
  const adminEmail = text("SULCUS_ADMIN_EMAIL");
  if (adminEmail !== undefined && !/^[^\s@]+@[^\s@]+$/.test(adminEmail)) {
    problems.push("SULCUS_ADMIN_EMAIL must be an e-mail address");
  }
  const databaseUrl = text("SULCUS_DATABASE_URL") ?? null;
  // the message omits the value, because it contains a password
  if (databaseUrl !== null && !/^postgres(ql)?:\/\/.+/.test(databaseUrl)) {
    problems.push(
      "SULCUS_DATABASE_URL must begin with postgres:// (postgres://user:password@host:port/database)",
    );
  }
  const trustedProxies = (text("SULCUS_TRUSTED_PROXIES") ?? "").split(/[\s,]+/).filter(Boolean);
  try {
    networkList(trustedProxies);
  } catch {
    problems.push(
      "SULCUS_TRUSTED_PROXIES must be a comma-separated list of addresses or networks such as 10.1.0.0/16",
    );
  }
  const userService = text("SULCUS_VUUC_URL") ?? null;
  if (userService !== null && !isOrigin(userService)) {
    problems.push(
      "SULCUS_VUUC_URL must be an address without a path, such as https://users.hospital.example",
    );
  }
  const language = LANGUAGES.find((each) => each === (text("SULCUS_LANGUAGE") ?? "en"));
  if (language === undefined) problems.push(`SULCUS_LANGUAGE must be ${LANGUAGES.join(" or ")}`);
  const coreText = text("SULCUS_CORE_URL"),
    coreUrl = coreText === undefined ? null : coreUrlOf(coreText);
  if (typeof coreUrl === "string") problems.push(`SULCUS_CORE_URL ${coreUrl}`);
  else if (coreUrl !== null) {
    for (const name of OF_CORE.filter((name) => text(name) !== undefined)) {
      problems.push(
        `${name} is a setting of the core server: remove it here, or remove SULCUS_CORE_URL`,
      );
    }
  }
  const coreKey = text("SULCUS_CORE_KEY") ?? null;
  // the message omits the value, because it is a secret
  if (coreKey !== null && !KEY.test(coreKey)) {
    problems.push(
      "SULCUS_CORE_KEY must have at least 32 characters (letters, digits or symbols) and be the same on the core and the edge",
    );
  }
  const cacheMb = number("SULCUS_CACHE_MB"), callsPerMinute = number("SULCUS_CALLS_PER_MINUTE");
  const cert = text("SULCUS_TLS_CERT") ?? null, key = text("SULCUS_TLS_KEY") ?? null;
  const tls = cert !== null && key !== null ? { cert, key } : null;
  if (tls === null && (cert ?? key) !== null) {
    problems.push("SULCUS_TLS_CERT and SULCUS_TLS_KEY go together: set both or neither");
  }
  const binDays = number("SULCUS_BIN_DAYS");
  const exportHours = number("SULCUS_EXPORT_HOURS"), uploadHours = number("SULCUS_UPLOAD_HOURS");
  const { settings: identity, reach: identityReach } = readIdentity(text, problems, readFile);
  const { hub: contextHub, reach: contextReach } = readContext(text, problems, readFile);
  const { syslog, syslogForm } = syslogOf(text, problems);
  const operating = readOperating(text, problems);
  const dicom = dicomOf(text);
  if (typeof dicom === "string") problems.push(dicom);
  if (
    exportHours === null || uploadHours === null || binDays === null || port === null ||
    workers === null ||
    cacheMb === null || callsPerMinute === null || logLevel === null || warn === null ||
    error === null ||
    !language || typeof dicom === "string"
  ) {
    return { problems };
  }
  if (problems.length > 0) return { problems };
  return {
    environment: {
      port,
      host,
      tls,
      dataDir: text("SULCUS_DATA_DIR") ?? "./data",
      databaseUrl,
      adminEmail,
      adminPassword: text("SULCUS_ADMIN_PASSWORD"),
      workers,
      trustedProxies,
      userService: userService && new URL(userService).origin,
      language,
      coreUrl: coreUrl instanceof URL ? coreUrl.href : null,
      coreKey,
      cacheBytes: cacheMb * 1_000_000,
      diskLimits: { warn, error },
      auditDir: text("SULCUS_AUDIT_DIR") ?? null,
      syslogForm,
      syslog,
      callsPerMinute,
      dicom,
      identity,
      identityReach,
      contextHub,
      contextReach,
      binDays,
      keepHours: { exports: exportHours, uploads: uploadHours },
      backupKeyFile: text("SULCUS_BACKUP_KEY_FILE") ?? null,
      storageKeyFile: text("SULCUS_STORAGE_KEY_FILE") ?? null,
      logLevel,
      operating,
    },
  };
}

/**
 * Environment variables of this process. The server may read only known names;
 * the launcher has already checked for unknown names.
 */
function variables(): Record<string, string> {
  if (Deno.permissions.querySync({ name: "env" }).state === "granted") return Deno.env.toObject();
  const values = KNOWN_VARIABLES.map((name) => [name, Deno.env.get(name)] as const);
  return Object.fromEntries(
    values.filter((entry): entry is [typeof entry[0], string] => entry[1] !== undefined),
  );
}

/** Whether this process is configured as the edge of a remote core. */
export const isEdge = (): boolean => Boolean(Deno.env.get("SULCUS_CORE_URL"));

/** Calls {@link readEnvironment} for this process; on problems prints one line each, and exits. */
export function environmentOrExit(): Environment {
  const result = readEnvironment(variables(), navigator.hardwareConcurrency);
  if ("environment" in result) return result.environment;
  for (const problem of result.problems) {
    Deno.stderr.writeSync(new TextEncoder().encode(problem + "\n"));
  }
  Deno.exit(2);
}
