// covers: D2-5.6
import assert from "node:assert/strict";
import { login } from "@/client/api/accounts/auth.ts";
import type { Api } from "@/client/api/http.ts";
import { getReports, getReportsProgress, startReports } from "@/client/api/report/report_job.ts";
import { createCore } from "@/server/core/mod.ts";
import { hasQpdf, runOnPdf } from "@/report/pdf/pdf_tools_fixture.ts";
import { EMAIL, PASSWORD } from "@/tests/sites/core_site.ts";
import { addReported } from "@/tests/sites/reported_studies.ts";
import { leaveRoom, removeDisk, smallDisk } from "@/tests/sites/small_disk.ts";
import { until } from "@/tests/sites/until.ts";

const DISK_BYTES = 20_000_000, STUDIES = 3;
/** Room for a part of the first report, so that the file breaks off within it. */
const ROOM_BYTES = 130_000;

const disk = await smallDisk(DISK_BYTES);

Deno.test({
  name: "reports whose disk gets full are made whole once there is room" +
    ("problem" in disk ? ` (skipped: ${disk.problem})` : ""),
  ignore: "problem" in disk,
  async fn() {
    const { folder } = disk as { folder: string };
    const dataDir = await Deno.makeTempDir({ prefix: "sulcus-report-disk-" }),
      codes: unknown[] = [];
    const core = await createCore({
      dataDir,
      workers: 1,
      adminEmail: EMAIL,
      adminPassword: PASSWORD,
      log: (_, __, fields) => void codes.push(fields?.code),
    });
    try {
      const open: Api = { send: core.fetch, origin: "http://core" };
      const { access_token } = await login(open, { email: EMAIL, password: PASSWORD });
      const api = { ...open, token: access_token };
      await addReported(dataDir, STUDIES);
      await Deno.symlink(folder, `${dataDir}/exports`);
      leaveRoom(folder, ROOM_BYTES);
      const { uuid } = await startReports(api, { pid_list: [1, 2, 3] });
      const progress = () => getReportsProgress(api, uuid);
      await until(async () =>
        codes.includes("storage.full") || ["failed", "done"].includes((await progress()).status)
      );
      assert.ok(["queued", "running"].includes((await progress()).status), "it waits");
      await Deno.remove(`${folder}/ballast`);
      await until(async () => ["failed", "done"].includes((await progress()).status));
      assert.deepEqual(await progress(), { percent: 100, status: "done", failed_pid_list: [] });
      const answer = await getReports(api, uuid);
      assert.ok("file" in answer);
      const pdf = new Uint8Array(await answer.file.arrayBuffer());
      if (hasQpdf) await runOnPdf("qpdf", ["--check", ""], pdf);
    } finally {
      await core.close();
      await removeDisk(folder);
      await Deno.remove(dataDir, { recursive: true });
    }
  },
});
