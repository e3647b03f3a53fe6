import {
  type LaunchAnswer,
  launchAnswer,
  LAUNCHED_FROM_HEADER,
  type LaunchRequest,
} from "@/model/schema/studies/launch.ts";
import { type Api, callJson } from "@/client/api/http.ts";

/**
 * Finds the studies named in a link from another system.
 * @param from Host of the other system, for the audit log.
 */
export const findLaunched = (
  api: Api,
  request: LaunchRequest,
  from: string,
): Promise<LaunchAnswer> =>
  callJson(api, launchAnswer, "/api/v1/launch", {
    method: "POST",
    json: request,
    headers: { [LAUNCHED_FROM_HEADER]: from },
  });
