import { randomBytes } from "node:crypto";
import type { DeidentifyQuery } from "@/model/schema/report/dicom.ts";
import { type Language, textIn } from "@/model/text.ts";
import { deidentifiedText } from "@/model/text/deidentified.ts";
import { AppError } from "@/model/errors.ts";
import { type Deidentification, pseudonym } from "@/server/core/dicom/deidentify/identity.ts";
import { readDicom } from "@/server/core/dicom/worker/reader.ts";
import { maskedUid } from "@/server/core/dicom/write/uid.ts";
import type { Database } from "@/server/core/database/database.ts";
import { listStoredInstances, studyUidsOf } from "@/server/core/studies/storage/series.ts";
import { addSetting } from "@/server/core/settings/storage/settings.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { PSEUDONYM_KEY, pseudonymKey } from "@/server/core/exports/service/forgotten_persons.ts";
import { personKey } from "@/server/core/exports/service/person_keys.ts";
import { mustFindPatient } from "@/server/core/studies/service/patients.ts";
import { VERSION } from "@/server/core/site/service/status.ts";

/** A file of the de-identified export: an image or the README. */
interface ExportedFile {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

const SITE = "site";

/**
 * Secret key of the site, created at first use and then constant.
 * The constant key gives a person the same pseudonym in every export.
 */
async function siteKey(db: Database): Promise<Uint8Array> {
  await addSetting(db, SITE, PSEUDONYM_KEY, randomBytes(32).toString("hex"));
  return (await pseudonymKey(db))!;
}

/**
 * Options for de-identifying a study; the person's key is equal for all studies of the person.
 * @throws {AppError} `study.deleted`, `entity.not_found`.
 */
export async function deidentificationOf(
  { db }: ServiceContext,
  pid: number,
  dates: Deidentification["dates"],
): Promise<Deidentification> {
  const { row, studyUid } = await mustFindPatient(db, pid), key = await siteKey(db);
  const patient = await db.transaction().execute((tx) =>
    personKey(tx, key, { ...row, study_uid: studyUid })
  );
  return { key, patient, dates };
}

/** Whether a study UID is the pseudonymous UID of a study of this site, which may be in the bin. */
export async function isOwnPseudonym(db: Database, studyUid: string): Promise<boolean> {
  const key = await pseudonymKey(db);
  if (key === null) return false;
  for await (const uids of studyUidsOf(db)) {
    if (uids.some((uid) => maskedUid(key, uid) === studyUid)) return true;
  }
  return false;
}

/**
 * De-identified images of a study (PS3.15 Basic Application Level Confidentiality Profile).
 * A README lists the changes and warns that faces remain. One file at a time is in memory.
 *
 * @returns name of the archive and its files. The README is last, because it states their number.
 * @throws {AppError} `study.deleted`, `entity.not_found`.
 */
export async function deidentifyStudy(
  services: ServiceContext,
  pid: number,
  { dates }: DeidentifyQuery,
): Promise<{ fileName: string; files: AsyncIterable<ExportedFile> }> {
  const { db, blobs, reader } = services,
    options = await deidentificationOf(services, pid, dates);
  const name = pseudonym(options), instances = await listStoredInstances(db, pid);
  if (instances.length === 0) {
    throw new AppError("entity.not_found", `Cannot export study ${pid}: it has no images`, { pid });
  }
  const seriesIds = [...new Set(instances.map(({ seriesId }) => seriesId))];
  async function* files(): AsyncGenerator<ExportedFile> {
    const counts = new Map<number, number>();
    let images = 0, burned = 0;
    for (const { seriesId, blob } of instances) {
      const stored = await blobs.read(blob);
      const task = { kind: "masked", bytes: stored, options, face: null } as const;
      const masked = await readDicom(reader, task, true);
      if (masked === null) {
        burned++;
        continue;
      }
      const number = (counts.get(seriesId) ?? 0) + 1;
      counts.set(seriesId, number);
      images++;
      yield {
        name: `${name}/series-${seriesIds.indexOf(seriesId) + 1}/${
          String(number).padStart(4, "0")
        }.dcm`,
        bytes: masked.bytes,
      };
    }
    const values = { version: VERSION, pseudonym: name, images, burned };
    const readme = (language: Language) =>
      textIn(deidentifiedText.readme, language, {
        ...values,
        dates: textIn(deidentifiedText[dates], language),
      });
    yield {
      name: `${name}/README.txt`,
      bytes: new TextEncoder().encode(`${readme("en")}\n${"-".repeat(80)}\n\n${readme("ko")}`),
    };
  }
  return { fileName: `${name}.zip`, files: files() };
}
