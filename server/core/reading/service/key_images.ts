import { AppError } from "@/model/errors.ts";
import { type KeyImageList, MAX_KEY_IMAGES } from "@/model/schema/reading/key_images.ts";
import {
  deleteKeyImage,
  findKeyImage,
  insertKeyImage,
  listKeyImages,
} from "@/server/core/reading/storage/key_images.ts";
import { queueResults } from "@/server/core/connections/service/result_queue.ts";
import { type Caller, nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { checkMaintenance } from "@/server/core/site/service/maintenance.ts";
import { mustFindPatient } from "@/server/core/studies/service/patients.ts";

const invalid = (message: string, details: Record<string, string | number>) =>
  new AppError("input.invalid", `Cannot keep the picture: ${message}`, details);

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** Minimum and maximum side length of a key image, pixels. */
const MAX_SIDE = 8192;

/** Refuses any file that is not a PNG of a plausible size. */
function checkPng(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isPng = bytes.length > 45 && PNG.every((byte, at) => bytes[at] === byte) &&
    view.getUint32(12) === 0x49484452;
  const sides = isPng ? [view.getUint32(16), view.getUint32(20)] : [0];
  if (sides.some((side) => side < 1 || side > MAX_SIDE)) {
    throw invalid("it is no PNG", { field: "picture" });
  }
}

const missing = (id: number) =>
  new AppError(
    "entity.not_found",
    `Cannot find key image ${id}: the study has none of that number`,
  );

/** Key images of a study. @throws {AppError} `study.deleted`, `entity.not_found`. */
export async function getKeyImages(
  { db }: ServiceContext,
  pid: number,
  { uid }: Caller,
): Promise<KeyImageList> {
  await mustFindPatient(db, pid);
  return {
    images: (await listKeyImages(db, pid)).map(({ id, note, createdAt, createdBy, creator }) => ({
      id,
      url: `/api/v1/patients/${pid}/key-images/${id}`,
      note,
      created_at: createdAt,
      created_by: creator,
      is_own: createdBy === uid,
    })),
  };
}

/** PNG file of a key image. @throws {AppError} `entity.not_found`. */
export async function getKeyImage(
  { db }: ServiceContext,
  pid: number,
  id: number,
): Promise<Uint8Array<ArrayBuffer>> {
  await mustFindPatient(db, pid);
  const keyImage = await findKeyImage(db, pid, id);
  if (!keyImage) throw missing(id);
  return keyImage.picture;
}

/**
 * Stores a key image. @returns id of the key image.
 * @throws {AppError} `input.invalid` for a file that is not a PNG, or too many key images.
 */
export async function addKeyImage(
  { db, publish }: ServiceContext,
  pid: number,
  image: { picture: Uint8Array; note: string },
  { uid }: Caller,
): Promise<number> {
  checkPng(image.picture);
  const id = await db.transaction().execute(async (tx) => {
    await mustFindPatient(tx, pid);
    if ((await listKeyImages(tx, pid)).length >= MAX_KEY_IMAGES) {
      throw invalid("the study has too many", { field: "images", max: MAX_KEY_IMAGES });
    }
    const added = await insertKeyImage(tx, { pid, ...image, at: nowIso(), userId: uid });
    await queueResults(tx, pid, "key_images");
    return added;
  });
  publish({ event: "study_reading", pid, uid });
  return id;
}

/**
 * Deletes a key image; allowed to its author and to administrators.
 * @throws {AppError} `entity.not_found`, `access.forbidden`.
 */
export async function removeKeyImage(
  { db, publish }: ServiceContext,
  pid: number,
  id: number,
  caller: Caller,
): Promise<void> {
  await mustFindPatient(db, pid);
  const keyImage = await findKeyImage(db, pid, id);
  if (!keyImage) throw missing(id);
  if (keyImage.createdBy !== caller.uid) await checkMaintenance(db, caller);
  await db.transaction().execute(async (tx) => {
    await deleteKeyImage(tx, id);
    await queueResults(tx, pid, "key_images");
  });
  publish({ event: "study_reading", pid, uid: caller.uid });
}
