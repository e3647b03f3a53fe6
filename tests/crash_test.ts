// covers: S-16, S-96
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { login } from "@/client/api/accounts/auth.ts";
import { type Api, callJson } from "@/client/api/http.ts";
import { getPatient, listPatients, uploadFiles } from "@/client/api/studies/patients.ts";
import { allAnalysed, blobsOnDisk } from "@/tests/sites/core_site.ts";
import { getUploadState } from "@/client/api/studies/upload.ts";
import { uploadResponse } from "@/model/schema/studies/upload.ts";
import { until } from "@/tests/sites/until.ts";
import { type PhantomFile, phantomSeries } from "@/tests/sites/phantom_series.ts";
import {
  EMAIL,
  PASSWORD,
  ROOT,
  searchedForLeftovers,
  type Site,
  startSite,
} from "@/tests/e2e/site.ts";
import { Random } from "@/server/commands/demo/phantom/random.ts";

const ROUNDS = 10;
/**
 * Rounds with a series that the engine can analyse, killed during its analysis, as the next rounds
 * are. In the other rounds the analysis fails after two seconds with `field of view`, and the
 * server is killed at any time from the first byte of the upload.
 */
const WHOLE = [0];
const LATEST_KILL_AFTER_ANSWER_MS = 4000;
/** Rounds in which the server is killed in the first half of the upload. */
const EARLY = [2, 7];

const isBuilt = existsSync(`${ROOT}/static/build/manifest.json`);

async function signIn(site: Site): Promise<Api> {
  const open: Api = { send: (request) => fetch(request), origin: site.url };
  return { ...open, token: (await login(open, { email: EMAIL, password: PASSWORD })).access_token };
}

/** Acknowledged upload: study number, and the hashes of its files. */
interface Acknowledged {
  pid: number;
  kind: "short" | "whole";
  hashes: string[];
}

const hashOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** Uploads and kills the server. @returns the acknowledged upload, and the response time, ms. */
async function uploadAndKill(
  site: Site,
  kind: "short" | "whole",
  patientId: string,
  killMs: number,
): Promise<{ stored: Acknowledged | null; uploadMs: number }> {
  const api = await signIn(site), files = phantomSeries(kind, patientId);
  const started = performance.now();
  const sending = uploadFiles(api, files).catch(() => null);
  if (kind === "whole") await sending;
  const uploadMs = performance.now() - started;
  await new Promise<void>((resolve) => setTimeout(resolve, killMs));
  await site.stop("SIGKILL");
  const pid = (await sending)?.pid_list[0];
  const hashes = files.map((file) => hashOf(file.bytes)).sort();
  return { stored: pid === undefined ? null : { pid, kind, hashes }, uploadMs };
}

/** Content of the database after the site has stopped. */
function readDatabase(dataDir: string) {
  const db = new DatabaseSync(`${dataDir}/core.sqlite`, { readOnly: true });
  const column = (sql: string, ...values: number[]) =>
    db.prepare(sql).all(...values).map((row) => Object.values(row)[0]);
  try {
    return {
      integrity: column("PRAGMA integrity_check"),
      danglingRows: db.prepare("PRAGMA foreign_key_check").all().length,
      openJobs: column("SELECT id FROM jobs WHERE status IN ('queued', 'running')"),
      openAnalyses: column("SELECT id FROM analyses WHERE status IN ('waiting', 'processing')"),
      studiesWithoutSeries: column(
        "SELECT pid FROM patients WHERE pid NOT IN (SELECT pid FROM series)",
      ),
      seriesWithoutInstances: column(
        "SELECT id FROM series WHERE id NOT IN (SELECT series_id FROM instances)",
      ),
      studiesWithoutAnalysis: column("SELECT pid FROM patients WHERE t1_analysis_id IS NULL"),
      completedTwice: column(
        "SELECT pid FROM analyses WHERE status = 'completed' GROUP BY series_id HAVING count(*) > 1",
      ),
      blobs: column("SELECT hash FROM blobs ORDER BY hash") as string[],
      instancesOf: new Map(
        (column("SELECT pid FROM patients") as number[]).map((pid) => [
          pid,
          column("SELECT blob FROM instances WHERE pid = ? ORDER BY blob", pid) as string[],
        ]),
      ),
    };
  } finally {
    db.close();
  }
}

Deno.test({
  name: "kill -9 at ten random instants loses nothing acknowledged and leaves nothing behind" +
    (isBuilt ? "" : " (skipped: run deno task build first)"),
  ignore: !isBuilt,
  async fn() {
    const dataDir = await Deno.makeTempDir({ prefix: "sulcus-crash-" });
    const random = new Random(20260105), acknowledged: Acknowledged[] = [];
    let resumed = 0, answerMs = 0;
    try {
      phantomSeries("short", "warm-up");
      for (let round = 0; round < ROUNDS; round++) {
        const kind = WHOLE.includes(round) ? "whole" : "short";
        // up to twice the usual duration of an upload: before, during or after its acknowledgement
        const latest = kind === "whole"
          ? LATEST_KILL_AFTER_ANSWER_MS
          : (EARLY.includes(round) ? 0.5 : 2) * answerMs;
        const site = await startSite({ dataDir, workers: 2 });
        const { stored, uploadMs } = await uploadAndKill(
          site,
          kind,
          `CRASH-${round}`,
          random.uniform() * latest,
        );
        if (kind === "whole") answerMs = uploadMs;
        if (stored) acknowledged.push(stored);
        if (/Resuming jobs/.test(site.output())) resumed++;
      }
      // enough kills must have hit the intended phases
      const whole = acknowledged.filter(({ kind }) => kind === "whole").length;
      assert.equal(whole, WHOLE.length, "a whole series was not acknowledged");
      assert.ok(resumed >= 2, `${resumed} starts found an unfinished analysis`);

      const site = await startSite({ dataDir, workers: 2 });
      try {
        const api = await signIn(site);
        await allAnalysed(api);
        for (const { pid, kind } of acknowledged) {
          const patient = await getPatient(api, pid);
          const expected = kind === "whole" ? "completed" : "failed";
          assert.equal(
            patient.t1_analysis_status,
            expected,
            `${pid} ${JSON.stringify(patient.analysis_error)}`,
          );
          if (kind === "short") {
            assert.equal(patient.analysis_error?.code, "engine.unsupported_input");
          }
        }
        const { total } = await listPatients(api);
        assert.ok(total >= acknowledged.length && total <= ROUNDS, `${total} rows`);
        await searchedForLeftovers(site.url);
      } finally {
        await site.stop("SIGTERM");
      }

      const { blobs, instancesOf, integrity, ...leftovers } = readDatabase(dataDir);
      assert.deepEqual(integrity, ["ok"]);
      assert.deepEqual(leftovers, {
        danglingRows: 0,
        openJobs: [],
        openAnalyses: [],
        studiesWithoutSeries: [],
        seriesWithoutInstances: [],
        studiesWithoutAnalysis: [],
        completedTwice: [],
      });
      for (const { pid, hashes } of acknowledged) {
        assert.deepEqual(instancesOf.get(pid), hashes, `study ${pid}`);
      }
      assert.deepEqual(blobsOnDisk(dataDir), blobs);
      for (const hash of blobs) {
        const bytes = await Deno.readFile(
          `${dataDir}/blobs/${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash}`,
        );
        assert.equal(hashOf(bytes), hash);
      }
    } finally {
      await Deno.remove(dataDir, { recursive: true });
    }
  },
});

Deno.test({
  name:
    "kill -9 in the middle of an upload: the parts that had arrived are not sent again, and no slice is missing" +
    (isBuilt ? "" : " (skipped: run deno task build first)"),
  ignore: !isBuilt,
  async fn() {
    const dataDir = await Deno.makeTempDir({ prefix: "sulcus-crash-" });
    const files = phantomSeries("short", "CRASH-UPLOAD"), id = "c".repeat(32);
    const part = (api: Api, some: readonly PhantomFile[], isLast: boolean) => {
      const body = new FormData();
      for (const { fileName, bytes } of some) {
        body.append("dicom_files", new Blob([bytes]), fileName);
      }
      const query = { upload_id: id, is_last: isLast ? "1" : "0", file_count: files.length };
      return callJson(api, uploadResponse, "/api/v1/patients", { method: "POST", query, body });
    };
    try {
      let site = await startSite({ dataDir, workers: 0 });
      const first = await signIn(site);
      for (const at of [0, 10]) await part(first, files.slice(at, at + 10), false);
      // the third part stalls after its fifth file
      const killed = Promise.withResolvers<void>();
      const body = ReadableStream.from((async function* () {
        for (const { fileName, bytes } of files.slice(20, 25)) {
          yield new TextEncoder().encode(
            `--B\r\ncontent-disposition: form-data; name="dicom_files"; filename="${fileName}"\r\n\r\n`,
          );
          yield bytes;
          yield new TextEncoder().encode("\r\n");
        }
        await killed.promise;
      })());
      const third = fetch(`${site.url}/api/v1/patients?upload_id=${id}&is_last=0`, {
        method: "POST",
        headers: {
          "authorization": `Bearer ${first.token}`,
          "content-type": "multipart/form-data; boundary=B",
        },
        body,
      }).catch(() => null);
      await until(() => [...Deno.readDirSync(`${dataDir}/blobs/incoming`)].length >= 4);
      await site.stop("SIGKILL");
      killed.resolve();
      await third;

      site = await startSite({ dataDir, workers: 0 });
      try {
        const api = await signIn(site), { received } = await getUploadState(api, id);
        assert.ok(received.length >= 20, `${received.length} files are there`);
        const rest = files.filter(({ fileName }) => !received.includes(fileName));
        assert.ok(rest.length > 0);
        assert.equal((await part(api, rest, true)).success, 1);
        await searchedForLeftovers(site.url);
      } finally {
        await site.stop("SIGTERM");
      }
      const { integrity, danglingRows, instancesOf, blobs } = readDatabase(dataDir);
      assert.deepEqual([integrity, danglingRows], [["ok"], 0]);
      assert.deepEqual(instancesOf.get(1), files.map(({ bytes }) => hashOf(bytes)).sort());
      assert.deepEqual(blobsOnDisk(dataDir), blobs);
    } finally {
      await Deno.remove(dataDir, { recursive: true });
    }
  },
});
