// covers: S-21
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { uploadFiles } from "@/client/api/studies/patients.ts";
import { pageApi, signInPage } from "@/bench/server/server_site.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { openSocket } from "@/tests/sites/edge_site.ts";
import { EMAIL, PASSWORD, type Site, startSite } from "@/tests/e2e/site.ts";
import { lastingPort } from "@/tests/sites/lasting_port.ts";
import { until } from "@/tests/sites/until.ts";

const isLinux = Deno.build.os === "linux";

/** A process started by `pid`, by an argument or by a file name among its arguments. */
function childOf(pid: number, argument: string): number | undefined {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(
    Number,
  );
  return children.find((child) => {
    try {
      const all = readFileSync(`/proc/${child}/cmdline`, "utf8").split("\0");
      return all.some((each) => each === argument || each.endsWith(`/${argument}`));
    } catch {
      // the process has ended in the meantime
      return false;
    }
  });
}

const isAlive = (pid: number) => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};

async function waitFor<T>(what: string, look: () => T | undefined | false): Promise<T> {
  let found: T | undefined | false;
  await until(() => Boolean(found = look())).catch(() => {
    throw new Error(`Cannot see in time: ${what}`);
  });
  return found as T;
}

/**
 * Stops a site during a half-sent call and with an open socket, and waits until both end properly.
 * @returns the answer of the call, and the code that the socket was closed with.
 */
async function leaveInTheMiddle(
  site: Site,
  cookie: string,
): Promise<{ answer: string; code: number }> {
  const { hostname, port } = new URL(site.url), address = { hostname, port: Number(port) };
  const { opened, closed } = openSocket(`${site.url}/api/v1/ws`, { cookie, origin: site.url });
  await opened;
  using connection = await Deno.connect(address);
  const send = (text: string) => connection.write(new TextEncoder().encode(text));
  const body = JSON.stringify({ email: EMAIL, password: PASSWORD });
  await send(
    `POST /api/v1/auth/login HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-type: application/json\r\n` +
      `content-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n`,
  );
  // "100 Continue" shows that the server has begun to handle the call
  const begun = new Uint8Array(100), length = await connection.read(begun);
  assert.match(
    new TextDecoder().decode(begun.subarray(0, length ?? 0)),
    /^HTTP\/1\.1 100 Continue\r\n\r\n$/,
  );
  await send(body.slice(0, 9));
  site.process.kill("SIGTERM");
  // waits until new calls are refused
  await until(async () => {
    // the server closes idle connections, so a pooled connection of fetch may be reset
    const late = await fetch(`${site.url}/api/v1/status`).catch(() => null);
    await late?.body?.cancel();
    return late?.status === 503;
  });
  await send(body.slice(9));
  return { answer: await new Response(connection.readable).text(), code: await closed };
}

Deno.test({
  name: "start: a server that dies is started again, and one that cannot start is not",
  ignore: !isLinux,
  fn: async () => {
    const port = lastingPort();
    await using site = await startSite({ command: "start", port });
    const { pid } = site.process, server = childOf(pid, "serve")!;
    Deno.kill(server, "SIGKILL");
    await waitFor(
      "its end in the log",
      () => /The server ended with code 137 and is being restarted/.test(site.output()),
    );
    await until(async () =>
      (await fetch(`${site.url}/api/v1/status`).catch(() => null))?.ok ?? false
    );
    assert.notEqual(childOf(pid, "serve"), server);
    // the port is in use by the site, so a second start fails
    await assert.rejects(
      startSite({ command: "start", port }),
      /Server ended with 1 before it served: [^]*port is in use/,
    );
    await site.stop("SIGTERM");
    assert.equal((await site.process.status).code, 0);
  },
});

Deno.test({
  name:
    "start: server and converter hand back what they have freed, and an administrator's own setting holds",
  ignore: !isLinux,
  fn: async () => {
    const env = { MALLOC_ARENA_MAX: "3", SULCUS_DICOM_PORT: "0", SULCUS_DICOM_HOST: "127.0.0.1" };
    await using site = await startSite({ command: "start", env });
    const { pid } = site.process;
    // the server's metrics include those of its other processes
    await until(async () => {
      const figures = await (await fetch(`${site.url}/metrics`)).text();
      return ["converter", "reader", "gate"].every((process) =>
        figures.includes(`sulcus_unhandled_errors_total{process="${process}"} 0`)
      );
    });
    for (const name of ["serve", "converter.ts", "reader.ts"]) {
      const child = await waitFor(`the ${name}`, () => childOf(pid, name));
      const variables = readFileSync(`/proc/${child}/environ`, "utf8").split("\0");
      const found = variables.filter((each) => each.startsWith("MALLOC_")).toSorted();
      const thresholds = ["MALLOC_MMAP_THRESHOLD_=131072", "MALLOC_TRIM_THRESHOLD_=131072"];
      assert.deepEqual(found, ["MALLOC_ARENA_MAX=3", ...thresholds], name);
    }
  },
});

// covers: S-67
Deno.test({
  name:
    "start: the server has a converter that comes back when it dies, what has begun is ended, and none outlives the launcher",
  ignore: !isLinux,
  fn: async () => {
    // the data folder does not exist before the first start
    const folder = await Deno.makeTempDir({ prefix: "sulcus-launch-" });
    for (const goodbye of ["SIGTERM", "SIGKILL"] as const) {
      const dataDir = `${folder}/${goodbye}/site`;
      await using site = await startSite({ command: "start", dataDir });
      const { pid } = site.process, server = childOf(pid, "serve")!;
      const converter = await waitFor("the converter", () => childOf(pid, "converter.ts"));
      if (goodbye === "SIGTERM") {
        const api = pageApi(site.url, await signInPage(site.url, EMAIL, PASSWORD));
        const reader = await waitFor("the reader", () => childOf(pid, "reader.ts"));
        for (const child of [converter, reader]) Deno.kill(child, "SIGKILL");
        // both processes are dead: the upload waits until they have been restarted
        assert.equal((await uploadFiles(api, phantomSeries("short", "LAUNCH-1"))).success, 1);
        await waitFor(
          "its end in the log",
          () => /The converter ended with code 137 and is being restarted/.test(site.output()),
        );
        const again = await waitFor("the next converter", () => childOf(pid, "converter.ts"));
        assert.notEqual(again, converter);
        assert.match(site.output(), /The reader ended with code 137 and is being restarted/);
        assert.notEqual(await waitFor("the next reader", () => childOf(pid, "reader.ts")), reader);
      }
      const children = [server, childOf(pid, "converter.ts")!, childOf(pid, "reader.ts")!];
      if (goodbye === "SIGTERM") {
        const { answer, code } = await leaveInTheMiddle(
          site,
          await signInPage(site.url, EMAIL, PASSWORD),
        );
        assert.match(answer, /^HTTP\/1\.1 200 [^]*"access_token"/);
        assert.equal(code, 1001);
      } else await site.stop("SIGKILL");
      assert.equal((await site.process.status).code, goodbye === "SIGTERM" ? 0 : 137);
      await waitFor("the end of all", () => !children.some(isAlive));
    }
    await Deno.remove(folder, { recursive: true });
  },
});

Deno.test({
  name:
    "start: a site whose log nobody reads any more answers, comes back, and ends with its launcher",
  ignore: !isLinux,
  fn: async () => {
    const port = lastingPort(), site = await startSite({ command: "start", port });
    const { pid } = site.process;
    try {
      await site.loseOutput();
      const signIn = () => signInPage(site.url, EMAIL, PASSWORD).catch(() => null);
      // each sign-in writes a line to the log
      assert.ok(await signIn());
      const first = childOf(pid, "serve")!, converter = childOf(pid, "converter.ts")!;
      for (const child of [first, converter]) Deno.kill(child, "SIGKILL");
      await until(async () => await signIn() !== null);
      await waitFor("the next converter", () => childOf(pid, "converter.ts"));
      const children = ["serve", "converter.ts", "reader.ts"].map((name) => childOf(pid, name)!);
      site.process.kill("SIGKILL");
      await waitFor("the end of all", () => !children.some(isAlive));
    } finally {
      await site.stop("SIGKILL");
    }
  },
});
