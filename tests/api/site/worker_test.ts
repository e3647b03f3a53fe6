// A machine that only runs analyses, and a site that only serves, on one PostgreSQL database.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { login } from "@/client/api/accounts/auth.ts";
import { listPatients, uploadFiles } from "@/client/api/studies/patients.ts";
import type { Api } from "@/client/api/http.ts";
import { createCore } from "@/server/core/mod.ts";
import { EMAIL, PASSWORD } from "@/tests/sites/core_site.ts";
import { postgresTest } from "@/tests/sites/databases.ts";
import { NO_NETWORKS, setGroupBefore } from "@/tests/sites/group_settings.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { until } from "@/tests/sites/until.ts";

const MAIN = fileURLToPath(new URL("../../../main.ts", import.meta.url));
const decoder = new TextDecoder();

function startWorker(env: Record<string, string>) {
  const worker = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", MAIN, "worker"],
    env: { NODE_ENV: "production", ...env },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let output = "";
  const read = async (stream: ReadableStream<Uint8Array>) => {
    for await (const chunk of stream) output += decoder.decode(chunk, { stream: true });
  };
  const ended = Promise.all([read(worker.stdout), read(worker.stderr)]);
  return { worker, ended, output: () => output };
}

// covers: S-64, S-65
postgresTest(
  "a worker analyses what a site without workers takes in; asked to leave it ends what it has begun and leaves the rest",
  async (database) => {
    const folder = await Deno.makeTempDir({ prefix: "sulcus-test-" });
    const folders = ["site", "worker"].map((name) => `${folder}/${name}`);
    for (const shared of ["blobs", "exports"]) {
      Deno.mkdirSync(`${folder}/${shared}`);
      for (const each of folders) {
        Deno.mkdirSync(each, { recursive: true });
        Deno.symlinkSync(`${folder}/${shared}`, `${each}/${shared}`);
      }
    }
    const [dataDir, workerDir] = folders as [string, string], databaseUrl = database.url!;
    await setGroupBefore({ dataDir, databaseUrl }, NO_NETWORKS);
    const core = await createCore({
      dataDir,
      databaseUrl,
      workers: 0,
      adminEmail: EMAIL,
      adminPassword: PASSWORD,
    });
    const { worker, ended, output } = startWorker({
      SULCUS_DATA_DIR: workerDir,
      SULCUS_DATABASE_URL: databaseUrl,
      SULCUS_WORKERS: "1",
    });
    try {
      const open: Api = { send: core.fetch, origin: "http://core" };
      const api = {
        ...open,
        token: (await login(open, { email: EMAIL, password: PASSWORD })).access_token,
      };
      const statuses = async () => {
        const { patients } = await listPatients(api, { page_size: 10 });
        return Object.fromEntries(
          patients.map((each) => [each.patient_id, each.t1_analysis_status]),
        );
      };
      await uploadFiles(api, phantomSeries("whole", "FIRST"));
      await until(async () => (await statuses()).FIRST === "processing");
      await uploadFiles(api, phantomSeries("short", "SECOND"));
      worker.kill("SIGTERM");
      await until(() => output().includes("Stopping after the running analyses have finished"));
      assert.equal((await worker.status).code, 0);
      await ended;
      assert.deepEqual(await statuses(), { FIRST: "completed", SECOND: "waiting" });
      // entries signed with another key would count as forged on the server
      await assert.rejects(Deno.stat(`${workerDir}/audit`), Deno.errors.NotFound);
    } finally {
      try {
        worker.kill("SIGKILL");
      } catch { /* it has ended */ }
      await ended;
      await core.close();
      await Deno.remove(folder, { recursive: true });
    }
  },
);

Deno.test("a worker without the site's database says what it lacks", async () => {
  const { worker, ended, output } = startWorker({ SULCUS_DATA_DIR: await Deno.makeTempDir() });
  const { code } = await worker.status;
  await ended;
  assert.notEqual(code, 0);
  assert.match(output(), /SULCUS_DATABASE_URL does not specify the site's database/);
});
