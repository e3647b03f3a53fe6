// covers: S-130
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { login } from "@/client/api/accounts/auth.ts";
import type { Api } from "@/client/api/http.ts";
import { getReportText, saveReportText, signReportText } from "@/client/api/report/report_text.ts";
import { makeFolders } from "@/server/core/blobs/blob_file.ts";
import { Random } from "@/server/commands/demo/phantom/random.ts";
import { EMAIL, PASSWORD, ROOT, type Site, startSite } from "@/tests/e2e/site.ts";
import { openBeside } from "@/tests/sites/core_site.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import { addReadStudy } from "@/tests/sites/read_study.ts";

const ROUNDS = Number(Deno.env.get("TEXT_KILLS") ?? 2);
const isBuilt = existsSync(`${ROOT}/static/build/manifest.json`);

async function signIn(site: Site): Promise<Api> {
  const open: Api = { send: (request) => fetch(request), origin: site.url };
  return { ...open, token: (await login(open, { email: EMAIL, password: PASSWORD })).access_token };
}

Deno.test({
  name: "kill -9 between edit and signature loses no version that was acknowledged" +
    (isBuilt ? "" : " (skipped: run deno task build first)"),
  ignore: !isBuilt,
  async fn() {
    const dataDir = await Deno.makeTempDir({ prefix: "sulcus-text-" }),
      random = new Random(20260106);
    try {
      makeFolders(dataDir);
      const db = await openBeside(dataDir);
      await addQuickUser(db, {
        email: EMAIL,
        password: PASSWORD,
        name: "Physician",
        isMaintenance: true,
      });
      await db.destroy();
      const pid = await addReadStudy(dataDir), acknowledged: string[] = [];
      for (let round = 0; round <= ROUNDS; round++) {
        const site = await startSite({ dataDir, workers: 1 }), api = await signIn(site);
        const found = await getReportText(api, pid);
        const kept = found.versions.toReversed().map(({ state, text }) => `${state} ${text}`);
        assert.deepEqual(kept.slice(0, acknowledged.length), acknowledged);
        assert.ok(
          kept.length <= acknowledged.length + 1,
          "no more than the one that was under way",
        );
        const signature = kept.findLast((one) => one.startsWith("signed "))?.slice(
          "signed ".length,
        );
        assert.equal(found.signed?.text, signature);
        if (round === ROUNDS) {
          await site.stop();
          break;
        }
        acknowledged.splice(0, Infinity, ...kept);
        let version = found.version;
        const write = async (isSigned: boolean) => {
          const text = `Version ${version + 1}\nof round ${round}`;
          const put = { based_on: version, language: "en" as const, text };
          version++;
          if (isSigned) await signReportText(api, pid, { ...put, results: found.results });
          else await saveReportText(api, pid, put);
          return `${isSigned ? "signed" : "draft"} ${text}`;
        };
        for (let left = 3 + Math.floor(random.uniform() * 4); left > 0; left--) {
          acknowledged.push(await write(left % 3 === 0));
        }
        // the server is killed during this call, so the text may or may not be stored
        const last = write(round === 1).catch(() => null);
        await site.stop("SIGKILL");
        const answered = await last;
        if (answered !== null) acknowledged.push(answered);
      }
      assert.ok(acknowledged.length >= 3 * ROUNDS, `${acknowledged.length} versions prove little`);
    } finally {
      await Deno.remove(dataDir, { recursive: true });
    }
  },
});
