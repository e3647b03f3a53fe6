// covers: S-121
// FHIR is checked against the profiles of R4 as a package of somebody else's has them; the worklist is a peer's.
import assert from "node:assert/strict";
import fhirPackage from "fhir";
import {
  getConnections,
  getSentResults,
  renewSystemKey,
  repeatResults,
  savePeer,
} from "@/client/api/connections/connections.ts";
import { diagnosticReport } from "@/server/core/connections/service/fhir_resources.ts";
import { queueResults } from "@/server/core/connections/service/result_queue.ts";
import { noteRoute } from "@/server/core/connections/service/inbox/routing.ts";
import { orderOf } from "@/server/core/connections/service/orders.ts";
import { lastingPort } from "@/tests/sites/lasting_port.ts";
import { isListening, LateGate } from "@/tests/sites/connections/gate_site.ts";
import { until } from "@/tests/sites/until.ts";
import { openBeside, withCore } from "@/tests/sites/core_site.ts";
import { analysedPhantom, studyFiles } from "@/tests/sites/dicom_study.ts";

interface Checked {
  messages: { severity: string; location: string; message: string }[];
}
const checker = new (fhirPackage as unknown as {
  Fhir: new () => { validate(resource: unknown, options: { errorOnUnexpected: boolean }): Checked };
}).Fhir();

/** What the profiles of R4 say against a resource. */
const complaints = (resource: unknown) =>
  checker.validate(resource, { errorOnUnexpected: true }).messages
    .filter(({ severity }) => severity === "error" || severity === "fatal")
    .map(({ location, message }) => `${location}: ${message}`);

Deno.test("FHIR resources of an analysed study are found by study, patient and accession number, and are valid R4", () =>
  withCore(async (test) => {
    const { api, core } = test;
    const pid = await analysedPhantom(test, studyFiles());
    const id = await savePeer(api, null, {
      name: "EHR",
      kind: "fhir",
      config: { url: "http://ehr" },
    });
    const authorization = `Bearer ${await renewSystemKey(api, id)}`;
    const get = async (path: string) => {
      const answer = await core.fetch(
        new Request(`http://core/api/v1/fhir/${path}`, { headers: { authorization } }),
      );
      return { status: answer.status, body: await answer.json() };
    };
    assert.deepEqual(complaints({ resourceType: "Observation", status: "final" }), [
      "Observation.code: Missing property",
    ]);
    const { body: capability } = await get("metadata");
    assert.deepEqual(complaints(capability), []);
    const { body: study } = await get(`ImagingStudy/${pid}`);
    const uid = study.identifier[0].value.replace("urn:oid:", ""), [, accession] = study.identifier;
    assert.equal(study.numberOfSeries, 2);
    for (const type of ["DiagnosticReport", "ImagingStudy", "Observation"]) {
      const searches = [
        `identifier=urn:dicom:uid|urn:oid:${uid}`,
        `patient.identifier=SP-0001`,
        `patient=Patient/${pid}`,
        ...accession ? [`identifier=${accession.value}`] : [],
      ];
      for (const search of searches) {
        const { status, body } = await get(`${type}?${encodeURI(search)}`);
        assert.equal(status, 200);
        assert.ok(
          body.total >= 1 &&
            body.entry.every((one: { resource: { resourceType: string } }) =>
              one.resource.resourceType === type
            ),
          search,
        );
        assert.deepEqual(complaints(body), []);
      }
    }
    const { body: report } = await get(`DiagnosticReport/${pid}`);
    assert.deepEqual(complaints(report), []);
    assert.match(atob(report.presentedForm[0].data).slice(0, 5), /^%PDF-/);
    // every reference can be read
    for (const { reference } of [...report.result, ...report.imagingStudy, report.subject]) {
      const { status, body } = await get(reference);
      assert.deepEqual([status, complaints(body)], [200, []], reference);
    }
    const { body: observation } = await get(`Observation/${pid}-3`);
    assert.equal(observation.bodySite.coding[0].code, "5366008");
    assert.deepEqual([observation.bodySite.coding[1].display, observation.valueQuantity.unit], [
      "Left",
      "mL",
    ]);
    assert.equal((await get("Observation")).status, 400);
    assert.equal((await get("Observation/1-999")).status, 404);
    assert.equal((await get("DiagnosticReport?patient.identifier=nobody")).body.total, 0);
  }));

Deno.test("patients and imaging studies are found without reading results, and before an analysis", () =>
  withCore(async (test) => {
    const { api, core, dataDir } = test;
    const pid = await analysedPhantom(test, studyFiles());
    const id = await savePeer(api, null, {
      name: "EHR",
      kind: "fhir",
      config: { url: "http://ehr" },
    });
    const authorization = `Bearer ${await renewSystemKey(api, id)}`;
    const get = async (path: string) => {
      const request = new Request(`http://core/api/v1/fhir/${path}`, {
        headers: { authorization },
      });
      return await (await core.fetch(request)).json();
    };
    const paths = ["Patient", "ImagingStudy"].flatMap((type) => [
      `${type}?${type === "Patient" ? "identifier" : "patient.identifier"}=SP-0001`,
      `${type}/${pid}`,
    ]);
    const all = () => Promise.all(paths.map(get));
    const before = await all(), db = await openBeside(dataDir);
    // results that cannot be read stop every computation that uses them
    await db.updateTable("analyses").set({ results: "{" }).execute();
    assert.deepEqual(await all(), before);
    assert.equal((await get(`Observation?patient=Patient/${pid}`)).total ?? 0, 0);
    // a study that is not analysed has its series and instances
    await db.updateTable("patients").set({ t1_analysis_id: null, t2_analysis_id: null }).execute();
    await db.destroy();
    assert.deepEqual(await all(), before);
    const [found, one] = [before[2], before[3]];
    assert.equal(found.total, 1);
    assert.equal(one.numberOfSeries, 2);
    const counts: number[] = one.series.map((each: { numberOfInstances: number }) =>
      each.numberOfInstances
    );
    const sum = counts.reduce((total, count) => total + count, 0);
    assert.ok(sum > 2 && sum === one.numberOfInstances, `${sum} instances`);
    assert.deepEqual(complaints(found), []);
  }));

Deno.test("what is sent to a FHIR server is valid R4", () => {
  const measure = { name: "Intracranial volume", ml: 1500.123 };
  const site = { scheme: "SCT" as const, value: "1101003", meaning: "Cranial Cavity" };
  const { resource } = diagnosticReport({
    pid: 1,
    studyUid: "1.2.3",
    identity: {
      PatientID: "P-1",
      PatientName: "Hong^Gildong",
      PatientBirthDate: "19600520",
      AccessionNumber: "A-7",
    },
    finishedAt: "2026-01-06T10:11:12.000Z",
    status: "corrected",
    measures: [{ ...measure, site, side: null }],
    regions: [],
    comment: ["Automatic comment (not confirmed)", "Low on the left: hippocampus (1.94 mL, <1st)."],
    pdf: new TextEncoder().encode("%PDF-1.7"),
  });
  assert.deepEqual(complaints(resource), []);
  for (const one of resource.contained as unknown[]) assert.deepEqual(complaints(one), []);
});

Deno.test("a FHIR server gets the report once, and only where a rule names it", () => {
  const gate = new LateGate();
  return withCore(async (test) => {
    const { api, dataDir } = test,
      heard: { condition: string | null; resource: Record<string, unknown> }[] = [];
    await gate.open(dataDir);
    const server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      async (request) => {
        heard.push({
          condition: request.headers.get("if-none-exist"),
          resource: await request.json(),
        });
        // the second time it has it
        return new Response("{}", { status: heard.length === 1 ? 201 : 200 });
      },
    );
    try {
      const pid = await analysedPhantom(test, studyFiles());
      const config = {
        url: `http://127.0.0.1:${server.addr.port}`,
        results: ["fhir" as const],
        by_rule: true,
      };
      const [named] = [
        await savePeer(api, null, { name: "EHR", kind: "fhir", config }),
        await savePeer(api, null, { name: "Other", kind: "fhir", config }),
      ];
      const db = await openBeside(dataDir);
      await noteRoute(db, pid, "SCANNER", [named]);
      await db.transaction().execute((tx) => queueResults(tx, pid));
      await db.destroy();
      const sent = (attempts: number) =>
        until(async () => {
          const { results } = await getSentResults(api, pid);
          return results[0]?.state === "sent" && results[0].attempts === attempts ? results : null;
        });
      const results = await sent(1);
      assert.deepEqual(results.map(({ peer, kind }) => [peer, kind]), [["EHR", "fhir"]]);
      await repeatResults(api, [results[0]!.id]);
      await sent(2);
      assert.equal(heard.length, 2);
      for (const { condition, resource } of heard) {
        assert.match(condition!, /^identifier=urn:dicom:uid\|urn:oid:[0-9.]+$/);
        assert.equal(resource.resourceType, "DiagnosticReport");
        assert.deepEqual(complaints(resource), []);
      }
    } finally {
      await server.shutdown();
      await gate.close();
    }
  }, { gate: { ask: gate.ask, aeTitle: "SULCUS" } });
});

Deno.test("orderOf() takes the order that names the study, else the only one of the patient for the day", () => {
  const study = {
    pid: 1,
    studyUid: "1.2.3",
    patientId: "P-1",
    studyDate: "2026-01-05",
    createdAt: "",
  };
  const entry = (accession: string, studyUid = "", patient = "P-1") => ({
    "00080050": { vr: "SH", Value: [accession] },
    "00100020": { vr: "LO", Value: [patient] },
    "0020000D": { vr: "UI", Value: studyUid ? [studyUid] : [] },
  });
  assert.equal(orderOf([entry("A-1"), entry("A-2", "1.2.3")], study), "A-2");
  assert.equal(orderOf([entry("A-1")], study), "A-1");
  assert.equal(orderOf([entry("A-1"), entry("A-2")], study), "", "one of two would be a guess");
  assert.equal(orderOf([entry("A-1", "", "P-10")], study), "", "another patient");
  assert.equal(orderOf([], study), "");
});

const isProgram = (path: string) => {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
};
const noDcmtk = ["/usr/bin/wlmscpfs", "/usr/bin/dump2dcm"].every(isProgram)
  ? ""
  : "(DCMTK is not here)";

/** An entry of DCMTK's worklist, as dump2dcm reads it. */
const ENTRY = `
(0008,0050) SH [ACC-42]
(0010,0010) PN [Kim^Haneul]
(0010,0020) LO [SP-0001]
(0020,000d) UI [1.2.999.1]
(0032,1060) LO [MR brain]
(0040,0100) SQ
(fffe,e000) -
(0008,0060) CS [MR]
(0040,0001) AE [SCANNER]
(0040,0002) DA [20260105]
(0040,0003) TM [090000]
(0040,0007) LO [Brain]
(0040,0009) SH [STEP-1]
(fffe,e00d) -
(fffe,e0dd) -
(0040,1001) SH [PROC-1]
`;

Deno.test({
  name: `a study whose images have no accession number gets it from DCMTK's worklist ${noDcmtk}`,
  ignore: noDcmtk !== "",
  fn: () => {
    const gate = new LateGate();
    return withCore(async (test) => {
      const { api, dataDir } = test, port = lastingPort();
      await gate.open(dataDir);
      const folder = await Deno.makeTempDir({ prefix: "sulcus-worklist-" });
      await Deno.mkdir(`${folder}/RIS`);
      await Deno.writeTextFile(`${folder}/RIS/lockfile`, "");
      await Deno.writeTextFile(`${folder}/entry.txt`, ENTRY);
      const made = await new Deno.Command("dump2dcm", {
        args: [`${folder}/entry.txt`, `${folder}/RIS/one.wl`],
      }).output();
      assert.ok(made.success, new TextDecoder().decode(made.stderr));
      const worklist = new Deno.Command("wlmscpfs", {
        args: ["-dfp", folder, String(port)],
        env: { TCP_NODELAY: "1" },
        stdout: "null",
        stderr: "null",
      }).spawn();
      try {
        await until(() => isListening(port));
        const config = { ae_title: "RIS", host: "127.0.0.1", port, worklist: true };
        await savePeer(api, null, { name: "RIS", kind: "dicom", config });
        const pid = await analysedPhantom(test, studyFiles());
        const db = await openBeside(dataDir);
        await db.updateTable("patients").set({ accession_number: null }).execute();
        const found = await until(async () => {
          const { accession_number } = await db.selectFrom("patients").select("accession_number")
            .where("pid", "=", pid).executeTakeFirstOrThrow();
          return accession_number === null ? null : { accession_number };
        });
        await db.destroy();
        assert.equal(
          found.accession_number,
          "ACC-42",
          JSON.stringify((await getConnections(api)).log),
        );
      } finally {
        worklist.kill("SIGTERM");
        await worklist.status;
        await gate.close();
        await Deno.remove(folder, { recursive: true });
      }
    }, { gate: { ask: gate.ask, aeTitle: "SULCUS" } });
  },
});
