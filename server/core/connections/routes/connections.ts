import {
  connections,
  mergesPage,
  mergesQuery,
  messageConfirmation,
  messagesPage,
  messagesQuery,
  peerPut,
  peerSaved,
  peerTest,
  repeatRequest,
  repetitionQuery,
  routing,
  routingTest,
  sentResults,
  systemKey,
} from "@/model/schema/connections/connections.ts";
import { AppError } from "@/model/errors.ts";
import { getConnections, getSentResults } from "@/server/core/connections/service/connections.ts";
import { repeatResults } from "@/server/core/connections/service/outbox.ts";
import {
  dropMessage,
  getMerges,
  getMessages,
  repeatMessage,
} from "@/server/core/connections/service/hl7/messages_page.ts";
import { getConfirmation } from "@/server/core/connections/service/hl7/confirmed_records.ts";
import { undoMerge } from "@/server/core/connections/service/hl7/undo_merge.ts";
import { removePeer, savePeer, testPeer } from "@/server/core/connections/service/peers.ts";
import { sendTestImage } from "@/server/core/connections/service/delivery.ts";
import { renewSystemKey } from "@/server/core/connections/service/system_keys.ts";
import {
  getRouting,
  saveRouting,
  testRouting,
} from "@/server/core/connections/service/inbox/routing.ts";
import { mustFindPatient } from "@/server/core/studies/service/patients.ts";
import {
  json,
  noContent,
  pidOf,
  readJson,
  readQuery,
  type Routes,
} from "@/server/core/http/app.ts";

const MESSAGE = "/api/v1/connections/messages/:id{[0-9]{1,15}}";
const PEERS = "/api/v1/connections/peers", ONE = `${PEERS}/:id{[0-9]{1,15}}`;

function idOf(text: string): number {
  const id = Number(text);
  if (id > 0) return id;
  throw new AppError("entity.not_found", "Cannot find the connection: not its number");
}

/** HTTP routes of HL7 messages, and of merges by messages. */
const messageRoutes: Routes = (api, services) => {
  api.get("/api/v1/connections/messages", async ({ req, var: { caller } }) => {
    const query = readQuery(req.raw, messagesQuery);
    return json(messagesPage, await getMessages(services, query, caller));
  });
  api.get("/api/v1/connections/merges", async ({ req, var: { caller } }) => {
    const query = readQuery(req.raw, mergesQuery);
    return json(mergesPage, await getMerges(services, query, caller));
  });
  api.get(`${MESSAGE}/confirmation`, async ({ req, var: { caller } }) => {
    const found = await getConfirmation(services, idOf(req.param("id")), caller);
    return json(messageConfirmation, found);
  });
  api.post(`${MESSAGE}/repetition`, async (context) => {
    const { req, var: { caller } } = context, { confirmed } = readQuery(req.raw, repetitionQuery);
    const details = await repeatMessage(services, idOf(req.param("id")), caller, confirmed);
    context.set("auditDetails", details);
    return noContent();
  });
  api.delete(MESSAGE, async (context) => {
    const { req, var: { caller } } = context;
    context.set("auditDetails", await dropMessage(services, idOf(req.param("id")), caller));
    return noContent();
  });
  api.post("/api/v1/connections/merges/:id{[0-9]{1,15}}/undo", async (context) => {
    const { req, var: { caller } } = context;
    const { details, studies } = await undoMerge(services, idOf(req.param("id")), caller);
    context.set("auditDetails", details);
    context.set("audited", studies);
    return noContent();
  });
};

export const connectionRoutes: Routes = (api, services) => {
  api.get(
    "/api/v1/connections",
    async ({ var: { caller } }) => json(connections, await getConnections(services, caller)),
  );
  api.post(PEERS, async ({ req, var: { caller } }) => {
    return json(
      peerSaved,
      { id: await savePeer(services, null, await readJson(req.raw, peerPut), caller) },
      201,
    );
  });
  api.put(ONE, async ({ req, var: { caller } }) => {
    const id = idOf(req.param("id"));
    return json(peerSaved, {
      id: await savePeer(services, id, await readJson(req.raw, peerPut), caller),
    });
  });
  api.delete(ONE, async ({ req, var: { caller } }) => {
    await removePeer(services, idOf(req.param("id")), caller);
    return noContent();
  });
  api.post(`${ONE}/test`, async ({ req, var: { caller } }) => {
    return json(peerTest, await testPeer(services, idOf(req.param("id")), caller));
  });
  api.post(`${ONE}/test-image`, async ({ req, var: { caller } }) => {
    return json(peerTest, await sendTestImage(services, idOf(req.param("id")), caller));
  });
  api.post(`${ONE}/key`, async ({ req, var: { caller } }) => {
    return json(systemKey, { key: await renewSystemKey(services, idOf(req.param("id")), caller) });
  });
  api.post("/api/v1/connections/outbox/repeat", async ({ req, var: { caller } }) => {
    await repeatResults(services, (await readJson(req.raw, repeatRequest)).ids, caller);
    return noContent();
  });
  messageRoutes(api, services);
  api.get(
    "/api/v1/connections/routing",
    async ({ var: { caller } }) => json(routing, await getRouting(services, caller)),
  );
  api.put("/api/v1/connections/routing", async ({ req, var: { caller } }) => {
    return json(routing, await saveRouting(services, await readJson(req.raw, routing), caller));
  });
  api.post("/api/v1/connections/routing/test", async ({ req, var: { caller } }) => {
    const { rules } = await readJson(req.raw, routing);
    return json(routingTest, await testRouting(services, rules, caller));
  });
  api.get("/api/v1/patients/:pid{[0-9]+}/sent", async ({ req }) => {
    const pid = pidOf(req.param("pid"));
    await mustFindPatient(services.db, pid);
    return json(sentResults, { results: await getSentResults(services, pid) });
  });
};
