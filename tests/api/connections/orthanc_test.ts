// covers: S-121
// A whole day with a PACS of somebody else's: Debian's Orthanc sends a Philips scanner's series, and DCMTK's storescu as a
// scanner does, we analyse, the results are in Orthanc.
import assert from "node:assert/strict";
import {
  getConnections,
  getRouting,
  getSentResults,
  repeatResults,
  savePeer,
  saveRouting,
  sendTestImage,
  testPeer,
} from "@/client/api/connections/connections.ts";
import { login } from "@/client/api/accounts/auth.ts";
import { type Api, call } from "@/client/api/http.ts";
import { SCANS } from "@/server/core/dicom/read/scans_testing.ts";
import { allAnalysed, EMAIL, PASSWORD, withCore } from "@/tests/sites/core_site.ts";
import { LateGate, sendFiles } from "@/tests/sites/connections/gate_site.ts";
import { noPython, runPython } from "@/tests/sites/connections/python_peers.ts";
import { setGroup } from "@/tests/sites/group_settings.ts";
import { noOrthanc, type Orthanc, startOrthanc } from "@/tests/sites/connections/orthanc.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { until, untilEqual } from "@/tests/sites/until.ts";

const RESULTS = ["report", "measurements", "pages", "regions"] as const;

type Tags = Record<string, { Value: unknown }>;
/** What highdicom and pydicom find in the results. */
interface Read {
  DOC: string;
  OT: number[][];
  SEG: { segments: number; pairs: number; swapped: number };
  SR: { groups: number; volumes: number; least: number };
}

interface OrthancSeries {
  MainDicomTags: { Modality: string };
  Instances: string[];
}

/** Reads the results of a study in Orthanc by what researchers use, where that is here: left is still left. */
async function readInOrthanc(orthanc: Orthanc, study: string): Promise<void> {
  if (noPython !== "") return;
  const folder = await Deno.makeTempDir({ prefix: "sulcus-read-" }), paths: string[] = [];
  for (
    const { MainDicomTags, Instances } of await orthanc.get<OrthancSeries[]>(
      `/studies/${study}/series`,
    )
  ) {
    if (MainDicomTags.Modality === "MR") continue;
    for (const id of Instances) {
      paths.push(`${folder}/${id}`);
      const file = await fetch(`${orthanc.url}/instances/${id}/file`);
      await Deno.writeFile(paths.at(-1)!, file.body!);
    }
  }
  const read = await runPython<Read>("read_results.py", ...paths);
  await Deno.remove(folder, { recursive: true });
  assert.equal(read.DOC, "%PDF-");
  assert.ok(read.OT.length > 1 && read.OT.every((colours) => colours[0] === 3));
  assert.ok(read.SEG.pairs > 30, `${read.SEG.pairs} of ${read.SEG.segments}`);
  assert.equal(read.SEG.swapped, 0);
  assert.ok(read.SR.groups > 60 && read.SR.volumes >= read.SR.groups && read.SR.least >= 0);
}

const PHILIPS = `${SCANS}/t1_dicom_adult_philips`;
const hasStorescu = await new Deno.Command("storescu", { args: ["--version"], stdout: "null" })
  .output()
  .then(() => true, () => false);

/** A real series where one is here, else the phantom's. */
async function sourceFiles(): Promise<Uint8Array<ArrayBuffer>[]> {
  if (SCANS === undefined) return phantomSeries("whole", "P-1").map(({ bytes }) => bytes);
  return await Promise.all(
    [...Deno.readDirSync(PHILIPS)].map(({ name }) => Deno.readFile(`${PHILIPS}/${name}`)),
  );
}

/** Sends the real series as a scanner does. @returns how many files. */
async function scan(api: Api, port: number): Promise<number> {
  await savePeer(api, null, {
    name: "Scanner",
    kind: "dicom",
    config: { ae_title: "PHILIPS", may_send: true },
  });
  // the gate looks at its settings every second
  await until(() => sendFiles(port, "PHILIPS", []).then(() => true, () => false));
  const { success } = await new Deno.Command("storescu", {
    args: ["-aet", "PHILIPS", "-aec", "SULCUS", "+sd", "127.0.0.1", String(port), PHILIPS],
    env: { TCP_NODELAY: "1" },
    stdout: "null",
    stderr: "null",
  }).output();
  assert.ok(success);
  return [...Deno.readDirSync(PHILIPS)].length;
}

Deno.test({
  name:
    `Orthanc sends a study and gets PDF, SR, SEG and report pages back, by C-STORE and STOW-RS, and commits to them ${noOrthanc}`,
  ignore: noOrthanc !== "",
  fn: () => {
    const gate = new LateGate();
    return withCore(async ({ api, open, dataDir }) => {
      const { port } = await gate.open(dataDir), orthanc = await startOrthanc(port);
      try {
        const dicom = {
          ae_title: "PACS",
          host: "127.0.0.1",
          port: orthanc.dicomPort,
          may_send: true,
          addresses: ["127.0.0.0/8"],
          results: [...RESULTS],
          commits: true,
        };
        const pacs = await savePeer(api, null, { name: "PACS", kind: "dicom", config: dicom });
        const url = `${orthanc.url}/dicom-web`;
        await savePeer(api, null, {
          name: "Web",
          kind: "dicomweb",
          config: { url, results: ["regions"] },
        });
        await saveRouting(api, { ...await getRouting(api), quiet_seconds: 1 });
        const { peers } = await getConnections(api);
        for (const { id } of peers) {
          assert.deepEqual(await testPeer(api, id), { is_ok: true, failure: null, text: "" });
        }
        for (const bytes of await sourceFiles()) await orthanc.post("/instances", bytes);
        const [study] = await orthanc.get<string[]>("/studies");
        // the gate looks at its settings every second
        await until(() =>
          orthanc.post("/modalities/SULCUS/echo", "{}").then(() => true, () => false)
        );
        await orthanc.post("/modalities/SULCUS/store", study!);
        await until(async () =>
          (await getConnections(api)).arrivals.some(({ state }) => state === "stored")
        );
        await allAnalysed(api);
        const sent = await until(async () => {
          const { results } = await getSentResults(api, 1).catch(() => ({ results: [] }));
          const isOver = results.length === 5 &&
            results.every(({ state }) => state !== "waiting" && state !== "sending");
          return isOver && results.every(({ peer, committed_at }) => peer === "Web" || committed_at)
            ? results
            : null;
        });
        assert.deepEqual(
          sent.map(({ peer, kind, state, last_error }) => [peer, kind, state, last_error]).sort(),
          [
            ["PACS", "measurements", "sent", null],
            ["PACS", "pages", "sent", null],
            ["PACS", "regions", "sent", null],
            ["PACS", "report", "sent", null],
            ["Web", "regions", "sent", null],
          ],
        );
        const series = await orthanc.get<OrthancSeries[]>(`/studies/${study}/series`);
        const found = series.map(({ MainDicomTags }) => MainDicomTags.Modality).sort();
        assert.deepEqual(found, ["DOC", "MR", "OT", "SEG", "SR"]);
        await readInOrthanc(orthanc, study!);
        // Orthanc asks us to commit to what it sent
        const instances = series.find(({ MainDicomTags }) =>
          MainDicomTags.Modality === "MR"
        )!.Instances;
        const { ID } = await orthanc.post<{ ID: string }>(
          "/modalities/SULCUS/storage-commitment",
          JSON.stringify({ Resources: instances }),
        );
        const report = await until(async () => {
          const report = await orthanc.get<{ Status: string; Success: unknown[] }>(
            `/storage-commitment/${ID}`,
          );
          return report.Status === "Pending" ? null : report;
        });
        assert.deepEqual([report.Status, report.Success.length], ["Success", instances.length]);
        // sent again: it is there already, and that is no failure
        await repeatResults(api, sent.map(({ id }) => id));
        await until(async () => {
          const { results } = await getSentResults(api, 1);
          return results.every(({ state, attempts }) => state === "sent" && attempts === 2);
        });
        assert.equal((await orthanc.get<string[]>("/series")).length, 5);
        // a token lasts a quarter of an hour, which a busy machine needs for all of this
        api.token = (await login(open, { email: EMAIL, password: PASSWORD })).access_token;
        // a scanner sends it too: it is there already
        if (hasStorescu && SCANS !== undefined) {
          const count = await scan(api, port);
          // each image has come twice
          await untilEqual(
            async () =>
              (await getConnections(api)).arrivals.map((
                { sender, state, instances },
              ) => [sender, state, instances]),
            [["PHILIPS", "stored", 2 * count]],
          );
        }
        // analysed again: other objects, which say what they take the place of
        const before = series.find(({ MainDicomTags }) => MainDicomTags.Modality === "SR")!
          .Instances[0]!;
        const old = await orthanc.get<Tags>(`/instances/${before}/tags`);
        await setGroup(dataDir, { bias_correction: false });
        await call(api, "/api/v1/patients/1/reanalyses", { method: "POST" });
        await allAnalysed(api);
        const again = await until(async () => {
          const { results } = await getSentResults(api, 1);
          return results.length === 10 && results.every(({ state }) => state === "sent")
            ? results
            : null;
        });
        assert.equal(again.filter(({ last_error }) => last_error !== null).length, 0);
        const all = await orthanc.get<OrthancSeries[]>(`/studies/${study}/series`);
        const renewed = all.filter(({ MainDicomTags }) => MainDicomTags.Modality === "SR").flatMap((
          { Instances },
        ) => Instances).find((id) => id !== before)!;
        const tags = JSON.stringify(await orthanc.get<Tags>(`/instances/${renewed}/tags`));
        assert.ok(tags.includes('"0040,a360"') && tags.includes(String(old["0008,0018"]!.Value)));
        assert.equal(
          (await getConnections(api)).peers.find(({ id }) => id === pacs)!.last_error,
          null,
        );
        // a picture of nobody, by both ways: one object
        for (const { id } of peers) {
          assert.deepEqual(await sendTestImage(api, id), { is_ok: true, failure: null, text: "" });
        }
        const query = JSON.stringify({ Level: "Instance", Query: { PatientID: "SULCUS-TEST" } });
        assert.equal((await orthanc.post<string[]>("/tools/find", query)).length, 1);
      } finally {
        await orthanc.close();
        await gate.close();
      }
    }, { workers: 2, gate: { ask: gate.ask, aeTitle: "SULCUS" } });
  },
});
