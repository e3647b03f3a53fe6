import assert from "node:assert/strict";
import type { ServerEvent } from "@/model/schema/events.ts";
import { LiveSocket, RECONNECT_DELAY_MS } from "@/client/socket.ts";

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
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

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
  await pause(20);
  assert.deepEqual(steps, ["refetch", "session?", "refetch"]);
  live.stop();
  assert.equal(RECONNECT_DELAY_MS, 2000);
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
  await pause(100);
  assert.equal(server.accepted.length, 2, "neither the first socket nor its close starts a third");
  live.stop();
});

Deno.test("LiveSocket gives up when the session is gone, and goes on when nobody can say", async () => {
  await using server = serveSockets();
  let asked = 0;
  const signedOut = Promise.withResolvers<void>();
  new LiveSocket({
    url: server.url,
    onEvent: () => {},
    onOpen: () => {},
    hasSession: () => Promise.resolve(asked++ === 0 ? null : false),
    onSignedOut: () => signedOut.resolve(),
    reconnectDelayMs: 20,
  });
  await server.waitFor(1);
  server.accepted[0]!.close();
  await server.waitFor(2);
  server.accepted[1]!.close();
  await signedOut.promise;
  await pause(80);
  assert.equal(server.accepted.length, 2);
});

Deno.test("LiveSocket hears events that match the schema, and drops and logs what it cannot send", async () => {
  await using server = serveSockets();
  const heard: ServerEvent[] = [], logged: string[] = [];
  const arrived = Promise.withResolvers<void>();
  const live = new LiveSocket({
    url: server.url,
    onEvent: (event) => {
      heard.push(event);
      arrived.resolve();
    },
    onOpen: () => {},
    hasSession: () => Promise.resolve(true),
    onSignedOut: () => {},
    log: (message) => logged.push(message),
  });
  live.send({ event: "auth_token_update", token: "early" });
  assert.match(logged[0]!, /Dropping auth_token_update/);
  await server.waitFor(1);
  await pause(10);
  server.accepted[0]!.send('{"event":"unheard_of"}');
  server.accepted[0]!.send('{"event":"study_delete","pid":3,"uid":1}');
  await arrived.promise;
  assert.deepEqual(heard, [{ event: "study_delete", pid: 3, uid: 1 }]);
  live.send({ event: "auth_token_update", token: "now" });
  await pause(20);
  assert.deepEqual(server.received, ['{"event":"auth_token_update","token":"now"}']);
  live.stop();
});
