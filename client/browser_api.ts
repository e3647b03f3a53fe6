import type { Api } from "@/client/api/http.ts";

/** The API as the page reaches it: same origin, the session's cookie does the rest. */
export const browserApi: Api = {
  get origin() {
    return location.origin;
  },
  send: (request) => fetch(request),
};
