/**
 * Effects of attacks on the port on other users: bodies in chunks of one byte, endless requests,
 * slow bodies, unfinished WebSocket messages, pipelined requests, resets, sign-ins started at the
 * provider.
 *
 * deno task endurance attack [--json FILE] [--web]: `--web` leaves out the first two attacks
 */
import { startSite } from "@/tests/e2e/site.ts";
import { holdHalf, memoryOf, peakWhile, signInTime } from "@/tests/endurance/attack/attack.ts";
import { othersDuring } from "@/tests/endurance/attack/others.ts";
import { ATTACKS } from "@/tests/endurance/attack/web_attacks.ts";
import { servedProvider } from "@/tests/sites/sign_in/openid_provider.ts";
import { finish, type Row } from "@/bench/record.ts";

const CONNECTIONS = 50,
  CHUNKS = 60_000,
  HALF = 1500,
  MIN_SIGN_INS = 20,
  MAX_ADDED_MB = 150,
  MAX_ATTACKED_MB = 200,
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

/** Sends one wave of an attack to a new site while users sign in. @returns added memory, MB. */
async function sendWave(): Promise<number> {
  await using site = await startSite({ workers: 1 });
  const { pid } = site.process;
  for (let n = 0; n < 5; n++) await signInTime(site.url);
  const before = memoryOf(pid);
  const attacker = new Worker(new URL("attack/crumbs_worker.ts", import.meta.url), {
    type: "module",
  });
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

if (!Deno.args.includes("--web")) await attackWithParts();

async function attackWithParts(): Promise<void> {
  const name = `${CONNECTIONS} bodies of ${CHUNKS} one-byte chunks`, added: number[] = [];
  // each wave needs a new site, because connections of the same address are then refused
  while (signIns.length < MIN_SIGN_INS) added.push(await sendWave());
  rows.push(
    row(
      `${name}: most memory added, of ${added.length} waves`,
      Math.max(...added),
      "MB",
      MAX_ADDED_MB,
    ),
  );
  rows.push(
    row(
      `${name}: slowest of ${signIns.length} sign-ins meanwhile`,
      Math.max(...signIns),
      "ms",
      MAX_SIGN_IN_MS,
    ),
  );

  await using site = await startSite({ workers: 1 });
  await signInTime(site.url);
  for (
    const [name, text] of [
      ["half headers", "GET / HTTP/1.1\r\nhost: a\r\nx-"],
      [
        "half bodies",
        "POST /api/v1/auth/login HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n{",
      ],
    ] as const
  ) {
    const held = holdHalf(site.url, HALF, text), started = performance.now();
    await pause(1000);
    rows.push(
      row(`${HALF} ${name}: a sign-in meanwhile`, await signInTime(site.url), "ms", MAX_SIGN_IN_MS),
    );
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
}

await using provider = await servedProvider("a-secret-of-the-client-0123456789");
const oidc = {
  SULCUS_OIDC_ISSUER: provider.issuer,
  SULCUS_OIDC_CLIENT_ID: "sulcus",
  SULCUS_PUBLIC_URL: "http://127.0.0.1:9",
  SULCUS_OIDC_ROLES: "neuro=physician",
};
for (const attack of Object.keys(ATTACKS) as (keyof typeof ATTACKS)[]) {
  const during = await othersDuring(attack, attack === "begunSignIns" ? oidc : {});
  const { looks, p99Ms, refused, addedMb, figure } = during;
  rows.push(
    row(`${attack}: others' sign-in page meanwhile, p99 of ${looks}`, p99Ms, "ms", MAX_SIGN_IN_MS),
    row(`${attack}: right sign-ins refused`, refused, "sign-ins", 0),
    row(`${attack}: memory added`, addedMb, "MB", MAX_ATTACKED_MB),
  );
  if (attack === "unfinishedMessages") {
    rows.push(row(`${attack}: opened of 120`, figure, "sockets", 50));
  }
  if (attack === "begunSignIns") {
    rows.push(row(`${attack}: refused of the last 100`, figure, "sign-ins", 0));
  }
}
finish(
  "deno task endurance attack",
  "attacks on a site's port, from this machine",
  rows,
);
