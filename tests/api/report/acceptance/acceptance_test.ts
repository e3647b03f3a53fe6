// covers: S-150, S-151, S-152
import assert from "node:assert/strict";
import { type Api, call } from "@/client/api/http.ts";
import { login } from "@/client/api/accounts/auth.ts";
import {
  answerPicture,
  beginAcceptance,
  countersignAcceptance,
  getAcceptance,
  getAcceptances,
  revokeAcceptance,
  signAcceptance,
} from "@/client/api/report/acceptance.ts";
import { getPatient } from "@/client/api/studies/patients.ts";
import { pictureChoice } from "@/server/core/norms/service/acceptance.ts";
import { acceptNorm, insertNorm, revokeNorm } from "@/server/core/norms/storage/local_norms.ts";
import type { PictureAnswer } from "@/model/schema/report/acceptance.ts";
import type { Role } from "@/model/accounts/roles.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import { imageAddress } from "@/model/acceptance/picture_address.ts";
import { judgePicture } from "@/tests/sites/norms/judged_pictures.ts";
import { coreTest, openBeside } from "@/tests/sites/core_site.ts";
import {
  addRoutine,
  CHARTED_LABELS,
  measureAgain,
  ROUTINE_ENGINE,
  ROUTINE_PROTOCOL,
  ROUTINE_SCANNER,
} from "@/tests/sites/routine_site.ts";

const COUNT = 30;
const SCANNER = { scanner: ROUTINE_SCANNER, protocol: ROUTINE_PROTOCOL };

/** Another user, signed in. */
async function user(open: Api, dataDir: string, name: string, role: Role): Promise<Api> {
  const credentials = { email: `${name}@hospital.test`, password: "correct-horse-9" };
  const db = await openBeside(dataDir);
  await addQuickUser(db, { ...credentials, name, role });
  await db.destroy();
  return { ...open, token: (await login(open, credentials)).access_token };
}

async function answerAll(api: Api, id: number, answer: PictureAnswer): Promise<void> {
  const { pictures } = await getAcceptance(api, id);
  for (const { place } of pictures) await judgePicture(api, { id, place }, answer);
}

coreTest(
  "acceptance: compared, checked by a reader, signed by two, undone by one action, audited",
  async ({ api, open, dataDir }) => {
    await addRoutine(dataDir, COUNT, 0);
    await measureAgain(dataDir, COUNT, 0, 3, CHARTED_LABELS);
    const second = await user(open, dataDir, "second", "administrator");
    const reader = await user(open, dataDir, "reader", "reader");
    const auditor = await user(open, dataDir, "auditor", "auditor");

    const { scanners, tests } = await getAcceptances(reader);
    assert.deepEqual(scanners, [{
      ...SCANNER,
      engine_version: ROUTINE_ENGINE,
      studies: COUNT,
      accepted_for: null,
      has_other_norms: false,
      is_stopped: false,
    }]);
    assert.deepEqual(tests, []);
    for (const forbidden of [reader, auditor]) {
      await assert.rejects(beginAcceptance(forbidden, SCANNER), { code: "access.forbidden" });
    }
    await assert.rejects(getAcceptances(auditor), { code: "access.forbidden" });
    await assert.rejects(getAcceptances(open), { code: "token.missing" });
    for (
      const wrong of [
        { ...SCANNER, pid_list: [1, 2, 9999] },
        { ...SCANNER, protocol: "another" },
        { ...SCANNER, scanner: "another" },
      ]
    ) {
      await assert.rejects(beginAcceptance(api, wrong), { code: "acceptance.no_studies" });
    }

    const id = await beginAcceptance(api, { ...SCANNER, scanner: ROUTINE_SCANNER.toLowerCase() });
    const begun = await getAcceptance(reader, id);
    assert.deepEqual(
      [begun.test.state, begun.result.studies, begun.result.compared, begun.result.grades.A],
      ["checking", COUNT, COUNT, COUNT],
    );
    assert.equal(begun.test.scanner, ROUTINE_SCANNER);
    for (const { name, state } of begun.result.criteria) {
      const mayBeUntested = name === "intervals" || name === "voxels";
      assert.equal(state, mayBeUntested ? "untested" : "passed", name);
    }
    // the printed seed gives the same pictures
    const pids = Array.from({ length: COUNT }, (_, n) => n + 1);
    assert.deepEqual(begun.pictures.map(({ pid }) => pid), pictureChoice(pids, begun.seed));
    assert.equal(new Set(begun.pictures.map(({ pid }) => pid)).size, 10);
    assert.notDeepEqual(pictureChoice(pids, begun.seed), pictureChoice(pids, begun.seed + 1));

    const sign = (by: Api, decision: "percentiles" | "volumes" | "none") =>
      signAcceptance(by, id, { decision, remark: "  3 T in room 2  " });
    assert.deepEqual(begun.allowed, []);
    await assert.rejects(sign(api, "none"), { code: "acceptance.not_allowed" });
    // only a picture that was sent to the user can be judged
    const unseen = { code: "acceptance.picture_unseen" };
    for (const answer of ["right", "wrong"] as const) {
      await assert.rejects(answerPicture(reader, { id, place: 0 }, answer), unseen);
    }
    await judgePicture(api, { id, place: 0 }, "right");
    await assert.rejects(answerPicture(reader, { id, place: 0 }, "right"), unseen);
    await answerAll(reader, id, "wrong");
    assert.deepEqual((await getAcceptance(api, id)).allowed, ["none"]);
    await assert.rejects(sign(api, "percentiles"), { code: "acceptance.not_allowed" });
    await answerAll(reader, id, "right");
    // a wrong picture needs a remark
    await answerPicture(reader, { id, place: 0 }, "wrong");
    for (const decision of ["percentiles", "volumes"] as const) {
      for (const remark of ["", " \n "]) {
        await assert.rejects(signAcceptance(api, id, { decision, remark }), {
          code: "acceptance.remark_missing",
        });
      }
    }
    await answerPicture(reader, { id, place: 0 }, "right");
    await assert.rejects(answerPicture(reader, { id, place: 10 }, "right"), {
      code: "entity.not_found",
    });
    await assert.rejects(answerPicture(reader, { id: id + 1, place: 0 }, "right"), {
      code: "entity.not_found",
    });
    await assert.rejects(sign(reader, "percentiles"), { code: "access.forbidden" });
    await assert.rejects(countersignAcceptance(second, id), { code: "acceptance.not_open" });
    await sign(api, "percentiles");
    await assert.rejects(answerPicture(reader, { id, place: 0 }, "wrong"), {
      code: "acceptance.not_open",
    });
    await assert.rejects(sign(second, "none"), { code: "acceptance.not_open" });
    await assert.rejects(countersignAcceptance(api, id), { code: "acceptance.same_person" });
    await assert.rejects(countersignAcceptance(reader, id), { code: "access.forbidden" });
    const acceptedFor = async () => (await getAcceptances(api)).scanners[0]!.accepted_for;
    assert.equal(await acceptedFor(), null);
    await countersignAcceptance(second, id);
    assert.equal(await acceptedFor(), "percentiles");
    const signed = await getAcceptance(api, id);
    assert.deepEqual(
      [
        signed.test.state,
        signed.test.signed_by,
        signed.test.countersigned_by,
        signed.remark,
        signed.is_own,
      ],
      ["accepted", "physician@hospital.test", "second@hospital.test", "3 T in room 2", true],
    );
    assert.equal(signed.pictures[0]!.answered_by, "reader@hospital.test");

    // a deleted study stays in the figures, without its picture
    const db = await openBeside(dataDir);
    await db.deleteFrom("patients").where("pid", "=", signed.pictures[0]!.pid!).execute();
    assert.equal((await getAcceptance(api, id)).pictures[0]!.pid, null);

    // an update of the engine asks for another test
    await db.updateTable("analyses").set({ engine_version: "sulcus-engine 9.0.0" }).execute();
    assert.equal(await acceptedFor(), null);
    await db.updateTable("analyses").set({ engine_version: ROUTINE_ENGINE }).execute();
    assert.equal(await acceptedFor(), "percentiles");

    await assert.rejects(revokeAcceptance(reader, id), { code: "access.forbidden" });
    await revokeAcceptance(second, id);
    assert.equal(await acceptedFor(), null);
    await assert.rejects(revokeAcceptance(second, id), { code: "acceptance.not_open" });
    await assert.rejects(countersignAcceptance(second, id), { code: "acceptance.not_open" });
    const events = await db.selectFrom("audit").select("event")
      .where("event", "like", "acceptance.%").where("outcome", "=", "ok").distinct()
      .orderBy("event").execute();
    await db.destroy();
    assert.deepEqual(events.map(({ event }) => event), [
      "acceptance.answer",
      "acceptance.begin",
      "acceptance.countersign",
      "acceptance.revoke",
      "acceptance.sign",
      "acceptance.view",
    ]);
  },
);

// covers: S-156
coreTest(
  "acceptance: percentiles of scanners without it are marked, never withheld, before and after a test",
  async ({ api, open, dataDir }) => {
    await addRoutine(dataDir, COUNT, 0);
    await measureAgain(dataDir, COUNT, 0, 3, CHARTED_LABELS);
    const second = await user(open, dataDir, "second", "administrator");
    const db = await openBeside(dataDir), LATER = 29, ELSE = 30;
    const markOf = async (pid: number) => {
      const { t1_quality, t1_result } = await getPatient(api, pid);
      const percentiles = t1_result!.flatMap(({ rank_icv_total }) =>
        rank_icv_total?.percentile ?? []
      );
      return { isMarked: t1_quality!.warnings.includes("scanner_not_accepted"), percentiles };
    };
    /** Studies with outputs that are sent again since the last call. */
    const sentAgain = async () => {
      const rows = await db.selectFrom("result_changes").select("pid").where("cause", "=", "norms")
        .orderBy("pid").execute();
      await db.deleteFrom("result_changes").execute();
      return rows.map(({ pid }) => pid);
    };
    await db.updateTable("series").set({ scanner: "GE 9" }).where("pid", "=", ELSE).execute();
    const tested = Array.from({ length: COUNT - 1 }, (_, n) => n + 1);

    // a site that has tested no scanner
    const marked = await markOf(LATER), accepted = { ...marked, isMarked: false };
    assert.ok(marked.isMarked && marked.percentiles.length > 10);
    assert.equal((await markOf(ELSE)).isMarked, true);
    // the start of a test and a first signature change no mark, and send nothing again
    const id = await beginAcceptance(api, SCANNER);
    await answerAll(api, id, "right");
    await signAcceptance(api, id, { decision: "percentiles", remark: "" });
    assert.deepEqual(await markOf(LATER), marked);
    assert.deepEqual(await sentAgain(), []);
    await countersignAcceptance(second, id);
    assert.deepEqual(await markOf(LATER), accepted);
    assert.equal((await markOf(ELSE)).isMarked, true);
    // what was sent with a mark is sent again without
    assert.deepEqual(await sentAgain(), tested);
    await db.updateTable("series").set({ protocol: "another" }).where("pid", "=", LATER).execute();
    assert.equal((await markOf(LATER)).isMarked, true);
    await db.updateTable("series").set({ protocol: ROUTINE_PROTOCOL }).where("pid", "=", LATER)
      .execute();
    // an acceptance is of one engine version
    const setEngine = (engine_version: string) =>
      db.updateTable("analyses").set({ engine_version }).where("pid", "=", LATER).execute();
    await setEngine("sulcus-engine 9.0.0");
    assert.equal((await markOf(LATER)).isMarked, true);
    await setEngine(ROUTINE_ENGINE);
    // and of the norms that it was tested with: by others, applied later, results are marked again
    assert.deepEqual((await getAcceptance(api, id)).norms?.local, [null]);
    const proposed = { scanner: null, engineVersion: "", controls: 24, proposedBy: null };
    const at = new Date().toISOString();
    const norm = await insertNorm(db, { ...proposed, norms: {}, proposedAt: at });
    const reasons = async () => {
      const { scanners } = await getAcceptances(api);
      const { has_other_norms } = await getAcceptance(api, id);
      return [scanners.find(({ scanner }) => scanner === ROUTINE_SCANNER)!, { has_other_norms }]
        .map((each) => each.has_other_norms);
    };
    assert.deepEqual(await reasons(), [false, false]);
    await acceptNorm(db, norm, { userId: 1, at });
    assert.deepEqual(await reasons(), [true, true]);
    assert.equal((await markOf(LATER)).isMarked, false);
    await db.updateTable("analyses").set({ local_norm_id: norm, local_norm_at: at })
      .where("pid", "=", LATER).execute();
    assert.equal((await markOf(LATER)).isMarked, true);
    await revokeNorm(db, norm, { userId: 1, at });
    assert.deepEqual(await reasons(), [false, false]);
    assert.deepEqual(await markOf(LATER), accepted);
    await db.updateTable("analyses").set({ local_norm_id: null }).execute();

    // tests that change no mark send nothing again: repeated ones, and an end before two signatures
    const repeated = await beginAcceptance(api, SCANNER);
    await answerAll(api, repeated, "right");
    await signAcceptance(api, repeated, { decision: "percentiles", remark: "" });
    await revokeAcceptance(api, repeated);
    const third = await beginAcceptance(api, SCANNER);
    await answerAll(api, third, "right");
    await signAcceptance(api, third, { decision: "percentiles", remark: "" });
    await countersignAcceptance(second, third);
    await revokeAcceptance(api, third);
    assert.deepEqual(await markOf(LATER), accepted);
    assert.deepEqual(await sentAgain(), []);
    await revokeAcceptance(api, id);
    assert.deepEqual(await markOf(LATER), marked);
    assert.deepEqual(await sentAgain(), tested);
    await db.destroy();
  },
);

coreTest(
  "acceptance: voxels of 2 mm are not accepted for percentiles, and the page says why",
  async ({ api, open, dataDir }) => {
    await addRoutine(dataDir, COUNT, 0);
    await measureAgain(dataDir, COUNT, 0, 3, CHARTED_LABELS);
    const db = await openBeside(dataDir), protocol = "1.5 T, TR 2300, 2 × 2 × 2 mm";
    await db.updateTable("series").set({ protocol }).execute();
    await db.destroy();
    const reader = await user(open, dataDir, "reader", "reader");
    const id = await beginAcceptance(api, { scanner: ROUTINE_SCANNER, protocol });
    await answerAll(reader, id, "right");
    const { allowed, result } = await getAcceptance(api, id);
    assert.deepEqual(
      result.criteria.find(({ name }) => name === "voxels"),
      { name: "voxels", value: 2, limit: 1.5, state: "failed" },
    );
    assert.deepEqual(allowed, ["volumes", "none"]);
    await assert.rejects(signAcceptance(api, id, { decision: "percentiles", remark: "" }), {
      code: "acceptance.not_allowed",
    });
    // a picture that was deleted cannot be judged
    const gone = await beginAcceptance(api, { scanner: ROUTINE_SCANNER, protocol });
    const site = await openBeside(dataDir), place = 3;
    const { pictures: [, , , deleted] } = await getAcceptance(api, gone);
    await site.deleteFrom("patients").where("pid", "=", deleted!.pid!).execute();
    for (const answer of ["right", "wrong"] as const) {
      await assert.rejects(answerPicture(reader, { id: gone, place }, answer), {
        code: "entity.not_found",
      });
    }
    await answerPicture(reader, { id: gone, place }, "unclear");
    // nor can the picture of a study without images
    await site.deleteFrom("analysis_files").execute();
    await site.destroy();
    assert.equal((await call(reader, imageAddress({ test: gone, place: 4 }))).status, 204);
    await assert.rejects(answerPicture(reader, { id: gone, place: 4 }, "right"), {
      code: "acceptance.picture_unseen",
    });
    await answerPicture(reader, { id: gone, place: 4 }, "unclear");
    // chosen studies: too few for percentiles
    const few = await beginAcceptance(api, {
      scanner: ROUTINE_SCANNER,
      protocol,
      pid_list: [3, 1, 3],
    });
    const { result: fewResult, pictures } = await getAcceptance(api, few);
    assert.equal(fewResult.studies, 2);
    assert.deepEqual(pictures.map(({ pid }) => pid), [1, 3]);
  },
);
