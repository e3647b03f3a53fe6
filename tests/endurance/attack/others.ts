// Effects of an attack on others: time of the sign-in page, failed valid sign-ins, memory of the
// site.
import { EMAIL, PASSWORD, type Site, startSite } from "@/tests/e2e/site.ts";
import { memoryOf, peakWhile, signInTime } from "@/tests/endurance/attack/attack.ts";
import type { ATTACKS } from "@/tests/endurance/attack/web_attacks.ts";

const LOOK_EVERY_MS = 50, SIGN_IN_EVERY_MS = 1000;
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function tokenOf(url: string): Promise<string> {
  const answer = await fetch(`${url}/api/v1/auth/login`, {
    method: "POST",
    body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
    headers: { "content-type": "application/json" },
  });
  return (await answer.json()).access_token;
}

/** @returns the page's 99th percentile, ms; refused sign-ins; added MB; the attack's result. */
async function measure(site: Site, name: keyof typeof ATTACKS) {
  const { url, process: { pid } } = site, times: number[] = [];
  const look = async () => {
    const started = performance.now(), answer = await fetch(`${url}/login`);
    await answer.body?.cancel();
    times.push(answer.status === 200 ? performance.now() - started : Infinity);
  };
  for (let n = 0; n < 20; n++) await look();
  times.length = 0;
  const token = await tokenOf(url), before = memoryOf(pid);
  const attacker = new Worker(new URL("web_worker.ts", import.meta.url), { type: "module" });
  let isOver = false, refused = 0, figure = 0;
  const attack = new Promise<void>((resolve, reject) => {
    attacker.onerror = ({ message }) => reject(new Error(message));
    attacker.onmessage = ({ data }) => {
      figure = data;
      resolve();
    };
  }).finally(() => isOver = true);
  attacker.postMessage({ name, url, token });
  const looking = async () => {
    for (; !isOver; await pause(LOOK_EVERY_MS)) await look();
  };
  const signingIn = async () => {
    // a sign-in would end the session that the attack uses
    if (name === "unfinishedMessages" || name === "messageFlood") return;
    for (; !isOver; await pause(SIGN_IN_EVERY_MS)) await signInTime(url).catch(() => refused++);
  };
  const peak = await peakWhile(
    pid,
    async () => void await Promise.all([attack, looking(), signingIn()]),
  );
  attacker.terminate();
  times.sort((a, b) => a - b);
  const p99Ms = times[Math.min(times.length - 1, Math.floor(0.99 * times.length))]!;
  return { p99Ms, looks: times.length, refused, addedMb: (peak - before) / 1e6, figure };
}

/** Measures an attack on a new site. @param env More settings. @throws {Error} if it ends. */
export async function othersDuring(name: keyof typeof ATTACKS, env: Record<string, string> = {}) {
  await using site = await startSite({ workers: 1, env });
  let ended: number | null = null;
  void site.process.status.then(({ code }) => ended = code);
  const figures = await measure(site, name);
  if (ended !== null) {
    throw new Error(`The server ended with ${ended}: ${site.output().slice(-2000)}`);
  }
  return figures;
}
