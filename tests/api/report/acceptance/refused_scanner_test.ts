// Percentiles of a scanner for which two people have refused them.
// covers: S-154, S-155
import assert from "node:assert/strict";
import { login } from "@/client/api/accounts/auth.ts";
import { countersignAcceptance, revokeAcceptance } from "@/client/api/report/acceptance.ts";
import { getPatient } from "@/client/api/studies/patients.ts";
import { qualityWarningText } from "@/model/text/quality.ts";
import { viewerPatientOf } from "@/model/viewer/viewer_patient.ts";
import { appliedFrom } from "@/server/core/norms/service/applied_norms.ts";
import {
  insertAcceptance,
  listAcceptances,
  signAcceptance,
} from "@/server/core/norms/storage/acceptances.ts";
import type { AcceptanceDecision } from "@/model/schema/report/acceptance.ts";
import { NORMS_NAME } from "@/model/norms/norms_source.ts";
import { coreTest, openBeside } from "@/tests/sites/core_site.ts";
import {
  addRoutine,
  CHARTED_LABELS,
  measureAgain,
  ROUTINE_ENGINE,
  ROUTINE_PROTOCOL,
  ROUTINE_SCANNER,
} from "@/tests/sites/routine_site.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";

const SECOND = { email: "second@hospital.test", password: "correct-horse-9" };
const PLACE = { scanner: ROUTINE_SCANNER, protocol: ROUTINE_PROTOCOL };

coreTest(
  "a refusal of percentiles withholds them with its own reason, until it is withdrawn",
  async ({ api, open, dataDir }) => {
    await addRoutine(dataDir, 2, 0);
    await measureAgain(dataDir, 2, 0, 3, CHARTED_LABELS);
    const db = await openBeside(dataDir);
    await addQuickUser(db, { ...SECOND, name: null, role: "administrator" });
    const second = { ...open, token: (await login(open, SECOND)).access_token };
    const decide = async (decision: AcceptanceDecision) => {
      const by = { userId: 1, at: new Date().toISOString() };
      const id = await insertAcceptance(db, {
        ...PLACE,
        ...{ engineVersion: ROUTINE_ENGINE, seed: 1, pids: [1], pictures: [1] },
        ...{ result: {} as never, norms: { published: NORMS_NAME, local: [null] } },
      }, by);
      await signAcceptance(db, id, { decision, remark: "" }, by);
      await countersignAcceptance(second, id);
      return id;
    };
    const marksOf = async () => {
      const patient = await getPatient(api, 1), { norm_reason, t1_quality, t1_result } = patient;
      const shown = t1_result!.filter(({ rank_icv_total }) => rank_icv_total?.percentile != null);
      const { warnings } = t1_quality!;
      const marks = ["scanner_refused", "volumes_not_accepted", "scanner_not_accepted"].filter((
        code,
      ) => warnings.includes(code));
      return { norm_reason, marks, hasPercentiles: shown.length > 0 };
    };
    const sent = async () => {
      const rows = await db.selectFrom("result_changes").select("pid").orderBy("pid").execute();
      await db.deleteFrom("result_changes").execute();
      return rows.map(({ pid }) => pid);
    };
    const marked = {
      norm_reason: null,
      marks: ["scanner_not_accepted"],
      hasPercentiles: true,
    };
    const refused = {
      norm_reason: "scanner_refused",
      marks: ["scanner_refused"],
      hasPercentiles: false,
    };
    assert.deepEqual(await marksOf(), marked);
    await decide("volumes");
    assert.deepEqual(await marksOf(), refused);
    assert.deepEqual(await sent(), [1, 2]);
    // an update of the engine does not lift the refusal
    await db.updateTable("analyses").set({ engine_version: "sulcus-engine 9.0.0" }).execute();
    assert.deepEqual(await marksOf(), refused);
    await db.updateTable("analyses").set({ engine_version: ROUTINE_ENGINE }).execute();

    const none = await decide("none"), both = ["scanner_refused", "volumes_not_accepted"];
    assert.deepEqual(await marksOf(), { ...refused, marks: both });
    assert.deepEqual(await sent(), [1, 2]);
    assert.equal(
      viewerPatientOf(await getPatient(api, 1), "en").quality_notes.provisional,
      qualityWarningText.volumes_not_accepted.en,
    );
    // a newer acceptance gives percentiles again, and outdates texts that were signed meanwhile
    const accepted = await decide("percentiles");
    assert.deepEqual(await marksOf(), { norm_reason: null, marks: [], hasPercentiles: true });
    assert.deepEqual(await sent(), [1, 2]);
    const tests = await listAcceptances(db);
    const { changedAt } = appliedFrom([], {
      results: null,
      localNormId: null,
      localNormAt: null,
      engineVersion: ROUTINE_ENGINE,
      acquisition: { ...PLACE, studyDate: null, receivedAt: null },
    } as never, { stops: [], tests });
    assert.equal(changedAt, tests.find(({ id }) => id === accepted)!.countersignedAt);
    await revokeAcceptance(api, accepted);
    assert.deepEqual(await marksOf(), { ...refused, marks: both });
    await revokeAcceptance(api, none);
    assert.deepEqual(await marksOf(), refused);
    await db.destroy();
  },
);
