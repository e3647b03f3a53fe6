import type { Api } from "@/client/api/http.ts";
import { findSettings, hidesIdentity } from "@/client/api/site/settings.ts";
import type { Language } from "@/model/text.ts";
import { nameText } from "@/model/worklist/person_names.ts";

/**
 * Patient and date of a study, for a page that cannot show its results: a reader who came by a link
 * of another system must see the patient of the study. The number alone if identities are hidden.
 */
export async function studyWords(
  api: Api,
  { pid, patient_name, patient_id, study_date }: {
    pid: number;
    patient_name: string;
    patient_id: string;
    study_date: string | null;
  },
  language: Language,
): Promise<string> {
  if (hidesIdentity(await findSettings(api))) return `No. ${pid}`;
  const words = [nameText(patient_name, language), patient_id, study_date ?? ""];
  return words.filter((word) => word !== "").join(" · ") || `No. ${pid}`;
}
