import { isLabelRevision } from "@/model/dicom/device_label.ts";
import { AppError } from "@/model/errors.ts";
import type { CertType } from "@/model/schema/studies/study.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  deleteSetting,
  readSettings,
  writeSettings,
} from "@/server/core/settings/storage/settings.ts";

/** Scope of the settings with the label revisions, one key per kind of certificate. */
const SCOPE = "label_revision";

/** Revision of the device's regulatory label, by certificate; `null` if none was entered. */
export async function findLabelRevision(db: Database, cert: CertType): Promise<string | null> {
  const code = (await readSettings(db, SCOPE))[cert];
  return typeof code === "string" ? code : null;
}

/** Stores or deletes the revision of the regulatory label. @throws {AppError} `input.invalid`. */
export async function setLabelRevision(
  db: Database,
  cert: CertType,
  code: string | null,
): Promise<void> {
  if (code === null) return await deleteSetting(db, SCOPE, cert);
  if (!isLabelRevision(code)) {
    throw new AppError("input.invalid", "Cannot set the label revision: not a code", {
      field: "label",
    });
  }
  await writeSettings(db, SCOPE, { [cert]: code });
}
