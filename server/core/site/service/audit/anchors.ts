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
 * How far the log had come at an instant: kept outside of the database, it shows that the end was
 * cut off.
 */
export interface Anchor {
  at: string;
  seq: number;
  /** of that entry */
  hash: string;
}

/** Lines of the file beyond which the older half goes: only the newest show a cut. */
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
 * The anchors of a database's log, oldest first. `isWhole`: the file is there, and every line of it
 * was written here.
 */
export async function readAnchors(db: Database): Promise<{ anchors: Anchor[]; isWhole: boolean }> {
  const folder = auditFolderOf(db), key = await auditKeyOf(db);
  if (folder === null || key === null) return { anchors: [], isWhole: true };
  const lines = await linesOf(folder);
  const read = (lines ?? []).map((line) => anchorOf(key, line));
  const anchors = read.filter((anchor) => anchor !== null);
  // before the first entry under the key there is nothing to anchor
  const isDue = (await readAuditHead(db)).seq >= key.since;
  return { anchors, isWhole: anchors.length === read.length && (lines !== null || !isDue) };
}

/**
 * Records the end of the log, forced to disk; nothing when the last anchor is there already.
 * @param last Result of the previous call; by default the last anchor of the file.
 * @returns the newest anchor; `null` when the database has no folder.
 */
export async function writeAnchor(db: Database, last?: Anchor | null): Promise<Anchor | null> {
  const folder = auditFolderOf(db), key = await auditKeyOf(db);
  if (folder === null || key === null) return null;
  const { seq, hash } = await readAuditHead(db);
  const lines = last === undefined ? await linesOf(folder) : null;
  const lastAnchor = last ?? (lines?.length ? anchorOf(key, lines.at(-1)!) : null);
  // an end behind the last anchor was cut: the older anchor shows it
  // the empty log is anchored too: from the start on, a missing file means that it was removed
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
