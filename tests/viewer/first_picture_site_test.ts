// covers: S-137
// Server-rendered first pictures of every kind of study, on a site started as in a hospital, and
// through an edge (web server process).
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { signInPage } from "@/bench/server/server_site.ts";
import { EMAIL, PASSWORD, startSite } from "@/tests/e2e/site.ts";
import { addAdministratorBefore } from "@/tests/sites/sign_in/quick_user.ts";
import { until } from "@/tests/sites/until.ts";
import { fillWorklist, setUnderWay, WORKED } from "@/tests/sites/worked_site.ts";

const isBuilt = existsSync(new URL("../../static/build/manifest.json", import.meta.url));
const KEY = "a-key-of-two-halves-0123456789abcdef";

Deno.test({
  name: `viewer pages of a site, and of an edge in front of it, come with pictures${
    isBuilt ? "" : " (skipped: static/build is not built)"
  }`,
  ignore: !isBuilt,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const dataDir = mkdtempSync(join(tmpdir(), "sulcus-pictures-"));
    try {
      await addAdministratorBefore({ dataDir }, { email: EMAIL, password: PASSWORD });
      const pids = await fillWorklist(dataDir);
      // with the permissions of a site in use, each process with its own
      await using core = await startSite({
        dataDir,
        command: "start",
        env: { SULCUS_CORE_KEY: KEY, SULCUS_CALLS_PER_MINUTE: "0" },
      });
      await setUnderWay(dataDir, pids);
      await using edge = await startSite({
        env: { SULCUS_CORE_URL: core.url, SULCUS_CORE_KEY: KEY },
      });
      for (const { url } of [core, edge]) {
        const headers = { cookie: await signInPage(url, EMAIL, PASSWORD) };
        let viewers = 0;
        for (const [at, pid] of pids.entries()) {
          const page = async () => await (await fetch(`${url}/viewer/${pid}`, { headers })).text();
          const html = await page();
          if (!html.includes('data-island="SliceViewer"')) continue;
          viewers++;
          await until(async () => (await page()).includes("data-first-picture"));
          assert.ok(at < WORKED.length);
        }
        assert.ok(viewers >= 8, `${viewers} viewers`);
        const anonymous = await fetch(`${url}/viewer/${pids[0]}`);
        assert.ok(!(await anonymous.text()).includes("data-first-picture"));
      }
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
});
