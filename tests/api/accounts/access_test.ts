// Over 400 lines: contains the table of all API calls, which the tests below it check one by one.
import assert from "node:assert/strict";
import { filledExample } from "@/tests/sites/norms/example_norms.ts";
import { login } from "@/client/api/accounts/auth.ts";
import { startExcel } from "@/client/api/report/excel.ts";
import { addFilter, listFilters } from "@/client/api/worklist/filters.ts";
import { DEFAULT_LIST_VIEW } from "@/model/schema/worklist/list_view.ts";
import { DEFAULT_HANGING } from "@/model/schema/reading/hanging.ts";
import { ENDPOINTS } from "@/model/api/endpoints.ts";
import { mayDo, ROLES } from "@/model/accounts/roles.ts";
import { DICOM_KIND_PATTERN } from "@/model/schema/report/dicom.ts";
import { API } from "@/server/core/mod.ts";
import { createApi } from "@/server/core/http/app.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import { addUser } from "@/server/core/accounts/service/users.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { colleague, EMAIL, openBeside, PASSWORD, withCore } from "@/tests/sites/core_site.ts";
import { addStudies, setCompleted } from "@/tests/sites/stored_studies.ts";

/** Who may make a call: anyone; users of the site; the owner of an object; maintenance accounts. */
type Who = "nobody" | "site" | "own" | "maintenance";

interface Access {
  who: Who;
  /** status of the response to another physician of the site */
  other: number;
  /** path of an example call; for routes without parameters the route itself */
  path?: string;
  json?: unknown;
}

const site = (other: number, path?: string, json?: unknown): Access => ({
  who: "site",
  other,
  path,
  json,
});
const own = (other: number, path?: string, json?: unknown): Access => ({
  who: "own",
  other,
  path,
  json,
});

const P = "/api/v1/patients", ONE = `${P}/:pid{[0-9]+}`, EXCEL = "EXCEL", FILTER = "FILTER";
const NORM = "/api/v1/norms/:id{[0-9]{1,15}}";
const DRIFT = "/api/v1/norms/drift/:id{[0-9]{1,15}}";
const ROUTINE = "/api/v1/norms/routine/:id{[0-9]{1,15}}";
const READING_STUDY = "/api/v1/reading-studies/:id{[0-9]{1,15}}";
const ACCEPTANCE = "/api/v1/acceptances/:id{[0-9]{1,15}}";
const REGISTRY = "/api/v1/registry-exports/:id{[0-9a-f-]{36}}";
const REGISTRY_FILE = `/api/v1/registry-exports/${"0".repeat(36)}`;
const STOP = "/api/v1/stops/:id{[0-9]{1,15}}";
const MESSAGE = "/api/v1/connections/messages/:id{[0-9]{1,15}}";
const ROUTINE_FILE = {
  format: "sulcus-routine-norms",
  version: 1,
  site: "0".repeat(32),
  engine_version: "sulcus-engine 0.1.0",
  has_opinion: false,
  protocol: "",
  z_min: -8,
  bin_width: 0.1,
  bins: 160,
  age_bands: [18, 50, 65, 80],
  studies: 20,
  measures: [],
};
const PEER = { name: "PACS", kind: "fhir", config: { url: "http://127.0.0.1:1" } };
const ROUTING = { rules: [], quiet_seconds: 20, keep_days: 7, webhook: "", alarm_minutes: 60 };
const FILTER_BODY = { ...filterBody(), id: 1, name: "Not mine" };

/**
 * Every call of the API; calls that delete are last. A site is one organisation: studies, labels
 * and group settings belong to all its users (docs/security.md). `own`: objects that belong to one
 * user, and that other users cannot find.
 */
const ACCESS: Record<string, Access> = {
  "POST /api/v1/auth/login": {
    who: "nobody",
    other: 401,
    json: { email: "x@x.org", password: "wrong-1-password" },
  },
  "POST /api/v1/auth/refresh": { who: "nobody", other: 401 },
  "GET /api/v1/status": { who: "nobody", other: 200 },
  "GET /api/v1/user": own(200),
  "GET /vuuc/api/auth/token": own(200),
  "POST /api/v1/auth/ws-ticket": own(200),
  "GET /vuuc/api/user/license": site(200),
  "GET /vuuc/api/user/credit/log/month": site(200),
  "GET /vuuc/api/user/credit/log": site(200),
  "PUT /vuuc/api/user": own(403, undefined, {
    current_password: PASSWORD,
    new_password: "another-1-password",
  }),
  [`GET ${P}`]: site(200),
  [`GET ${ONE}`]: site(200, `${P}/1`),
  [`GET ${ONE}/history`]: site(200, `${P}/1/history`),
  [`GET ${ONE}/volume`]: site(409, `${P}/2/volume`),
  [`GET ${ONE}/defaced`]: site(422, `${P}/2/defaced`),
  [`GET ${P}/image/viewer/:pid`]: site(409, `${P}/image/viewer/1?file=t1w_file`),
  "GET /api/v1/secure/:file{(?:verts|faces|normals|values)\\.npy}": site(
    409,
    "/api/v1/secure/verts.npy?pid=1",
  ),
  [`GET ${ONE}/thumbnail`]: site(204, `${P}/2/thumbnail`),
  [`GET ${ONE}/comparables`]: site(200, `${P}/1/comparables`),
  [`GET ${ONE}/series`]: site(200, `${P}/1/series`),
  [`GET ${ONE}/series/:series{[0-9]{1,15}}/volume`]: site(404, `${P}/1/series/9999/volume`),
  [`GET ${ONE}/series/refused/volume`]: site(404, `${P}/1/series/refused/volume`),
  [`GET ${ONE}/lesion-changes`]: site(200, `${P}/1/lesion-changes`),
  [`PUT ${ONE}/lesion-changes/:lesion{[0-9]{1,3}}`]: site(400, `${P}/1/lesion-changes/0`, {}),
  [`GET ${ONE}/measurements`]: site(200, `${P}/1/measurements`),
  [`POST ${ONE}/measurements`]: site(400, `${P}/1/measurements`, {}),
  [`PUT ${ONE}/measurements/:measurement{[0-9]{1,15}}`]: site(400, `${P}/1/measurements/9999`, {}),
  [`DELETE ${ONE}/measurements/:measurement{[0-9]{1,15}}`]: site(404, `${P}/1/measurements/9999`),
  [`GET ${ONE}/key-images`]: site(200, `${P}/1/key-images`),
  [`GET ${ONE}/key-images/:image{[0-9]{1,15}}`]: site(404, `${P}/1/key-images/9999`),
  [`POST ${ONE}/key-images`]: site(400, `${P}/1/key-images`, {}),
  [`DELETE ${ONE}/key-images/:image{[0-9]{1,15}}`]: site(404, `${P}/1/key-images/9999`),
  [`GET ${ONE}/strokes`]: site(200, `${P}/2/strokes`),
  [`POST ${ONE}/strokes`]: site(400, `${P}/2/strokes`, {}),
  [`POST ${ONE}/strokes/undo`]: site(400, `${P}/2/strokes/undo`, {}),
  [`POST ${ONE}/strokes/redo`]: site(400, `${P}/2/strokes/redo`, {}),
  [`POST ${ONE}/strokes/restore`]: site(400, `${P}/2/strokes/restore`, {}),
  [`GET ${ONE}/report`]: site(409, `${P}/2/report`),
  [`GET ${ONE}/report/pdf`]: site(409, `${P}/2/report/pdf`),
  [`GET ${ONE}/report/image/:file`]: site(404, `${P}/2/report/image/none.png`),
  [`GET ${ONE}/report/text`]: site(409, `${P}/2/report/text`),
  [`PUT ${ONE}/report/text`]: site(400, `${P}/1/report/text`, {}),
  [`POST ${ONE}/report/text/signature`]: site(400, `${P}/1/report/text/signature`, {}),
  [`POST ${ONE}/report/text/withdrawal`]: site(400, `${P}/1/report/text/withdrawal`, {}),
  [`PUT ${ONE}/mta`]: site(200, `${P}/2/mta`, { left: 1, right: 1 }),
  [`GET ${ONE}/dicom/results`]: site(409, `${P}/2/dicom/results`),
  [`GET ${ONE}/dicom/deidentified`]: site(404, `${P}/2/dicom/deidentified`),
  [`GET ${ONE}/dicom/:kind{${DICOM_KIND_PATTERN}}`]: site(
    409,
    `${P}/2/dicom/report`,
  ),
  [`POST ${ONE}/editing`]: site(200, `${P}/1/editing`),
  [`DELETE ${ONE}/editing`]: own(204, `${P}/1/editing`),
  [`PUT ${ONE}`]: site(200, `${P}/1`, {
    patient_id: "P-1",
    patient_name: "Other name",
    patient_sex: "female",
    patient_birthdate: "1960-01-01",
    study_date: "2026-01-05",
  }),
  "GET /api/v1/utils/age": site(200, "/api/v1/utils/age?from_date=2000-01-01&to_date=2020-01-01"),
  [`POST ${P}`]: site(400),
  "GET /api/v1/uploads/:id": own(200, "/api/v1/uploads/0123456789abcdef"),
  "DELETE /api/v1/uploads/:id": own(204, "/api/v1/uploads/0123456789abcdef"),
  "POST /api/v1/analyses": site(200, undefined, { pid_list: [999] }),
  [`POST ${ONE}/reanalyses`]: site(200, `${P}/1/reanalyses`),
  "GET /api/v1/labels/list": site(200),
  "GET /api/v1/labels": site(200),
  "PUT /api/v1/labels": site(200, undefined, []),
  "GET /api/v1/worklist/counts": site(200),
  "GET /api/v1/worklist/view": own(200),
  "PUT /api/v1/worklist/view": own(200, undefined, DEFAULT_LIST_VIEW),
  "GET /api/v1/viewer/hanging": own(200),
  "PUT /api/v1/viewer/hanging": own(200, undefined, DEFAULT_HANGING),
  "GET /api/v1/worklist/export-sets": own(200),
  "PUT /api/v1/worklist/export-sets": own(400, undefined, { sets: 1 }),
  "GET /api/v1/filters": own(200),
  "POST /api/v1/filters": own(201, undefined, { ...filterBody(), id: -1 }),
  "PUT /api/v1/filters/:id{[0-9]{1,15}}": own(404, FILTER, FILTER_BODY),
  "DELETE /api/v1/filters/:id{[0-9]{1,15}}": own(404, FILTER),
  [`POST ${P}/excel`]: site(201, undefined, { pid_list: [1], format: "csv" }),
  [`POST ${P}/excel/estimate`]: site(400, undefined, {}),
  [`GET ${P}/excel/:id{[0-9a-f-]{36}}`]: own(404, EXCEL),
  [`GET ${P}/excel/:id{[0-9a-f-]{36}}/progress`]: own(404, `${EXCEL}/progress`),
  [`DELETE ${P}/excel/:id{[0-9a-f-]{36}}`]: own(404, EXCEL),
  [`POST ${P}/reports/pdf`]: site(409, undefined, { pid_list: [2] }),
  [`GET ${P}/reports/pdf`]: site(409, `${P}/reports/pdf?pid_list=2`),
  // REPORTS is the id of an export of worklist rows, which is not found as a report
  [`GET ${P}/reports/pdf/:id{[0-9a-f-]{36}}`]: own(404, `REPORTS`),
  [`GET ${P}/reports/pdf/:id{[0-9a-f-]{36}}/progress`]: own(404, `REPORTS/progress`),
  [`DELETE ${P}/reports/pdf/:id{[0-9a-f-]{36}}`]: own(404, `REPORTS`),
  "GET /api/v1/settings/config": site(200),
  "GET /api/v1/settings": own(200),
  "PUT /api/v1/settings": own(400, undefined, {}),
  "GET /api/v1/settings/assessment/:id{[0-9]+}": site(409, "/api/v1/settings/assessment/2"),
  "GET /api/v1/settings/mypage": own(200),
  "PUT /api/v1/settings/mypage": own(400),
  "GET /api/v1/settings/mypage/logo": site(404),
  "GET /api/v1/about/document": site(200, "/api/v1/about/document?path=site/index"),
  "GET /api/v1/about/manual": site(200),
  "GET /api/v1/about/manual/file": site(200),
  "GET /api/v1/about/manual/text": site(200),
  "GET /api/v1/about/terms": site(200),
  "GET /api/openapi.json": site(200),
  "GET /api/v1/about/license": site(200),
  "GET /api/v1/connections": { who: "maintenance", other: 403 },
  "POST /api/v1/connections/peers": { who: "maintenance", other: 403, json: PEER },
  "PUT /api/v1/connections/peers/:id{[0-9]{1,15}}": {
    who: "maintenance",
    other: 403,
    path: "/api/v1/connections/peers/1",
    json: PEER,
  },
  "DELETE /api/v1/connections/peers/:id{[0-9]{1,15}}": {
    who: "maintenance",
    other: 403,
    path: "/api/v1/connections/peers/1",
  },
  "POST /api/v1/connections/peers/:id{[0-9]{1,15}}/test": {
    who: "maintenance",
    other: 403,
    path: "/api/v1/connections/peers/1/test",
  },
  "POST /api/v1/connections/peers/:id{[0-9]{1,15}}/test-image": {
    who: "maintenance",
    other: 403,
    path: "/api/v1/connections/peers/1/test-image",
  },
  "POST /api/v1/connections/peers/:id{[0-9]{1,15}}/key": {
    who: "maintenance",
    other: 403,
    path: "/api/v1/connections/peers/1/key",
  },
  "POST /api/v1/connections/outbox/repeat": { who: "maintenance", other: 403, json: { ids: [1] } },
  "GET /api/v1/connections/routing": { who: "maintenance", other: 403 },
  "PUT /api/v1/connections/routing": { who: "maintenance", other: 403, json: ROUTING },
  "POST /api/v1/connections/routing/test": { who: "maintenance", other: 403, json: ROUTING },
  "GET /api/v1/fhir/metadata": site(200),
  "GET /api/v1/fhir/:type{[A-Za-z]{4,20}}": site(
    400,
    "/api/v1/fhir/Observation",
  ),
  "GET /api/v1/fhir/:type{[A-Za-z]{4,20}}/:id{[0-9-]{1,20}}": site(
    404,
    "/api/v1/fhir/Observation/9999-1",
  ),
  "POST /api/v1/launch": site(200, "/api/v1/launch", { study_uids: ["1.2.9"] }),
  "GET /api/v1/context": site(200),
  "POST /api/v1/context/follow": site(200, "/api/v1/context/follow", {
    event_id: "1",
    shown_pid: null,
  }),
  "POST /api/v1/context/refusal": site(204, "/api/v1/context/refusal", { event_id: "1" }),
  "POST /api/v1/context/shown": site(204, "/api/v1/context/shown", { pid: null }),
  "GET /api/v1/pacs": site(200),
  "POST /api/v1/pacs/:id{[0-9]{1,15}}/search": site(404, "/api/v1/pacs/99/search", {
    patient_id: "P-1",
  }),
  "POST /api/v1/pacs/:id{[0-9]{1,15}}/series": site(404, "/api/v1/pacs/99/series", {
    study_uid: "1.2.3",
  }),
  "POST /api/v1/pacs/:id{[0-9]{1,15}}/pulls": site(400, "/api/v1/pacs/99/pulls", {}),
  "GET /api/v1/pacs/pulls": own(200),
  [`GET ${ONE}/sent`]: site(200, `${P}/2/sent`),
  "POST /api/v1/dicomweb/studies": site(400, "/api/v1/dicomweb/studies"),
  "POST /api/v1/dicomweb/studies/:study{[0-9.]{1,64}}": site(400, "/api/v1/dicomweb/studies/1.2.9"),
  "GET /api/v1/dicomweb/wado": site(400, "/api/v1/dicomweb/wado"),
  "GET /api/v1/dicomweb/studies": site(204, "/api/v1/dicomweb/studies"),
  "GET /api/v1/dicomweb/series": site(204, "/api/v1/dicomweb/series?SeriesInstanceUID=1.2.9"),
  "GET /api/v1/dicomweb/instances": site(204, "/api/v1/dicomweb/instances?SOPInstanceUID=1.2.9"),
  "GET /api/v1/dicomweb/studies/:study{[0-9.]{1,64}}/thumbnail": site(
    404,
    "/api/v1/dicomweb/studies/1.2.9/thumbnail",
  ),
  "GET /api/v1/dicomweb/studies/:study{[0-9.]{1,64}}/series/:series{[0-9.]{1,64}}/thumbnail": site(
    404,
    "/api/v1/dicomweb/studies/1.2.9/series/1/thumbnail",
  ),
  "GET /api/v1/dicomweb/studies/:study{[0-9.]{1,64}}/series/:series{[0-9.]{1,64}}/instances/:instance{[0-9.]{1,64}}/thumbnail":
    site(404, "/api/v1/dicomweb/studies/1.2.9/series/1/instances/1/thumbnail"),
  "GET /api/v1/dicomweb/studies/:study{[0-9.]{1,64}}/series": site(
    404,
    "/api/v1/dicomweb/studies/1.2.9/series",
  ),
  "GET /api/v1/dicomweb/studies/:study{[0-9.]{1,64}}/instances": site(
    404,
    "/api/v1/dicomweb/studies/1.2.9/instances",
  ),
  "GET /api/v1/dicomweb/studies/:study{[0-9.]{1,64}}/series/:series{[0-9.]{1,64}}/instances": site(
    404,
    "/api/v1/dicomweb/studies/1.2.9/series/1/instances",
  ),
  "GET /api/v1/dicomweb/studies/:study{[0-9.]{1,64}}": site(404, "/api/v1/dicomweb/studies/1.2.9"),
  "GET /api/v1/dicomweb/studies/:study{[0-9.]{1,64}}/metadata": site(
    404,
    "/api/v1/dicomweb/studies/1.2.9/metadata",
  ),
  "GET /api/v1/dicomweb/studies/:study{[0-9.]{1,64}}/series/:series{[0-9.]{1,64}}": site(
    404,
    "/api/v1/dicomweb/studies/1.2.9/series/1",
  ),
  "GET /api/v1/dicomweb/studies/:study{[0-9.]{1,64}}/series/:series{[0-9.]{1,64}}/metadata": site(
    404,
    "/api/v1/dicomweb/studies/1.2.9/series/1/metadata",
  ),
  "GET /api/v1/dicomweb/studies/:study{[0-9.]{1,64}}/series/:series{[0-9.]{1,64}}/instances/:instance{[0-9.]{1,64}}":
    site(404, "/api/v1/dicomweb/studies/1.2.9/series/1/instances/1"),
  "GET /api/v1/dicomweb/studies/:study{[0-9.]{1,64}}/series/:series{[0-9.]{1,64}}/instances/:instance{[0-9.]{1,64}}/metadata":
    site(404, "/api/v1/dicomweb/studies/1.2.9/series/1/instances/1/metadata"),
  "GET /api/v1/dicomweb/studies/:study{[0-9.]{1,64}}/series/:series{[0-9.]{1,64}}/instances/:instance{[0-9.]{1,64}}/rendered":
    site(404, "/api/v1/dicomweb/studies/1.2.9/series/1/instances/1/rendered"),
  "GET /api/v1/dicomweb/studies/:study{[0-9.]{1,64}}/series/:series{[0-9.]{1,64}}/instances/:instance{[0-9.]{1,64}}/frames/:frame{[0-9]{1,6}}/rendered":
    site(404, "/api/v1/dicomweb/studies/1.2.9/series/1/instances/1/frames/1/rendered"),
  "GET /api/v1/dicomweb/studies/:study{[0-9.]{1,64}}/series/:series{[0-9.]{1,64}}/instances/:instance{[0-9.]{1,64}}/frames/:frames{[0-9,]{1,400}}":
    site(404, "/api/v1/dicomweb/studies/1.2.9/series/1/instances/1/frames/1"),
  "GET /api/v1/dicomweb/studies/:study{[0-9.]{1,64}}/series/:series{[0-9.]{1,64}}/instances/:instance{[0-9.]{1,64}}/bulkdata/:tag{[0-9A-Fa-f]{8}}":
    site(404, "/api/v1/dicomweb/studies/1.2.9/series/1/instances/1/bulkdata/00420011"),
  "GET /api/v1/audit": { who: "maintenance", other: 403 },
  "GET /api/v1/audit/verify": { who: "maintenance", other: 403 },
  "GET /api/v1/audit/export": { who: "maintenance", other: 403 },
  "GET /api/v1/sign-ins/delays": { who: "maintenance", other: 403 },
  "DELETE /api/v1/sign-ins/delays/:id{[0-9a-f]{64}}": {
    who: "maintenance",
    other: 403,
    path: `/api/v1/sign-ins/delays/${"0".repeat(64)}`,
  },
  "GET /api/v1/status/details": { who: "maintenance", other: 403 },
  "GET /api/v1/norms": { who: "maintenance", other: 403 },
  "GET /api/v1/norms/summary": { who: "maintenance", other: 403 },
  "POST /api/v1/norms/controls": { who: "maintenance", other: 403, json: { pid_list: [1] } },
  "DELETE /api/v1/norms/controls/:pid{[0-9]+}": {
    who: "maintenance",
    other: 403,
    path: "/api/v1/norms/controls/1",
  },
  "POST /api/v1/norms": { who: "maintenance", other: 403, json: { scanner: null } },
  "GET /api/v1/registry-exports": { who: "maintenance", other: 403 },
  "POST /api/v1/registry-exports": { who: "maintenance", other: 403, json: {} },
  [`GET ${REGISTRY}`]: { who: "maintenance", other: 403, path: REGISTRY_FILE },
  [`GET ${REGISTRY}/progress`]: {
    who: "maintenance",
    other: 403,
    path: `${REGISTRY_FILE}/progress`,
  },
  [`DELETE ${REGISTRY}`]: { who: "maintenance", other: 403, path: REGISTRY_FILE },
  "GET /api/v1/acceptances": site(200),
  [`GET ${ACCEPTANCE}`]: site(404, "/api/v1/acceptances/9999"),
  [`GET ${ACCEPTANCE}/pictures/:place{[0-9]{1,2}}`]: site(
    404,
    "/api/v1/acceptances/9999/pictures/1",
  ),
  [`PUT ${ACCEPTANCE}/pictures/:place{[0-9]{1,2}}`]: site(
    400,
    "/api/v1/acceptances/9999/pictures/1",
    {},
  ),
  "POST /api/v1/acceptances": { who: "maintenance", other: 403, json: {} },
  ...Object.fromEntries(
    ["signature", "countersignature", "revocation"].map((part) => [
      `POST ${ACCEPTANCE}/${part}`,
      { who: "maintenance", other: 403, path: `/api/v1/acceptances/9999/${part}`, json: {} },
    ]),
  ),
  "GET /api/v1/reading-studies": site(200),
  "POST /api/v1/reading-studies": { who: "maintenance", other: 403, json: {} },
  [`GET ${READING_STUDY}`]: {
    who: "maintenance",
    other: 403,
    path: "/api/v1/reading-studies/9999",
  },
  [`DELETE ${READING_STUDY}`]: {
    who: "maintenance",
    other: 403,
    path: "/api/v1/reading-studies/9999",
  },
  [`GET ${READING_STUDY}/export`]: {
    who: "maintenance",
    other: 403,
    path: "/api/v1/reading-studies/9999/export?format=csv",
  },
  [`GET ${READING_STUDY}/reading`]: site(404, "/api/v1/reading-studies/9999/reading"),
  [`GET ${READING_STUDY}/readings/:place{[0-9]{1,3}}/files/:file`]: site(
    404,
    "/api/v1/reading-studies/9999/readings/0/files/t1w_file",
  ),
  [`POST ${READING_STUDY}/readings/:place{[0-9]{1,3}}/answer`]: site(
    400,
    "/api/v1/reading-studies/9999/readings/0/answer",
    {},
  ),
  "GET /api/v1/stops": { who: "maintenance", other: 403 },
  ...Object.fromEntries(
    ["proposal", "agreement", "undo"].map((part) => [
      `POST ${STOP}/${part}`,
      { who: "maintenance", other: 403, path: `/api/v1/stops/9999/${part}`, json: {} },
    ]),
  ),
  "GET /api/v1/connections/messages": { who: "maintenance", other: 403 },
  "GET /api/v1/connections/merges": { who: "maintenance", other: 403 },
  [`GET ${MESSAGE}/confirmation`]: {
    who: "maintenance",
    other: 403,
    path: "/api/v1/connections/messages/9999/confirmation",
  },
  [`POST ${MESSAGE}/repetition`]: {
    who: "maintenance",
    other: 403,
    path: "/api/v1/connections/messages/9999/repetition",
  },
  [`DELETE ${MESSAGE}`]: {
    who: "maintenance",
    other: 403,
    path: "/api/v1/connections/messages/9999",
  },
  "POST /api/v1/connections/merges/:id{[0-9]{1,15}}/undo": {
    who: "maintenance",
    other: 403,
    path: "/api/v1/connections/merges/9999/undo",
  },
  "GET /api/v1/norms/drift": { who: "maintenance", other: 403 },
  "POST /api/v1/norms/drift/computation": { who: "maintenance", other: 403 },
  [`GET ${DRIFT}`]: { who: "maintenance", other: 403, path: "/api/v1/norms/drift/1" },
  [`POST ${DRIFT}/restart`]: {
    who: "maintenance",
    other: 403,
    path: "/api/v1/norms/drift/1/restart",
  },
  [`POST ${DRIFT}/restart/agreement`]: {
    who: "maintenance",
    other: 403,
    path: "/api/v1/norms/drift/1/restart/agreement",
  },
  [`POST ${DRIFT}/restart/withdrawal`]: {
    who: "maintenance",
    other: 403,
    path: "/api/v1/norms/drift/1/restart/withdrawal",
  },
  "POST /api/v1/norms/tables": {
    who: "maintenance",
    other: 403,
    json: { content: filledExample() },
  },
  "GET /api/v1/norms/tables/:id{[0-9]{1,15}}": {
    who: "maintenance",
    other: 403,
    path: "/api/v1/norms/tables/1",
  },
  "GET /api/v1/norms/routine": { who: "maintenance", other: 403 },
  "POST /api/v1/norms/routine/computation": { who: "maintenance", other: 403 },
  [`GET ${ROUTINE}`]: { who: "maintenance", other: 403, path: "/api/v1/norms/routine/1" },
  [`POST ${ROUTINE}/proposal`]: {
    who: "maintenance",
    other: 403,
    path: "/api/v1/norms/routine/1/proposal",
  },
  [`GET ${ROUTINE}/counts`]: {
    who: "maintenance",
    other: 403,
    path: "/api/v1/norms/routine/1/counts",
  },
  [`POST ${ROUTINE}/counts`]: {
    who: "maintenance",
    other: 403,
    path: "/api/v1/norms/routine/1/counts",
    json: ROUTINE_FILE,
  },
  [`DELETE ${ROUTINE}/counts`]: {
    who: "maintenance",
    other: 403,
    path: "/api/v1/norms/routine/1/counts",
  },
  [`POST ${NORM}/acceptance`]: {
    who: "maintenance",
    other: 403,
    path: "/api/v1/norms/1/acceptance",
  },
  [`POST ${NORM}/revocation`]: {
    who: "maintenance",
    other: 403,
    path: "/api/v1/norms/1/revocation",
  },
  [`GET ${NORM}/changes`]: { who: "maintenance", other: 403, path: "/api/v1/norms/1/changes" },
  [`POST ${NORM}/application`]: {
    who: "maintenance",
    other: 403,
    path: "/api/v1/norms/1/application",
  },
  "GET /api/v1/demo": site(200),
  "POST /api/v1/demo": { who: "maintenance", other: 403 },
  "DELETE /api/v1/demo": { who: "maintenance", other: 403 },
  "GET /api/v1/auth/methods": { who: "nobody", other: 200 },
  "POST /api/v1/auth/oidc": { who: "nobody", other: 404, json: { next: "/" } },
  "POST /api/v1/auth/oidc/completion": {
    who: "nobody",
    other: 404,
    json: { flow: "x", query: "" },
  },
  "GET /api/v1/auth/sign-out": own(200),
  "GET /api/v1/second-factor": own(200),
  "POST /api/v1/second-factor": own(403, undefined, { password: "wrong-1-password" }),
  "POST /api/v1/second-factor/confirmation": own(401, undefined, { code: "000000" }),
  "DELETE /api/v1/second-factor": own(401, undefined, { code: "000000" }),
  "DELETE /api/v1/users/:id{[0-9]{1,15}}/second-factor": {
    who: "maintenance",
    other: 403,
    path: "/api/v1/users/9999/second-factor",
  },
  "GET /api/v1/users": { who: "maintenance", other: 403 },
  "POST /api/v1/users": {
    who: "maintenance",
    other: 403,
    json: { email: "not an address", role: "reader" },
  },
  "PUT /api/v1/users/:id{[0-9]{1,15}}": {
    who: "maintenance",
    other: 403,
    path: "/api/v1/users/9999",
    json: { role: "reader" },
  },
  "POST /api/v1/users/:id{[0-9]{1,15}}/password": {
    who: "maintenance",
    other: 403,
    path: "/api/v1/users/9999/password",
  },
  "GET /api/v1/bin": own(200),
  "POST /api/v1/bin/:pid{[0-9]+}/restoration": own(404, "/api/v1/bin/9999/restoration"),
  "DELETE /api/v1/bin/:pid{[0-9]+}": { who: "maintenance", other: 403, path: "/api/v1/bin/9999" },
  "POST /api/v1/uploads/stored": site(200, undefined, { studies: [] }),
  [`DELETE ${P}`]: site(200, `${P}?pid_list=2`),
  [`DELETE ${ONE}`]: site(204, `${P}/3`),
  "GET /api/v1/auth/logout": { who: "nobody", other: 404 },
};

function filterBody() {
  const none = {
    t1w: null,
    t2w: null,
    sex: null,
    age_from: null,
    age_to: null,
    birth_from: null,
    birth_to: null,
  };
  const dates = { study_from: null, study_to: null, analysis_from: null, analysis_to: null };
  return {
    ...none,
    ...dates,
    name: "Mine",
    page_idx: 1,
    page_size: 5,
    sort_key: "pid" as const,
    sort_direction: "asc" as const,
    search_string: "",
    label_id_list: [],
  };
}

// covers: S-98
Deno.test("every call of the API has a row that says who may make it", () => {
  const routes = createApi({ log: () => {} } as unknown as ServiceContext, API).routes;
  const calls = routes.filter(({ method }) => method !== "ALL").map(({ method, path }) =>
    `${method} ${path}`
  );
  assert.deepEqual(Object.keys(ACCESS).sort(), [...new Set(calls)].sort());
  assert.deepEqual(Object.keys(ENDPOINTS).sort(), Object.keys(ACCESS).sort());
  for (const [route, { who }] of Object.entries(ACCESS)) {
    assert.equal(ENDPOINTS[route]!.may === "public", who === "nobody", route);
  }
});

// covers: S-77, S-98
Deno.test("no call of the API answers to no token, or one that is expired, revoked, of another kind or another site", () =>
  withCore(async ({ core, open, dataDir }) => {
    const signIn = async (email: string) => {
      const db = await openBeside(dataDir);
      await addUser(db, { email, password: PASSWORD });
      await db.destroy();
      return await login(open, { email, password: PASSWORD });
    };
    const call = async (path: string, token?: string, method = "GET") => {
      const headers = token === undefined ? undefined : { authorization: `Bearer ${token}` };
      const answer = await core.fetch(new Request(`http://core${path}`, { method, headers }));
      return {
        status: answer.status,
        code: method === "HEAD" ? "" : (await answer.json().catch(() => ({}))).code,
      };
    };
    const valid = await signIn("valid@x.org"), expired = await signIn("expired@x.org");
    const revoked = await signIn("revoked@x.org");
    await call("/api/v1/auth/logout", revoked.access_token, "HEAD");
    const db = await openBeside(dataDir);
    const { user_id } = await db.selectFrom("sessions as s").innerJoin(
      "users as u",
      "u.id",
      "s.user_id",
    )
      .select("s.user_id").where("u.email", "=", "expired@x.org").executeTakeFirstOrThrow();
    const sids = db.selectFrom("sessions").select("sid").where("user_id", "=", user_id);
    await db.updateTable("tokens").set({ expires_ms: Date.now() - 1 }).where("sid", "in", sids)
      .execute();
    await db.destroy();
    const ticket = await (await core.fetch(
      new Request("http://core/api/v1/auth/ws-ticket", {
        method: "POST",
        headers: { authorization: `Bearer ${valid.access_token}` },
      }),
    )).json();
    let elsewhere = "";
    await withCore(({ api }) => Promise.resolve(void (elsewhere = api.token!)));
    const tokens: [string, string | undefined, string][] = [
      ["no token", undefined, "token.missing"],
      ["expired", expired.access_token, "token.expired"],
      ["revoked", revoked.access_token, "token.revoked"],
      ["another organisation", elsewhere, "token.revoked"],
      ["refresh token", valid.refresh_token, "token.revoked"],
      ["ticket", ticket.ticket, "token.revoked"],
      ["made up", "x".repeat(43), "token.revoked"],
    ];
    for (const [route, { who, path }] of Object.entries(ACCESS)) {
      if (who === "nobody") continue;
      const [method, address] = route.split(" ") as [string, string];
      const example = (path ?? address).replace(
        /^(EXCEL|REPORTS)/,
        `${P}/excel/${crypto.randomUUID()}`,
      )
        .replace(/^FILTER/, "/api/v1/filters/1");
      for (const [name, token, code] of tokens) {
        assert.deepEqual(
          await call(example, token, method),
          { status: 401, code },
          `${route}: ${name}`,
        );
      }
    }
    // a socket is opened with a ticket, which is valid only once, and with no other token
    for (const [name, token] of tokens) {
      const owner = await core.verifyToken(token ?? "");
      assert.equal(owner !== null, name === "ticket", `socket: ${name}`);
    }
    assert.equal(await core.verifyToken(ticket.ticket), null);
  }));

// covers: S-112
Deno.test("each role is answered what the table allows it, and refused everything else", () =>
  withCore(async ({ core, open, dataDir }) => {
    await addStudies(dataDir, 3, (n) => ({ patientId: `P-${n}` }));
    await setCompleted(dataDir, 1, "2026-01-06T00:00:00Z");
    const db = await openBeside(dataDir), tokens = new Map<string, string>();
    for (const role of ROLES) {
      await addQuickUser(db, { email: `${role}@x.org`, password: PASSWORD, name: role, role });
      tokens.set(
        role,
        (await login(open, { email: `${role}@x.org`, password: PASSWORD })).access_token,
      );
    }
    await db.destroy();
    const wrong: string[] = [];
    let cases = 0;
    for (const [route, { path, json }] of Object.entries(ACCESS)) {
      const [method, address] = route.split(" ") as [string, string];
      const action = ENDPOINTS[route]!.may;
      if (action === "public") continue;
      const example = (path ?? address).replace(
        /^(EXCEL|REPORTS)/,
        `${P}/excel/${crypto.randomUUID()}`,
      )
        .replace(/^FILTER/, "/api/v1/filters/1");
      for (const role of ROLES) {
        const answer = await core.fetch(
          new Request(`http://core${example}`, {
            method,
            headers: {
              authorization: `Bearer ${tokens.get(role)}`,
              "content-type": "application/json",
            },
            body: json === undefined ? undefined : JSON.stringify(json),
          }),
        );
        const text = await answer.text(), isRefused = /"code":"access.forbidden"/.test(text);
        cases++;
        if (isRefused === mayDo(role, action)) {
          wrong.push(`${role} ${route}: ${answer.status} ${text.slice(0, 99)}`);
        }
        if (isRefused) assert.equal(answer.status, 403);
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(cases >= 4 * 80, `${cases} cases`);
  }));

Deno.test("the organisation's settings are kept from a reader, who saves the own ones", () =>
  withCore(async ({ core, open, dataDir }) => {
    const db = await openBeside(dataDir);
    await addQuickUser(db, {
      email: "reader@x.org",
      password: PASSWORD,
      name: "R",
      role: "reader",
    });
    await db.destroy();
    const { access_token } = await login(open, { email: "reader@x.org", password: PASSWORD });
    const headers = { authorization: `Bearer ${access_token}`, "content-type": "application/json" };
    const ask = async (method: string, path: string, body?: string) => {
      const answer = await core.fetch(new Request(`http://core${path}`, { method, headers, body }));
      return { status: answer.status, json: await answer.json() };
    };
    const { json: settings } = await ask("GET", "/api/v1/settings");
    settings.individual.report.language = "ko";
    const own = await ask("PUT", "/api/v1/settings", JSON.stringify(settings));
    assert.equal(own.status, 200);
    settings.group.general.bias_correction = !settings.group.general.bias_correction;
    const group = await ask(
      "PUT",
      "/api/v1/settings",
      JSON.stringify({ ...settings, version: undefined }),
    );
    assert.deepEqual([group.status, group.json.code], [403, "access.forbidden"]);
    const form = new FormData();
    form.set("name", "R");
    form.set("hospital_name", "Another");
    const page = await core.fetch(
      new Request("http://core/api/v1/settings/mypage", {
        method: "PUT",
        headers: { authorization: headers.authorization },
        body: form,
      }),
    );
    assert.equal(page.status, 403, await page.text());
  }));

// covers: S-77, S-98
Deno.test("another physician of the site finds what belongs to the site, and nothing of somebody's own", () =>
  withCore(async ({ core, api, open, dataDir }) => {
    await addStudies(dataDir, 3, (n) => ({ patientId: `P-${n}` }));
    await setCompleted(dataDir, 1, "2026-01-06T00:00:00Z");
    const mine = await addFilter(api, { ...filterBody(), id: -1 });
    const { excel_id } = await startExcel(api, { pid_list: [1], format: "csv" });
    const other = await colleague(open, dataDir);
    const uploadId = "0123456789abcdef", wrong: string[] = [];
    const form = new FormData();
    form.append("dicom_files", new File(["no image"], "mine.dcm"));
    const call = (
      method: string,
      path: string,
      { token }: { token?: string },
      body?: BodyInit,
      type?: string,
    ) =>
      core.fetch(
        new Request(`http://core${path}`, {
          method,
          body,
          headers: { authorization: `Bearer ${token}`, ...(type ? { "content-type": type } : {}) },
        }),
      );
    const sent = await call("POST", `${P}?upload_id=${uploadId}&is_last=0`, api, form);
    assert.deepEqual((await sent.json()).received, ["mine.dcm"]);
    for (const [route, { path, json, other: status }] of Object.entries(ACCESS)) {
      const [method, address] = route.split(" ") as [string, string];
      const example = (path ?? address).replace("EXCEL", `${P}/excel/${excel_id}`)
        .replace("REPORTS", `${P}/reports/pdf/${excel_id}`).replace(
          "FILTER",
          `/api/v1/filters/${mine.id}`,
        );
      const answer = json === undefined
        ? await call(method, example, other)
        : await call(method, example, other, JSON.stringify(json), "application/json");
      const text = await answer.text();
      if (answer.status !== status) {
        wrong.push(`${route}: ${answer.status}, not ${status}: ${text.slice(0, 200)}`);
      }
      if (address.startsWith("/api/v1/uploads/") && method === "GET") {
        assert.deepEqual(JSON.parse(text), { received: [], is_complete: false });
      }
      if (address === "/api/v1/filters" && method === "GET") {
        assert.deepEqual(JSON.parse(text).filters, []);
      }
    }
    assert.deepEqual(wrong, []);
    // objects of the first user are unchanged
    assert.deepEqual((await listFilters(api)).filters, [mine]);
    assert.equal((await call("GET", `${P}/excel/${excel_id}/progress`, api)).status, 200);
    const state = await call("GET", `/api/v1/uploads/${uploadId}`, api);
    assert.deepEqual((await state.json()).received, ["mine.dcm"]);
    assert.ok((await login(open, { email: EMAIL, password: PASSWORD })).access_token);
  }));
