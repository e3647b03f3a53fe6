import { findListView } from "@/client/api/worklist/list_view.ts";
import { listFilters } from "@/client/api/worklist/filters.ts";
import { getListCounts, listPatients } from "@/client/api/studies/patients.ts";
import type { ListView } from "@/model/schema/worklist/list_view.ts";
import { userMay } from "@/model/accounts/roles.ts";
import { queryKeys } from "@/model/query_keys.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import { type WorklistQuery, worklistQueryOf } from "@/model/worklist/worklist_query.ts";
import { Island } from "@/server/edge/pages/island.tsx";
import type { LoaderRequest, PageProps } from "@/server/edge/pages/page.ts";
import HeaderBar from "@/islands/HeaderBar.tsx";
import Notices from "@/islands/Notices.tsx";
import Worklist from "@/islands/Worklist.tsx";

export const title = worklistText.title;
export const isReadFirst = true;

export async function loader({ url, api, queryClient, user, language }: LoaderRequest) {
  // an auditor sees no patients, only the status page
  if (!userMay(user, "look")) {
    return new Response(null, { status: 302, headers: { location: "/status" } });
  }
  const view = await findListView(api), wanted = worklistQueryOf(url.searchParams, view.page_size);
  // The parts above the list are rendered by the server, to avoid layout shifts. Prefetches do not
  // throw, so the page also works with a core that lacks these two calls.
  await Promise.all([
    queryClient.prefetchQuery({
      queryKey: queryKeys.listCounts,
      queryFn: () => getListCounts(api),
    }),
    queryClient.prefetchQuery({ queryKey: queryKeys.filters, queryFn: () => listFilters(api) }),
  ]);
  const list = await listPatients(api, { ...wanted, language, beyond: "last" });
  const query = { ...wanted, page_idx: list.page_idx };
  queryClient.setQueryData(queryKeys.patientList(query), list);
  return { query, view };
}

export default function WorklistPage(
  { data }: PageProps<{ query: WorklistQuery; view: ListView }>,
) {
  return (
    <>
      <Island name="HeaderBar" of={HeaderBar} props={{ help: "worklist", followsContext: true }} />
      <main>
        <Island name="Worklist" of={Worklist} props={data} />
      </main>
      <Island name="Notices" of={Notices} props={{}} />
    </>
  );
}
