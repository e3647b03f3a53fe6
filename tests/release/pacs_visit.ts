// pacs_visit.ts URL EMAIL PASSWORD connect|results ORTHANC: connects a newly installed site with a
// PACS. `connect` adds the connection as in docs/site/pacs.md, tests it with an echo and an image,
// and puts a phantom into Orthanc; `results` waits until Orthanc's study is analysed and Orthanc
// has received the results. Exits with 1 on failure.
import assert from "node:assert/strict";
import {
  getConnections,
  getSentResults,
  savePeer,
  sendTestImage,
  testPeer,
} from "@/client/api/connections/connections.ts";
import { listPatients } from "@/client/api/studies/patients.ts";
import { pageApi, signInPage } from "@/bench/server/server_site.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";

const [url = "", email = "", password = "", step = "", orthanc = ""] = Deno.args;
const PATIENT = "PACS-1";
const MAX_WAIT_MS = 30 * 60_000;
const say = (text: string) => void Deno.stdout.writeSync(new TextEncoder().encode(text + "\n"));
const api = pageApi(url, await signInPage(url, email, password));

/** Waits until a probe returns a value. @throws {Error} with the last state after half an hour. */
async function waitFor<T>(what: string, probe: () => Promise<T | null>): Promise<T> {
  for (const started = Date.now(); Date.now() - started < MAX_WAIT_MS;) {
    const answer = await probe();
    if (answer !== null) return answer;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  throw new Error(`In vain: ${what}; ${JSON.stringify((await getConnections(api)).arrivals)}`);
}

async function ask<T>(path: string, body?: BodyInit): Promise<T> {
  const answer = await fetch(orthanc + path, body ? { method: "POST", body } : {});
  assert.ok(answer.ok, `${path}: ${answer.status}`);
  return await answer.json() as T;
}

if (step === "connect") {
  const id = await savePeer(api, null, {
    name: "Orthanc",
    kind: "dicom",
    config: {
      ae_title: "ORTHANC",
      host: "10.1.2.4",
      port: 4242,
      may_send: true,
      results: ["report", "pages", "measurements", "regions"],
    },
  });
  assert.deepEqual(await testPeer(api, id), { is_ok: true, failure: null, text: "" });
  assert.equal((await sendTestImage(api, id)).is_ok, true);
  say("Orthanc answers an echo and keeps the test image");
  for (const study of await ask<string[]>("/studies")) {
    const answer = await fetch(`${orthanc}/studies/${study}`, { method: "DELETE" });
    await answer.body?.cancel();
  }
  for (const { bytes } of phantomSeries("whole", PATIENT)) await ask("/instances", bytes);
  // the gate (DICOM receiver) reads its settings every second
  await waitFor("Orthanc's echo", () => ask("/modalities/SULCUS/echo", "{}").catch(() => null));
} else {
  const row = await waitFor(
    "the study",
    async () =>
      (await listPatients(api)).patients.find(({ patient_id }) => patient_id === PATIENT) ?? null,
  );
  say(`the study came: ${row.pid}`);
  const results = await waitFor("its results", async () => {
    const { results } = await getSentResults(api, row.pid).catch(() => ({ results: [] }));
    return results.length === 4 && results.every(({ state }) => state === "sent") ? results : null;
  });
  const series = await ask<{ MainDicomTags: { Modality: string } }[]>("/series?expand");
  const kinds = series.map(({ MainDicomTags }) => MainDicomTags.Modality).sort();
  assert.deepEqual(kinds, ["DOC", "MR", "OT", "SEG", "SR"]);
  say(`Orthanc has ${results.map(({ kind }) => kind).sort().join(", ")}`);
}
