// Decodes patient name and ID in the images with other character sets than the declared one.
// Users choose among the decodings, because some devices declare a wrong character set.
import { decodeText, DICOM_ENCODINGS } from "@/model/dicom/dicom_charset.ts";
import type { NameReading } from "@/model/schema/studies/patients.ts";
import { visibleText } from "@/model/visible_text.ts";
import { boundedText, maxBytesOf } from "@/server/core/dicom/limits/text_limits.ts";
import type { IdentityBytes } from "@/server/core/dicom/worker/head_answers.ts";
import { storedAnswer } from "@/server/core/studies/service/headers/stored_headers.ts";
import { displayName } from "@/server/core/studies/service/person_name.ts";
import { listStoredInstances } from "@/server/core/studies/storage/series.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

const ESCAPE = 0x1b;

/**
 * Distinct decodings of name and ID, that of the declared character set first.
 * None for plain ASCII, which all sets decode alike; sets that cannot decode a byte are left out.
 */
export function readingsOf(identity: IdentityBytes): NameReading[] {
  const { id, terms: declared } = identity, name = identity.name.subarray(0, maxBytesOf("PN"));
  if (![...name, ...id].some((byte) => byte >= 0x80 || byte === ESCAPE)) return [];
  const read = (terms: readonly string[]) => ({
    patient_name: displayName(
      visibleText(boundedText(decodeText(name, terms, undefined, true).trim(), "PN")),
    ),
    patient_id: visibleText(boundedText(decodeText(id, terms).trim(), "LO", true)),
  });
  const readings: NameReading[] = [{
    character_set: null,
    ...read(declared),
  }];
  for (const { term, displayName } of DICOM_ENCODINGS) {
    const reading = read([term]), { patient_name, patient_id } = reading;
    const isWhole = !/[\ufffd\u0080-\u009f]/.test(patient_name + patient_id);
    const isNew = readings.every((other) =>
      other.patient_name !== patient_name || other.patient_id !== patient_id
    );
    if (isWhole && isNew) readings.push({ character_set: displayName, ...reading });
  }
  return readings.length > 1 ? readings : [];
}

/** Decodings of the first stored file of a study; empty if the file cannot be read. */
export async function nameReadings(services: ServiceContext, pid: number): Promise<NameReading[]> {
  const [first] = await listStoredInstances(services.db, pid);
  if (!first) return [];
  try {
    return readingsOf(await storedAnswer(services, first.blob, "identity"));
  } catch (error) {
    services.log("warn", "Cannot read the names of a study", { pid, error: String(error) });
    return [];
  }
}
