// covers: D1-2.8, D1-7.16
import assert from "node:assert/strict";
import { saveLabels } from "@/client/api/worklist/labels.ts";
import {
  getListCounts,
  getPatient,
  getPatientRow,
  listPatients,
} from "@/client/api/studies/patients.ts";
import type { PatientQuery } from "@/model/schema/studies/patients.ts";
import { colleague, coreTest, openBeside } from "@/tests/sites/core_site.ts";
import { noonOf } from "@/tests/sites/site_day.ts";
import { addStudies, setCompleted } from "@/tests/sites/stored_studies.ts";

// covers: D1-3.7
coreTest(
  "GET /patients takes every parameter of a saved filter, one by one and together",
  async ({ api, dataDir }) => {
    await addStudies(dataDir, 4, (n) => ({
      sex: n % 2 === 0 ? "female" : "male",
      age: 60 + n,
      birthDate: `196${n}-01-01`,
      studyDate: n === 4 ? null : `2026-01-0${n}`,
    }));
    const noon = (day: string) => new Date(noonOf(day)).toISOString();
    await setCompleted(dataDir, 1, noon("2026-03-01"));
    await setCompleted(dataDir, 2, noon("2026-03-02"), "t2");
    const { id_map: ids } = await saveLabels(api, [{
      id: -1,
      label_name: "b",
      patients: [1, 2],
    }, {
      id: -2,
      label_name: "A",
      patients: [2, 3],
    }]);
    const pids = async (query: PatientQuery) => {
      const { patients, total } = await listPatients(api, { sort_direction: "asc", ...query });
      assert.equal(total, patients.length);
      return patients.map(({ pid }) => pid).join();
    };
    const cases: [PatientQuery, string][] = [
      [{}, "1,2,3,4"],
      [{ t1w: true }, "1"],
      [{ t2w: true }, "2"],
      [{ t1w: false }, "2,3,4"],
      [{ sex: "female" }, "2,4"],
      [{ age_from: 62, age_to: 63 }, "2,3"],
      [{ birth_from: "1963/01/01" }, "3,4"],
      [{ study_to: "2026/01/02" }, "1,2"],
      [{ study_from: "2026/01/02", study_to: "2026/01/02" }, "2"],
      [{ analysis_from: "2026/03/02" }, "2"],
      [{ analysis_to: "2026/03/01" }, "1"],
      [{ label_id_list: [ids[-1]!] }, "1,2"],
      [{ label_id_list: [ids[-1]!, ids[-2]!] }, "1,2,3"],
      [{ search_string: " name 3" }, "3"],
      [{ sex: "female", label_id_list: [ids[-1]!], age_to: 70, search_string: "P-" }, "2"],
      [{ sort_key: "label_list" }, "3,2,1,4"],
      [{ sort_key: "label_list", sort_direction: "desc" }, "1,2,3,4"],
      [{ sort_key: "analysis_date", sort_direction: "desc" }, "2,1,4,3"],
      [{ sort_key: "study_date", sort_direction: "desc" }, "3,2,1,4"],
    ];
    for (const [query, expected] of cases) {
      assert.equal(await pids(query), expected, JSON.stringify(query));
    }
    const wrong: PatientQuery[] = [
      { age_from: 0 },
      { age_from: 60, age_to: 60 },
      { study_from: "2026-01-02" },
      { study_from: "2026/01/03", study_to: "2026/01/02" },
      { page_size: 201 },
      { label_id_list: [-1] },
      { sex: "x" as never },
    ];
    for (const query of wrong) {
      await assert.rejects(
        listPatients(api, query),
        { code: "input.invalid" },
        JSON.stringify(query),
      );
    }
  },
);

// covers: S-13
coreTest(
  "the list is narrowed to a state, whose studies are counted; orders by need and by grade",
  async ({ api, open, dataDir }) => {
    await addStudies(dataDir, 5, (n) => ({
      createdAt: n === 5 ? new Date().toISOString() : "2026-01-02T00:00:00Z",
      createdBy: n === 2 ? 1 : null,
    }));
    for (const pid of [1, 2, 3, 4]) await setCompleted(dataDir, pid, "2026-01-06T10:00:00Z");
    const db = await openBeside(dataDir);
    const set = (
      pid: number,
      values: { status: "waiting" | "processing" | "failed" } | { grade: "A" | "C" },
    ) => db.updateTable("analyses").set(values).where("pid", "=", pid).execute();
    await set(1, { grade: "C" });
    await set(2, { status: "processing" });
    await set(3, { status: "failed" });
    await set(4, { grade: "A" });
    const pids = async (query: PatientQuery) =>
      (await listPatients(api, query)).patients.map(({ pid }) => pid).join();
    assert.deepEqual(await getListCounts(api), {
      waiting: 0,
      processing: 1,
      failed: 1,
      new: 1,
      mine: 1,
      ordered: 0,
      bin_days: 30,
    });
    assert.equal(await pids({ state: "failed" }), "3");
    assert.equal(await pids({ state: "new" }), "5");
    assert.equal(await pids({ state: "mine" }), "2");
    assert.equal((await getListCounts(await colleague(open, dataDir))).mine, 0);
    // a change of the status alone also updates the list
    await set(2, { status: "waiting" });
    assert.equal(await pids({ state: "waiting" }), "2");
    assert.equal(await pids({ sort_key: "attention", sort_direction: "asc" }), "3,1,2,5,4");
    assert.equal(
      await pids({ sort_key: "quality_grade", sort_direction: "desc" }).then((all) =>
        all.slice(0, 3)
      ),
      "1,4",
    );
    await db.destroy();
  },
);

coreTest(
  "a result is new to each user until it is opened, and again when there is another",
  async (core) => {
    const { api, open, dataDir } = core, other = await colleague(open, dataDir);
    await addStudies(dataDir, 2);
    await setCompleted(dataDir, 1, "2026-01-06T10:00:00Z");
    const unread = async (who = api) =>
      (await listPatients(who)).patients.map(({ is_unread }) => is_unread);
    // newest first: the second study has the result
    assert.deepEqual(await unread(), [false, true]);
    await getPatientRow(api, 1);
    assert.deepEqual(
      await unread(),
      [false, true],
      "a row that is brought up to date is not opened",
    );
    await getPatient(api, 1);
    assert.deepEqual([await unread(), await unread(other)], [[false, false], [false, true]]);
    assert.equal((await getPatientRow(other, 1)).is_unread, true);
    await setCompleted(dataDir, 1, "2099-01-06T10:00:00Z", "t2");
    assert.deepEqual(await unread(), [false, true]);
  },
);
