import { manualText } from "@/model/text/manual.ts";
import { type Manual, readManual } from "@/model/site/manual.ts";
import { getManualText } from "@/client/api/site/about.ts";
import { ManualText } from "@/components/page/ManualText.tsx";
import { Island } from "@/server/edge/pages/island.tsx";
import type { LoaderRequest, PageProps } from "@/server/edge/pages/page.ts";
import HeaderBar from "@/islands/HeaderBar.tsx";
import Notices from "@/islands/Notices.tsx";

export const title = manualText.title;
export const isReadFirst = true;

const MAX_SEARCH = 100;

export async function loader({ api, url, language }: LoaderRequest) {
  const { content } = await getManualText(api, language);
  return {
    manual: readManual(content),
    search: (url.searchParams.get("q") ?? "").trim().slice(0, MAX_SEARCH),
  };
}

/** The user manual. Help links of pages open its sections by fragment, as `/help#worklist`. */
export default function HelpPage({ data, page }: PageProps<{ manual: Manual; search: string }>) {
  return (
    <>
      <Island name="HeaderBar" of={HeaderBar} props={{}} />
      <main>
        <ManualText {...data} language={page.language} />
      </main>
      <Island name="Notices" of={Notices} props={{}} />
    </>
  );
}
