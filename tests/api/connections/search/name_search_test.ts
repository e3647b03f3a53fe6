// covers: S-11, S-122
// Searches as people type them over one set of studies: in the list, by QIDO at this site, by C-FIND at Debian's Orthanc.
import assert from "node:assert/strict";
import { savePeer } from "@/client/api/connections/connections.ts";
import { searchArchive } from "@/client/api/connections/pacs.ts";
import { listPatients, uploadFiles } from "@/client/api/studies/patients.ts";
import { SEARCH_NAMES, SEARCHES } from "@/model/worklist/search_cases_fixture.ts";
import { KOREAN_PATIENT } from "@/server/commands/demo/phantom/dicom/series.ts";
import { withCore } from "@/tests/sites/core_site.ts";
import { LateGate } from "@/tests/sites/connections/gate_site.ts";
import { noOrthanc, startOrthanc } from "@/tests/sites/connections/orthanc.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";

/** A backslash separates values in DICOM (PS3.5 6.2): no file has the ID `A\B`, only the list's table. */
const isInFiles = (id: string) => !id.includes("\\");
/** Searches of the table that concern IDs: QIDO and C-FIND have a field of their own for them. */
const isOfIds = (search: string) => /^field|^000/.test(search);
/** Spellings that the three must find alike; the fixture has more for the list. */
const SPELLINGS = SEARCHES.slice(0, 22);

/** The three groups of a name as DICOM has them: components by `^`, groups by `=`. */
const dicomName = (name: string) =>
  name.split(" / ").map((group) => group.replaceAll(" ", "^")).join("=");

const filesOf = (patientId: string, name: string) =>
  phantomSeries("short", patientId, {
    patient: { ...KOREAN_PATIENT, patientId, name: dicomName(name) },
  });

Deno.test({
  name:
    `each of 22 searches finds the same studies in the list, by QIDO and by C-FIND ${noOrthanc}`,
  ignore: noOrthanc !== "",
  fn: () => {
    const gate = new LateGate();
    return withCore(async ({ core, api, dataDir }) => {
      const { port } = await gate.open(dataDir), orthanc = await startOrthanc(port);
      try {
        const archive = await savePeer(api, null, {
          name: "PACS",
          kind: "dicom",
          config: { ae_title: "PACS", host: "127.0.0.1", port: orthanc.dicomPort, search: true },
        });
        for (const [id, name] of SEARCH_NAMES) {
          if (!isInFiles(id)) continue;
          const files = filesOf(id, name);
          await uploadFiles(api, files);
          for (const { bytes } of files) await orthanc.post("/instances", bytes);
        }
        const inList = async (search: string) =>
          (await listPatients(api, { search_string: search, page_size: 50 })).patients
            .map(({ patient_id }) => patient_id);
        const byQido = async (search: string) => {
          const field = isOfIds(search) ? "PatientID" : "PatientName";
          const query = new URLSearchParams({ fuzzymatching: "true", [field]: search });
          const answer = await core.fetch(
            new Request(`http://core/api/v1/dicomweb/studies?${query}`, {
              headers: { authorization: `Bearer ${api.token}` },
            }),
          );
          const text = await answer.text();
          if (text === "") return [];
          return (JSON.parse(text) as Record<string, { Value: [string] }>[])
            .map((study) => study["00100020"]!.Value[0]);
        };
        const byFind = async (search: string) => {
          const field = isOfIds(search) ? "patient_id" : "patient_name";
          const { studies, failure } = await searchArchive(api, archive, { [field]: search });
          assert.equal(failure, null);
          return studies.map(({ patient_id }) => patient_id);
        };
        const differing: unknown[] = [];
        for (const [search, places] of SPELLINGS) {
          const expected = places.map((place) => SEARCH_NAMES[place]![0]).filter(isInFiles).sort();
          for (const [way, find] of Object.entries({ inList, byQido, byFind })) {
            const matches = (await find(search).catch((error) => [String(error)])).sort();
            if (JSON.stringify(matches) !== JSON.stringify(expected)) {
              differing.push({ way, search, matches, expected });
            }
          }
        }
        assert.deepEqual(differing, []);
      } finally {
        await orthanc.close();
        await gate.close();
      }
    }, { gate: { ask: gate.ask, aeTitle: "SULCUS" } });
  },
});
