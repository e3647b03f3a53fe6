import { MessagePage } from "@/components/page/MessagePage.tsx";
import { Island } from "@/server/edge/pages/island.tsx";
import HeaderBar from "@/islands/HeaderBar.tsx";
import Notices from "@/islands/Notices.tsx";
import type { LoaderRequest, PageProps } from "@/server/edge/pages/page.ts";
import { textIn } from "@/model/text.ts";
import { viewerText } from "@/model/text/viewer/viewer.ts";
import { viewerPageText } from "@/model/text/viewer/viewer_page.ts";
import { type LaunchLink, readStudyLink } from "@/model/launch/launch_link.ts";
import {
  type LaunchedData,
  LaunchedPage,
  launchStatus,
  loadLaunched,
} from "@/routes/_launched.tsx";

export const title = viewerText.title;

export const readLaunch = (search: string) => readStudyLink(search, "viewer");
export const statusOf = (data: LaunchedData | null): number =>
  data === null ? 200 : launchStatus(data);

export async function loader(request: LoaderRequest): Promise<Response | LaunchedData | null> {
  const link = readLaunch(request.url.search);
  return link === null ? null : await loadLaunched(request, link as LaunchLink);
}

/**
 * `/viewer?study=UID`, by which other systems open the images of a study;
 * without parameters of a link, the page shows no patient (D2 §2).
 */
export default function ViewerIndex({ data, page }: PageProps<LaunchedData | null>) {
  if (data !== null) return <LaunchedPage data={data} page={page} />;
  return (
    <>
      <Island name="HeaderBar" of={HeaderBar} props={{ help: "viewer" }} />
      <MessagePage
        isInShell
        mark={textIn(viewerText.title, page.language)}
        title={textIn(viewerPageText.noPatient, page.language)}
        action={{ label: textIn(viewerText.goHome, page.language), href: "/" }}
      />
      <Island name="Notices" of={Notices} props={{}} />
    </>
  );
}
