import {
  reportTextAnswer,
  reportTextPut,
  reportTextQuery,
  signaturePost,
  withdrawalPost,
} from "@/model/schema/report/report_text.ts";
import {
  getReportText,
  saveDraft,
  signText,
  withdrawSignature,
} from "@/server/core/reports/service/report_text.ts";
import { json, pidOf, readJson, readQuery, type Routes } from "@/server/core/http/app.ts";

const TEXT = "/api/v1/patients/:pid{[0-9]+}/report/text";

/** Routes of the conclusion that a physician writes. Each route returns the current text. */
export const reportTextRoutes: Routes = (api, services) => {
  api.get(TEXT, async (context) => {
    const { language } = readQuery(context.req.raw, reportTextQuery);
    const pid = pidOf(context.req.param("pid"));
    return json(reportTextAnswer, await getReportText(services, pid, language));
  });
  api.put(TEXT, async (context) => {
    const pid = pidOf(context.req.param("pid")), { caller } = context.var;
    const put = await readJson(context.req.raw, reportTextPut);
    context.set("auditDetails", { version: await saveDraft(services, pid, put, caller) });
    return json(reportTextAnswer, await getReportText(services, pid, put.language));
  });
  api.post(`${TEXT}/signature`, async (context) => {
    const pid = pidOf(context.req.param("pid")), { caller } = context.var;
    const post = await readJson(context.req.raw, signaturePost);
    context.set("auditDetails", { version: await signText(services, pid, post, caller) });
    return json(reportTextAnswer, await getReportText(services, pid, post.language));
  });
  api.post(`${TEXT}/withdrawal`, async (context) => {
    const pid = pidOf(context.req.param("pid")), { caller } = context.var;
    const { based_on, language } = await readJson(context.req.raw, withdrawalPost);
    context.set("auditDetails", {
      version: await withdrawSignature(services, pid, based_on, caller),
    });
    return json(reportTextAnswer, await getReportText(services, pid, language));
  });
};
