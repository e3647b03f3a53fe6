import { type LaunchLink, readInvokeLink } from "@/model/launch/launch_link.ts";
import { launchText } from "@/model/text/launch.ts";
import type { LoaderRequest } from "@/server/edge/pages/page.ts";
import { launchStatus, loadLaunched } from "@/routes/_launched.tsx";

export { LaunchedPage as default } from "@/routes/_launched.tsx";
export const title = launchText.title;
export const readLaunch = readInvokeLink;
export const statusOf = launchStatus;

/** Opens the study named by a PACS, RIS or EHR (IHE Invoke Image Display, RAD-106). */
export const loader = (request: LoaderRequest) =>
  // a link with a problem does not reach this page
  loadLaunched(request, readInvokeLink(request.url.search) as LaunchLink);
