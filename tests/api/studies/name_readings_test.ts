// covers: D1-3.1
import assert from "node:assert/strict";
import {
  claimEdit,
  getPatientRow,
  releaseEdit,
  updatePatient,
  uploadFiles,
} from "@/client/api/studies/patients.ts";
import { openData } from "@/server/core/mod.ts";
import { TIMING, writeAcquisition } from "@/server/commands/demo/phantom/acquisitions.ts";
import { withCore } from "@/tests/sites/core_site.ts";

/** A copy of a file in which some bytes are replaced by others of the same length. */
function replaced(bytes: Uint8Array<ArrayBuffer>, before: string, after: readonly number[]) {
  const text = new TextDecoder("latin1").decode(bytes),
    at = text.indexOf(before),
    copy = bytes.slice();
  assert.ok(at > 0 && after.length === before.length, before);
  copy.set(after, at);
  return copy;
}

const ascii = (text: string) => [...new TextEncoder().encode(text)];
/** 홍길동 in KS X 1001. */
const HONG = [0xc8, 0xab, 0xb1, 0xe6, 0xb5, 0xbf];

Deno.test("a wrong declared character set can be overridden for a study, audited and taken back", () =>
  withCore(async ({ api, dataDir }) => {
    const files = writeAcquisition({ name: "t1_mprage", ...TIMING.mprage }, 1, 1).map((file) => ({
      ...file,
      bytes: replaced(
        replaced(file.bytes, "ISO_IR 192", ascii("ISO_IR 100")),
        "Phantom^1",
        [...HONG, ...ascii("   ")],
      ),
    }));
    const { pid_list: [pid] } = await uploadFiles(api, files);
    const db = openData(dataDir);
    await db.updateTable("analyses").set({ status: "failed", error_code: "engine.crashed" })
      .execute();
    const before = await getPatientRow(api, pid!);
    assert.equal(before.patient_name, "È«±æµ¿");

    const { readings } = await claimEdit(api, pid!);
    assert.equal(readings![0]!.character_set, null);
    assert.equal(readings![0]!.patient_name, "È«±æµ¿");
    const korean = readings!.find(({ character_set }) => character_set === "Korean (KS X 1001)")!;
    assert.equal(korean.patient_name, "홍길동");
    assert.equal(korean.patient_id, before.patient_id);
    assert.ok(readings!.every(({ patient_name }) => !patient_name.includes("\ufffd")));
    assert.equal((await claimEdit(api, pid!)).readings, undefined, "a renewal reads nothing");

    const { study_date, patient_birthdate, patient_sex } = before;
    const save = (patient_name: string) =>
      updatePatient(api, pid!, {
        patient_id: before.patient_id,
        patient_name,
        patient_birthdate: patient_birthdate ?? "1960-01-01",
        patient_sex: patient_sex ?? "male",
        study_date: study_date!,
      });
    await save(korean.patient_name);
    assert.equal((await getPatientRow(api, pid!)).patient_name, "홍길동");
    const audit = await db.selectFrom("audit").select(["event", "pid", "outcome"])
      .where("event", "=", "study.update").execute();
    assert.deepEqual(audit.map(({ pid, outcome }) => [pid, outcome]), [[pid, "ok"]]);
    // the names in other character sets stay the same, so the declared one can be chosen again
    assert.deepEqual((await claimEdit(api, pid!)).readings, readings);
    await save(readings![0]!.patient_name);
    assert.equal((await getPatientRow(api, pid!)).patient_name, "È«±æµ¿");
    await db.destroy();
  }));

Deno.test("names of plain ASCII, and studies without files, have no other readings", () =>
  withCore(async ({ api, dataDir }) => {
    const { pid_list: [pid] } = await uploadFiles(
      api,
      writeAcquisition({ name: "t1_mprage", ...TIMING.mprage }, 2, 1),
    );
    const db = openData(dataDir);
    await db.updateTable("analyses").set({ status: "failed", error_code: "engine.crashed" })
      .execute();
    await db.destroy();
    assert.equal((await claimEdit(api, pid!)).readings, undefined);
    await releaseEdit(api, pid!);
  }));
