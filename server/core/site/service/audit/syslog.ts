import type { Anchor } from "@/server/core/site/service/audit/anchors.ts";
import {
  auditMessage,
  type StudyIdentity,
} from "@/server/core/site/service/audit/audit_message.ts";
import type { StoredAudit } from "@/server/core/site/storage/audit.ts";

/** Syslog facilities: 13, log audit (RFC 5424 §6.2.1); 10, security, for messages of PS3.15 A.6. */
const FACILITY = 13, DICOM_FACILITY = 10, NOTICE = 5, WARNING = 4;
/** Value of MSGID that PS3.15 A.6.1 requires. */
const DICOM_MESSAGE = "DICOM+RFC3881";
/**
 * Enterprise number reserved for documentation (RFC 5612); receivers need only the name before it.
 */
export const ENTERPRISE = 32473;

/** Form in which audit entries are sent to a syslog receiver. */
export interface SyslogForm {
  /** structured data of this program and, as the text, a message of DICOM PS3.15 A.5 */
  isDicom: boolean;
  /** private enterprise number of the structured data (RFC 5424 §7.2.2) */
  enterprise: number;
}
export const PLAIN_FORM: SyslogForm = { isDicom: false, enterprise: ENTERPRISE };
const CONNECT_MS = 5000;

/** Syslog receiver of the audit log. */
export interface SyslogTarget {
  hostname: string;
  port: number;
  isTls: boolean;
  /** additional certificates to trust, PEM */
  caCerts?: string[];
}

/** Parses a receiver's URL, `tls://host:6514` or `tcp://host:601`; `null` when invalid. */
export function syslogTarget(text: string): SyslogTarget | null {
  const url = URL.parse(text.replace(/^(tls|tcp):/, "http:"));
  if (url === null || !/^(tls|tcp):\/\//.test(text) || url.port === "" || url.pathname !== "/") {
    return null;
  }
  if (url.username || url.password || url.search || url.hash) return null;
  return { hostname: url.hostname, port: Number(url.port), isTls: text.startsWith("tls:") };
}

/**
 * Escapes a parameter value (RFC 5424 §6.3.3); control characters would break lines at a receiver.
 */
const escaped = (value: string) =>
  // deno-lint-ignore no-control-regex
  value.replaceAll(/[\x00-\x1f\x7f]/g, " ").replaceAll(/["\\\]]/g, "\\$&");

/**
 * Header and structured data of a message; without host name, as the receiver knows the address.
 */
function messageOf(
  priority: number,
  at: string,
  name: string,
  fields: Record<string, string | number | null>,
  { enterprise }: SyslogForm,
): string {
  const params = Object.entries(fields).filter(([, value]) => value !== null)
    .map(([key, value]) => ` ${key}="${escaped(String(value))}"`).join("");
  return `<${priority}>1 ${at} - sulcus - ${name.slice(0, 32)} [sulcus@${enterprise}${params}]`;
}

/**
 * An audit entry in RFC 5424 format.
 * @param identity Patient of the entry's study, for a message of PS3.15.
 */
export function entryMessage(
  row: StoredAudit,
  form: SyslogForm = PLAIN_FORM,
  identity: StudyIdentity | null = null,
): string {
  const severity = row.outcome === "ok" ? NOTICE : WARNING;
  const own = {
    seq: row.seq,
    user: row.user_id,
    address: row.address,
    study: row.pid,
    outcome: row.outcome,
    details: row.details === "{}" ? null : row.details,
    request: row.request_id,
    hash: row.hash,
  };
  if (!form.isDicom) return messageOf(FACILITY * 8 + severity, row.at, row.event, own, form);
  const fields = { event: row.event, ...own };
  const head = messageOf(DICOM_FACILITY * 8 + severity, row.at, DICOM_MESSAGE, fields, form);
  // a byte order mark marks the text as UTF-8 (RFC 5424 §6.4)
  return `${head} \uFEFF${auditMessage(row, identity)}`;
}

export const anchorMessage = ({ at, seq, hash }: Anchor, form: SyslogForm = PLAIN_FORM): string =>
  messageOf(FACILITY * 8 + NOTICE, at, "audit.anchor", { seq, hash }, form);

/**
 * Message with its length before it (RFC 5425 §4.3, RFC 6587 §3.4.1): it may contain line breaks.
 */
function framed(messages: readonly string[]): Uint8Array {
  const encoder = new TextEncoder();
  const parts = messages.flatMap((message) => {
    const bytes = encoder.encode(message);
    return [encoder.encode(`${bytes.length} `), bytes];
  });
  return new Uint8Array(Buffer.concat(parts));
}

/**
 * Sends messages over a new connection. Receivers do not acknowledge; numbers reveal lost ones.
 * @throws if the receiver is unreachable, or its certificate is not trusted.
 */
export async function sendSyslog(target: SyslogTarget, messages: readonly string[]): Promise<void> {
  const { hostname, port, isTls, caCerts } = target;
  const opening: Promise<Deno.Conn> = isTls
    ? Deno.connectTls({ hostname, port, caCerts }).then(async (connection) => {
      await connection.handshake();
      return connection;
    })
    : Deno.connect({ hostname, port });
  const late = AbortSignal.timeout(CONNECT_MS);
  const connection = await Promise.race([
    opening,
    new Promise<never>((_, reject) => late.addEventListener("abort", () => reject(late.reason))),
  ]).catch((error) => {
    opening.then((one) => one.close(), () => {});
    throw error;
  });
  try {
    const bytes = framed(messages);
    for (let done = 0; done < bytes.length;) done += await connection.write(bytes.subarray(done));
    await connection.closeWrite();
  } finally {
    connection.close();
  }
}
