import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { BYTE_MESSAGES } from "@/server/wire/byte_messages.ts";

/** Numbers in [0, 1) from a seed (Park and Miller 1988). */
function randomNumbers(seed: number) {
  let state = seed;
  return () => (state = state * 48271 % 2147483647) / 2147483647;
}

/** A nested value with texts, numbers and bytes, some of them views of longer arrays. */
function madeUp(random: () => number, depth = 0): unknown {
  const below = Math.floor(random() * (depth > 3 ? 5 : 8));
  const bytes = () => Uint8Array.from({ length: Math.floor(random() * 40) }, () => random() * 256);
  switch (below) {
    case 0:
      return null;
    case 1:
      return Math.floor(random() * 1e9) / 1000 - 5e5;
    case 2:
      return ["", "$bytes", "가나다", '"\\\n'][Math.floor(random() * 4)];
    case 3:
      return bytes();
    case 4:
      return random() < 0.5 ? Buffer.from(bytes()) : new Uint8Array(60).fill(7).subarray(13, 20);
    case 5:
    case 6:
      return Array.from({ length: Math.floor(random() * 5) }, () => madeUp(random, depth + 1));
    default:
      return Object.fromEntries(
        ["b", "a", "7", "1", "z"].slice(Math.floor(random() * 5))
          .map((key) => [key, madeUp(random, depth + 1)]),
      );
  }
}

/** Bytes of any kind as plain arrays of bytes, to compare contents alone. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]));
}

/** The two ends of a Unix socket. */
async function withPair(
  body: (near: Deno.UnixConn, far: Deno.UnixConn) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir(), path = `${folder}/socket`;
  const listener = Deno.listen({ transport: "unix", path });
  const [near, far] = await Promise.all([
    Deno.connect({ transport: "unix", path }),
    listener.accept(),
  ]);
  try {
    await body(near, far);
  } finally {
    for (const each of [near, far, listener]) each.close();
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("BYTE_MESSAGES gives back 1,000 made-up values, bytes of any kind among them", () =>
  withPair(async (near, far) => {
    const random = randomNumbers(20261128);
    for (let n = 0; n < 1000; n++) {
      const value = { value: madeUp(random) };
      const [, got] = await Promise.all([
        BYTE_MESSAGES.write(near, value),
        BYTE_MESSAGES.read(far),
      ]);
      assert.deepEqual(got, plain(value), `case ${n}`);
    }
  }));

Deno.test("BYTE_MESSAGES refuses numbers that JSON would make null", () =>
  withPair(async (near) => {
    for (const number of [NaN, Infinity, -Infinity]) {
      await assert.rejects(BYTE_MESSAGES.write(near, { number }), TypeError);
    }
  }));
