// covers: S-122
// Studies are searched for in Debian's Orthanc and taken from it, by each way that it gives them.
import assert from "node:assert/strict";
import {
  getConnections,
  getRouting,
  savePeer,
  saveRouting,
} from "@/client/api/connections/connections.ts";
import {
  getArchives,
  getPulls,
  listArchivedSeries,
  pullStudies,
  searchArchive,
} from "@/client/api/connections/pacs.ts";
import { getPatient } from "@/client/api/studies/patients.ts";
import type { PeerPut } from "@/model/schema/connections/connections.ts";
import { AppError } from "@/model/errors.ts";
import { displayName } from "@/server/core/studies/service/person_name.ts";
import { withCore } from "@/tests/sites/core_site.ts";
import { LateGate, openArchive, sendFiles } from "@/tests/sites/connections/gate_site.ts";
import { KOREAN_PATIENT } from "@/server/commands/demo/phantom/dicom/series.ts";
import { noOrthanc, startOrthanc } from "@/tests/sites/connections/orthanc.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { until } from "@/tests/sites/until.ts";

const NOBODY = { name: "Away", kind: "dicom" } as const;

/** The phantom's study of a patient on a day: the UIDs follow from both. */
const study = (patientId: string, studyDate: string) =>
  phantomSeries("short", patientId, { patient: { ...KOREAN_PATIENT, patientId, studyDate } });

Deno.test({
  name:
    `Orthanc is searched, gives studies by C-MOVE, C-GET and WADO-RS, and priors by a rule ${noOrthanc}`,
  ignore: noOrthanc !== "",
  fn: () => {
    const gate = new LateGate();
    return withCore(async ({ api, dataDir }) => {
      const { port } = await gate.open(dataDir), orthanc = await startOrthanc(port);
      try {
        const dicom = {
          ae_title: "PACS",
          host: "127.0.0.1",
          port: orthanc.dicomPort,
          may_send: true,
          search: true,
        };
        const peers: PeerPut[] = [
          { name: "Move", kind: "dicom", config: { ...dicom, retrieve: "move" } },
          { name: "Get", kind: "dicom", config: { ...dicom, retrieve: "get" } },
          {
            name: "Web",
            kind: "dicomweb",
            config: { url: `${orthanc.url}/dicom-web`, search: true },
          },
          { ...NOBODY, config: { ...dicom, port: 1 } },
          { name: "Silent", kind: "dicom", config: { ...dicom, search: false } },
          { name: "Scanner", kind: "dicom", config: { ae_title: "SCANNER", may_send: true } },
        ];
        const ids: number[] = [];
        for (const peer of peers) ids.push(await savePeer(api, null, peer));
        const [move, get, web, away, silent] = ids as [number, number, number, number, number];
        await saveRouting(api, { ...await getRouting(api), quiet_seconds: 1 });
        const sent = [
          ["P-1", "20240105"],
          ["P-1", "20230105"],
          ["P-1", "20220105"],
          ["P-2", "20240106"],
        ] as const;
        for (const [patient, date] of sent) {
          for (const { bytes } of study(patient, date)) await orthanc.post("/instances", bytes);
        }
        assert.deepEqual((await getArchives(api)).map(({ name }) => name).sort(), [
          "Away",
          "Get",
          "Move",
          "Web",
        ]);
        const ofOne = { patient_id: "P-1" };
        for (const id of [move, get, web]) {
          const { studies, failure, is_cut } = await searchArchive(api, id, ofOne);
          assert.deepEqual([studies.length, failure, is_cut], [3, null, false]);
          assert.deepEqual(studies.map(({ study_date }) => study_date), [
            "2024-01-05",
            "2023-01-05",
            "2022-01-05",
          ]);
          assert.ok(studies.every(({ patient_id, pid }) => patient_id === "P-1" && pid === null));
          // every form of the name, as the worklist has it
          assert.equal(studies[0]!.patient_name, displayName(KOREAN_PATIENT.name));
        }
        // the one study of a link
        const second = (await searchArchive(api, move, ofOne)).studies[1]!;
        for (const id of [move, get, web]) {
          const { studies } = await searchArchive(api, id, { study_uid: second.study_uid });
          assert.deepEqual(studies.map(({ study_date }) => study_date), ["2023-01-05"]);
        }
        // what a study has is looked at before it is taken
        const [newest] = (await searchArchive(api, move, ofOne)).studies;
        for (const id of [move, get, web]) {
          const { series, failure } = await listArchivedSeries(api, id, newest!.study_uid);
          assert.deepEqual([series.map(({ modality, images }) => [modality, images]), failure], [
            [["MR", newest!.images]],
            null,
          ]);
        }
        assert.equal(
          (await listArchivedSeries(api, away, "1.2.3")).failure?.failure,
          "unreachable",
        );
        const byDate = await searchArchive(api, move, {
          date_from: "2024-01-06",
          date_to: "2024-01-06",
        });
        assert.deepEqual(byDate.studies.map(({ patient_id }) => patient_id), ["P-2"]);
        // a search for everything
        assert.deepEqual(
          await searchArchive(api, move, { patient_id: "*" }).catch(codeOf),
          "input.invalid",
        );
        assert.deepEqual(await searchArchive(api, move, {}).catch(codeOf), "input.invalid");
        assert.deepEqual(await searchArchive(api, silent, ofOne).catch(codeOf), "entity.not_found");
        assert.equal((await searchArchive(api, away, ofOne)).failure?.failure, "unreachable");

        // one study by each way
        await until(() => gateIsOpen(port));
        const all = (await searchArchive(api, move, ofOne)).studies;
        for (const [at, id] of [move, get, web].entries()) {
          const { study_uid, images } = all[at]!;
          await pullStudies(api, id, { studies: [{ study_uid, images: images ?? 0 }] });
        }
        const taken = await until(async () => {
          const pulls = await getPulls(api);
          return pulls.every(({ pid, state }) => pid !== null && state === "done") ? pulls : null;
        });
        assert.deepEqual(
          taken.map(({ arrived, expected, failure }) => [arrived === expected, failure]),
          [
            [true, null],
            [true, null],
            [true, null],
          ],
        );
        const found = await searchArchive(api, web, ofOne);
        assert.deepEqual(found.studies.map(({ pid }) => pid).sort(), [1, 2, 3]);
        assert.equal((await getPatient(api, 1)).patient_id, "P-1");

        // refused: said, not tried for ever
        await pullStudies(api, move, { studies: [{ study_uid: "1.2.3.404" }] });
        const refused = await until(async () =>
          (await getPulls(api)).find(({ study_uid, state }) =>
            study_uid === "1.2.3.404" && state === "failed"
          )
        );
        assert.ok(refused.failure && refused.pid === null);

        // a new study of a scanner brings the patient's earlier ones
        const { rules: _, ...routing } = await getRouting(api);
        const every = { sender: "", modality: "", station: "", description: "", body_part: "" };
        await saveRouting(api, {
          ...routing,
          rules: [{
            ...every,
            sender: "SCANNER",
            age_from: null,
            age_to: null,
            action: "keep",
            peers: [],
            priors_from: get,
          }],
        });
        await sendFiles(port, "SCANNER", study("P-2", "20260105"));
        await until(async () => {
          const { arrivals } = await getConnections(api);
          return arrivals.filter(({ state, pid }) => state === "stored" && pid !== null).length ===
            5;
        });
        const { log } = await getConnections(api);
        const priors = log.find(({ event }) => event === "priors")!;
        assert.deepEqual([priors.peer, priors.is_error], ["Get", false]);
        // what a rule has taken is nobody's request, and has no priors of its own
        assert.equal((await getPulls(api)).length, 4);
        assert.equal(log.filter(({ event }) => event === "priors").length, 1);
      } finally {
        await orthanc.close();
        await gate.close();
      }
    }, { gate: { ask: gate.ask, aeTitle: "SULCUS" } });
  },
});

const codeOf = (error: unknown) => error instanceof AppError ? error.code : String(error);
/** Whether senders are let in: the gate looks at its settings every second. */
const gateIsOpen = (port: number) => sendFiles(port, "SCANNER", []).then(() => true, () => false);

Deno.test("an archive of our own kind is asked once for a study that two ask for", async () => {
  const gate = new LateGate();
  await withCore(async ({ api, dataDir }) => {
    await gate.open(dataDir);
    const archive = await openArchive("PACS", ["SULCUS"]);
    try {
      const id = await savePeer(api, null, {
        ...NOBODY,
        config: {
          ae_title: "PACS",
          host: "127.0.0.1",
          port: archive.gate.port,
          search: true,
          retrieve: "get",
        },
      });
      const request = { studies: [{ study_uid: "1.2.3.4" }, { study_uid: "1.2.3.4" }] };
      assert.equal((await pullStudies(api, id, request)).length, 1);
      // it is a storage provider alone
      const [failed] = await until(async () => {
        const pulls = await getPulls(api);
        return pulls[0]!.state === "failed" ? pulls : null;
      });
      assert.equal(failed!.failure?.failure, "not_supported");
    } finally {
      await archive.close();
      await gate.close();
    }
  }, { gate: { ask: gate.ask, aeTitle: "SULCUS" } });
});
