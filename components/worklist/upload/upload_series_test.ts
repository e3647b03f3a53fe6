// covers: S-10, D1-3.2, D1-3.8
// An examination as the page foresees it, as the server judges it, and as the upload says it.
import assert from "node:assert/strict";
import { DEFAULT_RULES } from "@/model/dicom/classify.ts";
import type { UploadProgress } from "@/model/worklist/upload_progress.ts";
import { foresee, isPartly, otherKinds, seriesOutcomes } from "@/model/worklist/upload_verdict.ts";
import type { ChosenFile } from "@/client/dicom_scan/file_selection.ts";
import { UploadQueue } from "@/components/worklist/upload/upload_queue.ts";
import { uploadToasts } from "@/components/worklist/upload/upload_outcome.ts";
import {
  type Acquisition,
  TIMING,
  writeAcquisition,
} from "@/server/commands/demo/phantom/acquisitions.ts";
import { sendOver, studiesOf } from "@/tests/sites/chosen_files.ts";
import { openData } from "@/server/core/mod.ts";
import { withCore } from "@/tests/sites/core_site.ts";

const EXAMINATION: Acquisition[] = [
  { name: "AAHead_Scout", ...TIMING.scout, slices: 3 },
  { name: "t1_mprage_sag", ...TIMING.mprage, slices: 39 },
  { name: "t1_mprage MIP", imageType: ["DERIVED", "SECONDARY", "MIP"], ...TIMING.mprage },
  { name: "t2_tse_tra", ...TIMING.t2 },
  { name: "t2_tirm_tra_dark-fluid", ...TIMING.flair },
  { name: "TOF_3D", ...TIMING.angiography },
];

const chosenOf = (acquisitions: readonly Acquisition[], study: number): ChosenFile[] =>
  acquisitions.flatMap((one, n) =>
    writeAcquisition(one, study, n + 1).map(({ fileName, bytes }) => (
      { path: fileName, file: new File([bytes], fileName) }
    ))
  );

Deno.test("each series of an examination is judged as it was foreseen, and its refusal is in the answer by name", () =>
  withCore(async ({ api, dataDir }) => {
    const chosen = chosenOf(EXAMINATION, 1), [study, ...others] = await studiesOf(chosen);
    assert.equal(others.length, 0);
    const foreseen = study!.series.map((one) => foresee(one, study!, DEFAULT_RULES).reason);
    assert.deepEqual(foreseen, [
      "localizer",
      "too_few_slices",
      "derived",
      "unclassified",
      null,
      "unclassified",
    ]);

    let last!: UploadProgress;
    const onChange = (progress: UploadProgress) => last = progress;
    const queue = new UploadQueue([study!], chosen, {
      api,
      send: sendOver(api),
      seriesType: "t1t2",
      onChange,
    });
    await queue.run();
    const [progress] = last.studies;
    assert.equal(progress!.stage, "stored");
    const outcomes = seriesOutcomes(progress!);
    const judged = study!.series.map(({ seriesUid }) => {
      const outcome = outcomes.find(({ series }) => series.seriesUid === seriesUid)!;
      return outcome.takenAs === null ? outcome.failure?.reason : null;
    });
    assert.deepEqual(judged, foreseen);
    assert.equal(isPartly(progress!), true, "the T1w is missing");
    assert.deepEqual(outcomes.map(({ series }) => series.description).slice(0, 2), [
      "t2_tirm_tra_dark-fluid",
      "t1_mprage_sag",
    ]);
    assert.deepEqual(uploadToasts(last.studies).map(({ code }) => code), [
      "upload.partly",
      "upload.some",
    ]);

    // its times say T2w, so that it is not offered; a series that is sent as a T1w all the same is taken as one
    const db = openData(dataDir);
    await db.updateTable("analyses").set({ status: "failed", error_code: "engine.crashed" })
      .execute();
    const t2 = outcomes.find(({ series }) => series.description === "t2_tse_tra")!;
    assert.deepEqual(otherKinds(t2, progress!.taken), []);
    queue.sendSeriesAs(0, t2.series.seriesUid, "t1");
    await queue.run();
    assert.deepEqual(last.studies.map(({ stage }) => stage), ["stored", "stored"]);
    assert.deepEqual(last.studies[1]!.taken, [{ series_uid: t2.series.seriesUid, kind: "t1" }]);
    assert.deepEqual(last.studies[1]!.pids, progress!.pids);
    const stored = await db.selectFrom("series").select(["kind", "description"]).orderBy("kind")
      .execute();
    await db.destroy();
    assert.deepEqual(stored, [
      { kind: "t1", description: "t2_tse_tra" },
      { kind: "t2", description: "t2_tirm_tra_dark-fluid" },
    ]);
  }));

Deno.test("a study of one slice is foreseen to be of no use", async () => {
  const [study] = await studiesOf(
    chosenOf([{ name: "t1_mprage", ...TIMING.mprage, slices: 1 }], 2),
  );
  assert.equal(foresee(study!.series[0]!, study!, DEFAULT_RULES).reason, "too_few_slices");
});
