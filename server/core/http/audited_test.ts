// covers: S-102
import assert from "node:assert/strict";
import { isAudited } from "@/server/core/http/audited.ts";
import { ENDPOINTS } from "@/model/api/endpoints.ts";

const U = "/api/v1", P = `${U}/patients`;
/** Calls without an entry, by the reason: no answer of theirs is about a patient. */
const WITHOUT: Record<string, readonly string[]> = {
  "they write their own": [
    `POST ${U}/auth/login`,
    `POST ${U}/auth/refresh`,
    `POST ${U}/auth/oidc`,
    `POST ${U}/auth/oidc/completion`,
    `GET ${U}/auth/logout`,
    `GET ${U}/auth/sign-out`,
  ],
  "one's own account and settings": [
    `GET ${U}/user`,
    `GET ${U}/second-factor`,
    `POST ${U}/auth/ws-ticket`,
    "GET /vuuc/api/auth/token",
    "GET /vuuc/api/user/license",
    "GET /vuuc/api/user/credit/log",
    "GET /vuuc/api/user/credit/log/month",
    `GET ${U}/settings`,
    `GET ${U}/settings/config`,
    `GET ${U}/settings/mypage`,
    `GET ${U}/settings/mypage/logo`,
    `GET ${U}/worklist/view`,
    `PUT ${U}/worklist/view`,
    `GET ${U}/worklist/export-sets`,
    `PUT ${U}/worklist/export-sets`,
    `GET ${U}/viewer/hanging`,
    `PUT ${U}/viewer/hanging`,
    `GET ${U}/filters`,
    `POST ${U}/filters`,
    `PUT ${U}/filters/:id{[0-9]{1,15}}`,
    `DELETE ${U}/filters/:id{[0-9]{1,15}}`,
  ],
  "about the site, and nobody in it": [
    `GET ${U}/status`,
    `GET ${U}/auth/methods`,
    `GET ${U}/sign-ins/delays`,
    `GET ${U}/users`,
    `GET ${U}/demo`,
    `GET ${U}/pacs`,
    `GET ${U}/fhir/metadata`,
    "GET /api/openapi.json",
    `GET ${U}/about/document`,
    `GET ${U}/about/manual`,
    `GET ${U}/about/manual/file`,
    `GET ${U}/about/manual/text`,
    `GET ${U}/about/terms`,
    `GET ${U}/about/license`,
  ],
  "numbers and names of groups of studies": [
    `GET ${U}/utils/age`,
    `GET ${U}/labels/list`,
    `GET ${U}/worklist/counts`,
    `GET ${U}/norms/summary`,
    `POST ${P}/excel/estimate`,
    `GET ${U}/registry-exports`,
  ],
  "what one sends oneself, whose end is an entry": [
    `GET ${U}/uploads/:id`,
    `DELETE ${U}/uploads/:id`,
    `POST ${U}/uploads/stored`,
    `GET ${U}/pacs/pulls`,
    `POST ${P}/:pid{[0-9]+}/editing`,
    `DELETE ${P}/:pid{[0-9]+}/editing`,
  ],
  // reading the study that is shown is an entry, and so is following an event
  "the state of context sharing with other applications": [
    `GET ${U}/context`,
    `POST ${U}/context/refusal`,
    `POST ${U}/context/shown`,
  ],
  "how far a job is, whose start and download are entries": [
    `GET ${P}/excel/:id{[0-9a-f-]{36}}/progress`,
    `DELETE ${P}/excel/:id{[0-9a-f-]{36}}`,
    `GET ${U}/registry-exports/:id{[0-9a-f-]{36}}/progress`,
    `DELETE ${U}/registry-exports/:id{[0-9a-f-]{36}}`,
    `GET ${P}/reports/pdf/:id{[0-9a-f-]{36}}/progress`,
    `DELETE ${P}/reports/pdf/:id{[0-9a-f-]{36}}`,
  ],
};

Deno.test("every call of the API leaves an entry, or stands among those that are about no patient", () => {
  const without = Object.values(WITHOUT).flat(), calls = Object.keys(ENDPOINTS);
  assert.deepEqual(calls.filter((call) => !isAudited(call)).sort(), without.toSorted());
});
