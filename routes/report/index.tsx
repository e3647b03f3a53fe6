import { textIn } from "@/model/text.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { reportViewerText } from "@/model/text/report/report.ts";
import { MessagePage } from "@/components/page/MessagePage.tsx";
import { Island } from "@/server/edge/pages/island.tsx";
import HeaderBar from "@/islands/HeaderBar.tsx";
import Notices from "@/islands/Notices.tsx";
import type { LoaderRequest, PageProps } from "@/server/edge/pages/page.ts";
import { type LaunchLink, readStudyLink } from "@/model/launch/launch_link.ts";
import {
  type LaunchedData,
  LaunchedPage,
  launchStatus,
  loadLaunched,
} from "@/routes/_launched.tsx";

export const title = reportViewerText.title;

export const readLaunch = (search: string) => readStudyLink(search, "report");
export const statusOf = (data: LaunchedData | null): number =>
  data === null ? 200 : launchStatus(data);

export async function loader(request: LoaderRequest): Promise<Response | LaunchedData | null> {
  const link = readLaunch(request.url.search);
  return link === null ? null : await loadLaunched(request, link as LaunchLink);
}

/**
 * `/report?study=UID`, by which other systems open the report of a study;
 * without a UID, the page shows no patient (D2 §2).
 */
export default function ReportIndex({ data, page }: PageProps<LaunchedData | null>) {
  if (data !== null) return <LaunchedPage data={data} page={page} />;
  return (
    <>
      <Island name="HeaderBar" of={HeaderBar} props={{ help: "report" }} />
      <MessagePage
        isInShell
        mark={textIn(reportViewerText.title, page.language)}
        title={textIn(reportViewerText.noPatient, page.language)}
        action={{ label: textIn(commonText.goHome, page.language), href: "/" }}
      />
      <Island name="Notices" of={Notices} props={{}} />
    </>
  );
}
