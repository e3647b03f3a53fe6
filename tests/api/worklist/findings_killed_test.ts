// covers: S-216
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { login } from "@/client/api/accounts/auth.ts";
import type { Api } from "@/client/api/http.ts";
import { listPatients } from "@/client/api/studies/patients.ts";
import { makeFolders } from "@/server/core/blobs/blob_file.ts";
import { refreshFindings } from "@/server/core/analyses/service/finding.ts";
import { readPatients } from "@/server/core/studies/storage/patients.ts";
import { EMAIL, PASSWORD, ROOT, type Site, startSite } from "@/tests/e2e/site.ts";
import { openBeside } from "@/tests/sites/core_site.ts";
import { addReported } from "@/tests/sites/reported_studies.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import { until } from "@/tests/sites/until.ts";

const STUDIES = 60, ROUNDS = 3;
const isBuilt = existsSync(`${ROOT}/static/build/manifest.json`);

async function signIn(site: Site): Promise<Api> {
  const open: Api = { send: (request) => fetch(request), origin: site.url };
  return { ...open, token: (await login(open, { email: EMAIL, password: PASSWORD })).access_token };
}

Deno.test({
  name: "kill -9 while findings are computed loses none, and the next lists are right" +
    (isBuilt ? "" : " (skipped: run deno task build first)"),
  ignore: !isBuilt,
  async fn() {
    const dataDir = await Deno.makeTempDir({ prefix: "sulcus-findings-" });
    const pids = Array.from({ length: STUDIES }, (_, n) => n + 1);
    let site: Site | null = null;
    try {
      makeFolders(dataDir);
      const db = await openBeside(dataDir);
      await addQuickUser(db, { email: EMAIL, password: PASSWORD, name: "A", isMaintenance: true });
      await addReported(dataDir, STUDIES, 8);
      await refreshFindings(db, pids);
      const stored = async () =>
        (await readPatients(db, pids)).map(({ row: { pid, finding }, isFindingCurrent }) => ({
          pid,
          finding: isFindingCurrent ? finding : null,
        })).toSorted((a, b) => a.pid - b.pid);
      const expected = await stored();
      assert.ok(expected.every(({ finding }) => finding !== null));
      for (let round = 0; round < ROUNDS; round++) {
        site = await startSite({ dataDir, workers: 1 });
        const api = await signIn(site);
        await db.updateTable("patients").set({ finding_rules: "0123456789abcdef" }).execute();
        await listPatients(api, { page_size: 50 });
        await until(async () => (await stored()).some(({ finding }) => finding !== null));
        await site.stop("SIGKILL");
        const kept = await stored();
        for (const [at, { finding }] of kept.entries()) {
          if (finding !== null) assert.deepEqual(finding, expected[at]!.finding);
        }
        site = await startSite({ dataDir, workers: 1 });
        const again = await signIn(site);
        const { patients } = await listPatients(again, { page_size: 50 });
        for (const { pid, finding, is_finding_pending } of patients) {
          if (!is_finding_pending) assert.deepEqual(finding, expected[pid - 1]!.finding);
          else assert.equal(finding, null);
        }
        // includes the studies of the second page, which was not requested
        await until(async () => (await stored()).every(({ finding }) => finding !== null));
        assert.deepEqual(await stored(), expected);
        await site.stop();
      }
      await db.destroy();
    } finally {
      await site?.stop("SIGKILL").catch(() => {});
      await Deno.remove(dataDir, { recursive: true });
    }
  },
});
