import type { MiddlewareHandler } from "hono";
import { AppError } from "@/model/errors.ts";
import { type AuditEntry, noteAudit } from "@/server/core/site/service/audit/audit.ts";
import {
  closeGroup,
  isFirstIn,
  isInGroup,
  openGroup,
} from "@/server/core/site/service/audit/grouping.ts";
import { DICOM_KIND_PATTERN } from "@/model/schema/report/dicom.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { addressOf, type ApiEnv, routeOf } from "@/server/core/http/app.ts";

const PATIENTS = "/api/v1/patients", ONE = `${PATIENTS}/:pid{[0-9]+}`;
const DRIFT = "/api/v1/norms/drift/:id{[0-9]{1,15}}";
const ACCEPTANCE = "/api/v1/acceptances/:id{[0-9]{1,15}}";
const STOP = "/api/v1/stops/:id{[0-9]{1,15}}";
const READING_STUDY = "/api/v1/reading-studies/:id{[0-9]{1,15}}";
const ROUTINE = "/api/v1/norms/routine/:id{[0-9]{1,15}}";
const MINUTE_MS = 60_000;
/** Time within which repeated calls for a study leave a single audit entry "study viewed". */
const LOOK_MS = 10 * MINUTE_MS;

/**
 * Calls of which each leaves an audit entry, by method and route. Sign-in, sign-out and renewal
 * are missing: they write their audit entries themselves, because only they know the user.
 */
const AUDITED: Record<string, string> = {
  [`POST ${PATIENTS}`]: "study.upload",
  "POST /api/v1/launch": "study.launch",
  "POST /api/v1/context/follow": "study.context",
  [`GET ${ONE}`]: "study.view",
  [`PUT ${ONE}`]: "study.update",
  [`PUT ${ONE}/mta`]: "study.update",
  [`PUT ${ONE}/report/text`]: "report.write",
  [`POST ${ONE}/report/text/signature`]: "report.sign",
  [`POST ${ONE}/report/text/withdrawal`]: "report.withdraw",
  [`DELETE ${ONE}`]: "study.delete",
  [`DELETE ${PATIENTS}`]: "study.delete",
  "POST /api/v1/analyses": "analysis.start",
  [`POST ${ONE}/reanalyses`]: "analysis.start",
  [`POST ${PATIENTS}/excel`]: "export.start",
  [`GET ${PATIENTS}/excel/:id{[0-9a-f-]{36}}`]: "export.download",
  "POST /api/v1/registry-exports": "registry.start",
  "GET /api/v1/registry-exports/:id{[0-9a-f-]{36}}": "registry.download",
  [`GET ${ONE}/report`]: "report.view",
  [`GET ${ONE}/report/pdf`]: "report.print",
  [`GET ${ONE}/dicom/results`]: "dicom.export",
  [`GET ${ONE}/dicom/:kind{${DICOM_KIND_PATTERN}}`]: "dicom.export",
  [`GET ${ONE}/dicom/deidentified`]: "dicom.deidentify",
  [`POST ${PATIENTS}/reports/pdf`]: "report.print",
  [`GET ${PATIENTS}/reports/pdf`]: "report.print",
  [`GET ${PATIENTS}/reports/pdf/:id{[0-9a-f-]{36}}`]: "report.download",
  "POST /api/v1/norms/controls": "control.mark",
  "DELETE /api/v1/norms/controls/:pid{[0-9]+}": "control.unmark",
  "POST /api/v1/norms": "norm.propose",
  "POST /api/v1/norms/tables": "norm.import_table",
  "POST /api/v1/norms/routine/computation": "norm.compute",
  "POST /api/v1/norms/drift/computation": "drift.compute",
  [`POST ${DRIFT}/restart`]: "drift.restart",
  [`POST ${DRIFT}/restart/agreement`]: "drift.agree",
  [`POST ${DRIFT}/restart/withdrawal`]: "drift.restart_undo",
  "POST /api/v1/acceptances": "acceptance.begin",
  [`PUT ${ACCEPTANCE}/pictures/:place{[0-9]{1,2}}`]: "acceptance.answer",
  "POST /api/v1/reading-studies": "reading_study.add",
  [`DELETE ${READING_STUDY}`]: "reading_study.remove",
  [`GET ${READING_STUDY}/export`]: "reading_study.export",
  [`GET ${READING_STUDY}/reading`]: "reading_study.read",
  [`POST ${READING_STUDY}/readings/:place{[0-9]{1,3}}/answer`]: "reading_study.answer",
  [`POST ${ACCEPTANCE}/signature`]: "acceptance.sign",
  [`POST ${ACCEPTANCE}/countersignature`]: "acceptance.countersign",
  [`POST ${ACCEPTANCE}/revocation`]: "acceptance.revoke",
  [`POST ${STOP}/proposal`]: "stop.propose",
  [`POST ${STOP}/agreement`]: "stop.agree",
  [`POST ${STOP}/undo`]: "stop.undo",
  [`POST ${ROUTINE}/proposal`]: "norm.propose",
  [`GET ${ROUTINE}/counts`]: "norm.export",
  [`POST ${ROUTINE}/counts`]: "norm.import",
  [`DELETE ${ROUTINE}/counts`]: "norm.import_remove",
  "POST /api/v1/norms/:id{[0-9]{1,15}}/acceptance": "norm.accept",
  "POST /api/v1/norms/:id{[0-9]{1,15}}/revocation": "norm.revoke",
  "POST /api/v1/norms/:id{[0-9]{1,15}}/application": "norm.apply",
  "POST /api/v1/demo": "demo.load",
  "DELETE /api/v1/demo": "study.delete",
  "PUT /api/v1/labels": "label.save",
  "PUT /api/v1/settings": "settings.update",
  "PUT /api/v1/settings/mypage": "settings.update",
  "PUT /vuuc/api/user": "password.change",
  "POST /api/v1/users": "user.add",
  "PUT /api/v1/users/:id{[0-9]{1,15}}": "user.change",
  "POST /api/v1/users/:id{[0-9]{1,15}}/password": "user.reset_password",
  "POST /api/v1/second-factor": "second_factor.begin",
  "POST /api/v1/second-factor/confirmation": "second_factor.confirm",
  "DELETE /api/v1/second-factor": "second_factor.end",
  "DELETE /api/v1/users/:id{[0-9]{1,15}}/second-factor": "user.reset_code",
  "POST /api/v1/bin/:pid{[0-9]+}/restoration": "study.restore",
  "DELETE /api/v1/bin/:pid{[0-9]+}": "study.purge",
  "DELETE /api/v1/sign-ins/delays/:id{[0-9a-f]{64}}": "sign_in.lift",
  [`PUT ${ONE}/lesion-changes/:lesion{[0-9]{1,3}}`]: "lesion.judge",
  [`POST ${ONE}/measurements`]: "measurement.add",
  [`PUT ${ONE}/measurements/:measurement{[0-9]{1,15}}`]: "measurement.change",
  [`DELETE ${ONE}/measurements/:measurement{[0-9]{1,15}}`]: "measurement.remove",
  [`POST ${ONE}/key-images`]: "key_image.add",
  [`DELETE ${ONE}/key-images/:image{[0-9]{1,15}}`]: "key_image.remove",
  [`POST ${ONE}/strokes`]: "label.correct",
  [`POST ${ONE}/strokes/undo`]: "label.undo",
  [`POST ${ONE}/strokes/redo`]: "label.redo",
  [`POST ${ONE}/strokes/restore`]: "label.restore",
  "POST /api/v1/connections/peers": "connection.save",
  "PUT /api/v1/connections/peers/:id{[0-9]{1,15}}": "connection.save",
  "DELETE /api/v1/connections/peers/:id{[0-9]{1,15}}": "connection.delete",
  "POST /api/v1/connections/peers/:id{[0-9]{1,15}}/test": "connection.test",
  "POST /api/v1/connections/peers/:id{[0-9]{1,15}}/test-image": "connection.test",
  "POST /api/v1/connections/peers/:id{[0-9]{1,15}}/key": "connection.key",
  "POST /api/v1/connections/outbox/repeat": "result.send",
  "POST /api/v1/connections/messages/:id{[0-9]{1,15}}/repetition": "message.repeat",
  "DELETE /api/v1/connections/messages/:id{[0-9]{1,15}}": "message.drop",
  "POST /api/v1/connections/merges/:id{[0-9]{1,15}}/undo": "merge.undo",
  "PUT /api/v1/connections/routing": "connection.save",
  "POST /api/v1/pacs/:id{[0-9]{1,15}}/search": "archive.search",
  "POST /api/v1/pacs/:id{[0-9]{1,15}}/series": "archive.search",
  "POST /api/v1/pacs/:id{[0-9]{1,15}}/pulls": "archive.take",
  "POST /api/v1/dicomweb/studies": "study.upload",
  "POST /api/v1/dicomweb/studies/:study{[0-9.]{1,64}}": "study.upload",
  "GET /api/v1/dicomweb/wado": "image.export",
  "GET /api/v1/dicomweb/studies/:study{[0-9.]{1,64}}": "image.export",
  "GET /api/v1/dicomweb/studies/:study{[0-9.]{1,64}}/metadata": "image.view",
  "GET /api/v1/dicomweb/studies/:study{[0-9.]{1,64}}/thumbnail": "image.view",
  "GET /api/v1/dicomweb/studies/:study{[0-9.]{1,64}}/series/:series{[0-9.]{1,64}}/thumbnail":
    "image.view",
  "GET /api/v1/dicomweb/studies/:study{[0-9.]{1,64}}/series/:series{[0-9.]{1,64}}/instances/:instance{[0-9.]{1,64}}/thumbnail":
    "image.view",
  "GET /api/v1/dicomweb/studies/:study{[0-9.]{1,64}}/series/:series{[0-9.]{1,64}}": "image.export",
  "GET /api/v1/dicomweb/studies/:study{[0-9.]{1,64}}/series/:series{[0-9.]{1,64}}/metadata":
    "image.view",
  "GET /api/v1/dicomweb/studies/:study{[0-9.]{1,64}}/series/:series{[0-9.]{1,64}}/instances/:instance{[0-9.]{1,64}}":
    "image.export",
  "GET /api/v1/dicomweb/studies/:study{[0-9.]{1,64}}/series/:series{[0-9.]{1,64}}/instances/:instance{[0-9.]{1,64}}/metadata":
    "image.view",
  "GET /api/v1/dicomweb/studies/:study{[0-9.]{1,64}}/series/:series{[0-9.]{1,64}}/instances/:instance{[0-9.]{1,64}}/rendered":
    "image.view",
  "GET /api/v1/dicomweb/studies/:study{[0-9.]{1,64}}/series/:series{[0-9.]{1,64}}/instances/:instance{[0-9.]{1,64}}/frames/:frame{[0-9]{1,6}}/rendered":
    "image.view",
  "GET /api/v1/dicomweb/studies/:study{[0-9.]{1,64}}/series/:series{[0-9.]{1,64}}/instances/:instance{[0-9.]{1,64}}/frames/:frames{[0-9,]{1,400}}":
    "image.view",
  "GET /api/v1/dicomweb/studies/:study{[0-9.]{1,64}}/series/:series{[0-9.]{1,64}}/instances/:instance{[0-9.]{1,64}}/bulkdata/:tag{[0-9A-Fa-f]{8}}":
    "image.export",
  "GET /api/v1/fhir/:type{[A-Za-z]{4,20}}": "report.export",
  "GET /api/v1/fhir/:type{[A-Za-z]{4,20}}/:id{[0-9-]{1,20}}": "report.export",
  "GET /api/v1/audit": "audit.view",
  "GET /api/v1/audit/export": "audit.export",
  "GET /api/v1/audit/verify": "audit.verify",
};

/**
 * Calls made while a study is viewed: one audit entry per user, study and ten minutes.
 * No entry is written if another entry of the same study precedes it within that time.
 */
const LOOKS: Record<string, string> = {
  [`GET ${ONE}/history`]: "history.view",
  [`GET ${ONE}/volume`]: "image.view",
  [`GET ${ONE}/defaced`]: "image.view",
  [`GET ${ONE}/lesion-changes`]: "image.view",
  [`GET ${ONE}/measurements`]: "image.view",
  [`GET ${ONE}/key-images`]: "image.view",
  [`GET ${ONE}/key-images/:image{[0-9]{1,15}}`]: "image.view",
  [`GET ${ONE}/series`]: "image.view",
  [`GET ${ONE}/series/:series{[0-9]{1,15}}/volume`]: "image.view",
  [`GET ${ONE}/series/refused/volume`]: "image.view",
  [`GET ${ONE}/strokes`]: "image.view",
  [`GET ${ONE}/comparables`]: "history.view",
  [`GET ${PATIENTS}/image/viewer/:pid`]: "image.view",
  "GET /api/v1/secure/:file{(?:verts|faces|normals|values)\\.npy}": "image.view",
  [`GET ${ONE}/report/image/:file`]: "report.view",
  [`GET ${ONE}/report/text`]: "report.view",
  // a separate event, so that viewing the same study outside the reading study is recorded too
  [`GET ${READING_STUDY}/readings/:place{[0-9]{1,3}}/files/:file`]: "reading_study.read",
  "GET /api/v1/settings/assessment/:id{[0-9]+}": "report.view",
};

/**
 * Calls that show many studies at once: one audit entry per user and minute, without their
 * numbers.
 */
const LISTS: Record<string, string> = {
  [`GET ${PATIENTS}`]: "worklist.view",
  [`GET ${ONE}/thumbnail`]: "worklist.view",
  "GET /api/v1/labels": "worklist.view",
  "GET /api/v1/bin": "bin.view",
  "GET /api/v1/norms": "norm.view",
  "GET /api/v1/norms/routine": "norm.view",
  "GET /api/v1/norms/tables/:id{[0-9]{1,15}}": "norm.view",
  [`GET ${ROUTINE}`]: "norm.view",
  "GET /api/v1/acceptances": "acceptance.view",
  [`GET ${ACCEPTANCE}`]: "acceptance.view",
  [`GET ${ACCEPTANCE}/pictures/:place{[0-9]{1,2}}`]: "acceptance.view",
  "GET /api/v1/reading-studies": "reading_study.view",
  [`GET ${READING_STUDY}`]: "reading_study.view",
  "GET /api/v1/stops": "stop.view",
  "GET /api/v1/norms/drift": "norm.view",
  [`GET ${DRIFT}`]: "norm.view",
  "GET /api/v1/norms/:id{[0-9]{1,15}}/changes": "norm.view",
  "GET /api/v1/status/details": "status.view",
  "GET /api/v1/dicomweb/studies": "worklist.view",
  "GET /api/v1/dicomweb/series": "worklist.view",
  "GET /api/v1/dicomweb/instances": "worklist.view",
  "GET /api/v1/dicomweb/studies/:study{[0-9.]{1,64}}/series": "worklist.view",
  "GET /api/v1/dicomweb/studies/:study{[0-9.]{1,64}}/instances": "worklist.view",
  "GET /api/v1/dicomweb/studies/:study{[0-9.]{1,64}}/series/:series{[0-9.]{1,64}}/instances":
    "worklist.view",
  "GET /api/v1/connections": "connection.view",
  "GET /api/v1/connections/messages": "connection.view",
  "GET /api/v1/connections/merges": "connection.view",
  "GET /api/v1/connections/messages/:id{[0-9]{1,15}}/confirmation": "connection.view",
  "GET /api/v1/connections/routing": "connection.view",
  "POST /api/v1/connections/routing/test": "connection.view",
  "GET /api/v1/patients/:pid{[0-9]+}/sent": "worklist.view",
};
/** Calls for sign-in and renewal, which write audit entries of their refusals themselves. */
const OWN = ["/api/v1/auth/login", "/api/v1/auth/oidc/completion", "/api/v1/auth/refresh"];

/**
 * Whether a call leaves an audit entry, according to the tables of calls above.
 * False for sign-in, sign-out and renewal, which write their audit entries themselves.
 */
export const isAudited = (call: string): boolean =>
  [AUDITED, LOOKS, LISTS].some((calls) => Object.hasOwn(calls, call));

/** Group of audit entries of which only the first is written; `null`: every entry is written. */
function groupOf(
  kind: "look" | "list" | null,
  { event, userId, outcome }: AuditEntry,
  pids: readonly number[],
) {
  if (kind === null) return null;
  const named = kind === "list" ? pids : [pids[0] ?? 0];
  return [event, userId, ...named, outcome].join(" ");
}

/** Whether an audit entry is the first of its group; later entries of the group are not written. */
function isFirstOfGroup(
  db: ServiceContext["db"],
  kind: "look" | "list",
  group: string,
  viewed: readonly string[],
): boolean {
  const nowMs = Date.now();
  if (kind === "list") return isFirstIn(db, group, MINUTE_MS, nowMs);
  return !isInGroup(db, viewed, LOOK_MS, nowMs) && isFirstIn(db, group, LOOK_MS, nowMs);
}

/**
 * Writes the audit entries of a call before the response is sent: one for each study of the call
 * (`audited` of the request, otherwise the study in the URL).
 * All responses with patient data leave an entry; entries are grouped by viewed study or list.
 * Refused calls leave an entry too, grouped by minute, address and reason.
 */
export const audited =
  (services: ServiceContext): MiddlewareHandler<ApiEnv> => async (context, next) => {
    await next();
    const { req, res, error, var: { caller, requestId, audited: pids, auditAs, auditDetails } } =
      context;
    // status 202: a later request completes the call, and leaves the entry
    if (res.status === 202 || pids === "nothing") return;
    const call = routeOf(context) ?? "";
    const listed = auditAs ?? LISTS[call], event = listed ?? LOOKS[call] ?? AUDITED[call];
    const address = addressOf(req.raw), { db } = services;
    const outcome = res.status < 400 ? "ok" : error instanceof AppError ? error.code : "internal";
    // the key of another system belongs to no user, so the details contain the system's name
    const entry = { userId: caller?.uid || null, address, outcome, requestId };
    const isRefused = res.status === 401 || res.status === 403;
    if (caller === undefined || event === undefined) {
      if (!isRefused || OWN.includes(req.path)) return;
      const group = `access.refused ${entry.userId} ${address} ${outcome}`;
      if (!isFirstIn(db, group, MINUTE_MS, Date.now())) return;
      const details = { call: `${req.method} ${req.path}`.slice(0, 120) };
      if (!await noteAudit(services, { ...entry, event: "access.refused", details })) {
        closeGroup(db, group);
      }
      return;
    }
    const namedId = req.param("pid") ?? req.param("id") ?? req.query("pid");
    // skipped: a study number that cannot be read back would make the audit log unreadable
    const isStudy = listed === undefined &&
      (req.param("pid") !== undefined || LOOKS[call] !== undefined);
    const studies = (pids ?? (isStudy ? [Number(namedId)] : [])).filter((pid) =>
      pid > 0 && Number.isSafeInteger(pid)
    );
    const fullEntry = { ...entry, event, ...auditDetails ? { details: auditDetails } : {} };
    const kind = listed !== undefined ? "list" : LOOKS[call] !== undefined ? "look" : null;
    const pid = studies[0] ?? 0, group = groupOf(kind, fullEntry, studies);
    const viewed = ["study.view", "report.view"].map((view) => `${view} ${entry.userId} ${pid}`);
    if (group !== null && !isFirstOfGroup(db, kind!, group, viewed)) return;
    const isWritten = await noteAudit(services, fullEntry, studies);
    if (!isWritten && group !== null) closeGroup(db, group);
    if (isWritten && kind === null && outcome === "ok" && /^(study|report)\.view$/.test(event)) {
      for (const pid of studies) openGroup(db, `${event} ${entry.userId} ${pid}`, Date.now());
    }
  };
