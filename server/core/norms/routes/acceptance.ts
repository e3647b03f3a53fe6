import { AppError } from "@/model/errors.ts";
import {
  acceptanceCreated,
  acceptanceDetails,
  acceptanceList,
  acceptancePost,
  answerPut,
  signaturePost,
} from "@/model/schema/report/acceptance.ts";
import {
  answerPicture,
  beginAcceptance,
  countersignTest,
  deliverPicture,
  revokeTest,
  signTest,
} from "@/server/core/norms/service/acceptance.ts";
import { getAcceptance, getAcceptances } from "@/server/core/norms/service/acceptance_sheet.ts";
import { scannerStops, stopAgreement, stopProposal } from "@/model/schema/report/stops.ts";
import { agreeToStop, getStops, proposeStop, undoStop } from "@/server/core/norms/service/stops.ts";
import { json, noContent, readJson, type Routes } from "@/server/core/http/app.ts";

const ALL = "/api/v1/acceptances", ONE = `${ALL}/:id{[0-9]{1,15}}`;
const idOf = (text: string | undefined): number => {
  const id = Number(text);
  if (!(id > 0)) {
    throw new AppError("entity.not_found", "Cannot find the acceptance test: no such number");
  }
  return id;
};

const STOPS = "/api/v1/stops", STOP = `${STOPS}/:id{[0-9]{1,15}}`;

/** Scanners with withheld percentiles, for administrators. */
export const stopRoutes: Routes = (api, services) => {
  api.get(
    STOPS,
    async ({ var: { caller } }) => json(scannerStops, await getStops(services, caller)),
  );
  api.post(`${STOP}/proposal`, async (context) => {
    const id = idOf(context.req.param("id"));
    context.set("auditDetails", { stop: id });
    const proposal = await readJson(context.req.raw, stopProposal);
    context.set("auditDetails", { stop: id, decision: proposal.decision });
    await proposeStop(services, id, proposal, context.var.caller);
    return noContent();
  });
  api.post(`${STOP}/agreement`, async (context) => {
    const id = idOf(context.req.param("id"));
    context.set("auditDetails", { stop: id });
    const seen = await readJson(context.req.raw, stopAgreement);
    context.set("auditDetails", { stop: id, decision: seen.decision });
    context.set("audited", await agreeToStop(services, id, seen, context.var.caller));
    return noContent();
  });
  api.post(`${STOP}/undo`, async (context) => {
    const id = idOf(context.req.param("id"));
    context.set("auditDetails", { stop: id });
    context.set("audited", await undoStop(services, id, context.var.caller));
    return noContent();
  });
};

/** Acceptance tests of the scanners. */
export const acceptanceRoutes: Routes = (api, services) => {
  api.get(ALL, async () => json(acceptanceList, await getAcceptances(services)));
  api.post(ALL, async (context) => {
    const post = await readJson(context.req.raw, acceptancePost);
    context.set("auditDetails", { scanner: post.scanner });
    const created = await beginAcceptance(services, post, context.var.caller);
    context.set("auditDetails", { acceptance: created.id, scanner: post.scanner });
    return json(acceptanceCreated, created, 201);
  });
  api.get(ONE, async ({ req, var: { caller } }) => {
    const details = await getAcceptance(services, idOf(req.param("id")), caller);
    return json(acceptanceDetails, details);
  });
  api.get(`${ONE}/pictures/:place{[0-9]{1,2}}`, async ({ req, var: { caller } }) => {
    const at = { id: idOf(req.param("id")), place: Number(req.param("place")) };
    const image = await deliverPicture(services, at, caller);
    if (image === null) return noContent();
    // a cached image would not be recorded as sent to the next user of the same browser
    const headers = { "content-type": "image/png", "cache-control": "no-store" };
    return new Response(image, { headers });
  });
  api.put(`${ONE}/pictures/:place{[0-9]{1,2}}`, async (context) => {
    const id = idOf(context.req.param("id")), place = Number(context.req.param("place"));
    context.set("auditDetails", { acceptance: id, picture: place });
    const { answer } = await readJson(context.req.raw, answerPut);
    context.set("auditDetails", { acceptance: id, picture: place, answer });
    await answerPicture(services, { id, place }, answer, context.var.caller);
    return noContent();
  });
  api.post(`${ONE}/signature`, async (context) => {
    const id = idOf(context.req.param("id"));
    context.set("auditDetails", { acceptance: id });
    const post = await readJson(context.req.raw, signaturePost);
    context.set("auditDetails", { acceptance: id, decision: post.decision });
    await signTest(services, id, post, context.var.caller);
    return noContent();
  });
  api.post(`${ONE}/countersignature`, async (context) => {
    const id = idOf(context.req.param("id"));
    context.set("auditDetails", { acceptance: id });
    await countersignTest(services, id, context.var.caller);
    return noContent();
  });
  api.post(`${ONE}/revocation`, async (context) => {
    const id = idOf(context.req.param("id"));
    context.set("auditDetails", { acceptance: id });
    await revokeTest(services, id, context.var.caller);
    return noContent();
  });
};
