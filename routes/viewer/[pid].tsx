import { AppError } from "@/model/errors.ts";
import type { Api } from "@/client/api/http.ts";
import { getPatient, getVolume } from "@/client/api/studies/patients.ts";
import { findHanging } from "@/client/api/reading/hanging.ts";
import { listMeasurements } from "@/client/api/reading/measurements.ts";
import { getReportText } from "@/client/api/report/report_text.ts";
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
import { picturedStudy } from "@/server/edge/first_picture/page_view.ts";
import { Island } from "@/server/edge/pages/island.tsx";
import type { LoaderRequest, PageProps } from "@/server/edge/pages/page.ts";
import Notices from "@/islands/Notices.tsx";
import SliceViewer, { type SliceViewerProps } from "@/islands/SliceViewer.tsx";
import type { Patient } from "@/model/schema/studies/patients.ts";
import type { ViewerVolume } from "@/model/schema/studies/viewer_files.ts";
import { type Language, textIn } from "@/model/text.ts";
import { viewerText } from "@/model/text/viewer/viewer.ts";
import { viewerPageText } from "@/model/text/viewer/viewer_page.ts";
import { viewerToolsText } from "@/model/text/viewer/viewer_tools.ts";
import { ROOM_COOKIE, roomOf, USUAL_ROOM } from "@/model/viewer/first_picture.ts";
import { anonymousPatient, textsOf, viewerPatientOf } from "@/model/viewer/viewer_patient.ts";
import { firstTab } from "@/model/viewer/viewer_tabs.ts";
import { isReadable, viewerBlocks } from "@/model/worklist/worklist_row.ts";

export const title = viewerText.title;
export const isLinkedTo = true;

export const readLaunch = (search: string, { pid }: Record<string, string>) =>
  readNumberedLink(search, pid, "viewer");
export const statusOf = (data: ViewerData): number =>
  "problem" in data || "answer" in data ? launchStatus(data) : 200;

type ViewerData =
  | LaunchedData
  | {
    message: "invalidPid" | "noPatient" | "notAnalyzed" | "beingAnalyzed" | "noData" | "noImages";
    /** patient and date of a study that exists */
    study?: string;
  }
  | { message: "noGrid"; pid: number }
  | { viewer: SliceViewerProps; pictures: SliceViewerProps["pictures"] };

/** Voxel grid of a study's images; `null` if a core of another vendor lacks this call. */
async function findVolume(api: Api, pid: number): Promise<ViewerVolume | null> {
  try {
    return await getVolume(api, pid);
  } catch (error) {
    if (error instanceof AppError && error.code === "entity.not_found") return null;
    throw error;
  }
}

/** Measurements on a study; empty if a core of another vendor lacks this call. */
async function findMeasured(api: Api, pid: number): Promise<SliceViewerProps["measured"]> {
  try {
    const { measurements } = await listMeasurements(api, pid);
    return measurements.map(({ id, kind, plane, points_mm, series, statistics }) => ({
      id,
      kind,
      plane,
      pointsMm: points_mm,
      series,
      statistics,
    }));
  } catch (error) {
    if (error instanceof AppError && error.code === "entity.not_found") return [];
    throw error;
  }
}

/**
 * Text of a study signed by a physician; undefined without results,
 * or if a core of another vendor lacks this call.
 */
async function findSigned(api: Api, pid: number): Promise<SliceViewerProps["signed"]> {
  try {
    return (await getReportText(api, pid)).signed;
  } catch (error) {
    if (
      error instanceof AppError && ["entity.not_found", "study.not_analyzed"].includes(error.code)
    ) {
      return undefined;
    }
    throw error;
  }
}

/** A study with its results; `null` for an unknown study id. */
async function findPatient(api: Api, pid: number): Promise<Patient | null> {
  try {
    return await getPatient(api, pid);
  } catch (error) {
    if (error instanceof AppError && error.code === "entity.not_found") return null;
    throw error;
  }
}

/**
 * Patient and voxel grid of the images, or the reason why the viewer does not open (D2 §5 and §8).
 */
export async function loader(request: LoaderRequest): Promise<Response | ViewerData> {
  const { api, params, language, url, cookie, pictures } = request;
  const pid = Number(params.pid);
  if (!/^\d+$/.test(params.pid ?? "") || !Number.isSafeInteger(pid) || pid <= 0) {
    return { message: "invalidPid" };
  }
  const launched = await loadNumbered(request, "viewer");
  if (launched !== null) return launched;
  const patient = await findPatient(api, pid);
  if (patient === null) return { message: "noPatient" };
  if (firstTab(patient) === null) {
    const blocks = viewerBlocks(patient), study = await studyWords(api, patient, language);
    if (blocks.includes("viewer.no_data")) {
      return { message: isReadable(patient) ? "noImages" : "noData", study };
    }
    const isRunning = blocks.includes("study.being_analyzed");
    return { message: isRunning ? "beingAnalyzed" : "notAnalyzed", study };
  }
  const [volume, found, measured, hanging, signed] = await Promise.all([
    findVolume(api, pid),
    findSettings(api),
    findMeasured(api, pid),
    findHanging(api),
    findSigned(api, pid),
  ]);
  if (volume === null) return { message: "noGrid", pid };
  const general = found === "unknown" ? null : found?.individual.general,
    isAnonymous = hidesIdentity(found);
  const shownIn = (language: Language) => {
    const viewerPatient = viewerPatientOf(patient, language);
    return isAnonymous
      ? anonymousPatient(viewerPatient, textIn(viewerToolsText.anonymousWords, language))
      : viewerPatient;
  };
  const viewer: SliceViewerProps = {
    patient: shownIn(language),
    texts: { en: textsOf(shownIn("en")), ko: textsOf(shownIn("ko")) },
    volume,
    measured,
    ...(signed !== undefined && { signed }),
    settings: {
      division: general?.division ?? 4,
      priority: general?.brain_part_list ?? [],
      isAnonymous,
      hanging,
    },
  };
  const study = pictures && picturedStudy({
    ...viewer,
    search: url.searchParams,
    language,
    room: roomOf(cookie(ROOM_COOKIE)) ?? USUAL_ROOM,
  });
  const drawn = study && await pictures.picturesOf(api, study);
  if (!drawn) return { viewer, pictures: {} };
  const { planes, field, html } = drawn;
  return { viewer: { ...viewer, pictured: { planes, field } }, pictures: html };
}

export default function ViewerPage({ data, page }: PageProps<ViewerData>) {
  if ("problem" in data || "answer" in data) return <LaunchedPage data={data} page={page} />;
  if ("message" in data) {
    return (
      <MessagePage
        mark={textIn(viewerText.title, page.language)}
        title={textIn(viewerPageText[data.message], page.language)}
        text={data.message === "noGrid"
          ? textIn(viewerPageText.noGridWhy, page.language, {
            call: `GET /api/v1/patients/${data.pid}/volume`,
          })
          : data.study}
        action={{ label: textIn(viewerText.goHome, page.language), href: "/" }}
      />
    );
  }
  return (
    <>
      <Island
        name="SliceViewer"
        of={SliceViewer}
        props={data.viewer}
        serverProps={{ pictures: data.pictures }}
      />
      <Island name="Notices" of={Notices} props={{}} />
    </>
  );
}
