// Every setting with its meaning, default and kind of value, from which the page is made.
import type { KnownVariable } from "@/server/commands/start/environment.ts";

const FILE = "file", PEM = "PEM file", FOLDER = "folder";

/** A setting as the page shows it. Numbers have default and range in `NUMBER_SETTINGS`. */
export interface Setting {
  meaning: string;
  /** default value of the setting; with `isWords` a description of it */
  fallback?: string;
  isWords?: true;
  /** kind of value, for settings that are not numbers */
  value?: string;
  /** name of another setting that must be set together with this one */
  requiredWith?: KnownVariable;
  /** name of another setting without which this one is ignored */
  needs?: KnownVariable;
}

/** Every setting by the subject that it belongs to; an unknown name does not compile, a test finds a missing one. */
export const SETTINGS = {
  Site: {
    SULCUS_PORT: { meaning: "port of pages and API; 0: any free one" },
    SULCUS_HOST: {
      fallback: "127.0.0.1",
      value: "address",
      meaning:
        "IP address to listen on; `0.0.0.0`, or `::` with IPv6: every network of the machine, with [HTTPS](../site/https.md)",
    },
    SULCUS_TLS_CERT: {
      value: PEM,
      meaning: "certificate of the site; with `SULCUS_TLS_KEY` the site speaks HTTPS itself",
    },
    SULCUS_TLS_KEY: {
      value: PEM,
      requiredWith: "SULCUS_TLS_CERT",
      meaning: "key of that certificate",
    },
    SULCUS_TRUSTED_PROXIES: {
      value: "addresses or networks, with commas",
      meaning: "proxies whose `X-Forwarded-*` and `Client-Cert` headers are believed",
    },
    SULCUS_DATA_DIR: {
      fallback: "./data",
      value: FOLDER,
      meaning: "database, originals and results; the package sets `/var/lib/sulcus`",
    },
    SULCUS_CACHE_DIR: {
      fallback: "a folder in `/tmp`",
      isWords: true,
      value: FOLDER,
      meaning: "compiled code of the runtime; read by the `sulcus` command alone",
    },
    SULCUS_DATABASE_URL: {
      fallback: "SQLite in the data folder",
      isWords: true,
      value: "address",
      meaning:
        "PostgreSQL, `postgres://user:password@host:port/database`, with libpq's options: [grow](../site/grow.md#postgresql)",
    },
    SULCUS_ADMIN_EMAIL: {
      fallback: "`admin@localhost`",
      isWords: true,
      value: "e-mail address",
      meaning: "first administrator; read at the first start only",
    },
    SULCUS_ADMIN_PASSWORD: {
      fallback: "generated",
      isWords: true,
      value: "8 characters with a number and a special character",
      meaning: "the first administrator's password; read at the first start only, remove it then",
    },
    SULCUS_WORKERS: {
      fallback: "number of cores",
      isWords: true,
      meaning:
        "threads of an analysis; analyses run one after another, each process with about 1.2 GB",
    },
    SULCUS_LANGUAGE: {
      fallback: "en",
      value: "`en` or `ko`",
      meaning: "language of people who have not chosen one, and of their reports",
    },
    SULCUS_DISK_WARN: { meaning: "percent of the disk in use for a warning" },
    SULCUS_DISK_ERROR: { meaning: "percent of the disk in use for an urgent warning" },
    SULCUS_CALLS_PER_MINUTE: {
      meaning: "[costly calls](../security.md#limits) of one user in a minute; 0: no limit",
    },
    SULCUS_VUUC_URL: {
      value: "address",
      meaning: "origin of a user service elsewhere, for calls under `/vuuc`",
    },
    SULCUS_LOG: {
      fallback: "info",
      value: "`debug`, `info`, `warn` or `error`",
      meaning: "least important lines of the log",
    },
  },
  "Keys and keeping": {
    SULCUS_STORAGE_KEY_FILE: {
      fallback: "in the clear",
      isWords: true,
      value: FILE,
      meaning: "key of stored files, outside the data folder: [encryption](../site/encryption.md)",
    },
    SULCUS_BACKUP_KEY_FILE: {
      fallback: "in the clear",
      isWords: true,
      value: FILE,
      meaning: "key that backups are sealed with; backups of encrypted files need it",
    },
    SULCUS_AUDIT_DIR: {
      fallback: "`audit` in the data folder",
      isWords: true,
      value: FOLDER,
      meaning:
        "key and anchors of the audit log; safer on another disk; the same for all servers of a database",
    },
    SULCUS_SYSLOG: {
      value: "`tls://host:6514` or `tcp://host:601`",
      meaning: "receiver of the audit log (RFC 5424, 5425)",
    },
    SULCUS_SYSLOG_DICOM: {
      needs: "SULCUS_SYSLOG",
      fallback: "off",
      value: "`on` or `off`",
      meaning: "entries as messages of DICOM PS3.15 A.5 (IHE ATNA) too, over TLS alone; " +
        "they hold study UID and patient ID",
    },
    SULCUS_SYSLOG_ENTERPRISE: {
      needs: "SULCUS_SYSLOG",
      fallback: "32473, of examples",
      isWords: true,
      value: "number",
      meaning: "your private enterprise number, in the structured data",
    },
    SULCUS_BIN_DAYS: { meaning: "days that deleted studies can be restored; 0: deleted at once" },
    SULCUS_EXPORT_HOURS: { meaning: "hours that finished exports are kept" },
    SULCUS_UPLOAD_HOURS: { meaning: "hours that unfinished uploads are kept" },
  },
  "Backup and monitoring": {
    SULCUS_BACKUP_DIR: {
      value: FOLDER,
      meaning: "folder of the nightly [backup](../site/backup.md)",
    },
    SULCUS_BACKUP_AT: {
      fallback: "02:30",
      value: "time",
      needs: "SULCUS_BACKUP_DIR",
      meaning: "start of the nightly backup, in the machine's zone",
    },
    SULCUS_ALARM_URL: {
      value: "address",
      meaning:
        "receiver of [alarms](../site/monitoring.md#alarms); without it and mail nothing is watched",
    },
    SULCUS_ALARM_MAIL: { value: "e-mail address", meaning: "receiver of alarms" },
    SULCUS_SMTP: {
      fallback: "smtp://127.0.0.1:25",
      value: "address",
      needs: "SULCUS_ALARM_MAIL",
      meaning: "server that takes mail of this machine without sign-in",
    },
    SULCUS_ALARM_REFUSALS: { meaning: "refused calls in a minute that raise an alarm" },
    SULCUS_METRICS_TOKEN: {
      fallback: "`/metrics` answers this machine alone",
      isWords: true,
      value: "32 or more letters, digits and signs",
      meaning: "bearer token with which `/metrics` answers other machines",
    },
    SULCUS_LOG_FILE: {
      fallback: "standard error",
      isWords: true,
      value: FILE,
      meaning: "file of the log, rotated",
    },
    SULCUS_OTLP_URL: {
      value: "address",
      meaning: "OpenTelemetry collector, such as `http://127.0.0.1:4318`",
    },
    SULCUS_SECURITY_CONTACT: {
      fallback: "`mailto:security@HOST`",
      isWords: true,
      value: "`mailto:` or `https:` address",
      meaning: "contact in `/.well-known/security.txt`",
    },
  },
  "DICOM and HL7": {
    SULCUS_DICOM_PORT: {
      fallback: "no DICOM over the network",
      isWords: true,
      meaning: "port of the gate: [PACS](../site/pacs.md); the others below need it",
    },
    SULCUS_DICOM_HOST: {
      fallback: "0.0.0.0",
      value: "address",
      needs: "SULCUS_DICOM_PORT",
      meaning: "address that the gate listens on",
    },
    SULCUS_DICOM_AET: {
      fallback: "SULCUS",
      value: "1 to 16 letters, digits and signs",
      needs: "SULCUS_DICOM_PORT",
      meaning: "AE title",
    },
    SULCUS_DICOM_TLS_CERT: {
      fallback: "plain",
      isWords: true,
      value: PEM,
      needs: "SULCUS_DICOM_PORT",
      meaning: "certificate of the gate; with it TLS with client certificates only",
    },
    SULCUS_DICOM_TLS_KEY: {
      value: PEM,
      requiredWith: "SULCUS_DICOM_TLS_CERT",
      meaning: "key of that certificate",
    },
    SULCUS_DICOM_TLS_CA: {
      value: PEM,
      requiredWith: "SULCUS_DICOM_TLS_CERT",
      meaning: "authority that has signed the clients' certificates",
    },
    SULCUS_DICOM_REACH: {
      value: "networks, with commas",
      needs: "SULCUS_DICOM_PORT",
      meaning:
        "networks of systems that the gate refuses otherwise: this machine, link-local, metadata services",
    },
    SULCUS_HL7_PORT: {
      fallback: "no HL7 messages",
      isWords: true,
      needs: "SULCUS_DICOM_PORT",
      meaning: "port of the gate for HL7: [PACS](../site/pacs.md#messages-from-the-hospital)",
    },
    SULCUS_HL7_TLS: {
      fallback: "as DICOM",
      isWords: true,
      value: "`on` or `off`",
      needs: "SULCUS_HL7_PORT",
      meaning: "TLS of HL7, with the certificates of DICOM",
    },
  },
  "Core and edge": {
    SULCUS_CORE_URL: {
      value: "address",
      meaning:
        "a core elsewhere: this process is its [edge](../site/grow.md#an-edge-in-front-of-a-core-elsewhere)",
    },
    SULCUS_CORE_KEY: {
      value: "32 or more letters, digits and signs",
      meaning: "secret shared by core and edge",
    },
    SULCUS_CACHE_MB: { meaning: "edge: megabytes of images kept on its disk; 0: none" },
  },
  "Context sharing": {
    SULCUS_FHIRCAST_URL: {
      value: "`https:` address",
      meaning:
        "hub (FHIRcast 3): pages follow the study that other applications show, and say theirs",
    },
    SULCUS_FHIRCAST_TOPIC: {
      fallback: "{email}",
      value: "text with `{email}`",
      needs: "SULCUS_FHIRCAST_URL",
      meaning: "topic of a user's session at the hub",
    },
    SULCUS_FHIRCAST_TOKEN_FILE: {
      fallback: "no token",
      isWords: true,
      value: FILE,
      needs: "SULCUS_FHIRCAST_URL",
      meaning: "bearer token of the site at the hub",
    },
    SULCUS_FHIRCAST_HOSTS: {
      value: "`host:port`, with commas",
      needs: "SULCUS_FHIRCAST_URL",
      meaning: "further addresses of the hub's WebSockets",
    },
  },
  "Sign-in of the hospital": {
    SULCUS_OIDC_ISSUER: {
      value: "`https:` address",
      meaning: "the [OpenID provider](../site/sign-in.md#openid-keycloak-entra-id-ad-fs)",
    },
    SULCUS_PUBLIC_URL: {
      value: "address",
      requiredWith: "SULCUS_OIDC_ISSUER",
      meaning: "the site's own; the provider sends people back to its `/sign-in/callback`",
    },
    SULCUS_OIDC_CLIENT_ID: {
      value: "text",
      requiredWith: "SULCUS_OIDC_ISSUER",
      meaning: "name of the site at the provider",
    },
    SULCUS_OIDC_ROLES: {
      value: "`group=role; group=role`",
      requiredWith: "SULCUS_OIDC_ISSUER",
      meaning: "role of each group, such as `neuro=physician; it=administrator`",
    },
    SULCUS_OIDC_CLIENT_SECRET_FILE: {
      fallback: "a public client",
      isWords: true,
      value: FILE,
      needs: "SULCUS_OIDC_ISSUER",
      meaning: "the client's secret",
    },
    SULCUS_OIDC_NAME: {
      fallback: "OpenID",
      value: "text",
      needs: "SULCUS_OIDC_ISSUER",
      meaning: '"Sign in with …"',
    },
    SULCUS_OIDC_SCOPE: {
      fallback: "openid profile email",
      value: "words",
      needs: "SULCUS_OIDC_ISSUER",
      meaning: "scope that is asked for",
    },
    SULCUS_OIDC_GROUPS_CLAIM: {
      fallback: "groups",
      value: "text",
      needs: "SULCUS_OIDC_ISSUER",
      meaning: "claim of the ID token with the groups",
    },
    SULCUS_OIDC_TRUST_EMAIL: {
      fallback: "0",
      value: "`0` or `1`",
      needs: "SULCUS_OIDC_ISSUER",
      meaning:
        "1: an address without `email_verified` counts as confirmed, where people cannot change theirs",
    },
    SULCUS_OIDC_HOSTS: {
      value: "`host:port`, with commas",
      needs: "SULCUS_OIDC_ISSUER",
      meaning: "further addresses of the provider",
    },
    SULCUS_LDAP_URL: {
      value: "`ldaps://host:636` or `ldap://host:389`",
      meaning: "the [directory](../site/sign-in.md#ldap-and-active-directory)",
    },
    SULCUS_LDAP_BASE: {
      value: "distinguished name",
      requiredWith: "SULCUS_LDAP_URL",
      meaning: "entry below which people and groups are",
    },
    SULCUS_LDAP_ROLES: {
      value: "`group=role; group=role`",
      requiredWith: "SULCUS_LDAP_URL",
      meaning: "role of each group",
    },
    SULCUS_LDAP_START_TLS: {
      fallback: "off",
      isWords: true,
      value: "`1`",
      needs: "SULCUS_LDAP_URL",
      meaning: "1: TLS begins on the plain port; `ldap://` needs it",
    },
    SULCUS_LDAP_CA: {
      value: PEM,
      needs: "SULCUS_LDAP_URL",
      meaning: "the directory's authority",
    },
    SULCUS_LDAP_FILTER: {
      fallback: "(mail={login})",
      value: "filter",
      needs: "SULCUS_LDAP_URL",
      meaning: "finds a person; input is escaped",
    },
    SULCUS_LDAP_BIND_DN: {
      value: "distinguished name",
      needs: "SULCUS_LDAP_URL",
      meaning: "account that searches",
    },
    SULCUS_LDAP_BIND_PASSWORD_FILE: {
      value: FILE,
      needs: "SULCUS_LDAP_URL",
      meaning: "password of that account",
    },
    SULCUS_LDAP_USER_DN: {
      value: "distinguished name",
      needs: "SULCUS_LDAP_URL",
      meaning: "`uid={login},ou=people,…`: binds the person at once instead",
    },
    SULCUS_LDAP_GROUP_ATTRIBUTE: {
      fallback: "memberOf",
      value: "attribute",
      needs: "SULCUS_LDAP_URL",
      meaning: "a person's groups",
    },
    SULCUS_LDAP_GROUP_FILTER: {
      value: "filter",
      needs: "SULCUS_LDAP_URL",
      meaning: "finds groups that list their members",
    },
    SULCUS_LDAP_ID_ATTRIBUTE: {
      fallback: "entryUUID",
      value: "attribute",
      needs: "SULCUS_LDAP_URL",
      meaning: "attribute that never changes; `objectGUID` in Active Directory",
    },
    SULCUS_RECHECK_MINUTES: { meaning: "minutes after which a signed-in person is checked again" },
    SULCUS_UNCHECKED_HOURS: { meaning: "hours that a session lasts that cannot be checked" },
    SULCUS_SECOND_FACTOR: {
      fallback: "optional",
      value: "`optional`, `administrators` or `everybody`",
      meaning: "people who must have one-time codes",
    },
  },
} satisfies Record<string, Partial<Record<KnownVariable, Setting>>>;
