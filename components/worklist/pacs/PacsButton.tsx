// Button of the PACS search, on sites with an archive; loaded after the first paint.
import { useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { queryKeys } from "@/model/query_keys.ts";
import { pacsText } from "@/model/text/worklist/pacs.ts";
import { getArchives } from "@/client/api/connections/pacs.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useText } from "@/client/page/language.ts";
import { lazyPart } from "@/components/page/lazy_part.ts";
import { Button } from "@/components/Button.tsx";

const PacsDialog = lazyPart(() => import("@/components/worklist/pacs/PacsDialog.tsx"));

export default function PacsButton() {
  const text = useText(pacsText), [isOpen, setOpen] = useState(false);
  const { data } = useQuery({
    queryKey: queryKeys.archives,
    queryFn: ({ signal }) => getArchives(browserApi, signal),
    staleTime: 600_000,
  });
  if (!data || data.length === 0) return null;
  return (
    <>
      <Button aria-haspopup="dialog" title={text("title")} onClick={() => setOpen(true)}>
        {text("open")}
      </Button>
      <Suspense>
        {isOpen && <PacsDialog archives={data} onClose={() => setOpen(false)} />}
      </Suspense>
    </>
  );
}
