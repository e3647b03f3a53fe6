import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { uploadFiles } from "@/client/api/patients.ts";
import { pageApi, signInPage } from "@/bench/server_site.ts";
import { phantomSeries } from "@/tests/api/phantom_series.ts";
import { EMAIL, PASSWORD, startSite } from "@/tests/e2e/site.ts";
import { until } from "@/tests/until.ts";

const isLinux = Deno.build.os === "linux";

/** Processes that `pid` started, by what stands in their command line. */
function childOf(pid: number, part: string): number | undefined {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);
  return children.find((child) => readFileSync(`/proc/${child}/cmdline`, "utf8").includes(part));
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

Deno.test({
  name: "start: the server has a converter that comes back when it dies, and none outlives the launcher",
  ignore: !isLinux,
  fn: async () => {
    // the folder of the first start is not there yet
    const folder = await Deno.makeTempDir({ prefix: "sulcus-launch-" });
    for (const goodbye of ["SIGTERM", "SIGKILL"] as const) {
      const dataDir = `${folder}/${goodbye}/site`;
      await using site = await startSite({ command: "start", dataDir });
      const { pid } = site.process, server = childOf(pid, "serve")!;
      const converter = await waitFor("the converter", () => childOf(pid, "converter.ts"));
      if (goodbye === "SIGTERM") {
        const api = pageApi(site.url, await signInPage(site.url, EMAIL, PASSWORD));
        Deno.kill(converter, "SIGKILL");
        // while it is away: the upload waits for it
        assert.equal((await uploadFiles(api, phantomSeries("short", "LAUNCH-1"))).success, 1);
        assert.match(site.output(), /The converter ended with 137: it is started again/);
        const again = await waitFor("the next converter", () => childOf(pid, "converter.ts"));
        assert.notEqual(again, converter);
      }
      const children = [server, childOf(pid, "converter.ts")!];
      await site.stop(goodbye);
      assert.equal((await site.process.status).code, goodbye === "SIGTERM" ? 0 : 137);
      await waitFor("the end of both", () => !children.some(isAlive));
    }
    await Deno.remove(folder, { recursive: true });
  },
});
