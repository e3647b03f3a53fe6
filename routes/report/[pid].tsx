import { AppError } from "@/model/errors.ts";
import { isOpinionKey, NO_OPINION } from "@/model/report/opinions.ts";
import { queryKeys } from "@/model/query_keys.ts";
import { LANGUAGES, textIn } from "@/model/text.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { reportViewerText } from "@/model/text/report/report.ts";
import { getReport } from "@/client/api/report/report.ts";
import { getPatientRow } from "@/client/api/studies/patients.ts";
import { isReadable, viewerBlocks } from "@/model/worklist/worklist_row.ts";
import { findSettings, hidesIdentity } from "@/client/api/site/settings.ts";
import { readNumberedLink } from "@/model/launch/launch_link.ts";
import {
  type LaunchedData,
  LaunchedPage,
  launchStatus,
  loadNumbered,
} from "@/routes/_launched.tsx";
import { studyWords } from "@/routes/_study_words.ts";
import { MessagePage } from "@/components/page/MessagePage.tsx";
import { Island } from "@/server/edge/pages/island.tsx";
import type { LoaderRequest, PageProps } from "@/server/edge/pages/page.ts";
import Notices from "@/islands/Notices.tsx";
import ReportViewer, { type ReportChoice } from "@/islands/ReportViewer.tsx";

export const title = reportViewerText.title;
export const isLinkedTo = true;

export const readLaunch = (search: string, { pid }: Record<string, string>) =>
  readNumberedLink(search, pid, "report");
export const statusOf = (data: ReportData): number =>
  "problem" in data || "answer" in data ? launchStatus(data) : 200;
export const isReadFirst = true;

type Message =
  | "invalidPid"
  | "noPatient"
  | "notAnalyzed"
  | "noImages"
  | "beingAnalyzed"
  | "deleted";

type ReportData =
  | LaunchedData
  | { message: Message; study?: string }
  | { pid: number; choice: ReportChoice };

/** The report page, or the reason why no report exists (D2 §5 and §8). */
export async function loader(request: LoaderRequest): Promise<Response | ReportData> {
  const { api, params, url, language, queryClient } = request;
  const pid = Number(params.pid);
  if (!/^\d+$/.test(params.pid ?? "") || !Number.isSafeInteger(pid) || pid <= 0) {
    return { message: "invalidPid" };
  }
  const launched = await loadNumbered(request, "report");
  if (launched !== null) return launched;
  const requestedLanguage = url.searchParams.get("language"),
    isAnonymous = url.searchParams.get("anonymize");
  const opinion = url.searchParams.get("opinion");
  const siteSettings = await findSettings(api),
    settings = siteSettings === "unknown" ? null : siteSettings?.individual.report;
  const pages = url.searchParams.get("page_list") ?? "";
  const choice: ReportChoice = {
    language: LANGUAGES.find((known) => known === requestedLanguage) ?? settings?.language ??
      language,
    anonymize: (isAnonymous === null ? hidesIdentity(siteSettings) : isAnonymous === "true")
      ? "true"
      : "false",
    // an invalid list of pages is ignored
    ...(/^\d{1,4}(,\d{1,4}){0,9}$/.test(pages) ? { page_list: pages } : {}),
    ...(opinion !== null && (opinion === NO_OPINION || isOpinionKey(opinion)) ? { opinion } : {}),
  };
  try {
    await queryClient.fetchQuery({
      queryKey: [...queryKeys.report(pid), choice],
      queryFn: () => getReport(api, pid, choice),
    });
  } catch (error) {
    if (error instanceof AppError && error.code === "study.not_analyzed") {
      const row = await getPatientRow(api, pid).catch(() => null);
      const isRunning = row !== null && viewerBlocks(row).includes("study.being_analyzed");
      const study = row === null ? {} : { study: await studyWords(api, row, language) };
      if (isRunning) return { message: "beingAnalyzed", ...study };
      return { message: row !== null && isReadable(row) ? "noImages" : "notAnalyzed", ...study };
    }
    if (error instanceof AppError && error.code === "entity.not_found") {
      return { message: "noPatient" };
    }
    if (error instanceof AppError && error.code === "study.deleted") return { message: "deleted" };
    throw error;
  }
  return { pid, choice };
}

export default function ReportPage({ data, page }: PageProps<ReportData>) {
  if ("problem" in data || "answer" in data) return <LaunchedPage data={data} page={page} />;
  if ("message" in data) {
    return (
      <MessagePage
        mark={textIn(reportViewerText.title, page.language)}
        title={textIn(reportViewerText[data.message], page.language)}
        text={data.study}
        action={{ label: textIn(commonText.goHome, page.language), href: "/" }}
      />
    );
  }
  return (
    <>
      <Island name="ReportViewer" of={ReportViewer} props={data} />
      <Island name="Notices" of={Notices} props={{}} />
    </>
  );
}
