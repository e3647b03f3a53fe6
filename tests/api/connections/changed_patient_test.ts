// covers: S-121
// A PACS of another vendor after the patient of a study was edited: Debian's Orthanc.
import assert from "node:assert/strict";
import { getSentResults, savePeer } from "@/client/api/connections/connections.ts";
import { getPatientRow, updatePatient } from "@/client/api/studies/patients.ts";
import { queueResults } from "@/server/core/connections/service/result_queue.ts";
import { openBeside, withCore } from "@/tests/sites/core_site.ts";
import { analysedPhantom, studyFiles } from "@/tests/sites/dicom_study.ts";
import { LateGate } from "@/tests/sites/connections/gate_site.ts";
import { noOrthanc, startOrthanc } from "@/tests/sites/connections/orthanc.ts";
import { until } from "@/tests/sites/until.ts";

const hasDciodvfy = await new Deno.Command("dciodvfy", {
  args: ["-version"],
  stdout: "null",
  stderr: "null",
}).output().then(() => true, () => false);

/** Errors that dciodvfy finds in an instance of Orthanc. */
async function errorsIn(url: string, id: string): Promise<string[]> {
  if (!hasDciodvfy) return [];
  const path = await Deno.makeTempFile({ suffix: ".dcm" });
  await Deno.writeFile(path, (await fetch(`${url}/instances/${id}/file`)).body!);
  const { stdout, stderr } = await new Deno.Command("dciodvfy", { args: [path] }).output();
  await Deno.remove(path);
  return new TextDecoder().decode(new Uint8Array([...stdout, ...stderr])).split("\n")
    .filter((line) => line.startsWith("Error"));
}

interface Tags {
  PatientID: string;
  PatientName: string;
  Modality: string;
  SOPInstanceUID: string;
}

Deno.test({
  name:
    `Orthanc gets results under the edited name and ID, and rejections of the former ones ${noOrthanc}`,
  ignore: noOrthanc !== "",
  fn: () => {
    const gate = new LateGate();
    return withCore(async (test) => {
      const { api, dataDir } = test, { port } = await gate.open(dataDir);
      const orthanc = await startOrthanc(port), db = await openBeside(dataDir);
      try {
        const pid = await analysedPhantom(test, studyFiles());
        await savePeer(api, null, {
          name: "PACS",
          kind: "dicom",
          config: {
            ae_title: "PACS",
            host: "127.0.0.1",
            port: orthanc.dicomPort,
            results: ["report", "measurements", "lesions"],
          },
        });
        const seen = new Set<string>();
        /** Instances that Orthanc has got since the last call, with their number there. */
        const arrived = async (): Promise<[string, Tags][]> => {
          await db.updateTable("outbox").set({ lease_ms: null }).where("state", "=", "waiting")
            .execute();
          await until(async () =>
            (await getSentResults(api, pid)).results.every(({ state }) => state === "sent")
          );
          const ids = (await orthanc.get<string[]>("/instances")).filter((id) => !seen.has(id));
          for (const id of ids) seen.add(id);
          return await Promise.all(
            ids.map(async (id) =>
              [id, await orthanc.get<Tags>(`/instances/${id}/simplified-tags`)] as [string, Tags]
            ),
          );
        };
        const modalitiesOf = (instances: [string, Tags][]) =>
          instances.map(([, { Modality }]) => Modality).toSorted();
        await db.transaction().execute((tx) => queueResults(tx, pid));
        const first = await arrived();
        assert.deepEqual(modalitiesOf(first), ["DOC", "SEG", "SR"]);

        const row = await getPatientRow(api, pid);
        await updatePatient(api, pid, {
          patient_id: "SP-0009",
          patient_name: "Park Haneul",
          patient_sex: "male",
          patient_birthdate: "1958-03-13",
          study_date: row.study_date!,
        });
        const edited = await arrived();
        assert.deepEqual(modalitiesOf(edited), ["DOC", "KO", "KO", "KO", "SEG", "SR"]);
        const studies = await orthanc.post<{ ID: string; MainDicomTags: { PatientID: string } }[]>(
          "/tools/find",
          JSON.stringify({ Level: "Patient", Query: {}, Expand: true }),
        );
        const ids = studies.map(({ MainDicomTags }) => MainDicomTags.PatientID).toSorted();
        assert.deepEqual(ids, [row.patient_id, "SP-0009"].toSorted());
        const rejected: string[] = [];
        for (const [id, tags] of edited) {
          assert.deepEqual(await errorsIn(orthanc.url, id), [], tags.Modality);
          const isNote = tags.Modality === "KO";
          assert.equal(tags.PatientID, isNote ? row.patient_id : "SP-0009");
          if (!isNote) {
            const { PatientName, PatientSex, PatientBirthDate } = tags as
              & Tags
              & Record<string, string>;
            assert.deepEqual([PatientName, PatientSex, PatientBirthDate], [
              "Park^Haneul",
              "M",
              "19580313",
            ]);
            continue;
          }
          const text = JSON.stringify(tags);
          assert.ok(text.includes("Rejected for Patient Safety Reasons"));
          rejected.push(
            ...first.map(([, { SOPInstanceUID }]) => SOPInstanceUID)
              .filter((uid) => text.includes(uid)),
          );
        }
        // each of the objects under the former ID is in one of the notes
        assert.deepEqual(
          rejected.toSorted(),
          first.map(([, { SOPInstanceUID }]) => SOPInstanceUID).toSorted(),
        );
      } finally {
        await db.destroy();
        await orthanc.close();
        await gate.close();
      }
    }, { gate: { ask: gate.ask, aeTitle: "SULCUS" } });
  },
});
