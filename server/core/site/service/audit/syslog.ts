import type { Anchor } from "@/server/core/site/service/audit/anchors.ts";
import type { StoredAudit } from "@/server/core/site/storage/audit.ts";

/** Facility 13, log audit (RFC 5424 §6.2.1). */
const FACILITY = 13, NOTICE = 5, WARNING = 4;
/**
 * The number that RFC 5612 keeps for documents; receivers know our fields by the name before it.
 */
const STRUCTURE = "sulcus@32473";
const CONNECT_MS = 5000;

/** Where the log is sent to. */
export interface SyslogTarget {
  hostname: string;
  port: number;
  isTls: boolean;
  /** PEM of certificates that are trusted beside the usual ones */
  caCerts?: string[];
}

/** `tls://host:6514` or `tcp://host:601`; `null` when it is none. */
export function syslogTarget(text: string): SyslogTarget | null {
  const url = URL.parse(text.replace(/^(tls|tcp):/, "http:"));
  if (url === null || !/^(tls|tcp):\/\//.test(text) || url.port === "" || url.pathname !== "/") {
    return null;
  }
  if (url.username || url.password || url.search || url.hash) return null;
  return { hostname: url.hostname, port: Number(url.port), isTls: text.startsWith("tls:") };
}

/** RFC 5424 §6.3.3; control characters would end a line at a receiver that stores lines. */
const escaped = (value: string) =>
  // deno-lint-ignore no-control-regex
  value.replaceAll(/[\x00-\x1f\x7f]/g, " ").replaceAll(/["\\\]]/g, "\\$&");

function messageOf(
  severity: number,
  at: string,
  name: string,
  fields: Record<string, string | number | null>,
): string {
  const params = Object.entries(fields).filter(([, value]) => value !== null)
    .map(([key, value]) => ` ${key}="${escaped(String(value))}"`).join("");
  // the host's name is not known here: the receiver knows who called
  return `<${FACILITY * 8 + severity}>1 ${at} - sulcus - ${
    name.slice(0, 32)
  } [${STRUCTURE}${params}]`;
}

/** An entry of the audit log as RFC 5424 has it. */
export const entryMessage = (row: StoredAudit): string =>
  messageOf(row.outcome === "ok" ? NOTICE : WARNING, row.at, row.event, {
    seq: row.seq,
    user: row.user_id,
    address: row.address,
    study: row.pid,
    outcome: row.outcome,
    details: row.details === "{}" ? null : row.details,
    request: row.request_id,
    hash: row.hash,
  });

export const anchorMessage = ({ at, seq, hash }: Anchor): string =>
  messageOf(NOTICE, at, "audit.anchor", { seq, hash });

/** Octet counting (RFC 5425 §4.3, RFC 6587 §3.4.1): a line end in a message is none between two. */
function framed(messages: readonly string[]): Uint8Array {
  const encoder = new TextEncoder();
  const parts = messages.flatMap((message) => {
    const bytes = encoder.encode(message);
    return [encoder.encode(`${bytes.length} `), bytes];
  });
  return new Uint8Array(Buffer.concat(parts));
}

/**
 * Sends messages on a connection of their own. The protocol has no answer: a sent message has left
 * this machine, and gaps show by the numbers. @throws when the receiver is not there, or the
 * certificate is not trusted.
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
