import {
  type ContextState,
  contextState,
  type ContextStep,
  contextStep,
  type FollowRequest,
} from "@/model/schema/studies/context.ts";
import { type Api, call, callJson } from "@/client/api/http.ts";

/** State of the caller's connection to the FHIRcast hub; the response may take minutes. */
export const getContext = (api: Api): Promise<ContextState> =>
  callJson(api, contextState, "/api/v1/context");

/** Reports the page's reaction to a hub event; only one page of a user may follow each event. */
export const followContext = (api: Api, request: FollowRequest): Promise<ContextStep> =>
  callJson(api, contextStep, "/api/v1/context/follow", { method: "POST", json: request });

/** Informs other applications that the user refused to open their study. */
export const refuseContext = async (api: Api, event_id: string): Promise<void> => {
  await call(api, "/api/v1/context/refusal", { method: "POST", json: { event_id } });
};

/** Informs other applications of the study on this page; `null`: no study is open. */
export const showContext = async (api: Api, pid: number | null): Promise<void> => {
  await call(api, "/api/v1/context/shown", { method: "POST", json: { pid } });
};
