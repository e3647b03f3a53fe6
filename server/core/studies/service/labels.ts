import { createHash } from "node:crypto";
import { AppError } from "@/model/errors.ts";
import {
  type LabelItem,
  labelKey,
  type LabelListResponse,
  type LabelsPut,
  type LabelsPutResponse,
  type LabelsResponse,
} from "@/model/schema/worklist/labels.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  addToPatients,
  deleteLabels,
  filtersByLabel,
  insertLabel,
  listLabels as listRows,
  patientsByLabel,
  removeFromPatients,
  renameLabel,
} from "@/server/core/studies/storage/labels.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";

/** Maximum number of studies that an event about labels lists. */
const MAX_NOTIFIED_PIDS = 200;

async function read(db: Database, userId: number): Promise<LabelItem[]> {
  const labels = await listRows(db), patients = await patientsByLabel(db);
  const filters = await filtersByLabel(db, userId);
  return labels.map(({ id, label_name }) => ({
    id,
    label_name,
    patients: patients.get(id) ?? [],
    filters: filters.get(id) ?? [],
  }));
}

/** Version of all labels. It changes when any user saves labels, not with the caller's filters. */
function versionOf(labels: readonly LabelItem[]): string {
  const hash = createHash("sha256");
  for (const { id, label_name, patients } of labels) {
    hash.update(JSON.stringify([id, label_name, patients]));
  }
  return hash.digest("hex").slice(0, 32);
}

/** All labels with their studies and the caller's filters; `version` identifies this state. */
export async function getLabels(
  { db }: ServiceContext,
  caller: Caller,
): Promise<LabelsResponse & { version: string }> {
  const labels = await read(db, caller.uid);
  return { labels, version: versionOf(labels) };
}

export const listLabels = async ({ db }: ServiceContext): Promise<LabelListResponse> => ({
  labels: await listRows(db),
});

const duplicate = (name: string) =>
  new AppError("label.duplicate", "Cannot save the labels: a name repeats", { label_name: name });

/**
 * Validates labels that a user wants to save. @throws {AppError} `label.duplicate`;
 * `input.invalid` for a repeated or unknown id.
 */
function check(items: LabelsPut, stored: ReadonlyMap<number, LabelItem>): void {
  const names = new Set<string>(), ids = new Set<number>();
  for (const { id, label_name } of items) {
    const key = labelKey(label_name);
    if (names.has(key)) throw duplicate(label_name);
    names.add(key);
    if (ids.has(id)) {
      throw new AppError("input.invalid", "Cannot save the labels: an id repeats", { field: "id" });
    }
    ids.add(id);
    if (id > 0 && !stored.has(id)) {
      throw new AppError("label.changed", "Cannot save the labels: one was deleted meanwhile");
    }
  }
}

/** Replaces the stored labels. @returns numbers of the studies that gained or lost a label. */
async function replace(
  tx: Database,
  items: LabelsPut,
  stored: ReadonlyMap<number, LabelItem>,
): Promise<{ changed: Set<number>; isChanged: boolean; idMap: Record<string, number> }> {
  const changed = new Set<number>(), idMap: Record<string, number> = {};
  const sent = new Set(items.map(({ id }) => id));
  const gone = [...stored.values()].filter(({ id }) => !sent.has(id));
  const touch = (pids: readonly number[]) => pids.forEach((pid) => changed.add(pid));
  let isChanged = gone.length > 0;
  gone.forEach(({ patients }) => touch(patients));
  await deleteLabels(tx, gone.map(({ id }) => id));
  const renamed = items.filter(({ id, label_name }) =>
    id > 0 && label_name.trim() !== stored.get(id)!.label_name
  );
  // renames to temporary names first, because two labels may have swapped their names
  for (const { id } of renamed) {
    await renameLabel(tx, id, stored.get(id)!.label_name, `\u0001${id}`);
  }
  for (const { id, label_name } of renamed) {
    await renameLabel(tx, id, label_name.trim(), labelKey(label_name));
    touch(stored.get(id)!.patients);
    isChanged = true;
  }
  for (const item of items) {
    let id = item.id;
    if (id < 0) {
      id = await insertLabel(tx, item.label_name.trim(), labelKey(item.label_name));
      idMap[item.id] = id;
      isChanged = true;
    }
    const previousPids = new Set(stored.get(item.id)?.patients ?? []), now = new Set(item.patients);
    const added = [...now].filter((pid) => !previousPids.has(pid));
    const removed = [...previousPids].filter((pid) => !now.has(pid));
    await addToPatients(tx, id, added);
    await removeFromPatients(tx, id, removed);
    touch(added);
    touch(removed);
  }
  return { changed, isChanged: isChanged || changed.size > 0, idMap };
}

/**
 * Replaces all labels and their studies atomically. Studies deleted in the meantime are ignored.
 *
 * @param version Version of the labels that the caller has edited; `undefined`: do not compare.
 * @throws {AppError} `label.duplicate`, ignoring case and surrounding spaces; `input.invalid`;
 * `label.changed` if another user saved in the meantime.
 */
export async function saveLabels(
  { db, publish, log }: ServiceContext,
  items: LabelsPut,
  version: string | undefined,
  caller: Caller,
): Promise<LabelsPutResponse & { version: string }> {
  const { labels, changed, isChanged, idMap } = await db.transaction().execute(async (tx) => {
    const storedLabels = await read(tx, caller.uid);
    if (version !== undefined && version !== versionOf(storedLabels)) {
      throw new AppError("label.changed", "Cannot save the labels: others were saved meanwhile");
    }
    const stored = new Map(storedLabels.map((label) => [label.id, label]));
    check(items, stored);
    const { changed, isChanged, idMap } = await replace(tx, items, stored);
    return { labels: await read(tx, caller.uid), changed, isChanged, idMap };
  });
  if (isChanged) {
    const pids = [...changed].sort((a, b) => a - b);
    publish({
      event: "label_update",
      pid_list: pids.length > MAX_NOTIFIED_PIDS ? null : pids,
      uid: caller.uid,
    });
    log("info", "Saved labels", { uid: caller.uid, labels: labels.length, studies: pids.length });
  }
  return { labels, id_map: idMap, version: versionOf(labels) };
}
