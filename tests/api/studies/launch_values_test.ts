// Every value of a link must agree with the study that it opens, in both request types of RAD-106.
// covers: S-131, S-98
import assert from "node:assert/strict";
import { readInvokeLink } from "@/model/launch/launch_link.ts";
import {
  type LaunchAnswer,
  type LaunchRequest,
  launchRequest,
} from "@/model/schema/studies/launch.ts";
import { writePeer } from "@/server/core/connections/storage/peers.ts";
import type { Database } from "@/server/core/database/database.ts";
import { findLaunched } from "@/server/core/studies/service/launch/launch.ts";
import { randomOf } from "@/tests/sites/connections/random_messages.ts";
import { coreTest, openBeside } from "@/tests/sites/core_site.ts";
import { addStudies } from "@/tests/sites/stored_studies.ts";

async function launched(db: Database, search: string): Promise<LaunchAnswer & { pids: number[] }> {
  const link = readInvokeLink(search);
  assert.ok("request" in link, `${search}: ${JSON.stringify(link)}`);
  const answer = await findLaunched({ db }, link.request);
  return { ...answer, pids: answer.studies.map(({ pid }) => pid) };
}

/** Assigning authority of the IDs in the images, in the settings of an HL7 system. */
const configure = (db: Database, authority: string) =>
  writePeer(db, null, {
    name: "HIS",
    kind: "hl7",
    config: { may_send: true, id_authority: authority },
    secret: null,
  }, "2026-01-06T00:00:00Z");

/** Studies 1 to 6 of P-1, P-1, P-2, P-2, P-3, P-3; number n has the day n and the number A-n. */
async function addPairs(dataDir: string): Promise<Database> {
  await addStudies(dataDir, 6, (n) => ({
    patientId: `P-${Math.ceil(n / 2)}`,
    patientName: `Name ${Math.ceil(n / 2)}`,
    birthDate: `196${Math.ceil(n / 2)}-05-20`,
    studyDate: `2026-01-0${n}`,
  }));
  const db = await openBeside(dataDir);
  for (let n = 1; n <= 6; n++) {
    await db.updateTable("patients").set({ accession_number: `A-${n}` }).where("pid", "=", n)
      .execute();
  }
  return db;
}

coreTest("a link of a patient is refused if its study is another patient's", async (test) => {
  const db = await addPairs(test.dataDir);
  try {
    const patient = "requestType=PATIENT&patientID=P-1",
      study = "requestType=STUDY&studyUID=1.2.3.1";
    const cases: [string, LaunchAnswer["outcome"], number[]][] = [
      [`${patient}&studyUID=1.2.3.3`, "refused", [3]],
      [`${patient}&studyUID=1.2.3.3&mostRecentResults=1`, "refused", [3]],
      [`${patient}&accessionNumber=A-3&mostRecentResults=1`, "refused", [3]],
      [`${patient}&studyUID=1.2.3.1&accessionNumber=A-2`, "refused", [1]],
      [`${patient}&studyUID=1.2.3.1&lowerDateTime=20260102`, "refused", [1]],
      [`${patient}&studyUID=1.2.3.1&accessionNumber=A-1`, "open", [1]],
      [`${patient}&accessionNumber=A-2`, "open", [2]],
      [`${patient}&mostRecentResults=1`, "open", [2]],
      [`${study}&lowerDateTime=20990101`, "refused", [1]],
      [`${study}&upperDateTime=20250101`, "refused", [1]],
      [`${study}&modalitiesInStudy=CT`, "refused", [1]],
      [`${study}&modalitiesInStudy=CT,MR&lowerDateTime=20260101&upperDateTime=20260101`, "open", [
        1,
      ]],
      ["requestType=STUDY&accessionNumber=A-1&lowerDateTime=20260102", "refused", [1]],
      ["requestType=STUDY&accessionNumber=A-1&modalitiesInStudy=CT", "refused", [1]],
    ];
    for (const [search, outcome, pids] of cases) {
      const answer = await launched(db, `?${search}`);
      assert.deepEqual([answer.outcome, answer.pids], [outcome, pids], search);
    }
  } finally {
    await db.destroy();
  }
});

coreTest("of random links with any values, none opens a study against a value", async (test) => {
  const db = await addPairs(test.dataDir), random = randomOf(4505), opened = new Set<number>();
  const wrong: string[] = [];
  try {
    for (let n = 0; n < 3000; n++) {
      const at = 1 + random(6);
      // values of the same study, and in one of four cases of any study
      const near = () => random(4) > 0 ? at : 1 + random(6);
      const person = (m: number) => Math.ceil(m / 2);
      const maybe = (name: string, value: string) => random(2) === 0 ? [] : [[name, value]];
      const isOfPatient = random(2) === 0;
      const parameters = [
        ["requestType", isOfPatient ? "PATIENT" : "STUDY"],
        ...maybe("studyUID", `1.2.3.${near()}`),
        ...maybe("accessionNumber", `A-${near()}`),
        ...maybe("patientID", `P-${person(near())}`),
        ...maybe("patientBirthDate", `196${person(near())}0520`),
        ...maybe("lowerDateTime", `2026010${near()}`),
        ...maybe("upperDateTime", `2026010${near()}`),
        ...maybe("modalitiesInStudy", random(4) > 0 ? "MR" : "CT"),
        ...maybe("mostRecentResults", String(1 + random(2))),
      ];
      const search = `?${new URLSearchParams(parameters)}`, link = readInvokeLink(search);
      if ("problem" in link) continue;
      const { outcome, studies: [found] } = await findLaunched({ db }, link.request);
      if (outcome !== "open") continue;
      opened.add(found!.pid);
      const value = Object.fromEntries(parameters), { pid } = found!;
      const isRight = (name: string, expected: string) => (value[name] ?? expected) === expected;
      if (
        !isRight("studyUID", `1.2.3.${pid}`) || !isRight("accessionNumber", `A-${pid}`) ||
        !isRight("patientID", `P-${person(pid)}`) ||
        !isRight("patientBirthDate", `196${person(pid)}0520`) ||
        !isRight("modalitiesInStudy", "MR") ||
        (value.lowerDateTime ?? "") > `2026010${pid}` ||
        (value.upperDateTime ?? "3") < `2026010${pid}`
      ) wrong.push(search);
    }
  } finally {
    await db.destroy();
  }
  assert.deepEqual(wrong, []);
  assert.equal(opened.size, 6, "links without contradictions open their study");
});

coreTest(
  "an assigning authority of a link that is not known opens nothing by itself",
  async (test) => {
    const ids = ["1004", "1004^^^AUTH", "1001", "1005^^^AUTH&1.2.3&ISO"];
    await addStudies(
      test.dataDir,
      ids.length,
      (n) => ({ patientId: ids[n - 1]!, patientName: `N ${n}` }),
    );
    const db = await openBeside(test.dataDir);
    const assertCases = async (
      cases: [Partial<LaunchRequest>, LaunchAnswer["outcome"], number[], string[]?][],
    ) => {
      for (const [request, outcome, pids, known] of cases) {
        const answer = await findLaunched({ db }, launchRequest.parse(request)),
          text = JSON.stringify(request);
        const found = answer.studies.map(({ pid }) => pid).sort();
        assert.deepEqual([answer.outcome, found], [outcome, pids], text);
        assert.deepEqual(answer.unknown_authority?.known, known, text);
      }
    };
    try {
      const newest = { most_recent: 1 };
      await assertCases([
        [{ patient_id: "1004^^^OTHER", ...newest }, "choose", [1], ["AUTH"]],
        [{ patient_id: "1004^^^OTHER", study_uids: ["1.2.3.1"] }, "refused", [1], ["AUTH"]],
        [{ patient_id: "1004^^^OTHER", pid: 1 }, "refused", [1], ["AUTH"]],
        // several people, and no authority in the link
        [{ patient_id: "1004", ...newest }, "choose", [1, 2]],
        [{ patient_id: "1004^^^AUTH", ...newest }, "choose", [1, 2]],
        [{ patient_id: "1004^^^AUTH&9.9&ISO^MR", study_uids: ["1.2.3.2"] }, "open", [2]],
        [{ patient_id: "1005^^^&1.2.3&ISO", ...newest }, "open", [4]],
        // no authority of this ID is known
        [{ patient_id: "1001^^^OTHER", ...newest }, "choose", [3], []],
        [{ patient_id: "1001^^^OTHER", study_uids: ["1.2.3.3"] }, "open", [3], []],
        [{ patient_id: "1001", ...newest }, "open", [3]],
      ]);
      await configure(db, "HOSP");
      await assertCases([
        [{ patient_id: "1001^^^HOSP&1.2.9&ISO^MR", ...newest }, "open", [3]],
        [{ patient_id: "1001^^^OTHER", ...newest }, "choose", [3], ["HOSP"]],
        [{ patient_id: "1001^^^OTHER", study_uids: ["1.2.3.3"] }, "refused", [3], ["HOSP"]],
        [{ patient_id: "1004^^^OTHER", ...newest }, "choose", [1], ["HOSP", "AUTH"]],
      ]);
    } finally {
      await db.destroy();
    }
  },
);
