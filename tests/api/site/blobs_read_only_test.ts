// The database is writable but the folder of stored images is not, as with PostgreSQL on another
// machine. An analysis fails only at its end, and must not be repeated endlessly.
import assert from "node:assert/strict";
import { login } from "@/client/api/accounts/auth.ts";
import type { Api } from "@/client/api/http.ts";
import { getReportsProgress, startReports } from "@/client/api/report/report_job.ts";
import { getPatient, startReanalysis, uploadFiles } from "@/client/api/studies/patients.ts";
import { EMAIL, PASSWORD, startSite } from "@/tests/e2e/site.ts";
import { newPostgres } from "@/tests/sites/databases.ts";
import { NO_NETWORKS, setGroupBefore } from "@/tests/sites/group_settings.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { loopDisk } from "@/tests/sites/small_disk.ts";
import { until } from "@/tests/sites/until.ts";

const disk = await loopDisk(600_000_000);
const why = "problem" in disk ? ` (skipped: no disk can be made: ${disk.problem})` : "";
const RELEASED = "storage.read_only";

// covers: S-71
Deno.test({
  name: `an analysis waits for a folder that takes no files, and the site says so${why}`,
  ignore: why !== "",
  async fn() {
    if ("problem" in disk) return;
    const dataDir = `${disk.folder}/site`, stored = `${dataDir}/blobs`;
    const databaseUrl = await newPostgres();
    try {
      await Deno.mkdir(dataDir, { mode: 0o700 });
      await setGroupBefore({ dataDir, databaseUrl }, NO_NETWORKS);
      await using site = await startSite({ dataDir, databaseUrl, workers: 1 });
      const open: Api = { origin: site.url, send: fetch };
      const api = {
        ...open,
        token: (await login(open, { email: EMAIL, password: PASSWORD })).access_token,
      };
      const count = (part: string) => site.output().split(part).length - 1;
      const metric = async (name: string) => {
        const text = await (await fetch(`${site.url}/metrics`)).text();
        return new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1];
      };
      const statusOf = async (pid: number) => (await getPatient(api, pid)).t1_analysis_status;

      const { pid_list: [pid] } = await uploadFiles(api, phantomSeries("whole", "WAITS"));
      await until(async () => await statusOf(pid!) === "processing");
      await disk.setImmutable(stored, true);
      await until(() => count(RELEASED) > 0);
      await until(async () => await statusOf(pid!) === "waiting");
      const begun = count("Job started");
      assert.equal(await metric("sulcus_disk_writable"), "0");
      // new work is refused; each request makes the job queue look for work
      for (let n = 0; n < 5; n++) {
        const code = await uploadFiles(api, phantomSeries("short", "MORE")).then(
          () => "ok",
          (error) => error.code,
        );
        assert.equal(code, RELEASED);
        assert.equal((await startReanalysis(api, pid!).catch(() => null))?.accepted.length ?? 0, 0);
      }
      assert.equal(count("Job started"), begun, "it ran again while nothing could be written");
      assert.equal(await statusOf(pid!), "waiting");

      await disk.setImmutable(stored, false);
      await until(async () => await statusOf(pid!) === "completed");
      assert.equal(await metric("sulcus_disk_writable"), "1");

      // reports are written to a separate folder
      await startReports(api, { pid_list: [pid!] });
      const exports = `${dataDir}/exports`;
      await until(async () => (await Deno.stat(exports).catch(() => null)) !== null);
      await disk.setImmutable(exports, true);
      const { uuid } = await startReports(api, { pid_list: [pid!] });
      await until(() => count(RELEASED) > 1);
      await disk.setImmutable(exports, false);
      await until(async () => (await getReportsProgress(api, uuid)).status === "done");
    } finally {
      await disk.setImmutable(dataDir, false).catch(() => {});
      await disk.remove();
    }
  },
});
