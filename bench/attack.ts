/**
 * What a site takes from somebody without an account: bodies of one-byte chunks, and requests that never end.
 *
 * deno task bench attack [--json FILE]
 */
import { EMAIL, startSite } from "@/tests/e2e/site.ts";
import { holdHalf, memoryOf, peakWhile, sendCrumbs, signInTime } from "@/bench/attack_parts/attack.ts";
import { finish, type Row } from "@/bench/record.ts";

const CONNECTIONS = 50,
  CHUNKS = 60_000,
  HALF = 1500,
  MIN_SIGN_INS = 20,
  MAX_ADDED_MB = 150,
  MAX_SIGN_IN_MS = 1000,
  GONE_WITHIN_S = 60;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const row = (name: string, value: number, unit: string, bar: number | null): Row => ({
  suite: "attack",
  name,
  value: Math.round(value),
  unit,
  baseline: null,
  ratio: null,
  bar,
  ok: bar === null || value <= bar,
});

await using site = await startSite({ workers: 1 });
const { pid } = site.process, rows: Row[] = [];
for (let n = 0; n < 5; n++) await signInTime(site.url);
const alone = await signInTime(site.url), before = memoryOf(pid);
const signIns: number[] = [];
const peak = await peakWhile(pid, async () => {
  let isOver = false;
  const others = (async () => {
    while (!isOver) {
      signIns.push(await signInTime(site.url));
      await pause(100);
    }
  })();
  // one wave is over in a moment: they go on until enough people have signed in meanwhile
  while (signIns.length < MIN_SIGN_INS) await sendCrumbs(site.url, CONNECTIONS, CHUNKS);
  isOver = true;
  await others;
});
rows.push(row("a sign-in before", alone, "ms", null));
rows.push(
  row(
    `${CONNECTIONS} bodies of ${CHUNKS} one-byte chunks, again and again: memory added`,
    (peak - before) / 1e6,
    "MB",
    MAX_ADDED_MB,
  ),
);
rows.push(
  row(
    `the same: slowest of ${signIns.length} sign-ins of ${EMAIL}`,
    Math.max(...signIns),
    "ms",
    MAX_SIGN_IN_MS,
  ),
);
for (
  const [name, text] of [
    ["half headers", "GET / HTTP/1.1\r\nhost: a\r\nx-"],
    ["half bodies", "POST /api/v1/auth/login HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n{"],
  ] as const
) {
  const held = holdHalf(site.url, HALF, text), started = performance.now();
  await pause(1000);
  rows.push(row(`${HALF} ${name}: a sign-in meanwhile`, await signInTime(site.url), "ms", MAX_SIGN_IN_MS));
  while (held.open() > 0 && performance.now() - started < 1000 * GONE_WITHIN_S) await pause(100);
  rows.push(
    row(
      `${HALF} ${name}: the last is ended after`,
      (performance.now() - started) / 1000,
      "s",
      GONE_WITHIN_S - 1,
    ),
  );
  rows.push(row(`${HALF} ${name}: still open`, held.open(), "connections", 0));
  held.end();
}
finish(
  "deno task bench attack",
  "bodies of one-byte chunks and requests that never end, from this machine",
  rows,
);
