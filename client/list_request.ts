import type { PatientListResponse } from "@/model/schema/patients.ts";
import type { WorklistQuery } from "@/model/worklist_query.ts";
import type { Api } from "@/client/api/http.ts";
import { listPatients } from "@/client/api/patients.ts";
import type { Begun } from "@/client/expected_list.ts";
import { askUntilStill, forgetNewStudies, newStudies } from "@/client/worklist_cache.ts";

/** Asks for a list; a page behind the last one is answered with the last. */
export function beginList(api: Api, query: WorklistQuery): Begun {
  const controller = new AbortController();
  let noted = newStudies.value;
  const ask = (): Promise<PatientListResponse> => {
    noted = newStudies.value;
    return listPatients(api, { ...query, beyond: "last" }, controller.signal);
  };
  return {
    query,
    answer: askUntilStill(ask),
    isShown: () => forgetNewStudies(noted),
    abort: () => controller.abort(),
  };
}
