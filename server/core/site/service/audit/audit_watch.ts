import {
  readAuditAfter,
  readAuditHead,
  readStudyIdentities,
} from "@/server/core/site/storage/audit.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { type Anchor, writeAnchor } from "@/server/core/site/service/audit/anchors.ts";
import { auditFolderOf } from "@/server/core/site/service/audit/audit_key.ts";
import {
  anchorMessage,
  entryMessage,
  PLAIN_FORM,
  sendSyslog,
  type SyslogForm,
  type SyslogTarget,
  syslogTarget,
} from "@/server/core/site/service/audit/syslog.ts";

/** Interval between anchors, ms; deleting entries that are younger than this is not detected. */
const ANCHOR_EVERY_MS = 10_000;
const SENT_AT_ONCE = 500;

async function writeSent(path: string, seq: number): Promise<void> {
  await Deno.writeTextFile(`${path}.part`, `${seq}\n`, { mode: 0o600 });
  await Deno.rename(`${path}.part`, path);
}

/**
 * Number of the last audit entry that was sent; entries before sending was enabled are not sent.
 */
async function readSent(path: string, services: ServiceContext): Promise<number> {
  const sentSeq = Number(await Deno.readTextFile(path).catch(() => "NaN"));
  if (Number.isSafeInteger(sentSeq)) return sentSeq;
  const { seq } = await readAuditHead(services.db);
  await writeSent(path, seq);
  return seq;
}

/**
 * Writes anchors of the audit log, and sends entries and anchors to a syslog receiver.
 * Messages are repeated until they are sent; a receiver recognises duplicates by their numbers.
 * @param syslog `tls://host:port`, `tcp://host:port`, or a target; `null`: nothing is sent.
 * @param form Form of the messages; those of PS3.15 contain study and patient as stored now.
 * @returns a function that stops the watch after writing a last anchor.
 */
export function watchAudit(
  services: ServiceContext,
  syslog: string | SyslogTarget | null,
  everyMs = ANCHOR_EVERY_MS,
  form: SyslogForm = PLAIN_FORM,
): { look(): Promise<void>; close(): Promise<void> } {
  const { db, log } = services, folder = auditFolderOf(db);
  if (folder === null) return { look: () => Promise.resolve(), close: () => Promise.resolve() };
  const target = typeof syslog === "string" ? syslogTarget(syslog) : syslog;
  const sentPath = `${folder}/sent`;
  let last: Anchor | null | undefined,
    sent: number | null = null,
    told = 0,
    running: Promise<void> | null = null;
  const send = async (target: SyslogTarget) => {
    sent ??= await readSent(sentPath, services);
    while (true) {
      const rows = await readAuditAfter(db, sent, SENT_AT_ONCE);
      const anchor = rows.length < SENT_AT_ONCE && last && last.seq > told ? last : null;
      if (rows.length === 0 && anchor === null) return;
      const identities = form.isDicom
        ? await readStudyIdentities(db, rows.flatMap(({ pid }) => pid ?? []))
        : null;
      await sendSyslog(target, [
        ...rows.map((row) => entryMessage(row, form, identities?.get(row.pid ?? 0) ?? null)),
        ...anchor ? [anchorMessage(anchor, form)] : [],
      ]);
      told = anchor?.seq ?? told;
      sent = rows.at(-1)?.seq ?? sent;
      await writeSent(sentPath, sent);
    }
  };
  const step = async () => {
    last = await writeAnchor(db, last);
    if (target !== null) await send(target);
  };
  const look = () =>
    running ??= step().catch((error) =>
      log("warn", "Cannot anchor the audit log or send it", { error: String(error) })
    ).finally(() => running = null);
  const timer = setInterval(() => void look(), everyMs);
  void look();
  return {
    look,
    async close() {
      clearInterval(timer);
      await running;
      await look();
    },
  };
}
