import { manualText } from "@/model/text/manual.ts";
import type { AboutDocument } from "@/model/schema/site/documents.ts";
import { getDocument } from "@/client/api/site/documents.ts";
import { DocumentText } from "@/components/page/DocumentText.tsx";
import { Island } from "@/server/edge/pages/island.tsx";
import type { LoaderRequest, PageProps } from "@/server/edge/pages/page.ts";
import HeaderBar from "@/islands/HeaderBar.tsx";
import Notices from "@/islands/Notices.tsx";

export const title = manualText.documents;
export const isReadFirst = true;

type Data = AboutDocument & { path: string };

export async function loader({ api, params }: LoaderRequest): Promise<Data> {
  const path = params.path ?? "";
  return { ...await getDocument(api, path), path };
}

/** Documents for administrators of a site, e.g. `/help/site/install`. */
export default function DocumentPage({ data, page }: PageProps<Data>) {
  return (
    <>
      <Island name="HeaderBar" of={HeaderBar} props={{}} />
      <main>
        <DocumentText {...data} language={page.language} />
      </main>
      <Island name="Notices" of={Notices} props={{}} />
    </>
  );
}
