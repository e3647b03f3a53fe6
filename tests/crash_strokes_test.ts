// covers: S-123
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { login } from "@/client/api/accounts/auth.ts";
import type { Api } from "@/client/api/http.ts";
import { getPatient } from "@/client/api/studies/patients.ts";
import { addStroke, listStrokes } from "@/client/api/reading/strokes.ts";
import { makeFolders } from "@/server/core/blobs/blob_file.ts";
import { EMAIL, PASSWORD, ROOT, type Site, startSite } from "@/tests/e2e/site.ts";
import { Random } from "@/server/commands/demo/phantom/random.ts";
import { openBeside } from "@/tests/sites/core_site.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import { addReadStudy, LEFT, voxelAt } from "@/tests/sites/read_study.ts";

const ROUNDS = 2;
const isBuilt = existsSync(`${ROOT}/static/build/manifest.json`);

async function signIn(site: Site): Promise<Api> {
  const open: Api = { send: (request) => fetch(request), origin: site.url };
  return { ...open, token: (await login(open, { email: EMAIL, password: PASSWORD })).access_token };
}

Deno.test({
  name: "kill -9 while a label is corrected loses no stroke that was acknowledged" +
    (isBuilt ? "" : " (skipped: run deno task build first)"),
  ignore: !isBuilt,
  async fn() {
    const dataDir = await Deno.makeTempDir({ prefix: "sulcus-strokes-" }),
      random = new Random(20260106);
    try {
      makeFolders(dataDir);
      const db = await openBeside(dataDir);
      await addQuickUser(db, {
        email: EMAIL,
        password: PASSWORD,
        name: "Reader",
        isMaintenance: true,
      });
      await db.destroy();
      const pid = await addReadStudy(dataDir), acknowledged: number[] = [];
      let sent = 0;
      for (let round = 0; round <= ROUNDS; round++) {
        const site = await startSite({ dataDir, workers: 1 }), api = await signIn(site);
        const { strokes } = await listStrokes(api, pid),
          kept = new Set(strokes.map(({ id }) => id));
        for (const id of acknowledged) assert.ok(kept.has(id), `stroke ${id} is lost`);
        // the volumes match the stored strokes, even if the last stroke was not acknowledged
        const { t1_result } = await getPatient(api, pid);
        const left = t1_result!.find(({ part_index }) => part_index[0] === LEFT)!.volume_left!;
        assert.ok(
          Math.abs(left - (2.7 - strokes.length / 1000)) < 0.0051,
          `${left} mL, ${strokes.length}`,
        );
        if (round === ROUNDS) {
          await site.stop();
          break;
        }
        const strokeOf = (n: number) => ({
          series: "t1" as const,
          runs: [voxelAt(22 + n % 15, 20 + Math.floor(n / 15) % 15, 15 + Math.floor(n / 225)), 1],
          value: 0,
        });
        const target = acknowledged.length + 3 + Math.floor(random.uniform() * 5);
        while (acknowledged.length < target) {
          acknowledged.push((await addStroke(api, pid, strokeOf(sent++))).stroke_id!);
        }
        // the server is killed during this stroke, so it may or may not be stored
        const last = addStroke(api, pid, strokeOf(sent++)).catch(() => null);
        await site.stop("SIGKILL");
        const answered = (await last)?.stroke_id;
        if (answered) acknowledged.push(answered);
      }
      assert.ok(acknowledged.length >= 2 * ROUNDS, `${acknowledged.length} strokes prove little`);
    } finally {
      await Deno.remove(dataDir, { recursive: true });
    }
  },
});
