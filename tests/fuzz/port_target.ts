// A server process whose port receives arbitrary bytes, which must neither end it nor cause
// unhandled errors.
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { CERTIFICATE, KEY } from "@/server/edge/web/tls/tls_certificate_fixture.ts";
import { EMAIL, PASSWORD, startSite } from "@/tests/e2e/site.ts";
import { Random } from "@/server/commands/demo/phantom/random.ts";
import { portCase } from "@/tests/fuzz/port_requests.ts";
import { mutate } from "@/tests/fuzz/mutate.ts";

/** Number of concurrent connections, and of cases between two checks of the server. */
const AT_ONCE = 32, BATCH = 512;
/** Interval of sign-ins, ms: a session's token lasts 15 minutes. */
const SIGN_IN_EVERY_MS = 10 * 60_000;
const MAX_CASE_MS = 5000;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Sends a case, and ends the connection by closing, resetting, or waiting for the server. */
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

/** Bytes of a TLS ClientHello that leads to no connection. */
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

/** Starts a site on a free port, with HTTP or HTTPS. */
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
  // the host name in the certificate
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
    /** @throws {Error} if the process has ended, does not respond, or had an unhandled error. */
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
 * Sends cases to a server, each from its own seed. @throws {Error} that names the seeds since the
 * last successful check; running each of them with `--cases 1` finds the failing one.
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
