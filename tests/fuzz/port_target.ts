// A server in a process of its own, whose port gets anything: no sequence of bytes ends it, nor meets code without a handler.
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { CERTIFICATE, KEY } from "@/server/edge/web/tls/tls_certificate_fixture.ts";
import { EMAIL, PASSWORD, startSite } from "@/tests/e2e/site.ts";
import { Random } from "@/server/commands/demo/phantom/random.ts";
import { portCase } from "@/tests/fuzz/port_requests.ts";
import { mutate } from "@/tests/fuzz/mutate.ts";

/** Connections at the same time, and cases after which the server is looked at. */
const AT_ONCE = 32, BATCH = 512;
/** A session's token lasts 15 minutes. */
const SIGN_IN_EVERY_MS = 10 * 60_000;
const MAX_CASE_MS = 5000;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Sends a case and ends its connection: by an end, a reset, or by waiting for the server to end it. */
function send(
  port: number,
  isTls: boolean,
  pieces: readonly Uint8Array[],
  random: Random,
): Promise<void> {
  const isRaw = isTls && random.uniform() < 0.1, waitMs = Math.floor(20 * random.uniform() ** 2);
  const ending = Math.floor(4 * random.uniform());
  return new Promise((resolve) => {
    const tcp: Socket = connect(port, "127.0.0.1");
    const timer = setTimeout(() => tcp.destroy(), MAX_CASE_MS);
    tcp.on("error", () => {}).on("close", () => {
      clearTimeout(timer);
      resolve();
    });
    const line: Socket = isTls && !isRaw
      ? connectTls({ socket: tcp, rejectUnauthorized: false })
      : tcp;
    line.on("error", () => tcp.destroy()).on("data", () => {});
    const speak = async () => {
      for (const piece of pieces) {
        line.write(piece);
        if (pieces.length > 1) await pause(0);
      }
      await pause(waitMs);
      if (ending === 0) tcp.resetAndDestroy();
      else if (ending === 1) line.end();
      else tcp.destroy();
    };
    line.once(line === tcp ? "connect" : "secureConnect", () => void speak());
  });
}

/** Bytes of a TLS greeting that does not become a connection. */
function greeting(random: Random): Uint8Array[] {
  const hello = [
    22,
    3,
    1,
    0,
    60,
    1,
    0,
    0,
    56,
    3,
    3,
    ...Array.from({ length: 32 }, () => random.bits() & 255),
  ];
  return [
    mutate(Uint8Array.from([...hello, 0, 0, 2, 0x13, 1, 1, 0, 0, 9, 0, 43, 0, 3, 2, 3, 4]), random),
  ];
}

/** A site on a port of its own, over HTTP or HTTPS. */
async function portSite(isTls: boolean) {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-fuzz-" });
  await Deno.writeTextFile(`${folder}/cert.pem`, CERTIFICATE);
  await Deno.writeTextFile(`${folder}/key.pem`, KEY);
  const env = { SULCUS_TLS_CERT: `${folder}/cert.pem`, SULCUS_TLS_KEY: `${folder}/key.pem` };
  const site = await startSite({
    workers: 1,
    env: { SULCUS_CALLS_PER_MINUTE: "0", ...isTls ? env : {} },
  });
  const client = Deno.createHttpClient({ caCerts: [CERTIFICATE] });
  // the name of the certificate
  const url = site.url.replace("localhost", "127.0.0.1");
  const ask = async (path: string, init?: RequestInit) => {
    const answer = await fetch(url + path, { ...init, client });
    return { status: answer.status, text: await answer.text() };
  };
  let ended: number | null = null;
  void site.process.status.then(({ code }) => ended = code);
  return {
    port: Number(new URL(site.url).port),
    async signIn(): Promise<string> {
      const { text } = await ask("/api/v1/auth/login", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
      });
      return JSON.parse(text).access_token;
    },
    /** @throws Error when the process has ended, does not answer, or an error met no handler. */
    async check() {
      if (ended !== null) {
        throw new Error(`the server ended with ${ended}: ${site.output().slice(-3000)}`);
      }
      const { status } = await ask("/health"), { text } = await ask("/metrics");
      if (status !== 200) throw new Error(`/health answers ${status}`);
      const unhandled = /^sulcus_unhandled_errors_total.*$/m.exec(text)?.[0];
      const failed = /^sulcus_http_requests_total\{status="500"\}.*$/m.exec(text)?.[0];
      if (unhandled !== undefined || failed !== undefined) {
        throw new Error(`${unhandled ?? failed}: ${site.output().slice(-3000)}`);
      }
      return Number(/^process_resident_memory_bytes (\d+)/m.exec(text)?.[1]);
    },
    async [Symbol.asyncDispose]() {
      client.close();
      await site[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/**
 * Sends cases to a server, each from a seed of its own. @throws Error that names the seeds of the cases since the server
 * was last found well; with `--cases 1` and each of them it is one.
 */
export async function fuzzPort(
  isTls: boolean,
  cases: number,
  seed = 1,
): Promise<{ seconds: number; residentMb: number }> {
  await using site = await portSite(isTls);
  const started = performance.now();
  let token = await site.signIn(), signedInMs = started, residentMb = 0;
  for (let first = 0; first < cases; first += BATCH) {
    const last = Math.min(cases, first + BATCH);
    if (performance.now() - signedInMs > SIGN_IN_EVERY_MS) {
      [token, signedInMs] = [await site.signIn(), performance.now()];
    }
    let n = first;
    const sender = async () => {
      while (n < last) {
        const random = new Random(seed + n++);
        const isGreeting = isTls && random.uniform() < 0.05;
        const pieces = isGreeting
          ? greeting(random)
          : portCase(random, `127.0.0.1:${site.port}`, token);
        await send(site.port, isTls && !isGreeting, pieces, random);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, sender));
    try {
      residentMb = Math.max(residentMb, await site.check() / 1e6);
    } catch (error) {
      const kind = isTls ? "tls-port" : "port";
      throw new Error(
        `deno task fuzz ${kind} --seed ${seed + first} --cases ${last - first}: ${error}`,
      );
    }
  }
  return { seconds: (performance.now() - started) / 1000, residentMb };
}
