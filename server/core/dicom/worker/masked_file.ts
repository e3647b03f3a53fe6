// De-identifies a stored image, and removes the face if requested.
import { AppError } from "@/model/errors.ts";
import { defacedFile } from "@/server/core/dicom/deidentify/deface.ts";
import { deidentifyFile } from "@/server/core/dicom/deidentify/deidentify.ts";
import type { Deidentification } from "@/server/core/dicom/deidentify/identity.ts";
import {
  type FaceMessage,
  faceOf,
  type MaskedFile,
} from "@/server/core/dicom/worker/masked_message.ts";
import { parseStored } from "@/server/core/dicom/read/stored_file.ts";

/**
 * De-identifies a complete stored file, and removes the face if a face region is given.
 * @returns `null` for a file that states that the patient's identity is burned into the pixels.
 * @throws {AppError} `engine.unsupported_input` for a damaged file,
 * or with reason `deface` for compressed pixels, from which a face cannot be removed.
 */
export function maskedFile(
  stored: Uint8Array<ArrayBuffer>,
  options: Omit<Deidentification, "isDefaced">,
  face: FaceMessage | null,
): MaskedFile | null {
  const defaced = face && defacedFile(stored, faceOf(face));
  if (face && !defaced) {
    throw new AppError(
      "engine.unsupported_input",
      "Cannot remove the face: its pixels are compressed",
      { reason: "deface" },
    );
  }
  const bytes = deidentifyFile(defaced?.bytes ?? stored, { ...options, isDefaced: face !== null });
  if (bytes === null) return null;
  const { dataSet, transferSyntax } = parseStored(bytes, false);
  return {
    bytes,
    seriesUid: dataSet.string("x0020000e") ?? "",
    sopClassUid: dataSet.string("x00080016") ?? "",
    sopInstanceUid: dataSet.string("x00080018") ?? "",
    transferSyntax,
  };
}
