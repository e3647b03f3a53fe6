import type { Api } from "@/client/api/http.ts";

/** API client of the page: same origin, authenticated by the session cookie. */
export const browserApi: Api = {
  get origin() {
    return location.origin;
  },
  send: (request) => fetch(request),
};
