// covers: S-128
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { LEFTOVERS_METRIC, type Sample } from "@/server/wire/metrics.ts";
import { checkPort } from "@/server/commands/doctor/checks.ts";
import { readEnvironment } from "@/server/commands/start/environment.ts";
import { createCore } from "@/server/core/mod.ts";
import { insertBlobs } from "@/server/core/blobs/blob_index.ts";
import { blobPath } from "@/server/core/blobs/blob_file.ts";
import { createSite } from "@/server/edge/site.ts";
import { nameSite, openBeside } from "@/tests/sites/core_site.ts";
import { databaseTest } from "@/tests/sites/databases.ts";
import { addStudyWithFiles } from "@/tests/sites/stored_studies.ts";
import { until } from "@/tests/sites/until.ts";

const LEFT = "ab".repeat(32), FORGOTTEN = "cd".repeat(32);
const searchedIn = (samples: readonly Sample[]) =>
  samples.find(({ metric }) => metric.name === LEFTOVERS_METRIC)!.value;

databaseTest(
  "a site serves while it searches for what a crash left behind, and says so",
  async ({ url }) => {
    const dataDir = await Deno.makeTempDir({ prefix: "sulcus-test-" }), blobs = `${dataDir}/blobs`;
    nameSite(dataDir, url);
    const start = () => createCore({ dataDir, databaseUrl: url, workers: 0 });
    try {
      await (await start()).close();
      await addStudyWithFiles(dataDir, "WHOLE");
      // a file without a database row, and a file with a row that nothing refers to
      for (const hash of [LEFT, FORGOTTEN]) {
        await Deno.mkdir(blobPath(blobs, hash).slice(0, -65), { recursive: true });
        await Deno.writeTextFile(blobPath(blobs, hash), "left");
      }
      await Deno.writeTextFile(`${blobs}/incoming/1-0`, "left");
      const db = await openBeside(dataDir);
      await insertBlobs(db, [{ hash: FORGOTTEN, sizeBytes: 4 }], "2026-01-06T00:00:00Z");
      // waits longer than the resolution of the file system's clock
      await until(() =>
        Date.now() > Deno.statSync(blobPath(blobs, FORGOTTEN)).ctime!.getTime() + 20
      );

      const core = await start();
      const atFirst = core.metrics(),
        served = [existsSync(blobPath(blobs, LEFT)), existsSync(`${blobs}/incoming/1-0`)];
      // with PostgreSQL, other servers may stage files too, so only files older than a day are
      // removed
      assert.deepEqual(
        served,
        [true, url !== null],
        "it had been searched for before the site served",
      );
      const samples = await atFirst;
      assert.ok(searchedIn(samples) < 1);
      const says = async (metrics: typeof core.metrics) => {
        const site = await createSite({ core: { ...core, metrics }, settings: { dataDir: null } });
        const server = Deno.serve(
          { hostname: "127.0.0.1", port: 0, onListen: () => {} },
          (request, info) => site.fetch(request, info),
        );
        const { environment } = readEnvironment(
          { SULCUS_PORT: String(server.addr.port) },
          1,
        ) as Extract<
          ReturnType<typeof readEnvironment>,
          { environment: unknown }
        >;
        const { text } = await checkPort(environment);
        await server.shutdown();
        site.close();
        return text.split(": ").slice(1).join(": ");
      };
      assert.match(
        await says(() => Promise.resolve(samples)),
        /^ready \(searching for leftovers: \d+ %\)$/,
      );
      await until(async () => searchedIn(await core.metrics()) === 1);
      assert.equal(await says(core.metrics), "ready");
      const named = (await db.selectFrom("blobs").select("hash").execute()).map(({ hash }) => hash);
      assert.equal(named.length, 3);
      for (const hash of named) {
        assert.ok(
          existsSync(blobPath(blobs, hash)),
          "a file of a study is lost",
        );
      }
      assert.deepEqual([LEFT, FORGOTTEN].map((hash) => existsSync(blobPath(blobs, hash))), [
        false,
        false,
      ]);
      await db.destroy();
      await core.close();
    } finally {
      await Deno.remove(dataDir, { recursive: true });
    }
  },
);
