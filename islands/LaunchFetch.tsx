import { useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import type { ArchiveSearch } from "@/model/schema/connections/pacs.ts";
import { queryKeys } from "@/model/query_keys.ts";
import { launchFetchText } from "@/model/text/launch_fetch.ts";
import { getArchives } from "@/client/api/connections/pacs.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useText } from "@/client/page/language.ts";
import { Button } from "@/components/Button.tsx";
import { lazyPart } from "@/components/page/lazy_part.ts";
import { withQueries } from "@/components/page/with_queries.tsx";

const PacsDialog = lazyPart(() => import("@/components/worklist/pacs/PacsDialog.tsx"));

interface LaunchFetchProps {
  /** search terms in the launch link of another system */
  search: ArchiveSearch;
}

/**
 * Offers to retrieve the study of a launch link from an archive;
 * empty on a site without an archive.
 */
function LaunchFetch({ search }: LaunchFetchProps) {
  const text = useText(launchFetchText), [isOpen, setOpen] = useState(false);
  const { data } = useQuery({
    queryKey: queryKeys.archives,
    queryFn: ({ signal }) => getArchives(browserApi, signal),
    staleTime: 600_000,
  });
  if (!data) return null;
  if (data.length === 0) return <p className="mt-6 text-sm text-ink-soft">{text("noArchive")}</p>;
  return (
    <div className="mt-6">
      <Button kind="primary" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {text("fetch")}
      </Button>
      <p className="mt-2 text-sm text-ink-soft">{text("fetchAfter")}</p>
      <Suspense>
        {isOpen && <PacsDialog archives={data} initial={search} onClose={() => setOpen(false)} />}
      </Suspense>
    </div>
  );
}

export default withQueries(LaunchFetch);
