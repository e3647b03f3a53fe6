import assert from "node:assert/strict";
import { connect } from "node:net";
import { createCore } from "@/server/core/mod.ts";
import { createSite } from "@/server/edge/site.ts";
import { serveHttp } from "@/server/edge/web/http_server.ts";
import type { Audience, ServerEvent } from "@/model/schema/site/events.ts";
import { openSocket as openHeard } from "@/tests/sites/edge_site.ts";
import { until } from "@/tests/sites/until.ts";
import { Random } from "@/server/commands/demo/phantom/random.ts";

const EMAIL = "physician@hospital.test", PASSWORD = "correct-horse-7";

/** A served site over the real core; `publish` says an event as the core does. */
async function serveSite(hasTickets = false) {
  const core = await createCore({
    dataDir: null,
    workers: 0,
    adminEmail: EMAIL,
    adminPassword: PASSWORD,
  });
  let publish: (event: ServerEvent, audience: Audience) => void = () => {};
  const away = { isAway: false }, checked: string[] = [];
  const link = {
    ...core,
    // these tests open many sockets with one token, as D1 has it
    hasTickets,
    verifyToken: async (token: string) => {
      if (away.isAway) throw new Error("connection refused");
      const owner = await core.verifyToken(token);
      checked.push(token);
      return owner;
    },
    subscribe: (listener: typeof publish) => {
      publish = listener;
      return core.subscribe(listener);
    },
  };
  const logged: string[] = [];
  const log = (_level: string, message: string) => void logged.push(message);
  const site = await createSite({ core: link, settings: { dataDir: null, log } });
  const server = await serveHttp(
    { port: 0, hostname: "127.0.0.1" },
    (request, info) => site.fetch(request, info),
  );
  const { port } = server.addr;
  const origin = `http://127.0.0.1:${port}`;
  return {
    core,
    away,
    checked,
    logged,
    port,
    origin,
    publish: (event: ServerEvent, audience: Audience = {}) => publish(event, audience),
    login: async () => {
      const answer = await fetch(`${origin}/api/v1/auth/login`, {
        method: "POST",
        body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
        headers: { "content-type": "application/json" },
      });
      return (await answer.json()).access_token as string;
    },
    async [Symbol.asyncDispose]() {
      site.close();
      await server.shutdown();
      await core.close();
    },
  };
}

function openSocket(url: string, headers: Record<string, string> = {}) {
  // Deno takes options here, which the browser's types do not know
  const socket = new WebSocket(url, { headers } as unknown as string[]);
  const events: ServerEvent[] = [];
  const opened = new Promise<void>((resolve, reject) => {
    socket.onopen = () => resolve();
    socket.onerror = () => reject(new Error("refused"));
  });
  const closed = new Promise<number>((resolve) => socket.onclose = ({ code }) => resolve(code));
  const waiting: (() => void)[] = [];
  socket.onmessage = ({ data }) => {
    events.push(JSON.parse(data));
    waiting.splice(0).forEach((wake) => wake());
  };
  const count = async (wanted: number) => {
    while (events.length < wanted) await new Promise<void>((resolve) => waiting.push(resolve));
    return events;
  };
  return { socket, events, opened, closed, count };
}

const analysis: ServerEvent = {
  event: "study_analysis",
  pid: 7,
  series: "t1",
  status: "processing",
  percent: 42,
  stage: "affine",
};

// covers: D1-4.8, D1-7.6, S-80
Deno.test("accept() lets in a token and a session's cookie, and nobody else", async () => {
  await using site = await serveSite();
  const url = `ws://127.0.0.1:${site.port}/api/v1/ws`;
  await assert.rejects(openSocket(url).opened);
  await assert.rejects(openSocket(`${url}?token=made-up`).opened);
  const token = await site.login();
  const program = openSocket(`${url}?token=${token}`);
  await program.opened;
  const login = await fetch(`${site.origin}/api/v1/auth/login`, {
    method: "POST",
    body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
    headers: { "content-type": "application/json", origin: site.origin },
  });
  const cookie = login.headers.get("set-cookie")!.split(";")[0]!;
  await assert.rejects(openSocket(url, { cookie, origin: "http://evil.test" }).opened);
  const page = openSocket(url, { cookie, origin: site.origin });
  await page.opened;
  const logout = await fetch(`${site.origin}/api/v1/auth/logout`, {
    method: "HEAD",
    headers: { cookie, "sec-fetch-site": "same-origin" },
  });
  assert.equal(logout.status, 204);
  assert.equal(await page.closed, 4401, "a page's socket ends with its session");
  // the page's sign-in ended the program's session
  assert.equal(await program.closed, 4401);
});

// covers: S-80
Deno.test("accept() refuses half a handshake as a bad request, and is no error of the site", async () => {
  await using site = await serveSite();
  const token = await site.login();
  const parts = ["connection: upgrade", "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=="];
  for (const missing of parts) {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port: site.port });
    const lines = [
      "host: a",
      "upgrade: websocket",
      "sec-websocket-version: 13",
      ...parts.filter((part) => part !== missing),
    ];
    const head = `GET /api/v1/ws?token=${token} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`;
    await connection.write(new TextEncoder().encode(head));
    await connection.closeWrite();
    assert.match(await new Response(connection.readable).text(), /^HTTP\/1\.1 400 /, missing);
  }
  assert.deepEqual(site.logged, []);
});

Deno.test("a socket that sends more than any message has is closed, and not read", async () => {
  await using site = await serveSite();
  const { socket, opened, closed } = openSocket(
    `ws://127.0.0.1:${site.port}/api/v1/ws?token=${await site.login()}`,
  );
  await opened;
  socket.send(JSON.stringify({ event: "auth_token_update", token: "a".repeat(100_000) }));
  assert.equal(await closed, 1009);
});

Deno.test("a socket opened with a token ends at the sign-out of that token, whoever else is signed in", async () => {
  await using site = await serveSite();
  const token = await site.login(), url = `ws://127.0.0.1:${site.port}/api/v1/ws?token=${token}`;
  const program = openSocket(url), other = openSocket(url);
  await Promise.all([program.opened, other.opened]);
  await fetch(`${site.origin}/api/v1/auth/logout`, {
    method: "HEAD",
    headers: { authorization: `Bearer ${token}` },
  });
  assert.deepEqual(await Promise.all([program.closed, other.closed]), [4401, 4401]);
  await assert.rejects(openSocket(url).opened);
});

Deno.test("send() reaches everybody, and only one user's sockets when it is for one user", async () => {
  await using site = await serveSite();
  const token = await site.login();
  const clients = Array.from(
    { length: 20 },
    () => openSocket(`ws://127.0.0.1:${site.port}/api/v1/ws?token=${token}`),
  );
  await Promise.all(clients.map(({ opened }) => opened));
  site.publish({ event: "credit_update" }, { uid: 999 });
  site.publish(analysis);
  for (const client of clients) assert.deepEqual((await client.count(1))[0], analysis);
  site.publish({ event: "setting_update", scope: "individual", uid: 1 }, { uid: 1 });
  for (const client of clients) assert.equal((await client.count(2)).length, 2);
  clients.forEach(({ socket }) => socket.close());
  await Promise.all(clients.map(({ closed }) => closed));
});

// covers: S-61
Deno.test("send() cuts a socket that does not read, and the others hear everything", async () => {
  await using site = await serveSite();
  const token = await site.login();
  const reader = openSocket(`ws://127.0.0.1:${site.port}/api/v1/ws?token=${token}`);
  await reader.opened;
  const slow = connect(site.port, "127.0.0.1");
  const upgraded = new Promise<void>((resolve) =>
    slow.once("data", () => {
      slow.pause();
      resolve();
    })
  );
  slow.on("error", () => {/* the cut */});
  slow.write(
    `GET /api/v1/ws?token=${token} HTTP/1.1\r\nHost: 127.0.0.1:${site.port}\r\nUpgrade: websocket\r\n` +
      "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
  );
  await upgraded;
  const big: ServerEvent = { ...analysis, stage: "x".repeat(64 * 1024) };
  let sent = 0;
  const isCut = () => site.logged.includes("Cutting a slow socket");
  // the kernel's buffers take some MB before ours fill
  while (sent < 2000 && !isCut()) {
    site.publish(big);
    if (++sent % 4 === 0) await reader.count(sent);
  }
  assert.ok(isCut(), `not cut after ${sent * 64} kB`);
  assert.equal((await reader.count(sent)).length, sent);
  slow.destroy();
  reader.socket.close();
  await reader.closed;
});

// covers: D1-4.12, D1-7.6
Deno.test("auth_token_update with a token that is not valid closes the socket", async () => {
  await using site = await serveSite();
  const token = await site.login();
  const client = openSocket(`ws://127.0.0.1:${site.port}/api/v1/ws?token=${token}`);
  await client.opened;
  client.socket.send("not json");
  client.socket.send(JSON.stringify({ event: "auth_token_update", token }));
  await until(() => site.checked.length === 2);
  site.publish({ event: "credit_update" });
  await client.count(1);
  client.socket.send(JSON.stringify({ event: "auth_token_update", token: "made-up" }));
  assert.equal(await client.closed, 4401);
});

Deno.test("a socket whose token cannot be checked is closed, to be opened again, and the site goes on", async () => {
  await using site = await serveSite();
  const token = await site.login(), url = `ws://127.0.0.1:${site.port}/api/v1/ws?token=${token}`;
  const client = openSocket(url);
  await client.opened;
  site.away.isAway = true;
  client.socket.send(JSON.stringify({ event: "auth_token_update", token: "any" }));
  assert.equal(await client.closed, 1011);
  site.away.isAway = false;
  const next = openSocket(url);
  await next.opened;
  next.socket.close();
  await next.closed;
});

// covers: S-91
Deno.test("frames of any kind neither end a socket nor the site", async () => {
  await using site = await serveSite();
  const token = await site.login(), random = new Random(3);
  const client = openSocket(`ws://127.0.0.1:${site.port}/api/v1/ws?token=${token}`);
  await client.opened;
  const odd: unknown[] = [null, 1, "", [], {}, { event: null }, { event: "auth_token_update" }, {
    event: {},
    token: [],
  }];
  for (let n = 0; n < 2000; n++) {
    const text = JSON.stringify(odd[n % odd.length]);
    const bytes = Uint8Array.from({ length: random.bits() % 300 }, () => random.bits());
    if (n % 3 === 0) client.socket.send(bytes);
    else if (n % 3 === 1) client.socket.send(new TextDecoder().decode(bytes));
    else client.socket.send(text.slice(0, 1 + random.bits() % text.length));
  }
  client.socket.send("x".repeat(1 << 20));
  site.publish({ event: "credit_update" });
  await client.count(1);
  assert.deepEqual(client.events, [{ event: "credit_update" }]);
  client.socket.close();
  await client.closed;
});

Deno.test("accept() bounds the sockets of one session, and leaves room for the others", async () => {
  await using site = await serveSite();
  const token = await site.login(),
    url = `${site.origin.replace("http", "ws")}/api/v1/ws?token=${token}`;
  const sockets: WebSocket[] = [];
  const open = () =>
    new Promise<boolean>((resolve) => {
      const socket = new WebSocket(url);
      sockets.push(socket);
      socket.onopen = () => resolve(true);
      socket.onerror = () => resolve(false);
    });
  // all at once: a socket counts from the moment it is let in
  const opened = await Promise.all(Array.from({ length: 120 }, open));
  assert.equal(opened.filter(Boolean).length, 50);
  assert.equal(await open(), false);
  await Promise.all(sockets.map((socket) => {
    const closed = new Promise((resolve) => socket.onclose = resolve);
    if (socket.readyState === WebSocket.CLOSED) return;
    socket.close();
    return closed;
  }));
  // the server hears of an end a moment later
  await until(open);
  sockets.at(-1)!.close();
});

Deno.test("accept() takes no lasting token in an address: a ticket there, once, or the token in a header", async () => {
  await using site = await serveSite(true);
  const token = await site.login(),
    url = `${site.origin}/api/v1/ws`,
    authorization = `Bearer ${token}`;
  const answer = await fetch(`${site.origin}/api/v1/auth/ws-ticket`, {
    method: "POST",
    headers: { authorization },
  });
  const { ticket } = await answer.json();
  await assert.rejects(openHeard(`${url}?token=${token}`).opened);
  for (const heard of [openHeard(`${url}?token=${ticket}`), openHeard(url, { authorization })]) {
    await heard.opened;
    heard.socket.close();
    await heard.closed;
  }
  await assert.rejects(openHeard(`${url}?token=${ticket}`).opened);
});
