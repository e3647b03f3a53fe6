// The server is killed while it stores texts and signatures of a study.
// covers: S-130, S-260
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import dicomParser from "dicom-parser";
import { login } from "@/client/api/accounts/auth.ts";
import { renewSystemKey, savePeer } from "@/client/api/connections/connections.ts";
import type { Api } from "@/client/api/http.ts";
import { getDicom } from "@/client/api/report/dicom.ts";
import { Random } from "@/model/random.ts";
import { conclusionText } from "@/model/text/report/conclusion.ts";
import { queueResults } from "@/server/core/connections/service/result_queue.ts";
import type { Database } from "@/server/core/database/database.ts";
import { createCore } from "@/server/core/mod.ts";
import { listTexts } from "@/server/core/reports/storage/report_text.ts";
import { verifyAudit } from "@/server/core/site/service/audit/audit.ts";
import { stateOf, textOf } from "@/tests/api/report/text_writer.ts";
import { ROOT } from "@/tests/e2e/site.ts";
import { coreTest, EMAIL, openBeside, PASSWORD, siteOf } from "@/tests/sites/core_site.ts";
import { analysedPhantom, studyFiles } from "@/tests/sites/dicom_study.ts";

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

/** Reads the status of the results in FHIR and in the DICOM SR, from a server started again. */
async function checkStatus(
  { dataDir, pid, key }: { dataDir: string; pid: number; key: string },
  last: number,
): Promise<void> {
  const core = await createCore({ dataDir, databaseUrl: siteOf(dataDir), workers: 0 });
  try {
    const open: Api = { send: core.fetch, origin: "http://core" };
    const { access_token } = await login(open, { email: EMAIL, password: PASSWORD });
    const address = `http://core/api/v1/fhir/DiagnosticReport/${pid}`;
    const headers = { authorization: `Bearer ${key}` };
    const report = await (await core.fetch(new Request(address, { headers }))).json();
    const isSigned = stateOf(last) === "signed";
    const signatures = Math.floor(last / 3);
    const isFirst = signatures === 1 && isSigned;
    const status = signatures === 0 ? "preliminary" : isFirst ? "final" : "amended";
    assert.equal(report.status, status, `FHIR after version ${last}`);
    const { en: suggested } = conclusionText.automatic;
    assert.ok(report.conclusion.startsWith(isSigned ? textOf(last) : suggested), report.conclusion);
    const sr = await getDicom({ ...open, token: access_token }, pid, "measurements");
    const file = dicomParser.parseDicom(new Uint8Array(await sr.arrayBuffer()));
    assert.equal(file.string("x0040a496"), isSigned ? "FINAL" : "PRELIMINARY");
  } finally {
    await core.close();
  }
}

coreTest(
  "a server that is killed while it stores texts and signatures leaves none by half, and FHIR and SR have the status of the last one",
  async (test) => {
    const { api, dataDir } = test;
    const pid = await analysedPhantom(test, studyFiles()), random = new Random(46);
    const db = await openBeside(dataDir);
    try {
      const results = ["report" as const];
      const config = { host: "127.0.0.1", port: 104, ae_title: "PACS", results };
      await savePeer(api, null, { name: "PACS", kind: "dicom", config });
      const fhir = { url: "http://127.0.0.1:9", results: ["fhir" as const] };
      const system = await savePeer(api, null, { name: "FHIR", kind: "fhir", config: fhir });
      const key = await renewSystemKey(api, system);
      await db.transaction().execute((tx) => queueResults(tx, pid));
      await db.updateTable("outbox").set({ state: "sent", sent_at: "2026-01-06T10:00:00.000Z" })
        .execute();
      let last = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const acknowledged = await killAmongTexts(dataDir, pid, random);
        assert.ok(acknowledged > last, "a server that starts again goes on");
        last = await checkTexts(db, pid, acknowledged);
        await checkQueue(db, pid, last);
        await checkStatus({ dataDir, pid, key }, last);
        assert.equal((await verifyAudit(db)).broken, null);
      }
      assert.ok(last >= ROUNDS, `${last} versions`);
    } finally {
      await db.destroy();
    }
  },
);
