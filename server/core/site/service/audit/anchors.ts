import { readAuditHead } from "@/server/core/site/storage/audit.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  auditFolderOf,
  type AuditKey,
  auditKeyOf,
  isMac,
  macOf,
} from "@/server/core/site/service/audit/audit_key.ts";
import { nowIso } from "@/server/core/site/service/context.ts";

/**
 * Number and hash of the audit log's last entry at an instant, stored outside the database.
 * An anchor reveals that entries at the end of the log were deleted later.
 */
export interface Anchor {
  at: string;
  seq: number;
  /** hash of the audit log's last entry at that instant */
  hash: string;
}

/**
 * Maximum number of lines in the anchor file; beyond it, the older half is deleted.
 * The newest anchors suffice to reveal deleted entries.
 */
const MAX_LINES = 20_000;

const textOf = ({ at, seq, hash }: Anchor) => `anchor ${at} ${seq} ${hash}`;
const lineOf = (key: AuditKey, { at, seq, hash }: Anchor) =>
  JSON.stringify({ at, seq, hash, mac: macOf(key, textOf({ at, seq, hash })) }) + "\n";

async function linesOf(folder: string): Promise<string[] | null> {
  try {
    return (await Deno.readTextFile(`${folder}/anchors`)).split("\n").filter(Boolean);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

function anchorOf(key: AuditKey, line: string): Anchor | null {
  try {
    const { at, seq, hash, mac } = JSON.parse(line) as Anchor & { mac: string };
    const anchor = { at: String(at), seq: Number(seq), hash: String(hash) };
    return isMac(key, textOf(anchor), String(mac)) ? anchor : null;
  } catch {
    return null;
  }
}

/**
 * Anchors of a database's audit log, oldest first;
 * `isWhole`: whether the anchor file exists and this site wrote all its lines.
 */
export async function readAnchors(db: Database): Promise<{ anchors: Anchor[]; isWhole: boolean }> {
  const folder = auditFolderOf(db), key = await auditKeyOf(db);
  if (folder === null || key === null) return { anchors: [], isWhole: true };
  const lines = await linesOf(folder);
  const read = (lines ?? []).map((line) => anchorOf(key, line));
  const anchors = read.filter((anchor) => anchor !== null);
  // entries without a key are not anchored
  const isDue = (await readAuditHead(db)).seq >= key.since;
  return { anchors, isWhole: anchors.length === read.length && (lines !== null || !isDue) };
}

/**
 * Writes an anchor of the audit log's end, synced to disk, unless the last anchor is the same.
 * @param last Result of the previous call; by default the last anchor in the file.
 * @returns the newest anchor; `null` for a database without a data folder.
 */
export async function writeAnchor(db: Database, last?: Anchor | null): Promise<Anchor | null> {
  const folder = auditFolderOf(db), key = await auditKeyOf(db);
  if (folder === null || key === null) return null;
  const { seq, hash } = await readAuditHead(db);
  const lines = last === undefined ? await linesOf(folder) : null;
  const lastAnchor = last ?? (lines?.length ? anchorOf(key, lines.at(-1)!) : null);
  // an end before the last anchor means deleted entries, which the last anchor reveals
  // an empty audit log is anchored too, so that a missing anchor file means that it was deleted
  if (lastAnchor !== null && lastAnchor.seq >= seq) return lastAnchor;
  const anchor = { at: nowIso(), seq, hash }, path = `${folder}/anchors`;
  if (lines !== null && lines.length > MAX_LINES) {
    await Deno.writeTextFile(`${path}.part`, lines.slice(MAX_LINES / 2).join("\n") + "\n", {
      mode: 0o600,
    });
    await Deno.rename(`${path}.part`, path);
  }
  await Deno.writeTextFile(path, lineOf(key, anchor), { append: true, create: true, mode: 0o600 });
  using file = await Deno.open(path, { read: true, write: true });
  await file.sync();
  return anchor;
}
