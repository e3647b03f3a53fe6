// Links with contradicting values: no study opens that lacks a value of the link, if another study
// or an order has that value.
// covers: S-131
import assert from "node:assert/strict";
import { findLaunched } from "@/client/api/studies/launch.ts";
import {
  type LaunchAnswer,
  type LaunchRequest,
  launchRequest,
} from "@/model/schema/studies/launch.ts";
import { findLaunched as findInStorage } from "@/server/core/studies/service/launch/launch.ts";
import { insertOrder } from "@/server/core/studies/storage/hospital/hospital_orders.ts";
import type { Database } from "@/server/core/database/database.ts";
import { randomOf } from "@/tests/sites/connections/random_messages.ts";
import { coreTest, openBeside, type TestCore } from "@/tests/sites/core_site.ts";
import { addStudies } from "@/tests/sites/stored_studies.ts";

const launch = async ({ api }: TestCore, request: Partial<LaunchRequest>) => {
  const answer = await findLaunched(api, launchRequest.parse(request), "pacs.test");
  return { ...answer, pids: answer.studies.map(({ pid }) => pid) };
};

interface StoredOrder {
  accession: string;
  patientId: string;
  state?: "ordered" | "arrived" | "cancelled";
  pid?: number;
}

const addOrder = (db: Database, { accession, patientId, state = "ordered", pid }: StoredOrder) =>
  insertOrder(db, {
    system: "RIS",
    accessionNumber: accession,
    patientId,
    patientName: `Name of ${patientId}`,
    birthDate: null,
    sex: null,
    eventMs: 1,
    items: [],
    referrer: "",
    plannedOn: null,
    orderedAt: "2026-01-06T00:00:00Z",
    expiresAt: "2036-01-06T00:00:00Z",
    state,
    pid: pid ?? null,
  });

const nameAccession = (db: Database, pid: number, accession: string) =>
  db.updateTable("patients").set({ accession_number: accession }).where("pid", "=", pid).execute();

coreTest(
  "a patient ID with a caret opens the study of that ID, never of its first part",
  async (test) => {
    const ids = ["X^1", "X", "Y", "Z^^^HOSP", "Z", "V^1"];
    await addStudies(test.dataDir, ids.length, (n) => ({ patientId: ids[n - 1]! }));
    const both = await launch(test, { patient_id: "X^1" });
    assert.deepEqual([both.outcome, both.are_several_people], ["choose", true]);
    assert.deepEqual(both.pids.toSorted(), [1, 2]);
    const inBoth = await launch(test, { patient_id: "Z^^^HOSP", most_recent: 1 });
    assert.deepEqual([inBoth.outcome, inBoth.are_several_people], ["choose", true]);
    assert.deepEqual(inBoth.pids.toSorted(), [4, 5]);
    const outcomes: [Partial<LaunchRequest>, LaunchAnswer["outcome"], number[]][] = [
      [{ patient_id: "V^1" }, "open", [6]],
      // an assigning authority after a stored ID, which cannot be compared
      [{ patient_id: "Y^^^HOSP&1.2.3&ISO^PI" }, "choose", [3]],
      [{ patient_id: "V^1^^^HOSP" }, "choose", [6]],
      // a check digit, or a stored ID with an additional part
      [{ patient_id: "Y^1" }, "none", []],
      [{ patient_id: "Y^^^" }, "none", []],
      [{ patient_id: "Y^1^M11^HOSP" }, "none", []],
      // if a study is named too, its record must have the ID
      [{ patient_id: "X^1", study_uids: ["1.2.3.1"] }, "open", [1]],
      [{ patient_id: "X^1", study_uids: ["1.2.3.2"] }, "refused", [2]],
      [{ patient_id: "Y^1", study_uids: ["1.2.3.3"] }, "refused", [3]],
      [{ patient_id: "Z^^^HOSP", study_uids: ["1.2.3.5"] }, "refused", [5]],
      [{ patient_id: "Y^^^HOSP", study_uids: ["1.2.3.3"] }, "open", [3]],
      [{ patient_id: "X^1", pid: 2 }, "refused", [2]],
    ];
    for (const [request, outcome, pids] of outcomes) {
      const answer = await launch(test, request);
      assert.deepEqual([answer.outcome, answer.pids], [outcome, pids], JSON.stringify(request));
    }
  },
);

// covers: S-98
coreTest(
  "an accession number of another study or order is refused beside a study without one",
  async (test) => {
    await addStudies(test.dataDir, 3);
    const db = await openBeside(test.dataDir);
    await nameAccession(db, 2, "A-2");
    await addOrder(db, { accession: "A-8", patientId: "P-2" });
    await addOrder(db, { accession: "A-9", patientId: "P-1", state: "arrived", pid: 1 });
    await db.destroy();
    const study = { study_uids: ["1.2.3.1"] };
    for (const named of [study, { pid: 1 }, { ...study, patient_id: "P-1" }]) {
      for (const number of ["A-2", "A-8"]) {
        const answer = await launch(test, { ...named, accession_numbers: [number] });
        assert.deepEqual([answer.outcome, answer.pids], ["refused", [1]], JSON.stringify(named));
        assert.equal(answer.is_accession_of_other, true);
      }
      // nothing has the accession number, or only the order of this study
      for (const number of ["A-7", "A-9"]) {
        const answer = await launch(test, { ...named, accession_numbers: [number] });
        assert.deepEqual([answer.outcome, answer.pids], ["open", [1]], number);
      }
    }
    // one accession number of this study, one of another study
    const mixed = await launch(test, {
      study_uids: ["1.2.3.2"],
      accession_numbers: ["A-2", "A-8"],
    });
    assert.equal(mixed.outcome, "refused");
    // the link names both studies
    const two = { study_uids: ["1.2.3.1", "1.2.3.2"], accession_numbers: ["A-2"] };
    assert.equal((await launch(test, two)).outcome, "choose");
  },
);

coreTest(
  "an accession number of a study and of another patient's order opens nothing by itself",
  async (test) => {
    await addStudies(test.dataDir, 1);
    const db = await openBeside(test.dataDir);
    await nameAccession(db, 1, "A-1");
    await addOrder(db, { accession: "A-1", patientId: "P-2" });
    await db.destroy();
    const alone = await launch(test, { accession_numbers: ["A-1"] });
    assert.deepEqual([alone.outcome, alone.are_several_people], ["choose", true]);
    const named = await launch(test, { accession_numbers: ["A-1"], patient_id: "P-1" });
    assert.deepEqual([named.outcome, named.pids], ["open", [1]]);
  },
);

coreTest(
  "a link without a study says whether the patient has other studies, or an order",
  async (test) => {
    await addStudies(test.dataDir, 2);
    const db = await openBeside(test.dataDir);
    await addOrder(db, { accession: "A-8", patientId: "P-1" });
    await addOrder(db, { accession: "A-9", patientId: "P-1", state: "cancelled" });
    await db.destroy();
    const cases: [Partial<LaunchRequest>, LaunchAnswer["absence"]][] = [
      [{ patient_id: "P-1", date_from: "2026-02-01" }, "no_date"],
      [{ patient_id: "P-1^^^HOSP", date_to: "2025-02-01" }, "no_date"],
      [{ patient_id: "P-1", modalities: ["CT"] }, "no_modality"],
      [{ patient_id: "P-9", modalities: ["CT"] }, "no_study"],
      [{ patient_id: "P-9", date_from: "2026-02-01" }, "no_study"],
      [{ accession_numbers: ["A-8"] }, "ordered"],
      [{ accession_numbers: ["A-8"], patient_id: "P-1" }, "ordered"],
      // the order belongs to another patient, so the link does not prove that it means this order
      [{ accession_numbers: ["A-8"], patient_id: "P-2" }, "no_study"],
      [{ accession_numbers: ["A-9"] }, "no_study"],
      [{ study_uids: ["1.2.9"], accession_numbers: ["A-8"] }, "no_study"],
    ];
    for (const [request, absence] of cases) {
      const answer = await launch(test, request);
      assert.deepEqual(
        [answer.outcome, answer.absence],
        ["none", absence],
        JSON.stringify(request),
      );
    }
    const open = await launch(test, { patient_id: "P-1" });
    assert.deepEqual([open.outcome, open.absence], ["open", null]);
    const reversed = { date_from: "2026-02-02", date_to: "2026-02-01" };
    const request = { ...launchRequest.parse({ patient_id: "P-1" }), ...reversed };
    await assert.rejects(findLaunched(test.api, request, "pacs.test"), { code: "input.invalid" });
  },
);

const IDS = ["X", "X^1", "X^^^H", "Y", "Y^1", ""], NUMBERS = ["A-1", "A-2", "A-3", "A-4"];

/** Random value of a list; `null` in two of three cases. */
const maybe = <T>(list: readonly T[], random: (n: number) => number): T | null =>
  random(3) > 0 ? null : list[random(list.length)]!;

coreTest(
  "of random links none opens a study that contradicts a value stored elsewhere",
  async ({ dataDir }) => {
    const random = randomOf(4502), studies: { pid: number; id: string; number: string }[] = [];
    await addStudies(dataDir, 8, (n) => {
      studies.push({ pid: n, id: IDS[random(IDS.length)]!, number: maybe(NUMBERS, random) ?? "" });
      return { patientId: studies.at(-1)!.id };
    });
    const orders: StoredOrder[] = Array.from({ length: 4 }, (_, n) => ({
      accession: `A-${n + 2}`,
      patientId: IDS[random(IDS.length - 1)]!,
      ...n === 0 ? { state: "arrived", pid: 1 } : {},
    }));
    const db = await openBeside(dataDir), opened: number[] = [], wrong: string[] = [];
    try {
      for (const { pid, number } of studies) if (number) await nameAccession(db, pid, number);
      for (const order of orders) await addOrder(db, order);
      for (let n = 0; n < 1500; n++) {
        const uid = maybe(studies, random), numbered = maybe(studies, random);
        const texts = [...IDS.slice(0, -1), "Y^^^H", "Y^2", "X^1^^^H"];
        const id = maybe(texts, random), number = maybe([...NUMBERS, "A-5", "A-9"], random);
        const second = maybe(NUMBERS, random);
        if ((uid ?? numbered ?? id ?? number) === null) continue;
        const request = launchRequest.parse({
          study_uids: uid ? [`1.2.3.${uid.pid}`] : [],
          pid: numbered?.pid ?? null,
          patient_id: id,
          accession_numbers: [...new Set([number, second])].filter((each) => each !== null),
        });
        const { outcome, studies: [found] } = await findInStorage({ db }, request);
        if (outcome !== "open") continue;
        const study = studies.find(({ pid }) => pid === found!.pid)!;
        opened.push(study.pid);
        const isElsewhere = (accession: string) =>
          studies.some((other) => other.pid !== study.pid && other.number === accession) ||
          orders.some((order) => order.accession === accession && order.pid !== study.pid);
        const isStored = (text: string) =>
          studies.some((other) => other.id === text) ||
          orders.some((order) => order.patientId === text);
        const isOfPatient = id === null || study.id === id ||
          !isStored(id) && id === `${study.id}^^^H`;
        const isRight = (uid ?? study).pid === study.pid &&
          (numbered ?? study).pid === study.pid && isOfPatient &&
          request.accession_numbers.every((each) => each === study.number || !isElsewhere(each));
        if (!isRight) wrong.push(JSON.stringify({ request, study }));
      }
    } finally {
      await db.destroy();
    }
    assert.deepEqual(wrong, []);
    // links without contradictions still open their study
    assert.ok(
      opened.length > 100 && new Set(opened).size === studies.length,
      String(opened.length),
    );
  },
);
