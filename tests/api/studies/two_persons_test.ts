// covers: S-245
import assert from "node:assert/strict";
import { listComparables } from "@/client/api/reading/series.ts";
import { purgeStudy } from "@/client/api/studies/bin.ts";
import { deletePatient } from "@/client/api/studies/patients.ts";
import { getReport } from "@/client/api/report/report.ts";
import { pseudonym } from "@/server/core/dicom/deidentify/identity.ts";
import { deidentificationOf } from "@/server/core/exports/service/deidentified.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { coreTest, openBeside } from "@/tests/sites/core_site.ts";
import { addReported } from "@/tests/sites/reported_studies.ts";

type Recorded = { birth: string | null; sex: "male" | "female" | null };
const PIDS = [1, 2, 3, 4];

coreTest(
  "studies with a placeholder, or with an ID of four people, are compared nowhere, with the reason",
  async ({ api, dataDir }) => {
    await addReported(dataDir, 5, 12);
    const db = await openBeside(dataDir), pids = [1, 2, 3, 4, 5];
    const cases = [
      ["0", ["", "", "", "", ""], "placeholder"],
      ["T-1", ["Ito Ken", "Mori Aya", "Sato Rin", "Abe Jun", "Ito Ken"], "several_people"],
    ] as const;
    for (const [patient_id, names, shared_id] of cases) {
      for (const pid of pids) {
        await db.updateTable("patients").set({
          patient_id,
          patient_name: names[pid - 1]!,
          study_date: `202${pid}-01-05`,
          patient_birthdate: null,
          patient_sex: null,
        }).where("pid", "=", pid).execute();
      }
      const pseudonyms = await Promise.all(
        pids.map(async (pid) =>
          pseudonym(await deidentificationOf({ db } as unknown as ServiceContext, pid, "removed"))
        ),
      );
      assert.equal(new Set(pseudonyms).size, pids.length);
      for (const pid of pids) {
        const expected = pids.filter((other) => other !== pid)
          .map((other) => ({
            study_date: `202${other}-01-05`,
            differs: names[other - 1] === names[pid - 1] ? [] : ["name"],
            shared_id,
          }));
        const report = await getReport(api, pid, { language: "ko" });
        assert.deepEqual(report.other_person_visits, expected);
        assert.equal(report.longitudinal, null);
        const { studies, not_compared = [] } = await listComparables(api, pid);
        assert.deepEqual(studies, []);
        assert.deepEqual(not_compared.toReversed(), expected);
      }
    }
    await db.destroy();
  },
);

coreTest(
  "report, viewer and exports ask the same records who is one person, and name who is not",
  async ({ api, dataDir }) => {
    await addReported(dataDir, PIDS.length, 12);
    const db = await openBeside(dataDir);
    const dateOf = (pid: number) => `202${pid}-01-05`;
    const record = async (people: readonly Recorded[]) => {
      for (const pid of PIDS) {
        const { birth, sex } = people[pid - 1]!;
        await db.updateTable("patients").set({
          patient_id: "P-1",
          study_date: dateOf(pid),
          patient_birthdate: birth,
          patient_sex: sex,
        }).where("pid", "=", pid).execute();
      }
    };
    const woman = { birth: "1950-01-01", sex: "female" } as const;
    const cases: [Recorded[], Record<number, [number, string[]][]>][] = [
      [[woman, woman, woman, { birth: null, sex: null }], {}],
      [[woman, { ...woman, birth: "1905-01-01" }, woman, woman], {
        1: [[2, ["birthdate"]]],
        2: [[1, ["birthdate"]], [3, ["birthdate"]], [4, ["birthdate"]]],
        3: [[2, ["birthdate"]]],
        4: [[2, ["birthdate"]]],
      }],
      [[woman, { birth: "1981-02-03", sex: "male" }, { birth: null, sex: null }, woman], {
        1: [[2, ["birthdate", "sex"]], [3, []]],
        2: [[1, ["birthdate", "sex"]], [3, []], [4, ["birthdate", "sex"]]],
        3: [[1, []], [2, []], [4, []]],
        4: [[2, ["birthdate", "sex"]], [3, []]],
      }],
    ];
    for (const [people, dropped] of cases) {
      await record(people);
      const names = await Promise.all(
        PIDS.map(async (pid) =>
          pseudonym(await deidentificationOf({ db } as unknown as ServiceContext, pid, "removed"))
        ),
      );
      for (const pid of PIDS) {
        const expected = (dropped[pid] ?? []).map(([other, differs]) => ({
          study_date: dateOf(other),
          differs,
        }));
        const report = await getReport(api, pid, { language: "en" });
        assert.deepEqual(report.other_person_visits ?? [], expected, `report of ${pid}`);
        const { studies, not_compared = [] } = await listComparables(api, pid);
        assert.deepEqual(not_compared.toReversed(), expected, `viewer of ${pid}`);
        const compared = PIDS.filter((other) =>
          other !== pid && !(dropped[pid] ?? []).some(([one]) => one === other)
        );
        assert.deepEqual(studies.map((one) => one.pid).sort(), compared);
        const named = PIDS.filter((other) => other !== pid && names[other - 1] === names[pid - 1]);
        assert.deepEqual(named, compared, `pseudonyms beside ${pid}`);
      }
    }
    await db.destroy();
  },
);

coreTest(
  "a person who is given the ID of a deleted one has another pseudonym, in the bin's time and after",
  async ({ api, dataDir }) => {
    await addReported(dataDir, 3, 12);
    const db = await openBeside(dataDir);
    const record = (pid: number, patient_id: string, birth: string) =>
      db.updateTable("patients").set({ patient_id, patient_birthdate: birth, patient_sex: null })
        .where("pid", "=", pid).execute();
    const named = async (pid: number) =>
      pseudonym(await deidentificationOf({ db } as unknown as ServiceContext, pid, "removed"));
    await record(1, "P-1", "1950-01-01");
    await record(2, "P-1", "1950-01-01");
    await record(3, "P-2", "1981-02-03");
    const first = await named(1);
    assert.equal(await named(2), first);
    await deletePatient(api, 1);
    await purgeStudy(api, 1);
    assert.equal(await named(2), first, "a study of the person remains");
    await deletePatient(api, 2);
    await record(3, "P-1", "1981-02-03");
    const names = [first, await named(3)];
    await purgeStudy(api, 2);
    names.push(await named(3));
    assert.equal(names.indexOf(names[1]!), 1, "beside a person in the bin");
    assert.ok(!names.slice(0, 1).includes(names[2]!), "after the person is deleted for good");
    await db.destroy();
  },
);
