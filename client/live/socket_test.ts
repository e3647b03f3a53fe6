import assert from "node:assert/strict";
import type { ServerEvent } from "@/model/schema/site/events.ts";
import { LiveSocket, RECONNECT_DELAY_MS } from "@/client/live/socket.ts";
import { until } from "@/tests/sites/until.ts";

/** A real socket server; `accepted` are the sockets so far, oldest first. */
function serveSockets() {
  const accepted: WebSocket[] = [], received: string[] = [];
  const wakes: (() => void)[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    const { socket, response } = Deno.upgradeWebSocket(request);
    socket.onopen = () => {
      accepted.push(socket);
      wakes.splice(0).forEach((wake) => wake());
    };
    socket.onmessage = ({ data }) => received.push(data);
    return response;
  });
  return {
    url: `ws://127.0.0.1:${server.addr.port}/`,
    accepted,
    received,
    waitFor: async (count: number) => {
      while (accepted.length < count) await new Promise<void>((resolve) => wakes.push(resolve));
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

// covers: D1-4.9, D1-4.17, D1-9.4
Deno.test("LiveSocket asks for the session after a close, waits, connects again and refetches", async () => {
  await using server = serveSockets();
  const steps: string[] = [];
  const live = new LiveSocket({
    url: server.url,
    onEvent: () => {},
    onOpen: () => steps.push("refetch"),
    hasSession: () => {
      steps.push("session?");
      return Promise.resolve(true);
    },
    onSignedOut: () => steps.push("signed out"),
    reconnectDelayMs: 120,
  });
  await server.waitFor(1);
  const closedAt = performance.now();
  server.accepted[0]!.close(1013, "slow consumer");
  await server.waitFor(2);
  assert.ok(performance.now() - closedAt >= 115);
  await until(() => steps.length === 3);
  assert.deepEqual(steps, ["refetch", "session?", "refetch"]);
  live.stop();
  assert.equal(RECONNECT_DELAY_MS, 2000);
});

// covers: S-24
Deno.test("LiveSocket drop() does not wait for the connection to notice, and connects once", async () => {
  await using server = serveSockets();
  const states: string[] = [];
  const live = new LiveSocket({
    url: server.url,
    onEvent: () => {},
    onOpen: () => {},
    hasSession: () => Promise.resolve(null),
    onSignedOut: () => {},
    onState: (state) => states.push(state),
    reconnectDelayMs: 20,
  });
  await until(() => states.at(-1) === "open");
  live.drop();
  assert.equal(states.at(-1), "waiting");
  live.drop();
  await server.waitFor(2);
  await until(() => states.at(-1) === "open");
  assert.deepEqual(states, ["connecting", "open", "waiting", "connecting", "open"]);
  live.stop();
});

Deno.test("LiveSocket restart() connects once after a stop, and does nothing without one", async () => {
  await using server = serveSockets();
  const live = new LiveSocket({
    url: server.url,
    onEvent: () => {},
    onOpen: () => {},
    hasSession: () => Promise.resolve(true),
    onSignedOut: () => {},
    reconnectDelayMs: 20,
  });
  await server.waitFor(1);
  live.restart();
  live.stop();
  live.restart();
  await server.waitFor(2);
  // the first socket closed before this one, and would otherwise have reconnected earlier
  server.accepted[1]!.close();
  await server.waitFor(3);
  assert.equal(
    server.accepted.length,
    3,
    "neither the first socket nor its close starts one of its own",
  );
  live.stop();
});

// covers: D1-4.10
Deno.test("LiveSocket gives up when the session is gone, and goes on when nobody can say", async () => {
  await using server = serveSockets();
  let asked = 0;
  const signedOut = Promise.withResolvers<void>(), states: string[] = [];
  new LiveSocket({
    url: server.url,
    onEvent: () => {},
    onOpen: () => {},
    hasSession: () => Promise.resolve(asked++ === 0 ? null : false),
    onSignedOut: () => signedOut.resolve(),
    onState: (state) => states.push(state),
    reconnectDelayMs: 20,
  });
  await server.waitFor(1);
  server.accepted[0]!.close();
  await server.waitFor(2);
  server.accepted[1]!.close();
  await signedOut.promise;
  assert.equal(server.accepted.length, 2);
  const once = ["connecting", "open", "waiting"];
  assert.deepEqual(states, [...once, ...once, "stopped"]);
});

// covers: D1-4.18, D1-8.20, D1-8.25
Deno.test("LiveSocket hears events that match the schema, and logs the others and what it cannot send", async () => {
  await using server = serveSockets();
  const heard: ServerEvent[] = [], logged: string[] = [];
  const live = new LiveSocket({
    url: server.url,
    onEvent: (event) => {
      heard.push(event);
      if (event.event === "credit_error") throw new TypeError("no such island");
    },
    onOpen: () => {},
    hasSession: () => Promise.resolve(true),
    onSignedOut: () => {},
    onStale: () => assert.fail("nothing is wrong with the page"),
    log: (message) => logged.push(message),
  });
  live.send({ event: "auth_token_update", token: "early" });
  assert.match(logged[0]!, /Dropping auth_token_update/);
  await server.waitFor(1);
  const deletion = { event: "study_delete", pid: 3, uid: 1 } as const;
  for (const text of ["not json", '{"event":"unheard_of"}', '{"event":"credit_error"}']) {
    server.accepted[0]!.send(text);
  }
  server.accepted[0]!.send(JSON.stringify(deletion));
  await until(() => heard.length === 2);
  assert.deepEqual(heard, [{ event: "credit_error" }, deletion]);
  assert.deepEqual(logged.slice(1), [
    "Ignoring an unknown event",
    "Ignoring an unknown event",
    "Cannot follow an event: TypeError: no such island",
  ]);
  live.send({ event: "auth_token_update", token: "now" });
  await until(() => server.received.length === 1);
  assert.deepEqual(server.received, ['{"event":"auth_token_update","token":"now"}']);
  live.stop();
});
