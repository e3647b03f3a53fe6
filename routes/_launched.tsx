// Shared by the pages for links from other systems:
// /IHEInvokeImageDisplay, and /viewer and /report with the parameters of a link.
import {
  type LaunchLink,
  type LaunchTarget,
  type LinkProblem,
  readNumberedLink,
  withoutLink,
} from "@/model/launch/launch_link.ts";
import type { ArchiveSearch } from "@/model/schema/connections/pacs.ts";
import type { LaunchAnswer } from "@/model/schema/studies/launch.ts";
import { userMay } from "@/model/accounts/roles.ts";
import { textIn } from "@/model/text.ts";
import { launchText } from "@/model/text/launch.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { findLaunched } from "@/client/api/studies/launch.ts";
import { LaunchAnswerPage, problemWords } from "@/components/launch/LaunchAnswer.tsx";
import { MessagePage } from "@/components/page/MessagePage.tsx";
import { Island } from "@/server/edge/pages/island.tsx";
import type { LoaderRequest, PageProps } from "@/server/edge/pages/page.ts";
import HeaderBar from "@/islands/HeaderBar.tsx";
import LaunchFetch from "@/islands/LaunchFetch.tsx";
import Notices from "@/islands/Notices.tsx";

export type LaunchedData = { problem: LinkProblem } | { link: LaunchLink; answer: LaunchAnswer };

/**
 * HTTP status of responses to a link, for systems that check the status (IHE RAD TF-2 4.106.4.2).
 */
export function launchStatus(data: LaunchedData): number {
  if ("problem" in data) return 400;
  const { outcome } = data.answer;
  return outcome === "refused" ? 409 : outcome === "deleted" ? 410 : outcome === "none" ? 404 : 200;
}

/**
 * Redirects to the page of the one study that a link names;
 * otherwise returns the data of {@link LaunchedPage}.
 */
export async function loadLaunched(
  { api, launchedFrom }: LoaderRequest,
  link: LaunchLink,
): Promise<Response | LaunchedData> {
  const answer = await findLaunched(api, link.request, launchedFrom);
  if (answer.outcome !== "open") return { link, answer };
  const location = `/${link.target}/${answer.studies[0]!.pid}`;
  return new Response(null, { status: 302, headers: { location, "cache-control": "no-store" } });
}

/**
 * Checks a link with a study number (`/viewer/1?study=UID`): redirects to the study if all values
 * in the link match the study, otherwise returns the data for {@link LaunchedPage}.
 * @returns `null` if the link has no values to check, or if there is no study with this number.
 */
export async function loadNumbered(
  { api, launchedFrom, url, params }: LoaderRequest,
  target: LaunchTarget,
): Promise<Response | LaunchedData | null> {
  const link = readNumberedLink(url.search, params.pid, target);
  if (link === null || "problem" in link) return link;
  const answer = await findLaunched(api, link.request, launchedFrom);
  if (answer.outcome === "none") return null;
  if (answer.outcome !== "open") return { link, answer };
  const location = url.pathname + withoutLink(url.search);
  return new Response(null, { status: 302, headers: { location, "cache-control": "no-store" } });
}

function searchOf({ request }: LaunchLink, answer: LaunchAnswer): ArchiveSearch {
  const { study_uids: [study_uid], accession_numbers: [accession_number] } = request;
  // a UID or accession number is sufficient,
  // because the archive may format the patient ID differently
  if (study_uid !== undefined) return { study_uid };
  if (accession_number !== undefined) return { accession_number };
  return {
    patient_id: answer.compared_patient_id ?? "",
    date_from: request.date_from ?? "",
    date_to: request.date_to ?? "",
  };
}

export function LaunchedPage({ data, page }: PageProps<LaunchedData>) {
  const { language, user } = page;
  if ("problem" in data) {
    const isExpired = data.problem.reason === "expired";
    return (
      <MessagePage
        mark="400"
        title={textIn(launchText.badLink, language)}
        text={problemWords(data.problem, language) +
          (isExpired ? "" : ` ${textIn(launchText.tellSender, language)}`)}
        action={{ label: textIn(commonText.goHome, language), href: "/" }}
      />
    );
  }
  return (
    <>
      <Island name="HeaderBar" of={HeaderBar} props={{ help: "worklist" }} />
      <LaunchAnswerPage {...data} language={language} mayRestore={userMay(user, "restore")}>
        {userMay(user, "upload")
          ? (
            <Island
              name="LaunchFetch"
              of={LaunchFetch}
              props={{ search: searchOf(data.link, data.answer) }}
            />
          )
          : <p className="mt-6 text-sm text-ink-soft">{textIn(launchText.noFetch, language)}</p>}
      </LaunchAnswerPage>
      <Island name="Notices" of={Notices} props={{}} />
    </>
  );
}
