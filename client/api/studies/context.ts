import {
  type ContextState,
  contextState,
  type ContextStep,
  contextStep,
  type FollowRequest,
} from "@/model/schema/studies/context.ts";
import { type Api, call, callJson } from "@/client/api/http.ts";

/** State of the caller's connection to the hub; the call keeps the connection open for minutes. */
export const getContext = (api: Api): Promise<ContextState> =>
  callJson(api, contextState, "/api/v1/context");

/** How this page follows an event of another application; an event is followed by one page only. */
export const followContext = (api: Api, request: FollowRequest): Promise<ContextStep> =>
  callJson(api, contextStep, "/api/v1/context/follow", { method: "POST", json: request });

/** Informs other applications that the user stays with the shown study. */
export const refuseContext = async (api: Api, event_id: string): Promise<void> => {
  await call(api, "/api/v1/context/refusal", { method: "POST", json: { event_id } });
};

/** Informs other applications which study this page shows; `null`: none. */
export const showContext = async (api: Api, pid: number | null): Promise<void> => {
  await call(api, "/api/v1/context/shown", { method: "POST", json: { pid } });
};
