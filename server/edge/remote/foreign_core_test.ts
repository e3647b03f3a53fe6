// A core that is not ours, in another process: the edge has the documents' calls alone.
import assert from "node:assert/strict";
import { until } from "@/tests/sites/until.ts";
import {
  analysis,
  EMAILS,
  hangUp,
  openSocket,
  PASSWORD,
  pidsOf,
  serveEdge,
} from "@/tests/sites/edge_site.ts";
import { FOREIGN_IMAGE, serveForeignCore } from "@/tests/sites/foreign_core.ts";
import { lastingPort } from "@/tests/sites/lasting_port.ts";
import { viewerPageText } from "@/model/text/viewer/viewer_page.ts";

const USERS = EMAILS.map((email, i) => ({ user_id: i + 1, email, password: PASSWORD }));

// covers: S-52, S-54
Deno.test("a foreign core: sign-in, worklist, images in parts, uploads and refusals by status alone", async () => {
  await using core = serveForeignCore(USERS);
  await using edge = await serveEdge(core.url);
  await assert.rejects(edge.signIn("nobody@hospital.test"), /401/);
  const page = await edge.signIn(EMAILS[0]);
  const html = await (await fetch(`${edge.url}/`, { headers: page })).text();
  for (const { pid } of [{ pid: 1 }, { pid: 2 }, { pid: 3 }]) {
    assert.ok(html.includes(`FOREIGN^${pid}`));
  }
  const image = `${edge.url}/api/v1/patients/image/viewer/1?file=t1w_file`;
  const whole = new Uint8Array(await (await fetch(image, { headers: page })).arrayBuffer());
  assert.deepEqual(whole, FOREIGN_IMAGE);
  const part = await fetch(image, { headers: { ...page, range: "bytes=1000-1999" } });
  assert.deepEqual([part.status, part.headers.get("content-range")], [
    206,
    "bytes 1000-1999/3000000",
  ]);
  assert.deepEqual(new Uint8Array(await part.arrayBuffer()), FOREIGN_IMAGE.slice(1000, 2000));
  const upload = await fetch(`${edge.url}/api/v1/patients`, {
    method: "POST",
    headers: page,
    body: new Uint8Array(5_000_000),
  });
  assert.equal((await upload.json()).success, 1);
  assert.deepEqual(core.uploads, { sizes: [5_000_000], hasBroken: false });
  const missing = await fetch(`${edge.url}/api/v1/patients/9`, { headers: page });
  assert.deepEqual([missing.status, (await missing.json()).code], [404, "entity.not_found"]);
  const refused = await fetch(`${edge.url}/api/v1/auth/login`, {
    method: "POST",
    headers: { origin: edge.url, "content-type": "application/json" },
    body: JSON.stringify({ email: EMAILS[0], password: "wrong" }),
  });
  assert.deepEqual([refused.status, (await refused.json()).code], [401, "auth.invalid"]);
});

// covers: S-53
Deno.test("a foreign core: a page that the documents' calls are not enough for says what is missing", async () => {
  await using core = serveForeignCore(USERS);
  await using edge = await serveEdge(core.url);
  const headers = { ...await edge.signIn(EMAILS[0]), "accept-encoding": "gzip" };
  const record = await fetch(`${edge.url}/api/v1/patients/1`, { headers });
  const { t1w_file, t2w_file, history_count } = await record.json();
  assert.deepEqual([t1w_file, t2w_file, history_count], [
    "/api/v1/patients/image/viewer/1",
    null,
    1,
  ]);
  const textOf = async (path: string, language: string) => {
    const cookie = `${headers.cookie}; language=${language}`;
    const answer = await fetch(edge.url + path, { headers: { ...headers, cookie } });
    return (await answer.text()).replace(/<script[^]*?<\/script>/g, "");
  };
  const viewer = await textOf("/viewer/1", "en");
  assert.ok(viewer.includes(viewerPageText.noGrid.en), viewer);
  assert.ok(
    /left and right cannot be determined\.[^]+: GET \/api\/v1\/patients\/1\/volume/.test(viewer),
    viewer,
  );
  assert.ok((await textOf("/viewer/1", "ko")).includes("(GET /api/v1/patients/1/volume)"));
  core.volume = {
    affine: [1, 0, 0, -90, 0, 1, 0, -126, 0, 0, 1, -72, 0, 0, 0, 1],
    shape: [182, 218, 182],
    spacing_mm: [1, 1, 1],
  };
  const opened = await textOf("/viewer/1", "en");
  assert.ok(opened.includes('data-testid="slice-viewer"') && opened.includes("FOREIGN^1"), opened);
  const report = await textOf("/report/1", "en");
  assert.ok(/different versions\.[^]+: GET \/api\/v1\/patients\/1\/report/.test(report), report);
});

Deno.test("a foreign core: an answer about people that cannot be read is the core's fault, not the site's", async () => {
  let login = JSON.stringify({ access_token: "a" });
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, ({ url }) => {
    const { pathname } = new URL(url);
    if (pathname === "/api/v1/auth/login") return new Response(login);
    // neither who somebody is nor a token
    return new Response(pathname === "/api/v1/user" ? `{"user_id": "one"}` : "<html>");
  });
  {
    await using edge = await serveEdge(`http://127.0.0.1:${server.addr.port}`);
    const cookie = (await edge.signIn(EMAILS[0])).cookie!, upgrade = "websocket";
    const asked = async (path: string, init: RequestInit) => {
      const answer = await fetch(edge.url + path, init);
      return [answer.status, (await answer.json()).code];
    };
    const unreadable = [502, "core.unreachable"], headers = { origin: edge.url, cookie };
    const handshake = { upgrade, "connection": "upgrade", "sec-websocket-version": "13" };
    assert.deepEqual(
      await asked("/api/v1/ws", { headers: { ...headers, ...handshake } }),
      unreadable,
    );
    for (login of ["<html>", "{}", `{"access_token": 1}`]) {
      const init = {
        method: "POST",
        headers,
        body: JSON.stringify({ email: EMAILS[0], password: "p" }),
      };
      assert.deepEqual(await asked("/api/v1/auth/login", init), unreadable, login);
    }
  }
  await server.shutdown();
});

// covers: S-52
Deno.test("a foreign core: a token that ends is renewed, its socket is told, and the person stays signed in", async () => {
  await using core = serveForeignCore(USERS);
  await using edge = await serveEdge(core.url);
  const page = await edge.signIn(EMAILS[0]), socket = openSocket(edge.socketUrl, page);
  await socket.opened;
  core.endAccessTokens();
  const user = await fetch(`${edge.url}/api/v1/user`, { headers: page });
  assert.deepEqual([user.status, (await user.json()).user_id], [200, 1]);
  core.tell({ event: "auth_token_expired", uid: 1 });
  await until(() => socket.events.length === 1);
  // what the page answers when it has found its session open
  socket.socket.send(JSON.stringify({ event: "auth_token_update", token: "" }));
  await until(() => core.socketTokens.length === 2);
  assert.notEqual(core.socketTokens[0], core.socketTokens[1]);
  assert.equal((await fetch(`${edge.url}/`, { headers: page })).status, 200);
  await hangUp(socket);
});

// covers: S-52
Deno.test("a foreign core: what is said to one session reaches its browser alone, in order", async () => {
  await using core = serveForeignCore(USERS);
  await using edge = await serveEdge(core.url);
  const [first, second] = [await edge.signIn(EMAILS[0]), await edge.signIn(EMAILS[1])];
  // a core may let a person sign in twice: what it says on both sockets must come once on each
  const again = await edge.signIn(EMAILS[0]);
  const tabs = [first, first, second, again].map((headers) => openSocket(edge.socketUrl, headers));
  await Promise.all(tabs.map(({ opened }) => opened));
  assert.equal(core.openSockets(), 3, "one for each session");
  // neither an address nor a broadcast: nothing but the socket it came on says whose it is
  for (let pid = 1; pid <= 200; pid++) core.tell(analysis(pid), pid % 2 + 1);
  core.tell({ event: "credit_update" });
  for (const [i, { events }] of tabs.entries()) {
    await until(() => events.length === 101);
    assert.ok(pidsOf(events.slice(0, 100)).every((pid, n) => pid === 2 * n + (i === 2 ? 1 : 2)));
    assert.deepEqual(events[100], { event: "credit_update" });
  }
  // D1 names no more than an event and a user
  core.tell({ event: "auth_multi_login", uid: 1 }, 1);
  core.tell({ event: "study_update" }, 1);
  core.tell({ event: "something_else" }, 1);
  core.tell({ event: "setting_update" }, 1);
  const { events } = tabs[0]!;
  await until(() => events.length === 104);
  assert.deepEqual(events.slice(101).map(({ event }) => event), [
    "auth_multi_login",
    "resync",
    "setting_update",
  ]);
  assert.equal(tabs[2]!.events.length, 101);
  await Promise.all(tabs.map(hangUp));
});

// covers: S-59
Deno.test("a foreign core that is away and back: pages come back to a socket that hears", async () => {
  const port = lastingPort();
  await using edge = await (async () => {
    await using core = serveForeignCore(USERS, port);
    return await serveEdge(core.url);
  })();
  const away = await fetch(`${edge.url}/api/v1/status`);
  assert.deepEqual([away.status, (await away.json()).code], [502, "core.unreachable"]);
  await using core = serveForeignCore(USERS, port);
  const page = await edge.signIn(EMAILS[0]), socket = openSocket(edge.socketUrl, page);
  await socket.opened;
  core.tell({ event: "credit_update" }, 1);
  await until(() => socket.events.length === 1);
  await hangUp(socket);
});

// covers: S-56
Deno.test("a browser that leaves in the middle of an upload leaves the core in the middle of it", async () => {
  await using core = serveForeignCore(USERS);
  await using edge = await serveEdge(core.url);
  const page = await edge.signIn(EMAILS[0]), leaving = new AbortController();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      controller.enqueue(new Uint8Array(1 << 16));
      if (core.calls.includes("POST /api/v1/patients")) leaving.abort();
      await new Promise((resolve) => setTimeout(resolve, 5));
    },
  }, { highWaterMark: 0 });
  await assert.rejects(
    fetch(`${edge.url}/api/v1/patients`, {
      method: "POST",
      headers: page,
      body,
      signal: leaving.signal,
    }),
  );
  await until(() => core.uploads.hasBroken);
  assert.deepEqual(core.uploads.sizes, []);
});
