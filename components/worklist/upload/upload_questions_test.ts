// Questions to the server and to the user before any file is sent.
import assert from "node:assert/strict";
import type { UploadProgress } from "@/model/worklist/upload_progress.ts";
import { findStoredStudies } from "@/client/api/studies/upload.ts";
import type { ChosenFile } from "@/client/dicom_scan/file_selection.ts";
import { nameOnWire } from "@/components/worklist/upload/upload_files.ts";
import { UploadQueue } from "@/components/worklist/upload/upload_queue.ts";
import type { SendPart } from "@/components/worklist/upload/upload_study.ts";
import { setLicense } from "@/server/core/site/service/license_grant.ts";
import { filesOf, sendOver, studiesOf } from "@/tests/sites/chosen_files.ts";
import { openBeside, withCore } from "@/tests/sites/core_site.ts";
import { TIMING, writeAcquisition } from "@/server/commands/demo/phantom/acquisitions.ts";

// covers: S-20
Deno.test("UploadQueue sends nothing of studies that the server has whole, and all of one with a new file", async () => {
  await withCore(async ({ api, dataDir }) => {
    // no analysis, because studies being analysed are refused instead of skipped
    const db = await openBeside(dataDir);
    await db.insertInto("settings").values({ scope: "user:1", key: "auto_analyze", value: "false" })
      .execute();
    await db.destroy();
    const first = filesOf("AGAIN-1"),
      chosen = [...first, ...filesOf("AGAIN-2")],
      sent: string[] = [];
    const send: SendPart = async (part, options) => {
      sent.push(...part.files.map(({ path }) => nameOnWire(path)));
      return await sendOver(api)(part, options);
    };
    const upload = async (files: ChosenFile[]) => {
      const states: UploadProgress["state"][] = [];
      const onChange = ({ state }: UploadProgress) => states.push(state);
      const queue = new UploadQueue(await studiesOf(files), files, { api, send, onChange });
      const running = queue.run();
      assert.deepEqual(states, ["running"], "told at once, before the server has answered");
      await running;
      return queue.progress;
    };
    const stagesOf = ({ studies }: UploadProgress) =>
      studies.map(({ stage, pids }) => [stage, ...pids]);
    assert.deepEqual(stagesOf(await upload(first)), [["stored", "1"]]);
    assert.equal(sent.length, first.length);
    const both = await upload(chosen);
    assert.deepEqual(stagesOf(both), [["known", "1"], ["stored", "2"]]);
    assert.equal(sent.length, chosen.length, "the first study is not sent again");
    assert.equal(both.totalBytes, both.studies[1]!.study.sizeBytes);
    const again = await upload(chosen);
    assert.deepEqual([sent.length, again.totalBytes], [chosen.length, 0]);

    // an additional file of a stored study: the server examines all files and stores nothing new
    const scout = writeAcquisition({ name: "AAHead_Scout", ...TIMING.scout }, 1, 9)[0]!;
    const grown = [...await studiesOf(chosen)],
      extra = { ...grown[0]!.files[0]!, index: chosen.length };
    extra.tags = { ...extra.tags, instanceUid: "1.2.3.4", seriesUid: "1.2.3" };
    extra.path = "extra/scout.dcm";
    grown[0] = { ...grown[0]!, files: [...grown[0]!.files, extra] };
    const withScout = [...chosen, { path: extra.path, file: new File([scout.bytes], "scout.dcm") }];
    const queue = new UploadQueue(grown, withScout, { api, send, onChange: () => {} });
    await queue.run();
    assert.deepEqual(stagesOf(queue.progress), [["known", "1"], ["known", "2"]]);
    assert.equal(sent.length, chosen.length + first.length + 1);
  });
});

Deno.test("UploadQueue sends nothing that the server would refuse: licence, credits, disk, another patient", async () => {
  await withCore(async ({ api, dataDir }) => {
    const chosen = filesOf("REFUSED-1"), studies = await studiesOf(chosen);
    let parts = 0;
    const send: SendPart = (part, options) => {
      parts++;
      return sendOver(api)(part, options);
    };
    const options = { api, send, onChange: () => {} }, [study] = studies;
    const question = {
      studies: [{
        study_uid: study!.studyUid,
        patient_id: study!.patientId,
        size_bytes: study!.sizeBytes,
        instances: study!.files.map(({ tags }) => tags.instanceUid),
      }],
    };
    const db = await openBeside(dataDir);
    try {
      await setLicense(db, { expireDate: "2020-01-01" });
      await assert.rejects(findStoredStudies(api, question), { code: "license.expired" });
      const expired = new UploadQueue(studies, chosen, options);
      await assert.rejects(expired.run(), { code: "license.expired" });

      await setLicense(db, { expireDate: null, isCounted: true });
      await assert.rejects(findStoredStudies(api, question), { code: "credit.none" });
      const unpaid = new UploadQueue(studies, chosen, options);
      await unpaid.run();
      assert.deepEqual(unpaid.progress.studies.map(({ stage, code }) => [stage, code]), [
        ["failed", "credit.none"],
      ]);
      await setLicense(db, { isCounted: false });
    } finally {
      await db.destroy();
    }

    const huge = new UploadQueue([{ ...study!, sizeBytes: 1e15 }], chosen, options);
    await huge.run();
    assert.deepEqual(huge.progress.studies.map(({ stage, code }) => [stage, code]), [
      ["failed", "storage.full"],
    ]);
    // studies that fit on the disk are sent; the size of earlier studies in the upload counts too
    const sized = (n: number, size_bytes: number) => (
      { study_uid: `1.2.840.${n}`, patient_id: "P", size_bytes, instances: [`1.2.840.${n}.1`] }
    );
    const some = [sized(1, 1), sized(2, 1e15), sized(3, 1)];
    const full = (uid: string) => ({ study_uid: uid, code: "storage.full" });
    assert.deepEqual((await findStoredStudies(api, { studies: some })).refused, [
      full("1.2.840.2"),
      full("1.2.840.3"),
    ]);
    const after = { studies: some.slice(0, 1), size_before: 1e15 };
    assert.deepEqual((await findStoredStudies(api, after)).refused, [full("1.2.840.1")]);
    assert.equal(parts, 0);

    await new UploadQueue(studies, chosen, options).run();
    parts = 0;
    const other = new UploadQueue([{ ...study!, patientId: "ANOTHER" }], chosen, options);
    await other.run();
    const [refused] = other.progress.studies;
    assert.deepEqual([refused!.stage, refused!.code, refused!.pids], [
      "refused",
      "upload.format_not_supported",
      ["1"],
    ]);
    assert.ok(
      refused!.failures.every(({ reason, pid }) => reason === "other_patient" && pid === 1),
    );
    assert.equal(refused!.failures.length, chosen.length);
    assert.equal(parts, 0);
  });
});
