// Over 400 lines: its tests share one core, one foreign core and the edges before them.
import assert from "node:assert/strict";
import { openData } from "@/core/mod.ts";
import { ImageCache } from "@/edge/web/image_cache.ts";
import { addStudyWithFiles, setCompleted } from "@/tests/sites/stored_studies.ts";
import { until } from "@/tests/sites/until.ts";
import { EMAILS, hangUp, KEY, openSocket, PASSWORD, serveCore, serveEdge } from "@/tests/sites/edge_site.ts";
import { FOREIGN_IMAGE, serveForeignCore } from "@/tests/sites/foreign_core.ts";
import { lastingPort } from "@/tests/sites/lasting_port.ts";

const USERS = EMAILS.map((email, i) => ({ user_id: i + 1, email, password: PASSWORD }));
const analysis = (pid: number) => ({
  event: "study_analysis" as const,
  pid,
  series: "t1" as const,
  status: "processing" as const,
});
const pidsOf = (events: Record<string, unknown>[]) => events.map(({ pid }) => pid);

// covers: S-51, S-57
Deno.test("our own core elsewhere: pages, calls and sign-out go through, and a request has one name", async () => {
  await using core = await serveCore();
  await using edge = await serveEdge(core.url, { key: KEY });
  const page = await edge.signIn(EMAILS[0]);
  const list = await fetch(`${edge.url}/`, { headers: page });
  assert.equal(list.status, 200);
  assert.ok((await list.text()).includes("No patients yet"));
  const user = await fetch(`${edge.url}/api/v1/user`, { headers: page });
  assert.equal((await user.json()).email, EMAILS[0]);
  const missing = await fetch(`${edge.url}/api/v1/patients/77`, { headers: page });
  const problem = await missing.json(), id = missing.headers.get("x-request-id");
  assert.deepEqual([missing.status, problem.code, problem.request_id], [404, "entity.not_found", id]);
  assert.equal(core.calls.at(-1)?.id, id);
  assert.equal(
    (await fetch(`${edge.url}/api/v1/auth/logout`, { method: "HEAD", headers: page })).status,
    204,
  );
  assert.equal((await fetch(`${edge.url}/api/v1/user`, { headers: page })).status, 401);
});

// covers: S-60
Deno.test("our own core elsewhere: one socket tells every browser what is for it, in order, and nobody else", async () => {
  await using core = await serveCore();
  await using edge = await serveEdge(core.url, { key: KEY });
  const [first, second] = [await edge.signIn(EMAILS[0]), await edge.signIn(EMAILS[1])];
  const tabs = [first, first, second, second].map((headers) => openSocket(edge.socketUrl, headers));
  await Promise.all(tabs.map(({ opened }) => opened));
  const uids = await Promise.all(
    [first, second].map(async (headers) =>
      (await (await fetch(`${edge.url}/api/v1/user`, { headers })).json()).user_id as number
    ),
  );
  for (let pid = 1; pid <= 300; pid++) {
    core.publish(analysis(pid), pid % 3 === 0 ? {} : { uid: uids[pid % 3 - 1] });
  }
  const all = Array.from({ length: 300 }, (_, i) => i + 1);
  for (const [i, { events }] of tabs.entries()) {
    await until(() => events.length === 200);
    const other = i < 2 ? 2 : 1;
    assert.deepEqual(pidsOf(events), all.filter((pid) => pid % 3 !== other));
  }
  assert.equal(core.calls.filter(({ path }) => path.endsWith("/edge/events")).length, 1);
  await Promise.all(tabs.map(hangUp));
});

// covers: S-51
Deno.test("our own core elsewhere: tickets open one socket, and a sign-out ends those of its session", async () => {
  await using core = await serveCore();
  await using edge = await serveEdge(core.url, { key: KEY });
  const token = await edge.token(EMAILS[0]), authorization = `Bearer ${token}`;
  const { ticket } = await (await fetch(`${edge.url}/api/v1/auth/ws-ticket`, {
    method: "POST",
    headers: { authorization },
  })).json();
  const socket = openSocket(`${edge.socketUrl}?token=${ticket}`);
  await socket.opened;
  await assert.rejects(openSocket(`${edge.socketUrl}?token=${ticket}`).opened);
  await assert.rejects(openSocket(`${edge.socketUrl}?token=made-up`).opened);
  await fetch(`${edge.url}/api/v1/auth/logout`, { method: "HEAD", headers: { authorization } });
  assert.equal(await socket.closed, 4401);
});

Deno.test("our own core elsewhere: tokens that come together are asked together, and each is its owner's", async () => {
  await using core = await serveCore();
  await using edge = await serveEdge(core.url, { key: KEY });
  const [first, second] = await Promise.all(EMAILS.map((email) => edge.token(email)));
  const asked = () => core.calls.filter(({ path }) => path.endsWith("/edge/tokens")).length;
  const { verifyToken } = edge.core, tooLong = "x".repeat(2 << 20);
  const owners = await Promise.all([first!, second!, "made-up", tooLong, first!].map(verifyToken));
  assert.deepEqual(owners.map((owner) => owner === null), [false, false, true, true, false]);
  assert.deepEqual(owners[4], owners[0]);
  assert.notEqual(owners[0]!.uid, owners[1]!.uid);
  assert.equal(asked(), 1);
  const { ticket } = await (await fetch(`${edge.url}/api/v1/auth/ws-ticket`, {
    method: "POST",
    headers: { authorization: `Bearer ${first}` },
  })).json();
  const twice = await Promise.all([ticket, ticket].map(verifyToken));
  assert.equal(twice.filter((owner) => owner !== null).length, 1, "a ticket is for one socket");
  const many = await Promise.all(Array.from({ length: 1100 }, (_, n) => verifyToken(`made-up-${n}`)));
  assert.ok(many.every((owner) => owner === null));
  assert.equal(asked(), 5);
});

// covers: S-59
Deno.test("a core that goes away: core.unreachable, sockets are sent home, and all goes on when it is back", async () => {
  await using core = await serveCore();
  await using edge = await serveEdge(core.url, { key: KEY });
  const page = await edge.signIn(EMAILS[0]), socket = openSocket(edge.socketUrl, page);
  await socket.opened;
  await core.goAway();
  assert.equal(await socket.closed, 1011, "its page reads again when it is back");
  const answer = await fetch(`${edge.url}/api/v1/patients`, { headers: page });
  assert.deepEqual([answer.status, (await answer.json()).code], [502, "core.unreachable"]);
  await assert.rejects(openSocket(edge.socketUrl, page).opened);
  await core.comeBack();
  assert.equal(
    (await fetch(`${edge.url}/api/v1/patients`, { headers: page })).status,
    200,
    "nobody signed out",
  );
  const again = openSocket(edge.socketUrl, page);
  await again.opened;
  core.publish(analysis(5));
  await until(() => again.events.length === 1);
  await hangUp(again);
});

Deno.test("our own core elsewhere: an image is kept here, and given to whom the core gives it", async () => {
  await using core = await serveCore();
  const pid = await addStudyWithFiles(core.dataDir, "A");
  await setCompleted(core.dataDir, pid, "2026-01-06T00:00:00Z", "t1", {} as never);
  const db = openData(core.dataDir);
  const { blob } = await db.selectFrom("instances").select("blob").executeTakeFirstOrThrow();
  const { id } = await db.selectFrom("analyses").select("id").executeTakeFirstOrThrow();
  const file = { analysis_id: id, field: "t1w_file" as const, blob, gzip_blob: blob };
  await db.insertInto("analysis_files").values(file).execute();
  await db.destroy();
  const folder = await Deno.makeTempDir({ prefix: "sulcus-images-" });
  const cache = await ImageCache.open(folder, 10_000_000);
  {
    await using edge = await serveEdge(core.url, { key: KEY, cache });
    const page = await edge.signIn(EMAILS[0]), other = await edge.signIn(EMAILS[1]);
    const address = `${edge.url}/api/v1/patients/image/viewer/${pid}?file=t1w_file&v=${blob.slice(0, 16)}`;
    const get = (headers: Record<string, string>) =>
      fetch(address, { headers: { "accept-encoding": "identity", ...headers } });
    const first = await (await get(page)).bytes();
    await until(() => cache.size === 1);
    const again = await get(other);
    assert.deepEqual([again.status, again.headers.get("etag")], [200, `"${blob}"`]);
    assert.deepEqual(await again.bytes(), first);
    const packed = await get({ ...page, "accept-encoding": "gzip" });
    assert.deepEqual(["content-encoding", "etag"].map((name) => packed.headers.get(name)), [
      "gzip",
      `"${blob}-gzip"`,
    ]);
    await packed.body?.cancel();
    assert.equal((await get({})).status, 401);
    const part = await get({ ...page, range: "bytes=1-4" });
    assert.deepEqual([part.status, await part.bytes()], [206, first.slice(1, 5)]);
    const { origin } = page;
    const deletion = await fetch(`${edge.url}/api/v1/patients/${pid}`, {
      method: "DELETE",
      headers: { ...page, origin },
    });
    assert.ok(deletion.ok);
    const gone = await get(page);
    await gone.body?.cancel();
    assert.ok(gone.status === 404 || gone.status === 410, `${gone.status}`);
    assert.equal(cache.size, 0);
  }
  await cache.close();
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a core tells its edges nothing without its key", async () => {
  await using core = await serveCore();
  for (const key of ["", "another-key-that-is-long-enough-000000"]) {
    const headers = { authorization: `Bearer ${key}` };
    for (const call of ["tokens", "sessions"]) {
      const answer = await fetch(`${core.url}/api/v1/edge/${call}`, { method: "POST", headers, body: "{}" });
      assert.deepEqual([answer.status, (await answer.json()).code], [403, "access.forbidden"], call);
    }
    await assert.rejects(openSocket(`${core.url}/api/v1/edge/events`, headers).opened);
  }
  const odd = await fetch(`${core.url}/api/v1/edge/tokens`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: '{"token_list":[5]}',
  });
  assert.deepEqual([odd.status, (await odd.json()).code], [400, "input.invalid"]);
  await using edge = await serveEdge(core.url, { key: "another-key-that-is-long-enough-000000" });
  const page = await edge.signIn(EMAILS[0]);
  await assert.rejects(openSocket(edge.socketUrl, page).opened);
  assert.ok(edge.logged.some((line) => line.includes("SULCUS_CORE_KEY")));
  // a site of its own knows no such calls
  await using foreign = await serveEdge(core.url);
  const none = await fetch(`${foreign.url}/api/v1/edge/tokens`, { method: "POST", body: "{}" });
  assert.deepEqual([none.status, await none.json().then(({ code }) => code)], [404, "entity.not_found"]);
});

// covers: S-62
Deno.test("whatever a core of our own says on its socket, the edge goes on and its browsers hear the rest", async () => {
  const odd = ["", "{", "null", "[]", "7", '{"event":null}', '{"event":{"event":"no such"},"audience":{}}'];
  const heard = { event: { event: "credit_update" }, audience: {} };
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    if (request.headers.get("upgrade") === null) return Response.json({ owner_list: [{ uid: 1, sid: "s" }] });
    const { socket, response } = Deno.upgradeWebSocket(request);
    const say = () => {
      for (const text of odd) socket.send(text);
      socket.send(new Uint8Array([0xff, 0, 1]));
      socket.send(JSON.stringify(heard));
    };
    socket.onopen = () => void (saying = say);
    return response;
  });
  let saying = () => {};
  {
    await using edge = await serveEdge(`http://127.0.0.1:${server.addr.port}`, { key: KEY });
    const socket = openSocket(edge.socketUrl, { authorization: "Bearer t" });
    await socket.opened;
    await until(() => {
      if (socket.events.length === 0) saying();
      return socket.events.length > 0;
    });
    for (const event of socket.events) assert.deepEqual(event, heard.event);
    assert.ok(edge.logged.includes("Ignoring an event that this version does not know"));
    await hangUp(socket);
  }
  await server.shutdown();
});

// covers: S-52, S-54
Deno.test("a foreign core: sign-in, worklist, images in parts, uploads and refusals by status alone", async () => {
  await using core = serveForeignCore(USERS);
  await using edge = await serveEdge(core.url);
  await assert.rejects(edge.signIn("nobody@hospital.test"), /401/);
  const page = await edge.signIn(EMAILS[0]);
  const html = await (await fetch(`${edge.url}/`, { headers: page })).text();
  for (const { pid } of [{ pid: 1 }, { pid: 2 }, { pid: 3 }]) assert.ok(html.includes(`FOREIGN^${pid}`));
  const image = `${edge.url}/api/v1/patients/image/viewer/1?file=t1w_file`;
  const whole = new Uint8Array(await (await fetch(image, { headers: page })).arrayBuffer());
  assert.deepEqual(whole, FOREIGN_IMAGE);
  const part = await fetch(image, { headers: { ...page, range: "bytes=1000-1999" } });
  assert.deepEqual([part.status, part.headers.get("content-range")], [206, "bytes 1000-1999/3000000"]);
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
  assert.deepEqual([t1w_file, t2w_file, history_count], ["/api/v1/patients/image/viewer/1", null, 1]);
  const textOf = async (path: string, language: string) => {
    const cookie = `${headers.cookie}; language=${language}`;
    const answer = await fetch(edge.url + path, { headers: { ...headers, cookie } });
    return (await answer.text()).replace(/<script[^]*?<\/script>/g, "");
  };
  const viewer = await textOf("/viewer/1", "en");
  assert.ok(viewer.includes("The images cannot be shown."), viewer);
  assert.ok(
    viewer.includes("(GET /api/v1/patients/1/volume). Without it, left and right cannot be determined."),
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
  assert.ok(report.includes("The core answers GET /api/v1/patients/1/report in a form that"), report);
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
    assert.deepEqual(await asked("/api/v1/ws", { headers: { ...headers, ...handshake } }), unreadable);
    for (login of ["<html>", "{}", `{"access_token": 1}`]) {
      const init = { method: "POST", headers, body: JSON.stringify({ email: EMAILS[0], password: "p" }) };
      assert.deepEqual(await asked("/api/v1/auth/login", init), unreadable, login);
    }
  }
  await server.shutdown();
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
    fetch(`${edge.url}/api/v1/patients`, { method: "POST", headers: page, body, signal: leaving.signal }),
  );
  await until(() => core.uploads.hasBroken);
  assert.deepEqual(core.uploads.sizes, []);
});

/** Headers of a read that an edge makes by node:http, as the answer may be packed, and of one by `fetch`. */
const READS = [{ "accept-encoding": "gzip" }, { "accept-encoding": "identity" }]
  .map((headers) => ({ ...headers, authorization: "Bearer own" }));

// covers: S-56
Deno.test("a browser that leaves in the middle of a download leaves the core in the middle of it", async () => {
  let ended = 0;
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, () => {
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(1 << 16)),
      cancel: () => void ended++,
    }, { highWaterMark: 0 });
    return new Response(body, { headers: { "content-length": String(1e12) } });
  });
  {
    await using edge = await serveEdge(`http://127.0.0.1:${server.addr.port}`);
    for (const [i, headers] of READS.entries()) {
      const leaving = new AbortController(), { signal } = leaving;
      const answer = await fetch(`${edge.url}/api/v1/file`, { headers, signal });
      await answer.body!.getReader().read();
      leaving.abort();
      await until(() => ended === i + 1);
    }
  }
  await server.shutdown();
});

// covers: S-56
Deno.test("an answer that breaks off at the core breaks off at the browser", async () => {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  {
    await using edge = await serveEdge(`http://127.0.0.1:${(listener.addr as Deno.NetAddr).port}`);
    for (const headers of READS) {
      for (
        const text of [
          "content-length: 10\r\n\r\n12345",
          "transfer-encoding: chunked\r\n\r\n5\r\n12345\r\n",
        ]
      ) {
        const asked = fetch(`${edge.url}/api/v1/file`, { headers }), connection = await listener.accept();
        await connection.read(new Uint8Array(4096));
        await connection.write(new TextEncoder().encode(`HTTP/1.1 200 OK\r\n${text}`));
        const reader = (await asked).body!.getReader();
        // it has begun before it breaks
        assert.equal(new TextDecoder().decode((await reader.read()).value), "12345");
        connection.close();
        await assert.rejects(reader.read(), () => true, text);
      }
    }
  }
  listener.close();
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
