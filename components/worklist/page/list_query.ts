import type { QueryFunctionContext } from "@tanstack/react-query";
import { queryKeys } from "@/model/query_keys.ts";
import type { PatientListResponse } from "@/model/schema/studies/patients.ts";
import type { WorklistQuery } from "@/model/worklist/worklist_query.ts";
import type { Language } from "@/model/text.ts";
import { pageLanguage } from "@/client/page/language.ts";
import type { Api } from "@/client/api/http.ts";
import { listPatients } from "@/client/api/studies/patients.ts";
import { browserApi } from "@/client/browser_api.ts";
import { fetchUntilStable, newStudies } from "@/client/live/worklist_cache.ts";

/** A page of the worklist, with the new studies that were known when the page was requested. */
export type ListPage = PatientListResponse & { known?: ReadonlySet<number> };

/** Requests a page of the worklist; past the end, the last page is returned. */
export function fetchList(
  api: Api,
  query: WorklistQuery,
  language: Language,
  signal?: AbortSignal,
): Promise<ListPage> {
  return fetchUntilStable(async () => {
    const newStudiesThen = newStudies.value;
    return {
      ...await listPatients(api, { ...query, language, beyond: "last", orders: true }, signal),
      known: newStudiesThen,
    };
  });
}

/** Query of a page of the worklist, for display and for prefetching. */
export const listQuery = (query: WorklistQuery) => ({
  queryKey: queryKeys.patientList(query),
  queryFn: ({ signal }: QueryFunctionContext): Promise<ListPage> =>
    fetchList(browserApi, query, pageLanguage(), signal),
});
