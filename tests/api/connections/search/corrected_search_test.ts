// covers: S-121
// Searches of DICOMweb and metadata have the patient and the study date as corrected in the record.
import assert from "node:assert/strict";
import { updatePatient, uploadFiles } from "@/client/api/studies/patients.ts";
import { coreTest, openBeside } from "@/tests/sites/core_site.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";

const ROOT = "/api/v1/dicomweb";
type Attributes = Record<string, { Value?: unknown[] }>;

coreTest(
  "searches and metadata find and return a study as it was corrected",
  async ({ core, api, dataDir }) => {
    const headers = { authorization: `Bearer ${api.token}` };
    const find = async (path: string): Promise<Attributes[]> => {
      const answer = await core.fetch(new Request(`http://core${ROOT}/${path}`, { headers }));
      const text = await answer.text();
      assert.ok([200, 204].includes(answer.status), `${path}: ${answer.status} ${text}`);
      return text === "" ? [] : JSON.parse(text);
    };
    /** Searches that find the study, of all in the list. */
    const finding = async (searches: readonly string[]) => {
      const found = await Promise.all(searches.map((query) => find(`studies?${query}`)));
      return searches.filter((_, n) => found[n]!.length > 0);
    };
    const old = [
      "PatientID=OLD-1",
      "PatientName=Kim%5EHaneul*",
      "PatientName=kim&fuzzymatching=true",
      "PatientBirthDate=19580312",
      "PatientSex=F",
      "StudyDate=20260105",
      "00100020=OLD-1",
    ];
    const corrected = [
      "PatientID=NEW-1",
      "PatientName=M%C3%BCller%5EAnna*",
      "PatientName=muller&fuzzymatching=true",
      "PatientName=anna%20muller&fuzzymatching=true",
      "PatientBirthDate=19600520",
      "PatientSex=M",
      "StudyDate=20260203",
      "StudyDate=20260201-20260228",
      "PatientID=NEW-1&PatientSex=M&StudyDate=20260203",
      "00100020=NEW-1",
    ];
    await uploadFiles(api, phantomSeries("short", "OLD-1"));
    assert.deepEqual([await finding(old), await finding(corrected)], [old, []]);
    const db = await openBeside(dataDir);
    // a study that waits for its analysis cannot be edited
    await db.updateTable("patients").set({ t1_analysis_id: null }).execute();
    await db.destroy();
    await updatePatient(api, 1, {
      patient_id: "NEW-1",
      patient_name: "Müller^Anna",
      patient_sex: "male",
      patient_birthdate: "1960-05-20",
      study_date: "2026-02-03",
    });
    assert.deepEqual([await finding(old), await finding(corrected)], [[], corrected]);
    const [study] = await find("studies?PatientID=NEW-1"), uid = study!["0020000D"]!.Value![0];
    const identity = (json: Attributes | undefined) =>
      ["00080020", "00100010", "00100020", "00100030", "00100040"].map((tag) =>
        json?.[tag]?.Value?.[0]
      );
    const expected = ["20260203", { Alphabetic: "Müller^Anna" }, "NEW-1", "19600520", "M"];
    const included = "includefield=00100010,00100020,00100030,00100040,00080020";
    for (
      const path of [
        `studies/${uid}/series?${included}`,
        `studies/${uid}/instances?${included}`,
        `studies/${uid}/instances?PatientID=NEW-1`,
        `studies/${uid}/metadata`,
        `series?PatientID=NEW-1&${included}`,
        "instances?PatientID=NEW-1",
      ]
    ) {
      const objects = await find(path);
      assert.ok(objects.length > 0, path);
      for (const json of objects) assert.deepEqual(identity(json), expected, path);
    }
    assert.deepEqual(identity(study), expected);
    assert.deepEqual(await find(`studies/${uid}/series?PatientID=OLD-1`), []);
  },
);
