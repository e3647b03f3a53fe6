// covers: S-91
import assert from "node:assert/strict";
import { createCore, openData } from "@/server/core/mod.ts";
import { createSite } from "@/server/edge/site.ts";
import { serveHttp } from "@/server/edge/web/http_server.ts";
import { MessageBudget } from "@/server/edge/web/web_socket.ts";
import { EMAILS, openSocket, PASSWORD } from "@/tests/sites/edge_site.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import { until } from "@/tests/sites/until.ts";

/** A served site with two users; `checked` has the user of each token that was looked up. */
async function serveTwo() {
  const dataDir = await Deno.makeTempDir({ prefix: "sulcus-flood-" }), db = openData(dataDir);
  for (const email of EMAILS) {
    await addQuickUser(db, { email, password: PASSWORD, name: null, isMaintenance: true });
  }
  await db.destroy();
  const core = await createCore({ dataDir, workers: 0 }), checked: number[] = [];
  const link = {
    ...core,
    verifyToken: async (token: string) => {
      const owner = await core.verifyToken(token);
      if (owner) checked.push(owner.uid);
      return owner;
    },
  };
  const site = await createSite({ core: link, settings: { dataDir: null } });
  const server = await serveHttp(
    { port: 0, hostname: "127.0.0.1" },
    (request, info) => site.fetch(request, info),
  );
  const url = `http://127.0.0.1:${server.addr.port}`;
  return {
    url: `${url}/api/v1/ws`,
    checked,
    async login(email: string): Promise<string> {
      const answer = await fetch(`${url}/api/v1/auth/login`, {
        method: "POST",
        body: JSON.stringify({ email, password: PASSWORD }),
        headers: { "content-type": "application/json" },
      });
      return (await answer.json()).access_token;
    },
    async [Symbol.asyncDispose]() {
      site.close();
      await server.shutdown();
      await core.close();
      await Deno.remove(dataDir, { recursive: true });
    },
  };
}

Deno.test("50 sockets of a user share a budget of messages: one beyond it closes its socket, unread", async () => {
  await using site = await serveTwo();
  const [token, othersToken] = await Promise.all(EMAILS.map((email) => site.login(email)));
  const open = async (token: string) => {
    const socket = openSocket(site.url, { authorization: `Bearer ${token}` });
    await socket.opened;
    return socket;
  };
  const sockets = await Promise.all(Array.from({ length: 50 }, () => open(token!)));
  const other = await open(othersToken!), before = site.checked.length, uid = site.checked[0]!;
  const message = (token: string) => JSON.stringify({ event: "auth_token_update", token });
  const codes: number[] = [];
  for (const { closed } of sockets) void closed.then((code) => codes.push(code));
  // one from each is within the budget, as when all pages of a session renew their token
  for (const { socket } of sockets) socket.send(message(token!));
  await until(() => site.checked.length === before + 50);
  assert.deepEqual(codes, []);
  for (const { socket } of sockets) for (let n = 0; n < 10; n++) socket.send(message(token!));
  // five sockets have sent all of theirs before the budget is used up
  await until(() => codes.length >= 45);
  assert.deepEqual([...new Set(codes)], [1008]);
  // on a slow machine a second window begins
  assert.ok(site.checked.length <= before + 200, `${site.checked.length - before} were handled`);
  // until there is room, that user opens no socket; others notice nothing
  await assert.rejects(open(token!));
  const handled = site.checked.length;
  other.socket.send(message(othersToken!));
  await until(() => site.checked.slice(handled).some((each) => each !== uid));
  other.socket.close();
  assert.equal(await other.closed, 1005);
  for (const { socket, closed } of sockets) {
    socket.close();
    await closed;
  }
});

Deno.test("MessageBudget counts by owner, and anew after its window", () => {
  let nowMs = 0;
  const budget = new MessageBudget<string>(2, 1000, () => nowMs),
    take = (owner: string) => budget.take(owner);
  assert.deepEqual([take("a"), take("a"), take("a"), take("b")], [true, true, false, true]);
  assert.deepEqual([budget.secondsUntilRoom("a"), budget.secondsUntilRoom("b")], [1, 0]);
  nowMs = 999;
  assert.equal(take("a"), false);
  nowMs = 1001;
  assert.deepEqual([budget.secondsUntilRoom("a"), take("a"), take("a"), take("a")], [
    0,
    true,
    true,
    false,
  ]);
});
