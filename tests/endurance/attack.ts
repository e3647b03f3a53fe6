/**
 * What a site takes from somebody without an account: bodies of one-byte chunks, and requests that never end.
 *
 * deno task bench attack [--json FILE]
 */
import { startSite } from "@/tests/e2e/site.ts";
import { holdHalf, memoryOf, peakWhile, signInTime } from "@/tests/endurance/attack/attack.ts";
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

const rows: Row[] = [], signIns: number[] = [];

/** One wave against a site of its own, while people sign in. @returns memory added, MB. */
async function sendWave(): Promise<number> {
  await using site = await startSite({ workers: 1 });
  const { pid } = site.process;
  for (let n = 0; n < 5; n++) await signInTime(site.url);
  const before = memoryOf(pid);
  const attacker = new Worker(new URL("attack_parts/crumbs_worker.ts", import.meta.url), { type: "module" });
  const peak = await peakWhile(pid, async () => {
    let isOver = false;
    const wave = new Promise<void>((resolve) => attacker.onmessage = () => resolve())
      .then(() => void (isOver = true));
    attacker.postMessage({ url: site.url, connections: CONNECTIONS, chunks: CHUNKS });
    while (!isOver) {
      signIns.push(await signInTime(site.url));
      await pause(50);
    }
    await wave;
  });
  attacker.terminate();
  return (peak - before) / 1e6;
}

const name = `${CONNECTIONS} bodies of ${CHUNKS} one-byte chunks`, added: number[] = [];
// a second wave from one address is refused as it connects: each has a site of its own
while (signIns.length < MIN_SIGN_INS) added.push(await sendWave());
rows.push(
  row(`${name}: most memory added, of ${added.length} waves`, Math.max(...added), "MB", MAX_ADDED_MB),
);
rows.push(
  row(`${name}: slowest of ${signIns.length} sign-ins meanwhile`, Math.max(...signIns), "ms", MAX_SIGN_IN_MS),
);

await using site = await startSite({ workers: 1 });
await signInTime(site.url);
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
