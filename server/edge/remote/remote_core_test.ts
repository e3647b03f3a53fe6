// Our own core in another process, and what happens to connections on the way.
import assert from "node:assert/strict";
import { openData } from "@/server/core/mod.ts";
import { ImageCache } from "@/server/edge/web/image_cache.ts";
import { addStudyWithFiles, setCompleted } from "@/tests/sites/stored_studies.ts";
import { until } from "@/tests/sites/until.ts";
import {
  analysis,
  EMAILS,
  hangUp,
  KEY,
  openSocket,
  pidsOf,
  serveCore,
  serveEdge,
} from "@/tests/sites/edge_site.ts";

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
  assert.deepEqual([missing.status, problem.code, problem.request_id], [
    404,
    "entity.not_found",
    id,
  ]);
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
  const many = await Promise.all(
    Array.from({ length: 1100 }, (_, n) => verifyToken(`made-up-${n}`)),
  );
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
    const address = `${edge.url}/api/v1/patients/image/viewer/${pid}?file=t1w_file&v=${
      blob.slice(0, 16)
    }`;
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
      const answer = await fetch(`${core.url}/api/v1/edge/${call}`, {
        method: "POST",
        headers,
        body: "{}",
      });
      assert.deepEqual(
        [answer.status, (await answer.json()).code],
        [403, "access.forbidden"],
        call,
      );
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
  assert.deepEqual([none.status, await none.json().then(({ code }) => code)], [
    404,
    "entity.not_found",
  ]);
});

// covers: S-62
Deno.test("whatever a core of our own says on its socket, the edge goes on and its browsers hear the rest", async () => {
  const odd = [
    "",
    "{",
    "null",
    "[]",
    "7",
    '{"event":null}',
    '{"event":{"event":"no such"},"audience":{}}',
  ];
  const heard = { event: { event: "credit_update" }, audience: {} };
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    if (request.headers.get("upgrade") === null) {
      return Response.json({ owner_list: [{ uid: 1, sid: "s" }] });
    }
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
        const asked = fetch(`${edge.url}/api/v1/file`, { headers }),
          connection = await listener.accept();
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
