// The server is killed while it stores texts and signatures of a study.
// covers: S-130
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { savePeer } from "@/client/api/connections/connections.ts";
import { Random } from "@/model/random.ts";
import { queueResults } from "@/server/core/connections/service/result_queue.ts";
import type { Database } from "@/server/core/database/database.ts";
import { listTexts } from "@/server/core/reports/storage/report_text.ts";
import { verifyAudit } from "@/server/core/site/service/audit/audit.ts";
import { stateOf, textOf } from "@/tests/api/report/text_writer.ts";
import { ROOT } from "@/tests/e2e/site.ts";
import { coreTest, EMAIL, openBeside, PASSWORD, siteOf } from "@/tests/sites/core_site.ts";
import { addReadStudy } from "@/tests/sites/read_study.ts";

const ROUNDS = Number(Deno.env.get("TEXT_KILLS") ?? 3), MOST_VERSIONS = 9, LATEST_MS = 40;
const WRITER = fileURLToPath(new URL("./text_writer.ts", import.meta.url));
const RUN = ["run", "-A", "--no-check", `--config=${ROOT}/deno.json`];

/** Starts a writer, and kills it a random time after some answers. @returns the last answer. */
async function killAmongTexts(dataDir: string, pid: number, random: Random): Promise<number> {
  const writer = new Deno.Command(Deno.execPath(), {
    args: [...RUN, WRITER, dataDir, siteOf(dataDir) ?? "", `${pid}`, EMAIL, PASSWORD],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const answers = 1 + Math.floor(random.uniform() * MOST_VERSIONS);
  let text = "", isEnding = false;
  for await (const chunk of writer.stdout.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (isEnding || text.split("\n").length <= answers) continue;
    isEnding = true;
    setTimeout(() => writer.kill("SIGKILL"), LATEST_MS * random.uniform());
  }
  assert.equal((await writer.status).signal, "SIGKILL");
  return Number(text.trim().split("\n").at(-1));
}

/** Compares the stored versions with the acknowledged ones. @returns number of the last version. */
async function checkTexts(db: Database, pid: number, acknowledged: number): Promise<number> {
  const versions = (await listTexts(db, pid)).toReversed(), last = versions.length;
  assert.ok(last === acknowledged || last === acknowledged + 1, `${last} after ${acknowledged}`);
  for (const [at, { version, state, text, author, results, created_at }] of versions.entries()) {
    assert.deepEqual([version, state], [at + 1, stateOf(version)]);
    // a withdrawal repeats the signed text
    assert.equal(text, textOf(state === "withdrawn" ? version - 1 : version));
    assert.ok(author === "Administrator" && results !== "" && created_at !== "", `${version}`);
  }
  return last;
}

/** Signatures and withdrawals are sent again by the transaction that stores them. */
async function checkQueue(db: Database, pid: number, last: number): Promise<void> {
  const states = await db.selectFrom("outbox").select("state").where("pid", "=", pid).execute();
  const isSigned = Array.from({ length: last }, (_, at) => stateOf(at + 1))
    .some((state) => state !== "draft");
  assert.equal(states.some(({ state }) => state !== "sent"), isSigned, `${last} versions`);
}

coreTest(
  "a server that is killed while it stores texts and signatures leaves none by half",
  async ({ api, dataDir }) => {
    const pid = await addReadStudy(dataDir), random = new Random(46);
    const db = await openBeside(dataDir);
    try {
      const results = ["report" as const];
      const config = { host: "127.0.0.1", port: 104, ae_title: "PACS", results };
      await savePeer(api, null, { name: "PACS", kind: "dicom", config });
      await db.transaction().execute((tx) => queueResults(tx, pid));
      await db.updateTable("outbox").set({ state: "sent", sent_at: "2026-01-06T10:00:00.000Z" })
        .execute();
      let last = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const acknowledged = await killAmongTexts(dataDir, pid, random);
        assert.ok(acknowledged > last, "a server that starts again goes on");
        last = await checkTexts(db, pid, acknowledged);
        await checkQueue(db, pid, last);
        assert.equal((await verifyAudit(db)).broken, null);
      }
      assert.ok(last >= ROUNDS, `${last} versions`);
    } finally {
      await db.destroy();
    }
  },
);
